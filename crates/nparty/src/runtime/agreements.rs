//! The open agreements of a party; see [`super::agree`].

use std::collections::HashMap;

use super::identity::{CallSite, TaskId};
use super::value::ValueId;
use crate::parties::{Parties, PartyIndex};

/// Bytes of memory, besides the fields themselves, that count for fields while they wait for this party's
/// program: at least what they really take.
pub(super) const EARLY_BYTES: usize = 512;

/// An agreement: its task, and its number there.
pub(super) type Key = (TaskId, u64);

/// An agreement that the program has reached.
pub(super) struct Asked {
    pub out: ValueId,
    pub task: u32,
    pub call_site: CallSite,
    pub ours: Vec<u8>,
    /// The parties whose fields have not arrived.
    pub missing: Parties,
}

/// The agreements of a party.
pub(super) struct Agreements {
    pub asked: HashMap<Key, Asked>,
    /// Fields of peers that arrived before this party's program reached the agreement.
    pub early: HashMap<Key, Vec<(PartyIndex, Vec<u8>)>>,
    /// Their bytes, by peer.
    pub waiting: Vec<usize>,
}

impl Agreements {
    pub(super) fn new(parties: usize) -> Agreements {
        Agreements { asked: HashMap::new(), early: HashMap::new(), waiting: vec![0; parties] }
    }

    /// The maximum bytes that a peer's fields take while they wait.
    pub(super) fn early_bytes(&self, peer: PartyIndex) -> usize {
        self.waiting[peer]
    }
}
