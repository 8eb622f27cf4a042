//! The steps from a connection to a greeted link to a peer: proof of who both ends are, then greetings.
//!
//! Only proven peers can affect a session: a connection whose other end has not proved who it is adds at most
//! a line to the error of a wait that ends without the peer. Misbehaviour of a proven peer ends the session.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, timeout, timeout_at};

use super::allowance::Allowance;
use super::config::{Config, Party, Wrap};
use super::fault::IdentityFault;
use super::hello::Hello;
use super::refused::{Cause, Refusal, Refusals};
use crate::keys::PublicKey;
use crate::socket::ByteStream;
use crate::tls::Identity;
use crate::{Channel, Connection, Meter, NetError, Options, StreamId};

/// The stream that carries the greeting and its confirmation.
pub(crate) const HELLO_STREAM: StreamId = StreamId(u32::MAX);

/// The longest time for the other end of a connection to prove who it is, on a link that is not slowed down
/// on purpose.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(5);

/// More time for each party of the session, since all may arrive at once.
const HANDSHAKE_LIMIT_EACH: Duration = Duration::from_millis(10);

/// One-way trips of a handshake, with some to spare, and its bytes: for links that are slowed down on
/// purpose.
const HANDSHAKE_TRIPS: u32 = 8;
const HANDSHAKE_BYTES: u64 = 8 * 1024;

/// Longest time to let a refused peer read why.
const REFUSAL_LIMIT: Duration = Duration::from_secs(1);

/// A connection whose other end has said who it is and what it wants to run.
pub(super) struct Link {
    pub(super) name: String,
    pub(super) connection: Connection,
    /// Known only to the two ends; zeros on a transport without protection.
    pub(super) exporter: [u8; 32],
    pub(super) hello: Hello,
    pub(super) channel: Channel,
}

/// The inputs of a handshake; shared by concurrent handshakes.
pub(super) struct Meeting {
    pub(super) config: Config,
    pub(super) identity: Option<Identity>,
    pub(super) hello: Hello,
    pub(super) meter: Meter,
    pub(super) peers: Vec<Party>,
}

/// A connection whose other end holds a peer's key.
pub(super) struct Proven {
    pub(super) name: String,
    stream: Box<dyn ByteStream>,
    exporter: [u8; 32],
}

/// A connection whose other end is a peer, as far as the transport shows.
pub(super) enum Arrival {
    /// It has not greeted yet.
    Proven(Proven),
    /// It has greeted, which is everything on a transport that does not authenticate.
    Greeted(Link),
}

/// Why a connection did not become a link.
pub(super) enum Failed {
    /// Its other end is a stranger, as far as can be known.
    Stranger(Refusal, Option<Parting>),
    /// The peer itself misbehaved.
    Peer(NetError),
}

/// The rest of a connection to a stranger.
pub(super) enum Parting {
    Stream(Box<dyn ByteStream>),
    Connection(Connection),
}

impl Parting {
    /// Lets a refused stranger read the refusal, which closing at once could overtake. It need not read it.
    pub(super) async fn end(self) {
        let ending = async {
            match self {
                Parting::Stream(stream) => drained(stream).await.unwrap_or_default(),
                Parting::Connection(connection) => connection.abort().await,
            }
        };
        let _ = timeout(REFUSAL_LIMIT, ending).await;
    }
}

