//! All errors of a link, with the peer's name.

use std::error::Error;
use std::io;
use std::sync::Arc;

use crate::StreamId;
use crate::protocol_fault::ProtocolFault;
use crate::session::fault::{IdentityFault, SessionFault};
use crate::session::refused::{Refusals, is_refusal};

/// Why an operation on a link failed.
///
/// Cheap to clone, because one failure of a connection is reported to every channel that waits on it. The
/// peer itself never learns more than that this side aborted.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NetError {
    /// The peer made no progress within the time limit.
    #[error("{peer}: no progress within {seconds} s while {waiting}; is the peer still running?")]
    Timeout {
        /// Name of the peer.
        peer: String,
        /// What this side was doing, as in "waiting for bytes of stream 3".
        waiting: String,
        /// The time limit.
        seconds: f64,
    },
    /// The link ended without a farewell: the peer stopped, crashed or was cut off.
    #[error("{peer}: the connection ended before the peer was finished")]
    Closed {
        /// Name of the peer.
        peer: String,
    },
    /// The peer closed the connection in good order, but this side still expected something.
    #[error("{peer}: the peer has finished and closed the connection, but more was expected from it")]
    Finished {
        /// Name of the peer.
        peer: String,
    },
    /// The peer gave up and said so; the reason stays with the peer.
    #[error("{peer}: the peer aborted; its own output says why")]
    Aborted {
        /// Name of the peer.
        peer: String,
    },
    /// This side aborted the connection, so nothing more can be done on it.
    #[error("{peer}: this side has aborted the connection")]
    Cancelled {
        /// Name of the peer.
        peer: String,
    },
    /// The peer sent something that the transport's rules forbid.
    #[error("{peer}: protocol violation: {fault}")]
    Protocol {
        /// Name of the peer.
        peer: String,
        /// The violated rule.
        fault: ProtocolFault,
    },
    /// A peer could not prove that it is the party in the session, or refused this side's proof.
    #[error("{peer}: authentication failed: {fault}")]
    Authentication {
        /// Name of the peer.
        peer: String,
        /// The mismatch.
        fault: IdentityFault,
    },
    /// Both sides are authentic, but want to run different things.
    #[error("{peer}: the two sides differ in {field}: here {ours}, there {theirs}")]
    Mismatch {
        /// Name of the peer.
        peer: String,
        /// Name of the first field of the greeting that differs.
        field: String,
        /// Description of this side's value.
        ours: String,
        /// Description of the peer's value.
        theirs: String,
    },
    /// No connection to the peer was established within the time limit.
    #[error("{peer}: cannot be reached at {address} within {seconds} s: {}", attempt(.last, .answered))]
    Unreachable {
        /// Name of the peer.
        peer: String,
        /// The address that was tried.
        address: String,
        /// The time limit.
        seconds: f64,
        /// The operating system's last error; none if something answered in the end.
        last: Option<Arc<io::Error>>,
        /// What answered there other than the peer.
        answered: Arc<Refusals>,
    },
    /// A peer that this side listens for did not connect, though others may have.
    #[error("{peer}: did not connect to {address} within {seconds} s; is it running?{}", told(.refused))]
    Absent {
        /// Name of the peer.
        peer: String,
        /// The address on which this side listened.
        address: String,
        /// The time limit.
        seconds: f64,
        /// Connections that were turned away in the meantime.
        refused: Arc<Refusals>,
    },
    /// This side's own address could not be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address of this party.
        address: String,
        /// The operating system's reason.
        source: Arc<io::Error>,
    },
    /// The session as given cannot be established; nothing was sent.
    #[error("session: {0}")]
    Session(#[from] SessionFault),
    /// The operating system reported an error other than an end of the link.
    #[error("{peer}: {source}")]
    Io {
        /// Name of the peer.
        peer: String,
        /// The operating system's reason.
        source: Arc<io::Error>,
    },
    /// A stream number was opened a second time on one connection.
    #[error("stream {} was already opened on this connection", .stream.0)]
    StreamReused {
        /// The number.
        stream: StreamId,
    },
    /// More contiguous bytes were requested than the transport supports.
    #[error("{asked} contiguous bytes asked for, at most {limit} are possible")]
    TooLong {
        /// Bytes asked for.
        asked: usize,
        /// Bytes allowed.
        limit: usize,
    },
}

impl NetError {
    /// A peer that violates a rule of a protocol above the transport.
    pub fn message(peer: impl Into<String>, fault: impl Error + Send + Sync + 'static) -> NetError {
        NetError::Protocol { peer: peer.into(), fault: ProtocolFault::Message(Arc::new(fault)) }
    }

    /// The peer that the error concerns, if any.
    pub fn peer(&self) -> Option<&str> {
        match self {
            NetError::Timeout { peer, .. }
            | NetError::Closed { peer }
            | NetError::Finished { peer }
            | NetError::Aborted { peer }
            | NetError::Cancelled { peer }
            | NetError::Protocol { peer, .. }
            | NetError::Authentication { peer, .. }
            | NetError::Mismatch { peer, .. }
            | NetError::Unreachable { peer, .. }
            | NetError::Absent { peer, .. }
            | NetError::Io { peer, .. } => Some(peer),
            NetError::Listen { .. }
            | NetError::Session(_)
            | NetError::StreamReused { .. }
            | NetError::TooLong { .. } => None,
        }
    }

    /// Classifies an error of the operating system: an end of the link becomes [`NetError::Closed`], a
    /// refused or broken TLS session [`NetError::Authentication`] or [`NetError::Protocol`].
    pub(crate) fn from_io(peer: &str, error: io::Error) -> Self {
        use io::ErrorKind::*;
        let peer = peer.to_owned();
        match error.kind() {
            UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe | NotConnected | WriteZero => {
                NetError::Closed { peer }
            }
            _ => match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
                Some(tls) => NetError::from_tls(peer, tls),
                None => NetError::Io { peer, source: Arc::new(error) },
            },
        }
    }

    fn from_tls(peer: String, error: &rustls::Error) -> Self {
        use rustls::{CertificateError, Error};
        match error {
            Error::InvalidCertificate(CertificateError::Other(reason)) => {
                NetError::Authentication { peer, fault: IdentityFault::Certificate(reason.0.clone()) }
            }
            Error::InvalidCertificate(_) => {
                NetError::Authentication { peer, fault: IdentityFault::Certificate(Arc::new(error.clone())) }
            }
            Error::AlertReceived(alert) if is_refusal(*alert) => {
                NetError::Authentication { peer, fault: IdentityFault::KeyRefused }
            }
            other => NetError::Protocol { peer, fault: ProtocolFault::Tls(other.clone()) },
        }
    }
}

/// The text of an error about a peer that could not be reached.
fn attempt(last: &Option<Arc<io::Error>>, answered: &Refusals) -> String {
    match (last, answered.is_empty()) {
        (None, true) => "no answer".to_owned(),
        (Some(last), true) => last.to_string(),
        (None, false) => format!("something else answered there: {answered}"),
        (Some(last), false) => format!("{last}; something else answered there before: {answered}"),
    }
}

/// The text of an error about those who were turned away.
fn told(refused: &Refusals) -> String {
    match refused.is_empty() {
        true => String::new(),
        false => format!(" Turned away meanwhile: {refused}"),
    }
}
