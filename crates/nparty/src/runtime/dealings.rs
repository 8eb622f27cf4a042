//! Dealing for the operations of tasks, and extraction.
//!
//! A block is dealt as soon as an operation that uses part of it is written, so that its messages leave with those of operations before it. The operation waits for it as for an
//! operand.

use tacit_math::field::Field;
use tacit_math::{Wiped, zeros};

use super::dealt_blocks::{BlockId, DealtBlock, kind, used_by};
use super::operation::TaskOperation;
use super::pending_exchange::Waiting;
use super::reactor::Reactor;
use super::wire::{MessageKind, RangeHead};
use crate::dealing::{BlockPlace, DealtSharings, Degree};
use crate::parties::PartyIndex;

impl<F: Field> Reactor<F> {
    /// Registers that the operation with this number waits for its blocks, and returns how many there are.
    pub(super) fn request_dealt(&mut self, operation: &TaskOperation<F>, serial: u64) -> usize {
        let (Some(dealer), Some(sharings)) = (&self.dealer, used_by(&operation.work)) else { return 0 };
        let Some(task) = self.tasks.get_mut(operation.task) else { return 0 };
        let (first, length, mut missing) = (operation.position, operation.length as u64, 0);
        for place in BlockPlace::all(first, length, dealer.rows()) {
            let block = task.dealt.entry((sharings, place)).or_insert_with(|| {
                self.dealings.push_back((operation.task, sharings, place));
                let (left, call_site) = ((place.columns * dealer.rows()) as usize, operation.call_site);
                DealtBlock { own: vec![], missing: 0, made: vec![], left, waiters: vec![], call_site }
            });
            if block.made.is_empty() {
                block.waiters.push(serial);
                missing += 1;
            }
        }
        missing
    }

    /// The approximate time to deal or to extract a block, in elements that are copied.
    pub(super) fn dealing_cost(&self, place: BlockPlace) -> usize {
        let n = self.names.len();
        place.columns as usize * n * n / 4
    }

    /// Deals a block; or if it is dealt and all others have dealt it, extracts its sharings.
    pub(super) fn deal(&mut self, id: BlockId) {
        let (number, sharings, place) = id;
        let (Some(dealer), Some(task)) = (&self.dealer, self.tasks.get_mut(number)) else { return };
        let Some(block) = task.dealt.get_mut(&(sharings, place)) else { return };
        if !block.own.is_empty() {
            return self.extract(id);
        }
        let (first, count) = (place.column, place.columns as usize);
        let (outbox, field, traffic, task_id) = (&mut self.outbox, &self.field, &task.traffic, task.id);
        block.own = dealer.deal(task.prss.pairs(), sharings, (first, count), |degree, peer, shares| {
            traffic.sent(peer, (count, field.bytes()));
            let kind = kind(sharings, degree);
            let range = RangeHead { kind, task: task_id, chain: 0, first, count, number: 0 };
            field.encode_all(shares, outbox[peer].range(range, [].into_iter(), field.bytes()));
        });
        let sources = (0..self.names.len()).filter(|peer| *peer != self.me);
        let of = sources.flat_map(|peer| sharings.degrees().iter().map(move |degree| (peer, *degree)));
        let sent = of.filter(|(peer, degree)| dealer.is_sent(*degree, *peer));
        let unheard = sent.map(|(peer, degree)| {
            count - self.inbox.arrived(&(kind(sharings, degree), task_id, peer), first, count)
        });
        block.missing = unheard.sum();
        if block.missing == 0 {
            self.dealings.push_back(id);
        }
    }

    /// Notes that elements of this kind have arrived.
    pub(super) fn dealt(
        &mut self,
        peer: PartyIndex,
        task: u32,
        (kind, first, count): (MessageKind, u64, usize),
    ) {
        let (sharings, degree) = match kind {
            MessageKind::Dealt => (DealtSharings::Single, Degree::Low),
            MessageKind::DealtLow => (DealtSharings::Double, Degree::Low),
            _ => (DealtSharings::Double, Degree::High),
        };
        let (Some(dealer), Some(state)) = (&self.dealer, self.tasks.get_mut(task)) else { return };
        if !dealer.is_sent(degree, peer) {
            return;
        }
        let end = first + count as u64;
        let touched = BlockPlace::of(first)..=BlockPlace::of(end - 1);
        let range = (sharings, *touched.start())..=(sharings, *touched.end());
        for ((_, place), block) in state.dealt.range_mut(range).filter(|(_, block)| !block.own.is_empty()) {
            let both = end.min(place.column + place.columns) - first.max(place.column);
            block.missing -= both as usize;
            if block.missing == 0 {
                self.dealings.push_back((task, sharings, *place));
            }
        }
    }

