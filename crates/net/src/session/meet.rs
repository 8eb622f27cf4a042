//! Dialing and listening, until there is one greeted link to every other party.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::hello::Hello;
use super::{Config, Party, Transport};
use crate::keys::{PublicKey, SecretKey};
use crate::socket::{ByteStream, Listener};
use crate::tls::Identity;
use crate::{Channel, Connection, Meter, NetError, Options, StreamId};

/// The stream that carries the greeting and its confirmation.
const HELLO_STREAM: StreamId = StreamId(u32::MAX);

/// Handshakes under way at once with those who dialed.
const MAX_HANDSHAKES: usize = 64;

/// Longest wait between two attempts to dial.
const MAX_RETRY: Duration = Duration::from_millis(200);

/// Longest time to let a refused peer read why.
const REFUSAL_LIMIT: Duration = Duration::from_secs(1);

/// A connection whose other end has said who it is and what it wants to run.
pub(super) struct Link {
    pub(super) name: String,
    pub(super) connection: Connection,
    /// Known only to the two ends; zeros on a transport that protects nothing.
    pub(super) exporter: [u8; 32],
    pub(super) hello: Hello,
    pub(super) channel: Channel,
}

/// What a handshake needs; shared by those that run at the same time.
struct Meeting {
    config: Config,
    identity: Option<Identity>,
    hello: Hello,
    meter: Meter,
    peers: Vec<Party>,
}

/// Connects with everyone: dials the parties before `me` in order, and listens for those after. Links that came about are in
/// `links` also when others did not.
pub(super) async fn connect_all(
    config: &Config,
    parties: &[Party],
    me: &str,
    key: Option<&SecretKey>,
    hello: &Hello,
    meter: &Meter,
    links: &mut Vec<Link>,
) -> Result<(), NetError> {
    let linked = |party: &Party| config.computes(me) || config.computes(&party.name);
    let (own, mut peers): (Vec<_>, Vec<_>) = parties.iter().cloned().partition(|party| party.name == me);
    peers.retain(linked);
    let [own] = <[Party; 1]>::try_from(own)
        .map_err(|_| NetError::Session { detail: format!("there is no party {me}") })?;
    let known: Vec<Party> = peers.iter().chain(strangers(config, parties)).cloned().collect();
    let identity = identity(config.transport, &own, &known, key)?;
    let (before, after): (Vec<_>, Vec<_>) = peers.iter().cloned().partition(|peer| peer.name < own.name);
    let meeting = Arc::new(Meeting {
        config: config.clone(),
        identity,
        hello: hello.clone(),
        meter: meter.clone(),
        peers,
    });
    let deadline = Instant::now() + config.timeout;
    let listener = match after.is_empty() {
        true => None,
        false => Some(listen(config, &own).await?),
    };
    for peer in &before {
        links.push(meeting.dial(peer, deadline).await?);
    }
    match listener {
        Some(listener) => meeting.await_all(&listener, &own, &after, deadline, links).await,
        None => Ok(()),
    }
}

/// Those of other runs whose keys would be known.
fn strangers<'c>(config: &'c Config, parties: &'c [Party]) -> impl Iterator<Item = &'c Party> {
    let new = |stranger: &&Party| parties.iter().all(|party| party.name != stranger.name);
    config.strangers.iter().filter(|stranger| stranger.key.is_some()).filter(new)
}

fn identity(
    transport: Transport,
    own: &Party,
    peers: &[Party],
    key: Option<&SecretKey>,
) -> Result<Option<Identity>, NetError> {
    let wrong = |detail: String| NetError::Session { detail };
    if transport == Transport::Plain {
        return Ok(None);
    }
    let key = key.ok_or_else(|| wrong(format!("party {} needs its secret key", own.name)))?;
    if own.key.is_some_and(|public| public != key.public()) {
        return Err(wrong(format!("the secret key is not the one that the session names for {}", own.name)));
    }
    let missing = |peer: &Party| wrong(format!("party {} has no key, which TLS needs", peer.name));
    let keys: Result<Vec<PublicKey>, _> =
        peers.iter().map(|peer| peer.key.ok_or_else(|| missing(peer))).collect();
    let keys = keys?;
    let all = || keys.iter().copied().chain([key.public()]);
    if all().enumerate().any(|(index, key)| all().skip(index + 1).any(|other| other == key)) {
        return Err(wrong("two parties have the same key".to_owned()));
    }
    Identity::new(key, keys).map(Some).map_err(wrong)
}

