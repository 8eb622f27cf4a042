//! Comparison of what all parties have seen: hashes of opened values are exchanged wherever the program
//! synchronises.

use tacit_math::field::Field;

use super::epochs::{DIGEST_BYTES, Epoch, PeerDigest};
use super::pending_exchange::Waiting;
use super::reactor::Reactor;
use super::value::ValueElements;
use super::wire::{MessageKind, RangeHead};
use crate::error::{MessageError, RunError};
use crate::parties::PartyIndex;

impl<F: Field> Reactor<F> {
    /// Keeps a peer's hash.
    pub(super) fn hear(&mut self, peer: PartyIndex, range: &RangeHead, bytes: &[u8]) -> Result<(), RunError> {
        let sum: [u8; DIGEST_BYTES] = bytes.try_into().map_err(|_| {
            self.wrong(peer, MessageError::Digest { length: bytes.len(), expected: DIGEST_BYTES })
        })?;
        let heard = self.synchronisations.heard.entry((range.task, range.first)).or_default();
        if heard.iter().any(|heard| heard.peer == peer) {
            return Err(self.wrong(peer, MessageError::RepeatedDigest { epoch: range.first }));
        }
        heard.push(PeerDigest { peer, chain: range.chain, sum: u128::from_le_bytes(sum) });
        let epoch = self.tasks.number(range.task).map(|task| (task, range.first));
        match epoch.filter(|epoch| self.synchronisations.requested.contains_key(epoch)) {
            Some(epoch) => self.synchronisations.news.push(epoch),
            None => self.synchronisations.early[peer] += 1,
        }
        Ok(())
    }

    /// Sends the hashes of epochs that are complete here, and completes synchronisations whose hashes have all
    /// arrived.
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
        let (call_site, chain, out) = (requested.call_site, requested.chain, requested.out);
        let task = self.tasks.get(epoch.0).id;
        if !std::mem::replace(&mut requested.sent, true) {
            let range = RangeHead::of_bytes(MessageKind::Sync, task, chain, epoch.1, DIGEST_BYTES);
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
            return Err(self.other_program(other.peer, call_site));
        }
        if let Some(other) = heard.iter().find(|heard| heard.sum != seen.sum) {
            let (peer, call_site) = (self.names[other.peer].clone(), self.call_sites.name(call_site));
            return Err(RunError::Equivocation { peer, call_site });
        }
        self.arrivals += 1;
        self.complete(out, ValueElements::One(F::Element::default()));
        self.done(epoch.0, 1);
        Ok(())
    }

    /// Whether this party has sent its hashes wherever the program synchronises.
    pub(super) fn has_synchronised(&self) -> bool {
        self.synchronisations.requested.values().all(|requested| requested.sent)
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
            let waiting = |peer| Waiting { peer, task: *task, call_site: requested.call_site };
            found.extend((0..self.names.len()).filter(silent).map(waiting));
        }
        found
    }
}
