//! Dials and listens until there is one greeted link to every other party.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use super::accept::await_all;
use super::config::{Config, Party, Transport};
use super::fault::SessionFault;
use super::handshake::{Failed, Link, Meeting};
use super::hello::Hello;
use super::refused::{Cause, Refusal, Refusals};
use crate::keys::{PublicKey, SecretKey};
use crate::socket::{ByteStream, Listener};
use crate::tls::Identity;
use crate::{Meter, NetError};

/// Shortest and longest wait between two attempts to dial.
const MIN_RETRY: Duration = Duration::from_millis(5);
const MAX_RETRY: Duration = Duration::from_millis(200);

/// This party's identity towards others.
pub(super) struct Me<'m> {
    pub(super) config: &'m Config,
    pub(super) name: &'m str,
    pub(super) key: Option<&'m SecretKey>,
    pub(super) hello: &'m Hello,
    pub(super) meter: &'m Meter,
}

impl Me<'_> {
    /// The meeting of this party with `peers`, all of which are among `parties`.
    pub(super) fn meeting(
        &self,
        parties: &[Party],
        peers: Vec<Party>,
    ) -> Result<(Party, Arc<Meeting>), NetError> {
        let Me { config, name, key, hello, meter } = *self;
        let own = parties.iter().find(|party| party.name == name).cloned();
        let own = own.ok_or_else(|| SessionFault::NoParty { name: name.to_owned() })?;
        let known: Vec<Party> = peers.iter().chain(early_parties(config, parties)).cloned().collect();
        let identity = identity(config.transport, &own, &known, key)?;
        let (config, hello, meter) = (config.clone(), hello.clone(), meter.clone());
        Ok((own, Arc::new(Meeting { config, identity, hello, meter, peers })))
    }
}

/// Connects with all of `peers`, which are among `parties`: dials, in order, those that
/// [listen](Config::listens) for this party, and listens for the others. On failure, `links` holds the links
/// that were established.
pub(super) async fn connect_all(
    me: Me<'_>,
    (parties, peers): (&[Party], Vec<Party>),
    links: &mut Vec<Link>,
) -> Result<(), NetError> {
    let (own, meeting) = me.meeting(parties, peers)?;
    let config = &meeting.config;
    let listens = |peer: &Party| config.listens(&peer.name, &own.name);
    let (before, after): (Vec<_>, Vec<_>) = meeting.peers.iter().cloned().partition(listens);
    let deadline = Instant::now() + config.timeout;
    let listener = match after.is_empty() {
        true => None,
        false => Some(listen(config, &own).await?),
    };
    let mut accepted = Vec::new();
    let dialing = async {
        for peer in &before {
            links.push(meeting.dial(peer, deadline).await?);
        }
        Ok(())
    };
    let listening = async {
        match &listener {
            Some(listener) => await_all(&meeting, (listener, &own), &after, deadline, &mut accepted).await,
            None => Ok(()),
        }
    };
    // Strangers are handled from the start; if neither a dialed nor an awaited peer comes, the error names
    // the dialed one.
    let met = tokio::try_join!(biased; dialing, listening);
    links.append(&mut accepted);
    met.map(|_| ())
}

/// Parties of other runs whose keys would be recognised.
fn early_parties<'c>(config: &'c Config, parties: &'c [Party]) -> impl Iterator<Item = &'c Party> {
    let new = |early: &&Party| parties.iter().all(|party| party.name != early.name);
    config.early_parties.iter().filter(|party| party.key.is_some()).filter(new)
}

fn identity(
    transport: Transport,
    own: &Party,
    peers: &[Party],
    key: Option<&SecretKey>,
) -> Result<Option<Identity>, NetError> {
    if transport == Transport::Plain {
        return Ok(None);
    }
    let key = key.ok_or_else(|| SessionFault::NoSecretKey { name: own.name.clone() })?;
    if own.key.is_some_and(|public| public != key.public()) {
        return Err(SessionFault::OtherSecretKey { name: own.name.clone() }.into());
    }
    let missing = |peer: &Party| SessionFault::NoKey { name: peer.name.clone(), needed_by: "TLS" };
    let keys: Result<Vec<PublicKey>, _> =
        peers.iter().map(|peer| peer.key.ok_or_else(|| missing(peer))).collect();
    let keys = keys?;
    let all = || keys.iter().copied().chain([key.public()]);
    let again = all().enumerate().find(|(index, key)| all().skip(index + 1).any(|other| other == *key));
    if let Some((_, key)) = again {
        return Err(SessionFault::SameKey { key }.into());
    }
    let identity = Identity::new(key, keys).map_err(|error| SessionFault::Tls { source: error.into() })?;
    Ok(Some(identity))
}

pub(super) async fn listen(config: &Config, own: &Party) -> Result<Listener, NetError> {
    let listening = match &config.listener {
        Some(bound) => Listener::from_bound(bound),
        None => own.address.listen().await,
    };
    listening
        .map_err(|source| NetError::Listen { address: own.address.to_string(), source: Arc::new(source) })
}

impl Meeting {
    /// Dials until the peer is there and has greeted. Other parties that answer in its place, and connections
    /// that end before, do not end the attempts.
    async fn dial(&self, peer: &Party, deadline: Instant) -> Result<Link, NetError> {
        let mut answered = Refusals::default();
        let mut pause = MIN_RETRY;
        loop {
            let stream = match self.reach(peer, deadline).await {
                Ok(stream) => stream,
                Err(last) => return Err(self.unreachable(peer, last, answered)),
            };
            let refusal = match self.shake(stream, peer, deadline).await {
                Ok(link) => return Ok(link),
                Err(Failed::Stranger(refusal, parting)) => {
                    parting.map(|parting| tokio::spawn(parting.end()));
                    refusal
                }
                Err(Failed::Peer(error)) if self.may_return(&error) => Refusal::new(Cause::Ended, ""),
                Err(Failed::Peer(error)) => return Err(error),
            };
            answered.add(refusal, &peer.address.to_string());
            if Instant::now() + pause >= deadline {
                return Err(self.unreachable(peer, None, answered));
            }
            sleep(pause).await;
            pause = (pause * 2).min(MAX_RETRY);
        }
    }

    /// Whether a peer may answer properly later: it had no room for this connection, or has not reached this
    /// run yet.
    fn may_return(&self, error: &NetError) -> bool {
        match error {
            NetError::Closed { .. } | NetError::Io { .. } => true,
            NetError::Aborted { .. } => self.config.persistent,
            _ => false,
        }
    }

    /// Tries until something accepts the connection; returns the last error if nothing does.
    async fn reach(&self, peer: &Party, deadline: Instant) -> Result<Box<dyn ByteStream>, Option<io::Error>> {
        let mut pause = MIN_RETRY;
        let mut last = None;
        loop {
            match timeout_at(deadline, peer.address.connect()).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => last = Some(error),
                Err(_) => {}
            }
            if Instant::now() + pause >= deadline {
                return Err(last);
            }
            sleep(pause).await;
            pause = (pause * 2).min(MAX_RETRY);
        }
    }

    fn unreachable(&self, peer: &Party, last: Option<io::Error>, answered: Refusals) -> NetError {
        NetError::Unreachable {
            peer: peer.name.clone(),
            address: peer.address.to_string(),
            seconds: self.config.timeout.as_secs_f64(),
            last: last.map(Arc::new),
            answered: Arc::new(answered),
        }
    }
}
