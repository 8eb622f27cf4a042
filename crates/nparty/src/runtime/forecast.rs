//! Predicts what operations send before they run: a fold over what a task writes.
//!
//! For each value, the forecast tracks the round after which each party has its part of it, where a message takes one round and computing none. So rounds are
//! those of a run in which everything that is ready leaves at once. How messages are grouped over real links changes neither the elements nor their senders.

mod computing;

use std::collections::{BTreeSet, VecDeque};

use tacit_math::field::{BitOctets, BitSliced, Field, GaloisRing, Gf256};
use tacit_schedule::{Computing, Unit};

use super::dealt_blocks::used_by;
use super::operation::{Command, OperationKind, TaskOperation, Written};
use super::shared::{BYTES, FIELDS, OCTETS, ProgramLink, RING, SLICED};
use super::value::{ByNumber, ValueId};
use super::wire::{MessageKind, Widths};
use crate::dealing::{BlockPlace, Dealer, DealtSharings, Degree};
use crate::error::SharingError;
use crate::parties::{Parties, PartyIndex};
use crate::product::king::{King, REIGN, king_of};
use crate::product::opening::{opens_by_king, tells_king};
use crate::randomness::Randomness;
use crate::scheme::Scheme;
use computing::Among;

/// By party, the round after which it has its part of a value.
type Rounds = Box<[u64]>;

/// What a program sends, whatever the order in which messages arrive.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Prediction {
    /// Bytes of elements by sender, then by receiver.
    pub sent: Vec<Vec<u64>>,
    /// Elements of inputs, by the party that gives them.
    pub inputs: Vec<u64>,
    /// Products of two shared elements, in any field, and garbled ANDs.
    pub products: u64,
    /// Opened elements, each counted once even if several parties learn it.
    pub opened: u64,
    /// Random elements or bits that are drawn, without those that hide products.
    pub drawn: u64,
    /// The longest chain of messages, up to the last arrival.
    pub rounds: u64,
    /// What a party computes. The parties don't compare it.
    #[serde(skip)]
    pub computing: Computing,
}

impl Prediction {
    fn of(parties: usize) -> Prediction {
        Prediction {
            sent: vec![vec![0; parties]; parties],
            inputs: vec![0; parties],
            ..Prediction::default()
        }
    }

    /// Bytes of elements that a party sends to all others.
    pub fn bytes_sent(&self, party: PartyIndex) -> u64 {
        self.sent[party].iter().sum()
    }

    /// Bytes of elements that the party sends which sends most.
    pub fn most_bytes_sent(&self) -> u64 {
        (0..self.sent.len()).map(|party| self.bytes_sent(party)).max().unwrap_or(0)
    }

    /// Bytes of elements that a party receives from all others.
    pub fn bytes_received(&self, party: PartyIndex) -> u64 {
        self.sent.iter().map(|sent| sent[party]).sum()
    }
}

/// A prediction while it is being made, over all fields of a computation.
pub(crate) struct Forecast<F: Field> {
    counts: Counts,
    own: Waiting<F>,
    bytes: Waiting<Gf256>,
    sliced: Waiting<BitSliced>,
    octets: Waiting<BitOctets>,
    ring: Waiting<GaloisRing>,
}

/// Operations that were written in one field and are not yet counted.
struct Waiting<G: Field> {
    room: Written<G>,
    operations: VecDeque<TaskOperation<G>>,
    /// Values that no operation after these reads.
    released: Vec<ValueId>,
}

/// The state of counting.
struct Counts {
    threshold: usize,
    /// Where openings are checked, each party sends its shares to all others.
    among: Among,
    /// The scheme; only properties that all fields have in common are used.
    scheme: Scheme<Gf256>,
    /// By king; unused among three parties. The pairs that exchange messages are the same in all fields.
    kings: Vec<King<Gf256>>,
    /// The same for dealers; empty if nothing is dealt.
    dealers: Vec<Dealer<Gf256>>,
    /// Blocks that were dealt, by field and task.
    dealt: BTreeSet<(usize, u32, DealtSharings, BlockPlace)>,
    /// By field.
    known: [ByNumber<ValueId, Rounds>; FIELDS],
    prediction: Prediction,
}

