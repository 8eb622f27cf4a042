//! Which agreements of a party are open; see [`super::agree`].

use std::collections::HashMap;

use super::identity::{CallSite, TaskId};
use super::value::ValueId;
use crate::parties::{Parties, PartyIndex};

/// Bytes that fields take beside their own while they wait for this party's program: no less than it really is.
pub(super) const EARLY_BYTES: usize = 512;

/// An agreement: its task, and its number there.
pub(super) type Key = (TaskId, u64);

/// An agreement that the program has come to.
pub(super) struct Asked {
    pub out: ValueId,
    pub task: u32,
    pub call_site: CallSite,
    pub ours: Vec<u8>,
    /// Who has not told yet.
    pub missing: Parties,
}

/// The agreements of a party.
pub(super) struct Agreements {
    pub asked: HashMap<Key, Asked>,
    /// What peers have told before this party's program came to it.
    pub early: HashMap<Key, Vec<(PartyIndex, Vec<u8>)>>,
    /// Bytes of that, by peer.
    pub waiting: Vec<usize>,
}

impl Agreements {
    pub(super) fn new(parties: usize) -> Agreements {
        Agreements { asked: HashMap::new(), early: HashMap::new(), waiting: vec![0; parties] }
    }

    /// Bytes that what a peer has told takes at most while it waits.
    pub(super) fn early_bytes(&self, peer: PartyIndex) -> usize {
        self.waiting[peer]
    }
}
