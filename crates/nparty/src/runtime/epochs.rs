//! The parts of a task's program between synchronisations: what was opened to all in each part, here and at the other
//! parties.

use std::sync::OnceLock;

use foldhash::{HashMap, HashMapExt};
use tacit_crypto::aes::Aes128;
use tacit_math::Block;
use tacit_math::field::Field;

use super::identity::{CallSite, TaskId};
use super::operation::TaskOperation;
use super::value::ValueId;
use crate::parties::PartyIndex;

/// Bytes of a hash.
pub(crate) const DIGEST_BYTES: usize = 16;

/// Bytes of memory that count for a hash while it waits for this party's program, including entries of maps: at least what it really
/// takes.
const EARLY_BYTES: usize = 256;

/// A part of a task's program that ends where it synchronises.
pub(super) type Epoch = (u32, u64);

/// The elements opened to all in an epoch: their number, and the sum of their hashes, which does not depend on their order.
#[derive(Clone, Copy, Default)]
pub(super) struct OpenedHere {
    pub(super) count: u64,
    pub(super) sum: u128,
}

/// A synchronisation that the program has reached.
pub(super) struct Requested {
    pub(super) out: ValueId,
    pub(super) opened: u64,
    pub(super) call_site: CallSite,
    pub(super) chain: u64,
    pub(super) sent: bool,
}

/// What a peer has seen in an epoch.
pub(super) struct PeerDigest {
    pub(super) peer: PartyIndex,
    pub(super) chain: u64,
    pub(super) sum: u128,
}

/// The synchronisations of a party.
pub(crate) struct Synchronisations {
    pub(super) parties: usize,
    pub(super) seen: HashMap<Epoch, OpenedHere>,
    pub(super) requested: HashMap<Epoch, Requested>,
    pub(super) heard: HashMap<(TaskId, u64), Vec<PeerDigest>>,
    /// Hashes that wait for this party's program, by peer.
    pub(super) early: Vec<usize>,
    /// Epochs with changes.
    pub(super) news: Vec<Epoch>,
}

impl Synchronisations {
    pub(crate) fn new(parties: usize) -> Self {
        Synchronisations {
            parties,
            seen: HashMap::new(),
            requested: HashMap::new(),
            heard: HashMap::new(),
            early: vec![0; parties],
            news: Vec::new(),
        }
    }

    /// Notes that the program synchronises, in the task with this identity.
    pub(crate) fn request<F: Field>(
        &mut self,
        id: TaskId,
        operation: &TaskOperation<F>,
        (epoch, opened): (u64, u64),
    ) {
        let TaskOperation { out, call_site, chain, .. } = operation;
        let requested = Requested { out: *out, opened, call_site: *call_site, chain: *chain, sent: false };
        self.requested.insert((operation.task, epoch), requested);
        self.news.push((operation.task, epoch));
        let heard = self.heard.get(&(id, epoch)).into_iter().flatten();
        heard.for_each(|heard| self.early[heard.peer] -= 1);
    }

    /// The maximum bytes that a peer's hashes take while they wait for this party's program.
    pub(crate) fn early_bytes(&self, peer: PartyIndex) -> usize {
        self.early[peer] * EARLY_BYTES
    }

    /// Forgets the last epoch of a task that is over, which the program did not compare.
    pub(crate) fn forget(&mut self, epoch: Epoch) {
        self.seen.remove(&epoch);
    }

    /// Notes elements that were opened to all.
    pub(crate) fn opened<F: Field>(&mut self, field: &F, epoch: Epoch, first: u64, elements: &[F::Element]) {
        let seen = self.seen.entry(epoch).or_default();
        seen.count += elements.len() as u64;
        seen.sum = seen.sum.wrapping_add(digest(field, first, elements));
        if self.requested.contains_key(&epoch) {
            self.news.push(epoch);
        }
    }
}

/// The sum of keyed hashes of elements with their positions.
fn digest<F: Field>(field: &F, first: u64, elements: &[F::Element]) -> u128 {
    static CIPHER: OnceLock<Aes128> = OnceLock::new();
    // Any fixed key serves: opened values are public, and parties cannot choose them so that hashes collide.
    let cipher = CIPHER.get_or_init(|| Aes128::new(Block(0x7461_6369_7420_6f70_656e_6564_2076_616c)));
    let width = field.bytes();
    let mut bytes = vec![0; width.next_multiple_of(Block::BYTES)];
    let (mut sum, mut room) = (0u128, [Block(0); 64]);
    for (first, elements) in (u128::from(first)..).step_by(room.len()).zip(elements.chunks(room.len())) {
        let states = &mut room[..elements.len()];
        states.iter_mut().zip(first..).for_each(|(state, position)| *state = Block(position));
        for part in 0..bytes.len() / Block::BYTES {
            cipher.encrypt_blocks(states);
            for (state, element) in states.iter_mut().zip(elements) {
                field.encode(*element, &mut bytes[..width]);
                let mut word = [0; Block::BYTES];
                word.copy_from_slice(&bytes[part * Block::BYTES..][..Block::BYTES]);
                state.0 ^= u128::from_le_bytes(word);
            }
        }
        cipher.encrypt_blocks(states);
        sum = states.iter().fold(sum, |sum, state| sum.wrapping_add(state.0));
    }
    sum
}