impl<G: Field> Default for Waiting<G> {
    fn default() -> Self {
        Waiting { room: Written::default(), operations: VecDeque::new(), released: Vec::new() }
    }
}

impl<G: Field> Waiting<G> {
    /// Takes the operations that were written since the last time.
    fn take(&mut self, link: &ProgramLink<G>) {
        link.take(&mut self.room);
        self.operations.extend(self.room.commands.drain(..).filter_map(|command| match command {
            Command::Operation(operation) => Some(operation),
            _ => None,
        }));
        self.released.append(&mut self.room.released);
    }

    /// Counts operations until one needs a value that another field has not yet provided. Returns whether any
    /// were counted.
    fn count(&mut self, counts: &mut Counts, (field, widths): (usize, Widths)) -> bool {
        let mut some = false;
        while let Some(operation) = self.operations.front() {
            let Some(mut ready) = counts.ready(field, operation) else { break };
            counts.dealt((field, widths), operation, &mut ready);
            let each = (field, widths.bytes(MessageKind::ToKing));
            computing::count(&mut counts.prediction.computing, each, counts.among, operation);
            let rounds = counts.operation((ready, widths), operation);
            counts.known[field].insert(operation.out, rounds);
            self.operations.pop_front();
            some = true;
        }
        some
    }

    fn forget(&mut self, known: &mut ByNumber<ValueId, Rounds>) {
        for value in self.released.drain(..) {
            known.remove(&value);
        }
    }
}

impl<F: Field> Forecast<F> {
    /// Errors: the scheme has no products.
    pub(crate) fn new(scheme: &Scheme<F>) -> Result<Self, SharingError> {
        let (parties, threshold) = (scheme.parties(), scheme.threshold());
        let in_bytes = Scheme::new(Gf256, parties, threshold)?.with_randomness(scheme.randomness());
        let dealing = scheme.randomness() == Randomness::Dealt;
        let dealers = (0..if dealing { parties } else { 0 }).map(|party| Dealer::new(&in_bytes, party));
        let counts = Counts {
            threshold,
            among: Among::of(scheme)?,
            scheme: in_bytes.clone(),
            kings: (0..parties).map(|king| King::new(&in_bytes, king)).collect::<Result<_, _>>()?,
            dealers: dealers.collect::<Result<_, _>>()?,
            dealt: BTreeSet::new(),
            known: Default::default(),
            prediction: Prediction::of(parties),
        };
        let (own, bytes) = (Waiting::default(), Waiting::default());
        let (sliced, octets, ring) = (Waiting::default(), Waiting::default(), Waiting::default());
        Ok(Forecast { counts, own, bytes, sliced, octets, ring })
    }

    /// Counts the operations that were written since the last time, in all fields.
    ///
    /// A value that is carried to another field was written before, so all operations that are taken can be
    /// counted.
    pub(crate) fn take(&mut self, link: &ProgramLink<F>) {
        let own = (link.field, Widths::of(link.scheme.field()));
        self.own.take(link);
        let auxiliary = link.auxiliary.as_ref();
        let bytes = auxiliary.and_then(|auxiliary| auxiliary.bytes.as_deref());
        let sliced = auxiliary.and_then(|auxiliary| auxiliary.sliced.as_deref());
        let octets = auxiliary.and_then(|auxiliary| auxiliary.octets.as_deref());
        let ring = auxiliary.and_then(|auxiliary| auxiliary.ring.as_deref());
        bytes.into_iter().for_each(|link| self.bytes.take(link));
        sliced.into_iter().for_each(|link| self.sliced.take(link));
        octets.into_iter().for_each(|link| self.octets.take(link));
        ring.into_iter().for_each(|link| self.ring.take(link));
        let in_bytes = (BYTES, Widths::of(&Gf256));
        let in_slices = (SLICED, sliced.map_or(Widths::of(&Gf256), |link| Widths::of(link.scheme.field())));
        let in_octets = (OCTETS, Widths::of(&BitOctets));
        let in_ring = (RING, Widths::of(&GaloisRing));
        while self.own.count(&mut self.counts, own)
            | self.bytes.count(&mut self.counts, in_bytes)
            | self.sliced.count(&mut self.counts, in_slices)
            | self.octets.count(&mut self.counts, in_octets)
            | self.ring.count(&mut self.counts, in_ring)
        {}
        let [known, known_bytes, known_slices, known_octets, known_ring] = &mut self.counts.known;
        self.own.forget(known);
        self.bytes.forget(known_bytes);
        self.sliced.forget(known_slices);
        self.octets.forget(known_octets);
        self.ring.forget(known_ring);
    }

