//! Comparing what all parties have seen: hashes of opened values are exchanged wherever the program synchronises.

use std::collections::HashMap;
use std::sync::OnceLock;

use tacit_crypto::aes::Aes128;
use tacit_math::Block;
use tacit_math::field::Field;

use super::TaskId;
use super::error::RunError;
use super::land::Waiting;
use super::operation::{Operation, Place};
use super::reactor::Reactor;
use super::value::{Elements, ValueId};
use super::wire::{Kind, Range};
use crate::PartyIndex;

/// Bytes of a hash.
pub(crate) const DIGEST_BYTES: usize = 16;

/// Bytes that a hash takes while it waits for this party's program to come to it, entries of maps included: no less than it really is.
const EARLY_BYTES: usize = 256;

/// A part of a task's program that ends where it synchronises.
type Epoch = (u32, u64);

/// What was opened to all in an epoch: how many elements, and the sum of their hashes, which does not depend on their order.
#[derive(Clone, Copy, Default)]
struct Seen {
    count: u64,
    sum: u128,
}

/// A synchronisation that the program has come to.
struct Requested {
    out: ValueId,
    opened: u64,
    place: Place,
    chain: u64,
    sent: bool,
}

/// What a peer has seen of an epoch.
struct Heard {
    peer: PartyIndex,
    chain: u64,
    sum: u128,
}

/// The synchronisations of a party.
pub(crate) struct Synchronisations {
    parties: usize,
    seen: HashMap<Epoch, Seen>,
    requested: HashMap<Epoch, Requested>,
    heard: HashMap<(TaskId, u64), Vec<Heard>>,
    /// Hashes that wait for this party's program, by peer.
    early: Vec<usize>,
    /// Epochs of which something is new.
    news: Vec<Epoch>,
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

    /// Notes that the program synchronises, in the task of this name.
    pub(crate) fn request<F: Field>(
        &mut self,
        id: TaskId,
        operation: &Operation<F>,
        (epoch, opened): (u64, u64),
    ) {
        let Operation { out, place, chain, .. } = operation;
        let requested = Requested { out: *out, opened, place: *place, chain: *chain, sent: false };
        self.requested.insert((operation.task, epoch), requested);
        self.news.push((operation.task, epoch));
        let heard = self.heard.get(&(id, epoch)).into_iter().flatten();
        heard.for_each(|heard| self.early[heard.peer] -= 1);
    }

    /// Bytes that hashes of a peer take at most while they wait for this party's program.
    pub(crate) fn early_bytes(&self, peer: PartyIndex) -> usize {
        self.early[peer] * EARLY_BYTES
    }

    /// Forgets the last epoch of a task that is over, which the program has not compared.
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
    // Any fixed key: opened values are public, and the hash is for parties that do not choose them to collide.
    let cipher = CIPHER.get_or_init(|| Aes128::new(Block(0x7461_6369_7420_6f70_656e_6564_2076_616c)));
    let width = field.bytes();
    let mut bytes = vec![0; width.next_multiple_of(Block::BYTES)];
    let mut sum = 0u128;
    for (chunk, elements) in elements.chunks(1024).enumerate() {
        let first = u128::from(first) + 1024 * chunk as u128;
        let mut states: Vec<_> = (first..).take(elements.len()).map(Block).collect();
        for part in 0..bytes.len() / Block::BYTES {
            cipher.encrypt_blocks(&mut states);
            for (state, element) in states.iter_mut().zip(elements) {
                field.encode(*element, &mut bytes[..width]);
                let mut word = [0; Block::BYTES];
                word.copy_from_slice(&bytes[part * Block::BYTES..][..Block::BYTES]);
                state.0 ^= u128::from_le_bytes(word);
            }
        }
        cipher.encrypt_blocks(&mut states);
        sum = states.iter().fold(sum, |sum, state| sum.wrapping_add(state.0));
    }
    sum
}

impl<F: Field> Reactor<F> {
    /// Keeps what a peer has seen.
    pub(super) fn hear(&mut self, peer: PartyIndex, range: &Range, bytes: &[u8]) -> Result<(), RunError> {
        let sum: [u8; DIGEST_BYTES] =
            bytes.try_into().map_err(|_| self.wrong(peer, "a hash of another length"))?;
        let heard = self.synchronisations.heard.entry((range.task, range.first)).or_default();
        if heard.iter().any(|heard| heard.peer == peer) {
            return Err(self.wrong(peer, "it synchronised twice in one place"));
        }
        heard.push(Heard { peer, chain: range.chain, sum: u128::from_le_bytes(sum) });
        let epoch = self.tasks.number(range.task).map(|task| (task, range.first));
        match epoch.filter(|epoch| self.synchronisations.requested.contains_key(epoch)) {
            Some(epoch) => self.synchronisations.news.push(epoch),
            None => self.synchronisations.early[peer] += 1,
        }
        Ok(())
    }

    /// Sends the hashes of epochs that are complete here, and ends synchronisations that are complete everywhere.
    pub(super) fn synchronise(&mut self) -> Result<(), RunError> {
        for epoch in std::mem::take(&mut self.synchronisations.news) {
            self.synchronise_epoch(epoch)?;
        }
        Ok(())
    }

    fn synchronise_epoch(&mut self, epoch: Epoch) -> Result<(), RunError> {
        let state = &mut self.synchronisations;
        let seen = state.seen.get(&epoch).copied().unwrap_or_default();
        let Some(requested) = state.requested.get_mut(&epoch) else { return Ok(()) };
        if seen.count < requested.opened {
            return Ok(());
        }
        let (place, chain, out) = (requested.place, requested.chain, requested.out);
        let task = self.tasks.get(epoch.0).id;
        if !std::mem::replace(&mut requested.sent, true) {
            let range = Range::of_bytes(Kind::Sync, task, chain, epoch.1, DIGEST_BYTES);
            for peer in (0..self.names.len()).filter(|peer| *peer != self.me) {
                self.outbox[peer].bytes(range).copy_from_slice(&seen.sum.to_le_bytes());
            }
        }
        let key = (task, epoch.1);
        if state.heard.get(&key).map_or(0, Vec::len) + 1 < state.parties {
            return Ok(());
        }
        let heard = state.heard.remove(&key).unwrap_or_default();
        state.requested.remove(&epoch);
        state.seen.remove(&epoch);
        if let Some(other) = heard.iter().find(|heard| heard.chain != chain) {
            return Err(self.other_program(other.peer, place));
        }
        if let Some(other) = heard.iter().find(|heard| heard.sum != seen.sum) {
            let (peer, place) = (self.names[other.peer].clone(), self.places.name(place));
            return Err(RunError::Equivocation { peer, place });
        }
        self.arrivals += 1;
        self.complete(out, Elements::One(F::Element::default()));
        self.done(epoch.0, 1);
        Ok(())
    }

    /// The peers that synchronisations still wait for.
    pub(super) fn unheard(&self) -> Vec<Waiting> {
        let state = &self.synchronisations;
        let mut found = Vec::new();
        for ((task, epoch), requested) in state.requested.iter().filter(|(_, requested)| requested.sent) {
            let heard = state.heard.get(&(self.tasks.get(*task).id, *epoch));
            let silent = |peer: &PartyIndex| {
                *peer != self.me && !heard.is_some_and(|heard| heard.iter().any(|heard| heard.peer == *peer))
            };
            let waiting = |peer| Waiting { peer, task: *task, place: requested.place };
            found.extend((0..self.names.len()).filter(silent).map(waiting));
        }
        found
    }
}
