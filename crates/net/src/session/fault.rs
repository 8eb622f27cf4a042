//! Why a session as it is given cannot be, and why somebody is not the party that a session names.

use std::error::Error;
use std::sync::Arc;

use crate::keys::PublicKey;

/// What makes a session impossible on this side. Nothing was sent.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionFault {
    /// Two parties of one name.
    #[error("two parties are named {name}")]
    SameName {
        /// The name.
        name: String,
    },
    /// Somebody is named who takes no part.
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
    /// A secret key whose public part the session gives as another one.
    #[error("the secret key is not the one that the session names for {name}")]
    OtherSecretKey {
        /// This party.
        name: String,
    },
    /// A peer without a public key.
    #[error("party {name} has no key, which {needed_by} needs")]
    NoKey {
        /// Who has none.
        name: String,
        /// What cannot be done without it.
        needed_by: &'static str,
    },
    /// A key that stands for two parties.
    #[error("two parties have the same key, {key}")]
    SameKey {
        /// The key.
        key: PublicKey,
    },
    /// A greeting that no peer would take.
    #[error("its greeting exceeds the limits ({fields} fields, {bytes} bytes)")]
    Greeting {
        /// Most fields that a greeting has.
        fields: usize,
        /// Most bytes that it has.
        bytes: usize,
    },
    /// The operating system's random generator failed.
    #[error("the operating system's random generator failed: {source}")]
    Random {
        /// Its reason.
        source: getrandom::Error,
    },
    /// TLS takes no certificate for the keys.
    #[error("TLS cannot be set up with these keys: {source}")]
    Tls {
        /// The library's reason.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// A party of the session with whom this one has no link.
    #[error("there is no link to {name}")]
    NoLink {
        /// The party.
        name: String,
    },
}

/// Why somebody is not taken for the party that a session names, or does not take this one for it.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityFault {
    /// A key that the session names for nobody, or a certificate of none.
    #[error(transparent)]
    Certificate(Arc<dyn Error + Send + Sync>),
    /// The peer does not take this side's key.
    #[error("the peer refused this side's key; does its session file name the right one?")]
    KeyRefused,
    /// It proved to be one party and greets as another.
    #[error("it calls itself {name:?}; do all parties have the same session file?")]
    OtherName {
        /// As whom it greets.
        name: String,
    },
    /// Its key is in order, but it stands where another party should.
    #[error(
        "{key} is its key in this session, but its holder has taken another party's place; do all parties have the same session file?"
    )]
    OtherPlace {
        /// The key that it proved to hold.
        key: PublicKey,
    },
    /// It knows another session than this one.
    #[error("it does not confirm the session; the greetings were tampered with")]
    Unconfirmed,
}
