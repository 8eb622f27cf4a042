//! The parties of a run, and the links between them.
//!
//! [`Session::establish`] connects a party with all others, proves to each who the other is, and compares
//! what they are about to run. In each pair of parties, the one whose name sorts first listens. The first
//! frame on each link is the greeting: the sender's name, a fresh nonce, and the fields that must be equal.
//! Once all greetings agree, every party derives the session's identity from all of them, and both ends of
//! each link confirm it together with bytes that only the two ends of that TLS connection know. So no part of
//! a session can be replayed or moved to another link.
//!
//! Strangers can neither end nor delay the wait for a peer. A connection that has not proved to be from a
//! peer within five seconds is turned away, a limited number is handled at once, and if the peer never comes,
//! the error says [who came instead](Refusals).

mod accept;
mod allowance;
mod build;
pub(crate) mod cause;
mod config;
pub(crate) mod fault;
mod file;
mod file_fault;
pub(crate) mod handshake;
pub(crate) mod hello;
mod meet;
mod reception;
pub(crate) mod refused;

pub use build::{Build, Constants};
pub use cause::LAST_WORDS;
pub use config::{Config, Party, Transport, TransportError, Wrap};
pub use fault::{IdentityFault, SessionFault};
pub use file::{Entry, Limits, LinkSettings, Scalar, SessionFile, SessionFileError};
pub use file_fault::FileFault;
pub use hello::{Field, PROTOCOL_VERSION, compare_encoded, compare_fields, encode_fields};
pub use reception::Reception;
pub use refused::{Cause, Refusals};

use tokio::task::JoinSet;

use crate::keys::SecretKey;
use crate::{Connection, Meter, NetError};
use handshake::Link;
use hello::Hello;

/// A party's links to all others, established and compared.
#[derive(Debug)]
pub struct Session {
    id: [u8; 32],
    me: String,
    links: Vec<(String, Connection, [u8; 32])>,
    meter: Meter,
}

impl Session {
    /// Connects party `me` with all others and compares the greetings; a party that does not compute connects
    /// only with those that do.
    ///
    /// `fields` must be equal at all parties; put the most informative first. The list of parties with their
    /// keys is compared before them. `key` is this party's secret key; it is not needed on a transport that
    /// does not authenticate.
    ///
    /// Security: when this returns, each link is authenticated by the pinned keys (with [`Transport::Tls`]) and all parties agree
    /// on the fields, on each other's nonces and on the TLS connections between them.
    ///
    /// Errors: [`NetError::Unreachable`] and [`NetError::Absent`] for a peer that never came or answered,
    /// with everyone who did in its place; [`NetError::Timeout`] for one that is silent,
    /// [`NetError::Authentication`] for one that refuses this party's key or is not who it claims to be,
    /// [`NetError::Mismatch`] for the first field that differs, [`NetError::Listen`], [`NetError::Session`]
    /// for a configuration that cannot work, [`NetError::Protocol`] for a peer that violates the rules.
    pub async fn establish(
        config: &Config,
        me: &str,
        key: Option<&SecretKey>,
        fields: Vec<Field>,
    ) -> Result<Session, NetError> {
        let linked =
            |party: &Party| party.name != me && (config.computes(me) || config.computes(&party.name));
        Session::connect(config, (me, key), linked, fields).await
    }

    /// Connects party `me`, which does not compute, only with `host`, which does: the other end is a
    /// [`Reception`].
    ///
    /// Security: as [`Session::establish`], between the two.
    ///
    /// Errors: as [`Session::establish`].
    pub async fn visit(
        config: &Config,
        (me, key): (&str, Option<&SecretKey>),
        host: &str,
        fields: Vec<Field>,
    ) -> Result<Session, NetError> {
        Session::connect(config, (me, key), |party| party.name == host, fields).await
    }

