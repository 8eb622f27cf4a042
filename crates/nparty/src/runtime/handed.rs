//! Bytes that one party computes for another, who uses them as they arrive. Nothing else is kept of them.

use tacit_math::Wiped;
use tacit_math::field::Field;

use super::awaited_bytes::AwaitedBytes;
use super::inbox::Hashes;
use super::operation::{Give, Handed, TaskOperation};
use super::pending_exchange::{ResultRange, Waiting};
use super::reactor::Reactor;
use super::value::{ValueElements, ValueId};
use super::wire::{Arrived, MessageKind, RANGE, RangeHead, Widths};
use crate::error::{RunError, UsageError};
use crate::parties::PartyIndex;

impl<F: Field> Reactor<F> {
    /// Computes bytes and sends them, waits for them, or does neither.
    ///
    /// Errors: as many were computed as were not announced, or what arrived belongs to another program.
    pub(super) fn hand(&mut self, operation: &TaskOperation<F>, handed: Handed<F>) -> Result<(), RunError> {
        let Handed { way: (from, to), inputs, give, take } = handed;
        let (task, target) = (operation.task, ResultRange::of(operation));
        if self.me == to {
            return self.receive_handed(AwaitedBytes {
                task,
                peer: from,
                cursor: target.start,
                target,
                take,
            });
        }
        if self.me == from {
            self.give(operation, (to, &inputs), give)?;
        }
        self.end_handed(task, &target);
        Ok(())
    }

    /// Writes the bytes into the outbox, range by range.
    fn give(
        &mut self,
        operation: &TaskOperation<F>,
        (to, inputs): (PartyIndex, &[ValueId]),
        mut give: Give<F>,
    ) -> Result<(), RunError> {
        let (task, kind) = (self.tasks.get(operation.task), MessageKind::Handed);
        let (width, end) =
            (kind.width(Widths::of(&self.field)), operation.position + operation.length as u64);
        let given: Vec<_> = inputs.iter().map(|value| self.values.get(*value)).collect();
        for first in (operation.position..end).step_by(RANGE) {
            let count = RANGE.min((end - first) as usize);
            let (chain, number) = (operation.chain, operation.number);
            let range = RangeHead { kind, task: task.id, chain, first, count, number };
            task.traffic.sent(to, (count, width));
            let room = self.outbox[to].range(range, [].into_iter(), width);
            if !give(&task.prss, &given, room) {
                return Err(self.not_as_announced(operation.call_site, (first, operation.length)));
            }
        }
        Ok(())
    }

    fn not_as_announced(
        &self,
        call_site: super::identity::CallSite,
        (made, announced): (u64, usize),
    ) -> RunError {
        let call_site = self.call_sites.name(call_site);
        UsageError::Computed { call_site, made: made as usize, announced }.into()
    }

    /// Uses bytes that have arrived before, and waits for the rest.
    fn receive_handed(&mut self, mut awaited: AwaitedBytes<F>) -> Result<(), RunError> {
        let stream = (MessageKind::Handed, self.tasks.get(awaited.task).id, awaited.peer);
        while awaited.cursor < awaited.target.end() {
            let left = (awaited.target.end() - awaited.cursor) as usize;
            let count = self.inbox.available(&stream, awaited.cursor).min(left);
            let Some(hashes) = self.inbox.hashes(&stream, awaited.cursor).filter(|_| count > 0) else {
                self.awaited_bytes.insert((awaited.task, awaited.target.start), awaited);
                return Ok(());
            };
            self.check_handed(&awaited, hashes)?;
            let mut bytes = Wiped::from(vec![0; count * self.field.ground_bytes()]);
            let field = &self.field;
            self.inbox
                .take(&stream, awaited.cursor, count, |elements| field.encode_ground(elements, &mut bytes));
            self.use_handed(&mut awaited, (&bytes, count))?;
        }
        self.end_handed(awaited.task, &awaited.target);
        Ok(())
    }

    /// Uses bytes that arrive where they are waited for, without keeping them in between; returns whether they are.
    ///
    /// Errors: they belong to another program.
    pub(super) fn arrive_handed(
        &mut self,
        peer: PartyIndex,
        arrived: &Arrived<'_>,
        hashes: &Hashes,
    ) -> Result<bool, RunError> {
        let RangeHead { kind, task, first, count, .. } = arrived.range;
        let (MessageKind::Handed, Some(task)) = (kind, self.tasks.number(task)) else { return Ok(false) };
        let awaits = |(key, awaited): (&(u32, u64), &AwaitedBytes<F>)| {
            let next = (awaited.task, awaited.peer, awaited.cursor) == (task, peer, first);
            (next && first + count as u64 <= awaited.target.end()).then_some(*key)
        };
        let found = self.awaited_bytes.range(..=(task, first)).next_back().and_then(awaits);
        let Some(mut awaited) = found.and_then(|key| self.awaited_bytes.remove(&key)) else {
            return Ok(false);
        };
        self.check_handed(&awaited, hashes)?;
        self.use_handed(&mut awaited, (arrived.elements, count))?;
        self.receive_handed(awaited)?;
        Ok(true)
    }

    fn check_handed(&self, awaited: &AwaitedBytes<F>, hashes: &Hashes) -> Result<(), RunError> {
        let ResultRange { number, chain, call_site, .. } = awaited.target;
        match hashes.agree(number, chain) {
            true => Ok(()),
            false => Err(self.other_program(awaited.peer, call_site)),
        }
    }

    fn use_handed(
        &mut self,
        awaited: &mut AwaitedBytes<F>,
        (bytes, count): (&[u8], usize),
    ) -> Result<(), RunError> {
        let task = self.tasks.get(awaited.task);
        self.arrivals += 1;
        task.traffic.received(awaited.peer, (count, self.field.ground_bytes()));
        if !(awaited.take)(&task.prss, bytes) {
            let place = (awaited.cursor, awaited.target.length);
            return Err(self.not_as_announced(awaited.target.call_site, place));
        }
        awaited.cursor += count as u64;
        Ok(())
    }

    /// All bytes were sent, or have been used.
    fn end_handed(&mut self, task: u32, target: &ResultRange) {
        self.complete(target.value, ValueElements::from(Vec::new()));
        self.done(task, target.length);
    }

    /// The parties whose bytes are waited for.
    pub(super) fn not_handed(&self) -> Vec<Waiting> {
        let waiting = |awaited: &AwaitedBytes<F>| Waiting {
            peer: awaited.peer,
            task: awaited.task,
            call_site: awaited.target.call_site,
        };
        self.awaited_bytes.values().map(waiting).collect()
    }
}
