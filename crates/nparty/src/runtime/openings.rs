//! Openings: which parties send shares to which, and what all have learnt.

use std::collections::VecDeque;

use tacit_math::field::Field;
use tacit_math::{wipe, zeros};

use super::pending_exchange::{AwaitedMessage, ElementRun, Opening, PendingExchange, ResultRange};
use super::reactor::Reactor;
use super::value::ValueElements;
use super::wire::MessageKind;
use crate::error::RunError;
use crate::product::king::{REIGN, king_of};
use crate::product::opening::tells_king;

impl<F: Field> Reactor<F> {
    /// Turns shares that are to be opened into messages.
    pub(super) fn open(&mut self, mut run: ElementRun<F>) -> Result<(), RunError> {
        if run.how.by_king {
            return self.open_by_kings(run);
        }
        if self.verifier.is_some() {
            return self.open_checked(run);
        }
        let (n, t, me) = (self.names.len(), self.threshold(), self.me);
        let (task, base, count, Opening { to, epoch, .. }) =
            (run.task, run.first, run.elements.len(), run.how);
        let own = self.own_part(&mut run);
        for peer in (1..=t).map(|step| (me + step) % n).filter(|peer| to.contains(*peer)) {
            self.send(peer, MessageKind::Open, &run, base, count);
        }
        let targets = run.targets(base, run.end());
        if !to.contains(me) {
            return self.open_to_others(task, targets, own);
        }
        let sources = (1..=t).map(|back| (me + n - back) % n).collect();
        let awaited = (AwaitedMessage::Open(to, epoch), sources);
        self.advance(PendingExchange::new((task, base), awaited, own, targets))
    }

    /// Each party sends its shares to all others, so that every receiver of a value can detect a wrong share.
    fn open_checked(&mut self, mut run: ElementRun<F>) -> Result<(), RunError> {
        let (me, to, task, base) = (self.me, run.how.to, run.task, run.first);
        let (count, others) = (run.elements.len(), (0..self.names.len()).filter(|peer| *peer != me));
        for peer in others.clone().filter(|peer| to.contains(*peer)) {
            self.send(peer, MessageKind::Open, &run, base, count);
        }
        let (targets, own) = (run.targets(base, run.end()), std::mem::take(&mut run.elements));
        if !to.contains(me) {
            return self.open_to_others(task, targets, own);
        }
        let awaited = (AwaitedMessage::Open(to, run.how.epoch), others.collect());
        self.advance(PendingExchange::new((task, base), awaited, own, targets))
    }

    /// This party is not a receiver of an opening: its result has zeros.
    fn open_to_others(
        &mut self,
        task: u32,
        targets: VecDeque<ResultRange>,
        mut own: Vec<F::Element>,
    ) -> Result<(), RunError> {
        wipe(&mut own);
        for target in targets {
            self.complete(target.value, ValueElements::from(own[..target.length].to_vec()));
        }
        self.done(task, own.len());
        Ok(())
    }

    /// This party's contribution to the opening of a run, if it is a receiver. The run's elements become
    /// those that it sends.
    fn own_part(&self, run: &mut ElementRun<F>) -> Vec<F::Element> {
        let mut own = zeros(run.elements.len());
        if run.how.to.contains(self.me) {
            self.field.add_scaled(&mut own, &run.elements, self.opening[0]);
            self.field.to_ground(&mut own);
        }
        if let Some(weight) = self.told_share {
            run.elements.iter_mut().for_each(|share| *share = self.field.mul(*share, weight));
        }
        own
    }

    /// The same with kings.
    fn open_by_kings(&mut self, run: ElementRun<F>) -> Result<(), RunError> {
        let (n, t, me, task, epoch) = (self.names.len(), self.threshold(), self.me, run.task, run.how.epoch);
        let mut base = run.first;
        while base < run.end() {
            let end = run.end().min((base / REIGN + 1) * REIGN);
            let (king, count, targets) = (king_of(base, n), (end - base) as usize, run.targets(base, end));
            let mut own = zeros(count);
            let awaited = if king == me {
                let shares = &run.elements[(base - run.first) as usize..][..count];
                self.field.add_scaled(&mut own, shares, self.opening[0]);
                (AwaitedMessage::HearOpening(epoch), (1..=t).map(|back| (me + n - back) % n).collect())
            } else {
                (AwaitedMessage::Opened(epoch), vec![king])
            };
            if tells_king(me, king, (n, t)) {
                self.send(king, MessageKind::OpenToKing, &run, base, count);
            }
            self.advance(PendingExchange::new((task, base), awaited, own, targets))?;
            base = end;
        }
        Ok(())
    }

    /// Notes what an exchange has opened, if it opens: a king sends it to all others, and values that all learn
    /// are compared.
    pub(super) fn learn(&mut self, exchange: &PendingExchange<F>, first: u64, opened: &[F::Element]) {
        let epoch = match exchange.awaited {
            AwaitedMessage::HearOpening(epoch) => {
                self.tell_opened(exchange, first, opened);
                Some(epoch)
            }
            AwaitedMessage::Opened(epoch) => Some(epoch),
            AwaitedMessage::Open(to, epoch) => to.all(self.names.len()).then_some(epoch),
            _ => return,
        };
        #[cfg(test)]
        super::opening_recorder::opened(self.me, &self.field, first, opened);
        if let Some(epoch) = epoch {
            self.synchronisations.opened(&self.field, (exchange.task, epoch), first, opened);
        }
    }

    /// Sends all others what this party has opened as a king.
    fn tell_opened(&mut self, exchange: &PendingExchange<F>, first: u64, opened: &[F::Element]) {
        let (task, count) = (self.tasks.get(exchange.task), opened.len());
        let Some((head, tags)) = exchange.told((MessageKind::Opened, task.id), first, count) else { return };
        for peer in (0..self.names.len()).filter(|peer| *peer != self.me) {
            task.traffic.sent(peer, (count, self.field.bytes()));
            let room = self.outbox[peer].range(head, tags.iter().copied(), self.field.bytes());
            self.field.encode_all(opened, room);
        }
    }
}
