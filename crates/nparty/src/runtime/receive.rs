//! Effects of messages on a party's state.

use tacit_math::field::Field;

use super::history::History;
use super::identity::TaskId;
use super::inbox::Hashes;
use super::pending_exchange::Waiting;
use super::reactor::Reactor;
use super::wire::{self, Arrived, MessageKind, RangeHead, Widths};
use crate::error::{MessageError, RunError};
use crate::parties::PartyIndex;

/// Maximum bytes of one peer's messages that wait for this party's program.
pub(crate) const EARLY_BYTES: usize = 64 << 20;

/// The part of them in messages that the reactor has not seen while it computes.
pub(crate) const QUEUED_BYTES: usize = 16 << 20;

/// How much is computed as elements arrive, in elements that are copied.
const PIECES_AT_ONCE: usize = 1 << 18;

/// The maximum number of tasks whose progress a party reports.
const MAX_TOLD: usize = 16;

/// The maximum bytes of the reason why a party gave up that are sent and shown.
const MAX_REASON: usize = 300;

/// A peer's words on one line, shortened.
fn legible(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_REASON)]);
    let shown = text.chars().map(|one| if one.is_control() { ' ' } else { one });
    shown.collect::<String>().trim().to_owned()
}

impl<F: Field> Reactor<F> {
    /// Takes a peer's message with this number, without its length. Its consequences follow in [`Reactor::run`].
    ///
    /// Errors: it is malformed, repeated, belongs to another program, or reports that its sender has given up.
    pub(crate) fn receive(&mut self, peer: PartyIndex, number: u64, message: &[u8]) -> Result<(), RunError> {
        self.received[peer] = number;
        for found in wire::ranges(message, Widths::of(&self.field)) {
            let arrived = found.map_err(|error| self.wrong(peer, error))?;
            let (range, bytes) = (arrived.range, arrived.elements);
            match range.kind {
                MessageKind::Sync => self.hear(peer, &range, bytes)?,
                MessageKind::Agree => self.hear_agreement(peer, &range, bytes)?,
                MessageKind::Verify => self.hear_verification(peer, &range, bytes)?,
                MessageKind::Busy => return Err(self.wrong(peer, MessageError::Busy)),
                MessageKind::Progress => self.compare_progress(peer, range.task, bytes)?,
                MessageKind::Failure => {
                    let blamed = (range.first as usize).checked_sub(1);
                    let blamed = blamed.and_then(|blamed| self.names.get(blamed)).cloned();
                    let peer = self.names[peer].clone();
                    let (blamed, reason) = (blamed.filter(|blamed| *blamed != peer), legible(bytes));
                    return Err(RunError::Ended { peer, blamed, reason });
                }
                _ => self.arrive(peer, arrived)?,
            }
        }
        Ok(())
    }

    /// The maximum bytes that a peer's messages take while they wait.
    pub(crate) fn early_bytes(&self, peer: PartyIndex) -> usize {
        let verification = self.verifier.as_ref().map_or(0, |verifier| verifier.early_bytes(peer));
        let agreements = self.agreements.early_bytes(peer);
        self.inbox.waiting(peer) + self.synchronisations.early_bytes(peer) + agreements + verification
    }

    /// The error for a peer's last message.
    pub(super) fn wrong(&self, peer: PartyIndex, error: MessageError) -> RunError {
        RunError::Message { peer: self.names[peer].clone(), number: self.received[peer], error }
    }