    /// The prediction for a task that has drawn this many positions.
    pub(crate) fn end(&mut self, drawn: u64) -> Prediction {
        let peers = self.counts.parties() as u64 - 1;
        let mut prediction = Prediction { drawn, ..std::mem::take(&mut self.counts.prediction) };
        prediction.computing.add_of(Unit::SharedRound, prediction.rounds.saturating_mul(peers));
        prediction.computing.add_of(Unit::SharedSentByte, prediction.most_bytes_sent().saturating_mul(2));
        prediction
    }
}

/// The kings of the elements at `first` and after, each with the number of its elements.
fn reigns(first: u64, length: u64, parties: usize) -> impl Iterator<Item = (PartyIndex, u64)> {
    let (mut at, end) = (first, first + length);
    std::iter::from_fn(move || {
        let until = end.min((at / REIGN + 1) * REIGN);
        let reign = (at < end).then(|| (king_of(at, parties), until - at));
        at = until;
        reign
    })
}

impl Counts {
    fn parties(&self) -> usize {
        self.kings.len()
    }

    /// The round after which each party has an operation's operands; `None` if another field has not yet
    /// provided one.
    fn ready<G: Field>(&self, field: usize, operation: &TaskOperation<G>) -> Option<Rounds> {
        if let OperationKind::Carried(from, value) = &operation.work {
            return self.known[*from].get(value).cloned();
        }
        let mut ready: Rounds = vec![0; self.parties()].into();
        operation.work.each_input(|input| {
            let input = self.known[field].get(&input).into_iter().flatten();
            ready.iter_mut().zip(input).for_each(|(ready, input)| *ready = (*ready).max(*input));
        });
        Some(ready)
    }

    /// Counts the blocks that are dealt for an operation, if they were not counted before. All of it leaves as
    /// soon as the operation is written.
    fn dealt<G: Field>(
        &mut self,
        (field, widths): (usize, Widths),
        operation: &TaskOperation<G>,
        ready: &mut Rounds,
    ) {
        let (Some(dealer), Some(sharings)) = (self.dealers.first(), used_by(&operation.work)) else { return };
        let (first, length) = (operation.position, operation.length as u64);
        for place in BlockPlace::all(first, length, dealer.rows()) {
            if self.dealt.insert((field, operation.task, sharings, place)) {
                self.deal(sharings.degrees(), (place.columns, widths.bytes(MessageKind::Dealt)));
            }
        }
        if length > 0 {
            ready.iter_mut().for_each(|ready| *ready = (*ready).max(1));
        }
    }

    fn deal(&mut self, degrees: &[Degree], count: (u64, u64)) {
        let n = self.parties();
        for (from, to) in (0..n).flat_map(|from| (0..n).map(move |to| (from, to))).filter(|(a, b)| a != b) {
            for degree in degrees {
                if self.dealers[to].is_sent(*degree, from) {
                    self.send((from, to), count, 0);
                }
            }
        }
    }

