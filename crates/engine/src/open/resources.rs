//! The resources of a session for runs that need more than the peer.

use std::time::Duration;

use tacit_net::keys::SecretKey;
use tacit_net::session::{Config, Session};

use crate::stored_shares::{PartyPair, ShareStore};

/// The session in which outside parties are met.
pub(crate) enum OutsideSession<'m> {
    /// None.
    None,
    /// The session of the computing parties.
    Shared(&'m Session),
    /// A separate one, for this run alone.
    Separate(Config),
}

/// The resources of a session for a run.
pub(crate) struct Resources<'m> {
    pub outside: OutsideSession<'m>,
    pub key: Option<&'m SecretKey>,
    /// The share store, and the parties whose shares it holds, for programs that read or keep shares.
    pub share_store: Option<(&'m mut ShareStore, PartyPair)>,
    pub limit: Duration,
}

impl Resources<'_> {
    /// Whether nothing besides the peer is needed.
    pub fn is_empty(&self) -> bool {
        matches!(self.outside, OutsideSession::None) && self.share_store.is_none()
    }
}