    /// Connects a party with the others in `linked`.
    async fn connect(
        config: &Config,
        (me, key): (&str, Option<&SecretKey>),
        linked: impl Fn(&Party) -> bool,
        fields: Vec<Field>,
    ) -> Result<Session, NetError> {
        let parties = sorted(&config.parties)?;
        let hello = greeting(me, (config, &parties), fields)?;
        let meter = Meter::new();
        let mut links = Vec::new();
        let peers: Vec<_> = parties.iter().filter(|party| linked(party)).cloned().collect();
        let end = meet::Me { config, name: me, key, hello: &hello, meter: &meter };
        let connected = meet::connect_all(end, (&parties, peers), &mut links).await;
        let agreed = match connected {
            Ok(()) => agree(&hello, config, &mut links).await,
            Err(error) => Err(error),
        };
        let id = match agreed {
            Ok(id) => id,
            Err(error) => {
                let error = cause::cause(links.iter().map(|link| &link.connection), error).await;
                abort_all(links.iter().map(|link| &link.connection)).await;
                return Err(error);
            }
        };
        Ok(Session::over(id, me, links, meter))
    }

    fn over(id: [u8; 32], me: &str, links: Vec<Link>, meter: Meter) -> Session {
        let links = links.into_iter().map(|link| {
            let link_id = link_id(&id, &link.exporter, [me, &link.name]);
            (link.name, link.connection, link_id)
        });
        Session { id, me: me.to_owned(), links: links.collect(), meter }
    }

    /// The session's identity: the same at all parties, and never repeated.
    pub fn id(&self) -> [u8; 32] {
        self.id
    }

    /// Name of this party.
    pub fn me(&self) -> &str {
        &self.me
    }

    /// The other parties in order.
    pub fn peers(&self) -> impl Iterator<Item = &str> {
        self.links.iter().map(|(name, ..)| name.as_str())
    }

    /// The link to one peer.
    pub fn connection(&self, peer: &str) -> Option<&Connection> {
        self.links.iter().find(|(name, ..)| name == peer).map(|(_, connection, _)| connection)
    }

    /// The links to all peers, in their order.
    pub fn connections(&self) -> impl Iterator<Item = &Connection> {
        self.links.iter().map(|(_, connection, _)| connection)
    }

    /// Identity of one link: the same at both of its ends, and bound to the session and the TLS connection.
    pub fn link_id(&self, peer: &str) -> Option<[u8; 32]> {
        self.links.iter().find(|(name, ..)| name == peer).map(|(.., id)| *id)
    }

    /// The counters of all links together.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// For an error that only says that a party has given up: another failure, often of a third party, which
    /// that party noticed first. Any other error is returned unchanged. To be called once, for a session that
    /// is aborted afterwards.
    ///
    /// Cost: up to [`LAST_WORDS`].
    pub async fn cause(&self, error: NetError) -> NetError {
        cause::cause(self.connections(), error).await
    }

    /// Closes all links in good order, concurrently; see [`Connection::close`].
    ///
    /// Errors: the first one, in the order of the parties.
    pub async fn close(&self) -> Result<(), NetError> {
        let mut closing = JoinSet::new();
        for (number, (_, connection, _)) in self.links.iter().enumerate() {
            let connection = connection.clone();
            closing.spawn(async move { (number, connection.close().await) });
        }
        let mut failures = Vec::new();
        while let Some(closed) = closing.join_next().await {
            failures.extend(closed.ok().and_then(|(number, closed)| Some((number, closed.err()?))));
        }
        match failures.into_iter().min_by_key(|(number, _)| *number) {
            Some((_, failure)) => Err(failure),
            None => Ok(()),
        }
    }

    /// Gives up on all links concurrently; see [`Connection::abort`].
    pub async fn abort(&self) {
        abort_all(self.connections()).await;
    }
}

async fn abort_all<'a>(connections: impl Iterator<Item = &'a Connection>) {
    let mut aborting = JoinSet::new();
    for connection in connections {
        let connection = connection.clone();
        aborting.spawn(async move { connection.abort().await });
    }
    while aborting.join_next().await.is_some() {}
}

/// The parties in the order of their names.
fn sorted(parties: &[Party]) -> Result<Vec<Party>, NetError> {
    let mut parties = parties.to_vec();
    parties.sort_by(|a, b| a.name.cmp(&b.name));
    match parties.windows(2).find(|pair| pair[0].name == pair[1].name) {
        Some(pair) => Err(SessionFault::SameName { name: pair[0].name.clone() }.into()),
        None => Ok(parties),
    }
}

