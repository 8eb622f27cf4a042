//! What a session has for runs that need more than the peer.

use std::time::Duration;

use tacit_net::keys::SecretKey;
use tacit_net::session::{Config, Session};

use crate::stored_shares::{PartyPair, ShareStore};

/// The session in which outside parties are met.
pub(crate) enum OutsideSession<'m> {
    /// There are none.
    None,
    /// That of the computing parties.
    Shared(&'m Session),
    /// A separate one, for this run alone.
    Separate(Config),
}

/// What a session has for runs that need it.
pub(crate) struct Resources<'m> {
    pub outside: OutsideSession<'m>,
    pub key: Option<&'m SecretKey>,
    /// The share store, and whose it is, for programs that read or keep shares.
    pub share_store: Option<(&'m mut ShareStore, PartyPair)>,
    pub limit: Duration,
}

impl Resources<'_> {
    /// Whether nobody and nothing besides the peer is needed.
    pub fn is_empty(&self) -> bool {
        matches!(self.outside, OutsideSession::None) && self.share_store.is_none()
    }
}
