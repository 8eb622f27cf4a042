use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use crate::Options;
use crate::keys::PublicKey;
use crate::shape::Shape;
use crate::socket::{Address, ByteStream};

/// A party of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// Its name.
    pub name: String,
    /// The address on which it listens.
    pub address: Address,
    /// Its key; optional only if the transport does not authenticate.
    pub key: Option<PublicKey>,
}

/// How links are protected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// TLS 1.3 with pinned keys at both ends.
    #[default]
    Tls,
    /// No protection: no secrecy, and no proof of who is at the other end. For measurements and for parties
    /// on one host.
    Plain,
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Transport::Tls => "tls",
            Transport::Plain => "tcp",
        })
    }
}

/// A text that does not name a transport.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected \"tls\" or \"tcp\", found \"{found}\"")]
pub struct TransportError {
    /// The text.
    pub found: String,
}

impl FromStr for Transport {
    type Err = TransportError;

    fn from_str(text: &str) -> Result<Transport, TransportError> {
        match text {
            "tls" => Ok(Transport::Tls),
            "tcp" => Ok(Transport::Plain),
            _ => Err(TransportError { found: text.to_owned() }),
        }
    }
}

/// Replaces a byte stream by another one over it, to observe or disturb it.
pub type Wrap = Arc<dyn Fn(Box<dyn ByteStream>) -> Box<dyn ByteStream> + Send + Sync>;

/// Everything needed to connect, apart from a party's own key.
#[derive(Clone)]
pub struct Config {
    /// All parties in any order; they are ordered by name.
    pub parties: Vec<Party>,
    /// Names of the parties that compute: they are linked to everyone, and all others only to them. Empty if
    /// all compute.
    pub computing: Vec<String>,
    /// Parties of other runs, which may dial too early. Like all strangers they are turned away before any
    /// greeting, but their keys are not refused, so that they try again.
    pub early_parties: Vec<Party>,
    /// Whether to dial a party again, within the time limit, if it aborts the connection before it greets: it
    /// may not have reached this run yet.
    pub persistent: bool,
    /// How links are protected.
    pub transport: Transport,
    /// The longest wait for a peer without progress, and the longest time to establish all links.
    pub timeout: Duration,
    /// Bytes of each stream that a peer may send ahead.
    pub window: usize,
    /// Makes links slower on purpose.
    pub shape: Option<Shape>,
    /// This party's listener, if it was bound before: then its own address only tells others where to dial.
    pub listener: Option<Arc<std::net::TcpListener>>,
    /// Wraps the bytes on the wire, below TLS.
    pub wrap_wire: Option<Wrap>,
    /// Wraps the frames, above TLS.
    pub wrap_frames: Option<Wrap>,
}

impl Config {
    /// Settings with TLS and default limits.
    pub fn new(parties: Vec<Party>) -> Self {
        let Options { timeout, window, .. } = Options::default();
        Config {
            parties,
            computing: Vec::new(),
            early_parties: Vec::new(),
            persistent: false,
            transport: Transport::Tls,
            timeout,
            window,
            shape: None,
            listener: None,
            wrap_wire: None,
            wrap_frames: None,
        }
    }

    /// Whether a party computes, and so is linked to everyone.
    pub fn computes(&self, name: &str) -> bool {
        self.computing.is_empty() || self.computing.iter().any(|party| party == name)
    }

    /// Whether `name` listens for `peer`, which dials. A computing party listens for all that do not compute,
    /// so that these need no port; otherwise the party whose name sorts first listens.
    pub(super) fn listens(&self, name: &str, peer: &str) -> bool {
        match (self.computes(name), self.computes(peer)) {
            (true, false) => true,
            (false, true) => false,
            _ => name < peer,
        }
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("parties", &self.parties)
            .field("computing", &self.computing)
            .field("transport", &self.transport)
            .field("timeout", &self.timeout)
            .field("shape", &self.shape)
            .finish_non_exhaustive()
    }
}