    /// Takes elements: whatever waits for them continues.
    fn arrive(&mut self, peer: PartyIndex, arrived: Arrived<'_>) -> Result<(), RunError> {
        let RangeHead { kind, task, chain, first, count, number } = arrived.range;
        let hashes = Hashes { number, chain, tags: wire::tags(arrived.tags).collect() };
        if self.arrive_in_exchange(peer, &arrived, &hashes)? {
            self.run_pieces(PIECES_AT_ONCE)?;
            return Ok(());
        }
        if self.arrive_handed(peer, &arrived, &hashes)? {
            return Ok(());
        }
        let mut elements = self.inbox.room(count);
        let decoded = match kind.is_of_ground() {
            true => self.field.decode_ground(arrived.elements, &mut elements),
            false => self.field.decode_all(arrived.elements, &mut elements),
        };
        decoded.map_err(|_| self.wrong(peer, MessageError::NotInField { first, count }))?;
        if !self.inbox.put((kind, task, peer), first, elements, hashes) {
            return Err(self.wrong(peer, MessageError::Repeated { first, count }));
        }
        let Some(number) = self.tasks.number(task) else { return Ok(()) };
        if matches!(kind, MessageKind::Dealt | MessageKind::DealtLow | MessageKind::DealtHigh) {
            self.dealt(peer, number, (kind, first, count));
            return Ok(());
        }
        for key in self.exchanges.overlapping(kind, number, first, first + count as u64) {
            if let Some(exchange) = self.exchanges.remove(&key) {
                self.advance(exchange)?;
            }
        }
        self.run_pieces(PIECES_AT_ONCE)?;
        Ok(())
    }

    /// Reports to all others the progress of the tasks that wait, which also shows that this party is alive.
    pub(crate) fn tell_progress(&mut self) {
        let mut tasks: Vec<_> = self.waiting().iter().map(|waiting| waiting.task).collect();
        tasks.push(0);
        tasks.sort();
        tasks.dedup();
        for task in tasks.into_iter().take(MAX_TOLD).filter_map(|task| self.tasks.find(task)) {
            let told = task.history.told();
            let range = RangeHead::of_bytes(MessageKind::Progress, task.id, 0, 0, told.len());
            for (peer, outgoing) in self.outbox.iter_mut().enumerate() {
                if peer != self.me {
                    outgoing.bytes(range).copy_from_slice(&told);
                }
            }
        }
    }

    /// Tells all others that this party gives up, why, and because of which party, if known.
    pub(crate) fn tell_failure(&mut self, error: &RunError) {
        let blamed = error.peer().and_then(|blamed| self.names.iter().position(|name| name == blamed));
        let first = blamed.map_or(0, |blamed| blamed as u64 + 1);
        // A message has at least one byte.
        let mut reason = error.reason().into_bytes();
        reason.truncate(MAX_REASON - 1);
        reason.push(b' ');
        let range = RangeHead::of_bytes(MessageKind::Failure, TaskId(0), 0, first, reason.len());
        for (peer, outgoing) in self.outbox.iter_mut().enumerate() {
            if peer != self.me {
                outgoing.bytes(range).copy_from_slice(&reason);
            }
        }
    }

    /// Compares a peer's program with this party's, as far as both are known.
    fn compare_progress(&mut self, peer: PartyIndex, task: TaskId, told: &[u8]) -> Result<(), RunError> {
        // The peer will report it again, as long as it waits there.
        let Some(number) = self.tasks.number(task) else { return Ok(()) };
        self.told[peer].insert(task, History::count_in(told));
        let difference = self.tasks.get(number).history.difference(told);
        difference.map_or(Ok(()), |call_site| Err(self.other_program(peer, call_site)))
    }

    /// The parties whose programs are behind this party's in tasks that wait, and where those wait; if there are none, all parties
    /// that are waited for.
    pub(crate) fn late(&self) -> Vec<Waiting> {
        let waiting = self.waiting();
        let behind = |waiting: &Waiting, peer: PartyIndex| {
            let task = self.tasks.get(waiting.task);
            let told = self.told[peer].get(&task.id).copied().unwrap_or(0);
            told < task.history.count()
        };
        let peers = (0..self.names.len()).filter(|peer| *peer != self.me);
        let late: Vec<_> = peers
            .filter_map(|peer| {
                let found = waiting.iter().find(|waiting| behind(waiting, peer))?;
                Some(Waiting { peer, ..*found })
            })
            .collect();
        if late.is_empty() { waiting } else { late }
    }
}