    /// Extracts sharings from what all parties have dealt.
    fn extract(&mut self, (number, sharings, place): BlockId) {
        let (Some(dealer), Some(task)) = (&self.dealer, self.tasks.get_mut(number)) else { return };
        let (n, id, first, count) = (self.names.len(), task.id, place.column, place.columns as usize);
        let Some(block) = task.dealt.get_mut(&(sharings, place)) else { return };
        let own = std::mem::take(&mut block.own);
        // Every element is written.
        let mut dealt = std::mem::take(&mut self.dealt);
        if dealt.len() != n * count {
            dealt = Wiped::from(zeros(n * count));
        }
        for (degree, own) in sharings.degrees().iter().zip(own) {
            for (peer, shares) in dealt.chunks_mut(count).enumerate() {
                if peer == self.me {
                    shares.copy_from_slice(&own);
                } else if dealer.is_sent(*degree, peer) {
                    task.traffic.received(peer, (count, self.field.bytes()));
                    self.inbox.gather(&(kind(sharings, *degree), id, peer), first, shares);
                } else {
                    dealer.draw(task.prss.pairs(), (sharings, *degree), (peer, first), shares);
                }
            }
            let mut made = Wiped::from(zeros(dealer.rows() as usize * count));
            dealer.extract(&dealt, &mut made);
            block.made.push(made);
        }
        self.dealt = dealt;
        let waiters = std::mem::take(&mut block.waiters);
        self.arrivals += 1;
        self.wake(waiters);
    }

    /// Uses the double sharings at places from `first` on, whose blocks are extracted: adds those of degree 2t to products, and returns those of degree t.
    pub(super) fn take_double(
        &mut self,
        task: u32,
        first: u64,
        products: &mut [F::Element],
        random: &mut [F::Element],
    ) {
        let field = self.field.clone();
        self.take_dealt((task, DealtSharings::Double), (first, products.len()), |at, made, from| {
            let count = from.len();
            random[at..][..count].copy_from_slice(&made[0][from.clone()]);
            field.add_assign(&mut products[at..][..count], &made[1][from]);
        });
    }

    /// Uses the random sharings at places from `first` on, whose blocks are extracted.
    pub(super) fn take_single(&mut self, task: u32, first: u64, count: usize) -> Vec<F::Element> {
        let mut shares = zeros(count);
        self.take_dealt((task, DealtSharings::Single), (first, count), |at, made, from| {
            shares[at..][..from.len()].copy_from_slice(&made[0][from]);
        });
        shares
    }

    /// Calls `f` for each part of what is used: its beginning in the operation, the extracted block, and the part's range in it. A block that is used up is
    /// forgotten.
    fn take_dealt(
        &mut self,
        (task, sharings): (u32, DealtSharings),
        (first, count): (u64, usize),
        mut f: impl FnMut(usize, &[Wiped<F::Element>], std::ops::Range<usize>),
    ) {
        let (Some(dealer), Some(task)) = (&self.dealer, self.tasks.get_mut(task)) else { return };
        let (rows, end) = (dealer.rows(), first + count as u64);
        for place in BlockPlace::all(first, count as u64, rows) {
            let Some(block) = task.dealt.get_mut(&(sharings, place)) else { continue };
            let all = place.places(rows);
            let used = all.start.max(first)..all.end.min(end);
            let from = (used.start - all.start) as usize..(used.end - all.start) as usize;
            #[cfg(test)]
            record_use(
                self.me,
                (task.id, &self.field, sharings),
                (all.start + from.start as u64, from.len()),
            );
            block.left -= from.len();
            f((used.start - first) as usize, &block.made, from);
            if block.left == 0 {
                task.dealt.remove(&(sharings, place));
            }
        }
    }

    /// The parties that have not dealt blocks for which operations wait.
    pub(super) fn undealt(&self) -> Vec<Waiting> {
        let Some(dealer) = &self.dealer else { return Vec::new() };
        let mut found = Vec::new();
        for (number, task) in self.tasks.iter() {
            let Some(((sharings, place), block)) = task.dealt.iter().find(|(_, block)| block.missing > 0)
            else {
                continue;
            };
            let silent = |peer: &PartyIndex| {
                sharings.degrees().iter().any(|degree| {
                    let stream = (kind(*sharings, *degree), task.id, *peer);
                    let count = place.columns as usize;
                    dealer.is_sent(*degree, *peer) && self.inbox.arrived(&stream, place.column, count) < count
                })
            };
            let (task, call_site) = (number, block.call_site);
            let peers = (0..self.names.len()).filter(|peer| *peer != self.me).filter(silent);
            found.extend(peers.map(|peer| Waiting { peer, task, call_site }));
        }
        found
    }
}

/// Reports to tests which of a task's sharings are used.
#[cfg(test)]
fn record_use<F: Field>(
    me: PartyIndex,
    (task, field, sharings): (super::identity::TaskId, &F, DealtSharings),
    (first, count): (u64, usize),
) {
    use crate::prf::{Purpose, lane};
    use crate::recorder;
    recorder::record(|| recorder::Draw {
        me,
        field: format!("{field:?}"),
        key: task.0.into(),
        lane: lane(Purpose::USED, sharings as u32),
        of_bits: false,
        first: first.into(),
        count: count as u128,
    });
}