async fn listen(config: &Config, own: &Party) -> Result<Listener, NetError> {
    let listening = match &config.listener {
        Some(bound) => Listener::from_bound(bound),
        None => own.address.listen().await,
    };
    listening
        .map_err(|source| NetError::Listen { address: own.address.to_string(), source: Arc::new(source) })
}

/// Which end of the connection this side is.
enum Side<'a> {
    Dialed(&'a Party),
    Listened { from: String },
}

impl Meeting {
    /// Dials until the peer is there, then shakes hands.
    async fn dial(self: &Arc<Self>, peer: &Party, deadline: Instant) -> Result<Link, NetError> {
        loop {
            let stream = self.reach(peer, deadline).await?;
            match self.shake(stream, Side::Dialed(peer), deadline).await {
                Err(NetError::Closed { .. } | NetError::Aborted { .. } | NetError::Io { .. })
                    if self.config.persistent && Instant::now() + MAX_RETRY < deadline =>
                {
                    sleep(MAX_RETRY).await;
                }
                shaken => return shaken,
            }
        }
    }

    async fn reach(&self, peer: &Party, deadline: Instant) -> Result<Box<dyn ByteStream>, NetError> {
        let mut pause = Duration::from_millis(5);
        let mut last = "no answer".to_owned();
        loop {
            match timeout_at(deadline, peer.address.connect()).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => last = error.to_string(),
                Err(_) => {}
            }
            if Instant::now() + pause >= deadline {
                return Err(NetError::Unreachable {
                    peer: peer.name.clone(),
                    address: peer.address.to_string(),
                    seconds: self.config.timeout.as_secs_f64(),
                    detail: last,
                });
            }
            sleep(pause).await;
            pause = (pause * 2).min(MAX_RETRY);
        }
    }

    /// Takes in everyone who dials, until all of `expected` are there. Strangers are turned away and remembered for the error;
    /// one who shakes hands properly but with a wrong key ends the wait, because that is a mistake in the sessions' files.
    async fn await_all(
        self: &Arc<Self>,
        listener: &Listener,
        own: &Party,
        expected: &[Party],
        deadline: Instant,
        links: &mut Vec<Link>,
    ) -> Result<(), NetError> {
        let mut handshakes = JoinSet::new();
        let mut last = None;
        while let Some(missing) = expected.iter().find(|peer| links.iter().all(|link| link.name != peer.name))
        {
            tokio::select! {
                accepted = listener.accept(), if handshakes.len() < MAX_HANDSHAKES => match accepted {
                    Ok((stream, from)) => {
                        let meeting = self.clone();
                        let side = Side::Listened { from };
                        handshakes.spawn(async move { meeting.shake(stream, side, deadline).await });
                    }
                    Err(error) => {
                        last = Some(error.to_string());
                        sleep(MAX_RETRY).await;
                    }
                },
                Some(Ok(result)) = handshakes.join_next() => match result {
                    Ok(link) if links.iter().any(|known| known.name == link.name) => {
                        last = Some(format!("{} connected twice", link.name));
                        link.connection.abort().await;
                    }
                    Ok(link) => links.push(link),
                    Err(error @ (NetError::Authentication { .. } | NetError::Mismatch { .. })) => {
                        return Err(error);
                    }
                    Err(error) => last = Some(error.to_string()),
                },
                () = tokio::time::sleep_until(deadline) => {
                    let address = &own.address;
                    let what = match last {
                        None => format!("waiting for it to connect to {address}"),
                        Some(last) => format!("waiting for it to connect to {address} (the last to try failed: {last})"),
                    };
                    return Err(self.late(&missing.name, &what));
                }
            }
        }
        Ok(())
    }

    /// Proves who both sides are and exchanges greetings.
    async fn shake(
        &self,
        stream: Box<dyn ByteStream>,
        side: Side<'_>,
        deadline: Instant,
    ) -> Result<Link, NetError> {
        let name = self.presumed(&side);
        let (stream, known, exporter) = self.secure(stream, &side, &name, deadline).await?;
        let name = known.unwrap_or(name);
        let stream = wrapped(stream, &self.config.wrap_frames);
        let connection = Connection::over(stream, self.options(&name));
        let greeted = timeout_at(deadline, self.greet(&connection)).await;
        let (hello, channel) = match greeted.unwrap_or_else(|_| Err(self.late(&name, "greeting"))) {
            Ok(greeted) => greeted,
            Err(error) => {
                connection.abort().await;
                return Err(error);
            }
        };
        if let Err(error) = self.check_name(&hello, &name, &side) {
            connection.abort().await;
            return Err(error);
        }
        connection.name_peer(&hello.from);
        Ok(Link { name: hello.from.clone(), connection, exporter, hello, channel })
    }

    /// The peer's name as far as it is known before it has proved anything.
    fn presumed(&self, side: &Side<'_>) -> String {
        match side {
            Side::Dialed(peer) => peer.name.clone(),
            Side::Listened { from } => match &self.peers[..] {
                [only] => format!("{} (at {from})", only.name),
                _ => format!("a peer at {from}"),
            },
        }
    }

    /// The stream as the frames see it, the name that the peer has proved, and bytes that only both ends know.
    async fn secure(
        &self,
        stream: Box<dyn ByteStream>,
        side: &Side<'_>,
        name: &str,
        deadline: Instant,
    ) -> Result<(Box<dyn ByteStream>, Option<String>, [u8; 32]), NetError> {
        let stream = match self.config.shape {
            Some(shape) => shape.apply(stream),
            None => stream,
        };
        let stream = wrapped(stream, &self.config.wrap_wire);
        let Some(identity) = &self.identity else {
            return Ok((stream, None, [0; 32]));
        };
        let handshake = async {
            match side {
                Side::Dialed(_) => identity.connect(stream).await,
                Side::Listened { .. } => identity.accept(stream).await,
            }
        };
        let secured = match timeout_at(deadline, handshake).await {
            Err(_) => return Err(self.late(name, "shaking hands")),
            Ok(Ok(secured)) => secured,
            Ok(Err((error, stream))) => {
                // Whether the peer reads the refusal is its own affair.
                let _ = timeout(REFUSAL_LIMIT, part(stream)).await;
                return Err(NetError::from_io(name, error));
            }
        };
        let holder = self.peers.iter().find(|peer| peer.key == Some(secured.peer));
        let holder = holder.filter(|holder| match side {
            Side::Dialed(peer) => holder.name == peer.name,
            Side::Listened { .. } => holder.name > self.hello.from,
        });
        match holder {
            Some(holder) => Ok((Box::new(secured.stream), Some(holder.name.clone()), secured.exporter)),
            None if self.is_stranger(|party| party.key == Some(secured.peer)) => Err(early(name)),
            None => Err(NetError::Authentication {
                peer: name.to_owned(),
                detail: format!("it presented {}, which belongs to another party", secured.peer),
            }),
        }
    }

    async fn greet(&self, connection: &Connection) -> Result<(Hello, Channel), NetError> {
        let mut channel = connection.open(HELLO_STREAM)?;
        self.hello.send(&mut channel).await?;
        let hello = Hello::receive(&mut channel).await?;
        Ok((hello, channel))
    }

    /// A party may only speak for itself; where nothing proves who it is, at least it must be one that is expected here.
    fn check_name(&self, hello: &Hello, name: &str, side: &Side<'_>) -> Result<(), NetError> {
        let expected = match side {
            _ if self.identity.is_some() => hello.from == name,
            Side::Dialed(peer) => hello.from == peer.name,
            Side::Listened { .. } => {
                hello.from > self.hello.from && self.peers.iter().any(|peer| peer.name == hello.from)
            }
        };
        match expected {
            true => Ok(()),
            false if self.identity.is_none() && self.is_stranger(|party| party.name == hello.from) => {
                Err(early(name))
            }
            false => Err(NetError::Authentication {
                peer: name.to_owned(),
                detail: format!("it calls itself {:?}", hello.from),
            }),
        }
    }

    fn is_stranger(&self, is: impl Fn(&Party) -> bool) -> bool {
        self.config.strangers.iter().any(is)
    }

    fn options(&self, peer: &str) -> Options {
        Options {
            timeout: self.config.timeout,
            window: self.config.window,
            meter: self.meter.clone(),
            ..Options::for_peer(peer)
        }
    }

    fn late(&self, peer: &str, waiting: &str) -> NetError {
        let seconds = self.config.timeout.as_secs_f64();
        NetError::Timeout { peer: peer.to_owned(), waiting: waiting.to_owned(), seconds }
    }
}

/// What becomes of a party of another run.
fn early(peer: &str) -> NetError {
    let detail = "it is early: it has no part in what runs now".to_owned();
    NetError::Protocol { peer: peer.to_owned(), detail }
}

fn wrapped(stream: Box<dyn ByteStream>, wrap: &Option<super::Wrap>) -> Box<dyn ByteStream> {
    match wrap {
        Some(wrap) => wrap(stream),
        None => stream,
    }
}

/// Lets a refused peer read the refusal: closing at once could overtake it.
async fn part(mut stream: Box<dyn ByteStream>) -> io::Result<()> {
    stream.shutdown().await?;
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}