    /// Counts an operation on elements of `width` bytes; returns the round after which each party has its
    /// part of the result.
    fn operation<G: Field>(
        &mut self,
        (ready, widths): (Rounds, Widths),
        operation: &TaskOperation<G>,
    ) -> Rounds {
        let (first, length, values) = (operation.position, operation.length as u64, operation.values);
        let of = |kind: MessageKind| (length, widths.bytes(kind));
        match &operation.work {
            // Empty operations send nothing.
            _ if length == 0 => ready,
            OperationKind::Input(owner, _) | OperationKind::InputBits(owner, _) => {
                self.prediction.inputs[*owner] += values;
                self.input(*owner, (length, widths))
            }
            OperationKind::Contribution(dealer, _) => self.input(*dealer, (length, widths)),
            OperationKind::Handed(handed) => {
                let ((from, to), mut told) = (handed.way, ready.clone());
                told[to] = told[to].max(self.send((from, to), of(MessageKind::Handed), ready[from]));
                told
            }
            product if product.is_product() => {
                self.prediction.products += values;
                self.products(&ready, first, (length, widths))
            }
            OperationKind::Open { to, .. } => {
                self.prediction.opened += values;
                match opens_by_king(&self.scheme, operation.length, *to) {
                    true => self.opening_by_kings(&ready, first, of(MessageKind::Opened)),
                    false => self.opening(&ready, *to, of(MessageKind::Open)),
                }
            }
            // Compared values are not elements, and all other operations are local.
            _ => ready,
        }
    }

    /// Counts elements of a width that leave after a round.
    fn send(&mut self, (from, to): (PartyIndex, PartyIndex), (count, width): (u64, u64), after: u64) -> u64 {
        self.prediction.sent[from][to] += count * width;
        self.prediction.rounds = self.prediction.rounds.max(after + 1);
        after + 1
    }

    fn input(&mut self, owner: PartyIndex, (length, widths): (u64, Widths)) -> Rounds {
        let (n, sent) = (self.parties(), (length, widths.bytes(MessageKind::Input)));
        // Among three parties, the one after the owner draws its part.
        let draws = n == 3 && (widths.has_ground() || !self.among.checked);
        let knows = |peer: PartyIndex| peer == owner || draws && peer == (owner + 1) % n;
        (0..n).map(|peer| if knows(peer) { 0 } else { self.send((owner, peer), sent, 0) }).collect()
    }

    fn opening(&mut self, ready: &Rounds, to: Parties, length: (u64, u64)) -> Rounds {
        let (n, mut opened) = (self.parties(), ready.clone());
        let told = if self.among.checked { n - 1 } else { self.threshold };
        for party in 0..n {
            for peer in (1..=told).map(|step| (party + step) % n).filter(|peer| to.contains(*peer)) {
                opened[peer] = opened[peer].max(self.send((party, peer), length, ready[party]));
            }
        }
        opened
    }

    fn products(&mut self, ready: &Rounds, first: u64, (length, widths): (u64, Widths)) -> Rounds {
        let (n, mut made) = (self.parties(), ready.clone());
        if n == 3 {
            for party in 0..n {
                let (next, width) = ((party + 1) % n, widths.bytes(MessageKind::Replicated));
                made[next] = made[next].max(self.send((party, next), (length, width), ready[party]));
            }
            return made;
        }
        for (king, count) in reigns(first, length, n) {
            self.reign(ready, king, (count, widths.bytes(MessageKind::ToKing)), &mut made);
        }
        made
    }

    fn opening_by_kings(&mut self, ready: &Rounds, first: u64, (length, width): (u64, u64)) -> Rounds {
        let (n, mut made) = (self.parties(), ready.clone());
        for (king, count) in reigns(first, length, n) {
            let mut opened = ready[king];
            let size = (n, self.threshold);
            for party in (0..n).filter(|party| tells_king(*party, king, size)) {
                opened = opened.max(self.send((party, king), (count, width), ready[party]));
            }
            made[king] = made[king].max(opened);
            for party in (0..n).filter(|party| *party != king) {
                made[party] = made[party].max(self.send((king, party), (count, width), opened));
            }
        }
        made
    }

    /// Products with one king.
    fn reign(&mut self, ready: &Rounds, king: PartyIndex, count: (u64, u64), made: &mut Rounds) {
        let (n, mut opened) = (self.parties(), ready[king]);
        for party in (0..n).filter(|party| *party != king) {
            if self.kings[king].speaks(party) {
                opened = opened.max(self.send((party, king), count, ready[party]));
            }
        }
        made[king] = made[king].max(opened);
        for party in 0..n {
            if self.kings[king].is_told(party) {
                made[party] = made[party].max(self.send((king, party), count, opened));
            }
        }
    }
}