/// Which end of the connection this side is.
#[derive(Clone, Copy)]
pub(super) enum Side<'a> {
    Dialed(&'a Party),
    Listened { from: &'a str },
}

impl Meeting {
    /// The whole handshake of the side that dialed.
    pub(super) async fn shake(
        &self,
        stream: Box<dyn ByteStream>,
        peer: &Party,
        deadline: Instant,
    ) -> Result<Link, Failed> {
        match self.arrive(stream, Side::Dialed(peer), deadline).await? {
            Arrival::Greeted(link) => Ok(link),
            Arrival::Proven(proven) => self.welcome(proven, deadline).await.map_err(Failed::Peer),
        }
    }

    /// Finds out whether a peer is at the other end, within a separate time limit.
    pub(super) async fn arrive(
        &self,
        stream: Box<dyn ByteStream>,
        side: Side<'_>,
        deadline: Instant,
    ) -> Result<Arrival, Failed> {
        let until = match (&self.identity, side) {
            // The peer reads this greeting even after this side has stopped waiting for the peer's, and would
            // then keep the connection for good.
            (None, Side::Dialed(_)) => deadline,
            _ => deadline.min(Instant::now() + self.handshake_limit()),
        };
        let arriving = async {
            let (stream, allowance) = Allowance::over(stream);
            let stream = match self.config.shape {
                Some(shape) => shape.apply(stream),
                None => stream,
            };
            let stream = wrapped(stream, &self.config.wrap_wire);
            let arrival = match &self.identity {
                Some(identity) => Arrival::Proven(self.prove(identity, stream, side).await?),
                None => Arrival::Greeted(self.believe(stream, side).await?),
            };
            allowance.lift();
            Ok(arrival)
        };
        let late = || Failed::Stranger(Refusal::new(Cause::Late, ""), None);
        timeout_at(until, arriving).await.unwrap_or_else(|_| Err(late()))
    }

    /// The time in which the other end must prove who it is.
    fn handshake_limit(&self) -> Duration {
        let slower =
            self.config.shape.map(|shape| shape.latency * HANDSHAKE_TRIPS + shape.duration(HANDSHAKE_BYTES));
        let parties = u32::try_from(self.config.parties.len()).unwrap_or(u32::MAX);
        HANDSHAKE_LIMIT + HANDSHAKE_LIMIT_EACH.saturating_mul(parties) + slower.unwrap_or_default()
    }

    /// Proves who both sides are, by TLS.
    async fn prove(
        &self,
        identity: &Identity,
        stream: Box<dyn ByteStream>,
        side: Side<'_>,
    ) -> Result<Proven, Failed> {
        let shaken = match side {
            Side::Dialed(Party { key: Some(key), .. }) => identity.only(*key).connect(stream).await,
            Side::Dialed(_) => identity.connect(stream).await,
            Side::Listened { .. } => identity.accept(stream).await,
        };
        let secured = shaken.map_err(|(error, stream)| {
            Failed::Stranger(Refusal::of_handshake(&error), Some(Parting::Stream(stream)))
        })?;
        let holder = self.peers.iter().find(|peer| peer.key == Some(secured.peer));
        let early = || Failed::Stranger(Refusal::new(Cause::NoPart, "it is early"), None);
        let holder = holder.ok_or_else(early)?;
        let expected = match side {
            Side::Dialed(peer) => holder.name == peer.name,
            Side::Listened { .. } => self.config.listens(&self.hello.from, &holder.name),
        };
        match expected {
            true => Ok(Proven {
                name: holder.name.clone(),
                stream: Box::new(secured.stream),
                exporter: secured.exporter,
            }),
            false => Err(Failed::Peer(misplaced(holder, &secured.peer))),
        }
    }

    /// Exchanges greetings with a peer that has proved who it is.
    pub(super) async fn welcome(&self, proven: Proven, deadline: Instant) -> Result<Link, NetError> {
        let Proven { name, stream, exporter } = proven;
        let connection = self.connection(stream, &name);
        let greeted = match timeout_at(deadline, self.greet(&connection)).await {
            Ok(greeted) => greeted,
            Err(_) => Err(self.late(&name, "greeting")),
        };
        let greeted = greeted.and_then(|(hello, channel)| match hello.from == name {
            true => Ok((hello, channel)),
            false => Err(NetError::Authentication { peer: name.clone(), fault: misnamed(&hello) }),
        });
        match greeted {
            Ok((hello, channel)) => Ok(Link { name, connection, exporter, hello, channel }),
            Err(error) => {
                connection.abort().await;
                Err(error)
            }
        }
    }

    /// Exchanges greetings if nothing proves who is at the other end: it must at least greet as an expected
    /// party.
    async fn believe(&self, stream: Box<dyn ByteStream>, side: Side<'_>) -> Result<Link, Failed> {
        let connection = self.connection(stream, &self.presumed(side));
        let refusal = match self.greet(&connection).await {
            Ok((hello, channel)) if self.expects(&hello, side) => {
                connection.name_peer(&hello.from);
                return Ok(Link { name: hello.from.clone(), connection, exporter: [0; 32], hello, channel });
            }
            Ok((hello, _)) => Refusal::new(Cause::NoPart, misnamed(&hello).to_string()),
            Err(error @ NetError::Mismatch { .. }) => {
                connection.abort().await;
                return Err(Failed::Peer(error));
            }
            Err(error) => unanswered(error),
        };
        Err(Failed::Stranger(refusal, Some(Parting::Connection(connection))))
    }

    /// The peer's name, as far as known before its greeting.
    fn presumed(&self, side: Side<'_>) -> String {
        match side {
            Side::Dialed(peer) => peer.name.clone(),
            Side::Listened { from } => match &self.peers[..] {
                [only] => format!("{} (at {from})", only.name),
                _ => format!("a peer at {from}"),
            },
        }
    }

    fn expects(&self, hello: &Hello, side: Side<'_>) -> bool {
        match side {
            Side::Dialed(peer) => hello.from == peer.name,
            Side::Listened { .. } => {
                self.config.listens(&self.hello.from, &hello.from)
                    && self.peers.iter().any(|peer| peer.name == hello.from)
            }
        }
    }

    fn connection(&self, stream: Box<dyn ByteStream>, peer: &str) -> Connection {
        Connection::over(wrapped(stream, &self.config.wrap_frames), self.options(peer))
    }

    async fn greet(&self, connection: &Connection) -> Result<(Hello, Channel), NetError> {
        let mut channel = connection.open(HELLO_STREAM)?;
        self.hello.send(&mut channel).await?;
        let hello = Hello::receive(&mut channel).await?;
        Ok((hello, channel))
    }

    fn options(&self, peer: &str) -> Options {
        Options {
            timeout: self.config.timeout,
            window: self.config.window,
            meter: self.meter.clone(),
            ..Options::for_peer(peer)
        }
    }

    /// The error for a peer that has proved who it is and then stays silent.
    pub(super) fn late(&self, peer: &str, waiting: &str) -> NetError {
        let seconds = self.config.timeout.as_secs_f64();
        NetError::Timeout { peer: peer.to_owned(), waiting: waiting.to_owned(), seconds }
    }

    /// The error for a peer that never came.
    pub(super) fn absent(&self, peer: &str, own: &Party, refused: Refusals) -> NetError {
        NetError::Absent {
            peer: peer.to_owned(),
            address: own.address.to_string(),
            seconds: self.config.timeout.as_secs_f64(),
            refused: Arc::new(refused),
        }
    }
}

/// The error for a peer at the wrong end of a connection, which happens only if parties have different
/// session files.
fn misplaced(holder: &Party, key: &PublicKey) -> NetError {
    NetError::Authentication { peer: holder.name.clone(), fault: IdentityFault::OtherPlace { key: *key } }
}

/// Why a greeting failed on a transport that does not authenticate, where only a greeting distinguishes a
/// peer from others.
fn unanswered(error: NetError) -> Refusal {
    match error {
        NetError::Protocol { fault, .. } => Refusal::new(Cause::Foreign, fault.to_string()),
        NetError::Timeout { .. } => Refusal::new(Cause::Late, ""),
        NetError::Io { source, .. } => Refusal::of_handshake(&source),
        _ => Refusal::new(Cause::Ended, ""),
    }
}

fn misnamed(hello: &Hello) -> IdentityFault {
    IdentityFault::OtherName { name: hello.from.clone() }
}

fn wrapped(stream: Box<dyn ByteStream>, wrap: &Option<Wrap>) -> Box<dyn ByteStream> {
    match wrap {
        Some(wrap) => wrap(stream),
        None => stream,
    }
}

/// Says that nothing follows, and waits until the other end does so, too.
async fn drained(mut stream: Box<dyn ByteStream>) -> io::Result<()> {
    stream.shutdown().await?;
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}
