//! The links of an outside party to all computing parties.

use std::time::Duration;

use tacit_net::keys::SecretKey;
use tacit_net::session::{Config, Field, PARTIES_FIELD, Transport};
use tacit_net::{Channel, NetError, Session};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use zeroize::Zeroizing;

use crate::error::RunError;
use crate::parties::PartyIndex;
use crate::reception::message::{FromComputing, FromOutside, MAX_BYTES, STREAM, encode, receive, send};

/// How long a visitor that was early waits before it tries again.
const PAUSE: Duration = Duration::from_millis(100);

/// The maximum number of messages that wait for the visitor.
const MAX_WAITING: usize = 64;

/// An outside party that meets the computing parties.
pub(super) struct Visiting {
    pub(super) config: Config,
    pub(super) me: String,
    pub(super) key: Option<SecretKey>,
    /// The names of the computing parties, in order.
    pub(super) computing: Vec<String>,
    /// Fields that must be the same at all.
    pub(super) greeting: Vec<Field>,
}

/// Connects with all computing parties at once; the sessions are in the order of names.
pub(super) async fn meet(visiting: Visiting) -> Result<Vec<Session>, RunError> {
    let Visiting { mut config, me, key, computing, greeting } = visiting;
    // The computing parties may still meet each other.
    config.persistent = true;
    let mut meeting = JoinSet::new();
    for (party, name) in computing.into_iter().enumerate() {
        let (config, me, key, fields) = (config.clone(), me.clone(), key.clone(), greeting.clone());
        meeting.spawn(async move {
            let session = visit(&config, (&me, key.as_ref()), &name, fields).await;
            session.map(|session| (party, session))
        });
    }
    let mut sessions = Vec::new();
    while let Some(met) = meeting.join_next().await {
        sessions.push(met.map_err(|_| RunError::Panicked)??);
    }
    sessions.sort_by_key(|(party, _)| *party);
    Ok(sessions.into_iter().map(|(_, session)| session).collect())
}

/// As [`Session::visit`]. Without authentication, the computing parties may answer while they still meet each other, with fewer parties: then the visitor is early, and tries
/// again.
async fn visit(
    config: &Config,
    me: (&str, Option<&SecretKey>),
    host: &str,
    fields: Vec<Field>,
) -> Result<Session, NetError> {
    let until = Instant::now() + config.timeout;
    loop {
        let met = Session::visit(config, me, host, fields.clone()).await;
        let is_early = config.transport == Transport::Plain && Instant::now() < until;
        match met {
            Err(NetError::Mismatch { field, .. }) if is_early && field == PARTIES_FIELD => sleep(PAUSE).await,
            met => return met,
        }
    }
}

/// Messages for a computing party.
pub(super) type Queue = mpsc::UnboundedSender<Zeroizing<Vec<u8>>>;

/// A message of a computing party.
pub(super) type Heard = (PartyIndex, Result<FromComputing, RunError>);

/// Starts to listen to all computing parties. Messages in a party's queue are sent to it.
pub(super) fn links(sessions: &[Session], limit: Duration) -> (Vec<Queue>, mpsc::Receiver<Heard>) {
    let (sender, heard) = mpsc::channel(MAX_WAITING);
    let link = |(party, session): (PartyIndex, &Session)| {
        let (queue, outgoing) = mpsc::unbounded_channel();
        let opened = session.connections().next().ok_or(RunError::Over);
        let opened = opened.and_then(|connection| Ok(connection.open(STREAM)?));
        let sender = sender.clone();
        tokio::spawn(async move {
            let listened = match opened {
                Ok(channel) => listen(channel, outgoing, limit, (party, &sender)).await,
                Err(error) => Err(error),
            };
            if let Err(error) = listened {
                // A visitor that has left needs no message.
                let _ = sender.send((party, Err(error))).await;
            }
        });
        queue
    };
    (sessions.iter().enumerate().map(link).collect(), heard)
}

/// Ends all sessions, in good order or not.
pub(super) async fn part(sessions: &[Session], well: bool) {
    for session in sessions {
        match well {
            true => drop(session.close().await),
            false => session.abort().await,
        }
    }
}

/// Passes on messages of a computing party until its last one.
///
/// Errors: the link fails, or nothing comes within the limit.
async fn listen(
    mut channel: Channel,
    mut outgoing: mpsc::UnboundedReceiver<Zeroizing<Vec<u8>>>,
    limit: Duration,
    (party, tell): (PartyIndex, &mpsc::Sender<Heard>),
) -> Result<(), RunError> {
    loop {
        tokio::select! {
            biased;
            Some(message) = outgoing.recv() => {
                send(&mut channel, &message).await?;
                channel.flush().await?;
            }
            arrived = timeout(limit, channel.arrival()) => {
                let silent = || NetError::Timeout {
                    peer: channel.peer(),
                    waiting: "waiting for its next message".to_owned(),
                    seconds: limit.as_secs_f64(),
                };
                arrived.map_err(|_| silent())??;
                let message = receive(&mut channel, MAX_BYTES).await?;
                let last = matches!(message, FromComputing::Over | FromComputing::Again);
                if last {
                    send(&mut channel, &encode(&FromOutside::Over)?).await?;
                    channel.flush().await?;
                }
                if tell.send((party, Ok(message))).await.is_err() || last {
                    return Ok(channel.finish().await?);
                }
            }
        }
    }
}