/// The first message of a party.
fn greeting(me: &str, (config, parties): (&Config, &[Party]), fields: Vec<Field>) -> Result<Hello, NetError> {
    let mut nonce = [0; 32];
    getrandom::fill(&mut nonce).map_err(|source| SessionFault::Random { source })?;
    let fields = std::iter::once(parties_field(parties, config)).chain(fields).collect();
    Ok(Hello { from: me.to_owned(), nonce, fields })
}

/// Name of the field that greetings compare first: the parties and their keys.
pub const PARTIES_FIELD: &str = "parties and keys";

fn parties_field(parties: &[Party], config: &Config) -> Field {
    let key = |party: &Party| party.key.map_or("no key".to_owned(), |key| key.to_string());
    let named = parties.iter().map(|party| [&party.name, " (", &key(party), ")"].concat());
    let list = named.collect::<Vec<_>>().join(", ");
    let mut text = format!("{}; {list}", config.transport);
    if !config.computing.is_empty() {
        let computing = parties.iter().map(|party| &party.name[..]).filter(|name| config.computes(name));
        text.push_str("; computing: ");
        text.push_str(&computing.collect::<Vec<_>>().join(", "));
    }
    Field::new(PARTIES_FIELD, *blake3::hash(text.as_bytes()).as_bytes(), text)
}

/// Compares all greetings, then confirms the session on every link.
async fn agree(hello: &Hello, config: &Config, links: &mut [Link]) -> Result<[u8; 32], NetError> {
    links.sort_by(|a, b| a.name.cmp(&b.name));
    for link in links.iter() {
        hello.compare(&link.hello, &link.name)?;
    }
    let id = session_id(hello, config, links);
    for link in links.iter_mut() {
        let mine = confirmation(&id, link, (hello, &hello.from), config);
        link.channel.send(&mine).await?;
        link.channel.flush().await?;
    }
    for link in links.iter_mut() {
        let mut theirs = [0; 32];
        link.channel.receive_into(&mut theirs).await?;
        if theirs != confirmation(&id, link, (hello, &link.name), config) {
            let peer = link.name.clone();
            return Err(NetError::Authentication { peer, fault: IdentityFault::Unconfirmed });
        }
    }
    Ok(id)
}

/// A hash of the greetings that everyone has, in the order of names; parties that do not compute are
/// confirmed on their own links.
fn session_id(hello: &Hello, config: &Config, links: &[Link]) -> [u8; 32] {
    let mut said: Vec<_> = links.iter().map(|link| &link.hello).chain([hello]).collect();
    said.retain(|hello| config.computes(&hello.from));
    said.sort_by(|a, b| a.from.cmp(&b.from));
    let mut hasher = blake3::Hasher::new_derive_key("tacit 1 session identity");
    hasher.update(&PROTOCOL_VERSION.to_le_bytes());
    said.into_iter().for_each(|hello| hello.absorb(&mut hasher));
    *hasher.finalize().as_bytes()
}

fn link_id(session: &[u8; 32], exporter: &[u8; 32], mut ends: [&str; 2]) -> [u8; 32] {
    ends.sort();
    let mut hasher = blake3::Hasher::new_derive_key("tacit 1 link identity");
    hasher.update(session).update(exporter);
    ends.into_iter().for_each(|name| hello::absorb(&mut hasher, name.as_bytes()));
    *hasher.finalize().as_bytes()
}

/// The message of `from`, one end of a link, that confirms the session; `hello` is this end's greeting.
fn confirmation(id: &[u8; 32], link: &Link, (hello, from): (&Hello, &str), config: &Config) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("tacit 1 session confirmation");
    hasher.update(id).update(&link.exporter).update(from.as_bytes());
    for said in [hello, &link.hello] {
        if !config.computes(&said.from) {
            said.absorb(&mut hasher);
        }
    }
    *hasher.finalize().as_bytes()
}
