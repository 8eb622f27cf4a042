//! Why a session is impossible as configured, and why someone is not accepted as a party of the session.

use std::error::Error;
use std::sync::Arc;

use crate::keys::PublicKey;

/// Why a session is impossible on this side. Nothing was sent.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionFault {
    /// Two parties with the same name.
    #[error("two parties are named {name}")]
    SameName {
        /// The name.
        name: String,
    },
    /// A named party that is not in the session.
    #[error("there is no party {name}")]
    NoParty {
        /// The name.
        name: String,
    },
    /// TLS without the secret key of this party.
    #[error("party {name} needs its secret key")]
    NoSecretKey {
        /// This party.
        name: String,
    },
    /// A secret key that does not match the public key in the session.
    #[error("the secret key is not the one that the session names for {name}")]
    OtherSecretKey {
        /// This party.
        name: String,
    },
    /// A peer without a public key.
    #[error("party {name} has no key, which {needed_by} needs")]
    NoKey {
        /// The party without a key.
        name: String,
        /// The feature that needs the key.
        needed_by: &'static str,
    },
    /// Two parties with the same key.
    #[error("two parties have the same key, {key}")]
    SameKey {
        /// The key.
        key: PublicKey,
    },
    /// A greeting that every peer would refuse.
    #[error("its greeting exceeds the limits ({fields} fields, {bytes} bytes)")]
    Greeting {
        /// The limit on fields.
        fields: usize,
        /// The limit on bytes.
        bytes: usize,
    },
    /// The operating system's random generator failed.
    #[error("the operating system's random generator failed: {source}")]
    Random {
        /// Its reason.
        source: getrandom::Error,
    },
    /// TLS accepts no certificate for the keys.
    #[error("TLS cannot be set up with these keys: {source}")]
    Tls {
        /// The library's reason.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// A party of the session to which this party has no link.
    #[error("there is no link to {name}")]
    NoLink {
        /// The party.
        name: String,
    },
}

/// Why someone is not accepted as the party that a session names, or does not accept this party.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityFault {
    /// A key that the session does not name, or a certificate without one.
    #[error(transparent)]
    Certificate(Arc<dyn Error + Send + Sync>),
    /// The peer does not accept this side's key.
    #[error("the peer refused this side's key; does its session file name the right one?")]
    KeyRefused,
    /// It proved to be one party but greets as another.
    #[error("it calls itself {name:?}; do all parties have the same session file?")]
    OtherName {
        /// The name in its greeting.
        name: String,
    },
    /// Its key is valid, but for another party than expected here.
    #[error(
        "{key} is its key in this session, but its holder has taken another party's place; do all parties have the same session file?"
    )]
    OtherPlace {
        /// The key that it proved to hold.
        key: PublicKey,
    },
    /// It has another session than this one.
    #[error("it does not confirm the session; the greetings were tampered with")]
    Unconfirmed,
}
