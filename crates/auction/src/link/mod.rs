//! The link between both servers: a session over TLS with pinned keys, and its protocol.
//!
//! Server A asks and server B answers, on two streams: decisions about bids and the log on one, checks and comparisons on the other, so
//! that long computations do not hold up bids.

mod follower;
mod leader;
mod messages;
mod work;

use std::sync::Arc;
use std::time::Duration;

use tacit_net::session::{Config as SessionConfig, Field, Party};
use tacit_net::socket::Address;
use tacit_net::{Channel, Session, StreamId};
use tokio::sync::watch;

use crate::AuctionError;
use crate::config::Role;
use crate::node::Node;

pub(crate) use work::Engine;

/// Streams of the session.
const DECISIONS: StreamId = StreamId(1);
const WORK: StreamId = StreamId(2);

/// How long each server waits for the other before it tries again.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The pause between a failure and the next attempt.
const PAUSE: Duration = Duration::from_millis(300);

/// Keeps the link up until `stop`, or until an error that a new attempt cannot fix.
pub(crate) async fn run(
    node: Arc<Node>,
    mut engine: Engine,
    listener: Option<Arc<std::net::TcpListener>>,
    mut stop: watch::Receiver<bool>,
) -> Result<(), AuctionError> {
    let mut told = String::new();
    loop {
        let session = tokio::select! {
            session = establish(&node, listener.clone()) => session,
            _ = stop.wait_for(|stop| *stop) => return Ok(()),
        };
        let outcome = match session {
            Ok(session) => {
                let (outcome, back) = serve(&node, engine, session, stop.clone()).await;
                engine = back;
                outcome
            }
            Err(error) => Err(error),
        };
        if *stop.borrow() {
            return Ok(());
        }
        match outcome {
            Err(error) if error.is_final() => return Err(error),
            Err(error) => {
                node.metrics.link_failures.add(1);
                if told != error.to_string() {
                    told = error.to_string();
                    eprintln!("tacit-auction {}: no link to the other server: {told}", node.role.name());
                }
            }
            Ok(()) => {}
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            _ = stop.wait_for(|stop| *stop) => return Ok(()),
        }
    }
}

/// Runs one session to its end, and returns the engine.
async fn serve(
    node: &Arc<Node>,
    engine: Engine,
    session: Session,
    mut stop: watch::Receiver<bool>,
) -> (Result<(), AuctionError>, Engine) {
    node.metrics.link_starts.add(1);
    let [decisions, work] = match channels(&session, node.role) {
        Ok(channels) => channels,
        Err(error) => return (Err(error), engine),
    };
    // Work blocks its thread; it ends when the session does.
    let handle = tokio::runtime::Handle::current();
    let (working, met) = (node.clone(), watch::Sender::new(false));
    let (greeted, stopped) = (met.subscribe(), stop.clone());
    let mut worker = tokio::task::spawn_blocking(move || {
        let mut engine = engine;
        let result = handle.block_on(work::run(&working, &mut engine, work, greeted, stopped));
        (result, engine)
    });
    let decided = async {
        match node.role {
            Role::A => leader::run(node, decisions, &met).await,
            Role::B => follower::run(node, decisions, &met).await,
        }
    };
    let (outcome, joined) = tokio::select! {
        outcome = decided => (outcome, None),
        joined = &mut worker => (Ok(()), Some(joined)),
        _ = stop.wait_for(|stop| *stop) => (Ok(()), None),
    };
    // If one stream's task ends, the other must end, too.
    session.abort().await;
    drop(met);
    let joined = match joined {
        Some(joined) => joined,
        None => worker.await,
    };
    match joined {
        Ok((worked, engine)) => (first(outcome, worked), engine),
        Err(panic) => (Err(AuctionError::Damaged(format!("work ended: {panic}"))), Engine::default()),
    }
}

/// The more informative of two outcomes.
fn first(one: Result<(), AuctionError>, other: Result<(), AuctionError>) -> Result<(), AuctionError> {
    match (one, other) {
        (Ok(()), other) => other,
        (Err(_), Err(other)) if other.is_final() => Err(other),
        (one, _) => one,
    }
}

async fn establish(
    node: &Node,
    listener: Option<Arc<std::net::TcpListener>>,
) -> Result<Session, AuctionError> {
    let address: Address =
        node.config.link.address.parse().map_err(|error| AuctionError::Config {
            file: "link.address".into(),
            reason: format!("{error}"),
        })?;
    let own = node.role.name();
    let party = |name: &str| {
        let key = if name == own { node.key.public() } else { node.peer };
        Party { name: name.into(), address: address.clone(), key: Some(key) }
    };
    let mut config = SessionConfig::new(vec![party("a"), party("b")]);
    config.timeout = TIMEOUT;
    config.persistent = true;
    config.listener = listener;
    let fields = vec![Field::text("parameters of the auction servers", node.parameters_text())];
    Ok(Session::establish(&config, own, Some(&node.key), fields).await?)
}

fn channels(session: &Session, role: Role) -> Result<[Channel; 2], AuctionError> {
    let peer = if role == Role::A { "b" } else { "a" };
    let gone = || AuctionError::Diverged(format!("the session has no party {peer}"));
    let connection = session.connection(peer).ok_or_else(gone)?;
    Ok([connection.open(DECISIONS)?, connection.open(WORK)?])
}
