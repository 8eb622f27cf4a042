//! How much of each material a run takes, and what making it costs.
//!
//! Counts saturate: what is beyond counting is beyond every limit that they are compared with.

use super::gilboa::Shape;
use super::{MatrixShape, bit_and_word, boolean, conjunctions, doubly_shared};
use crate::exchange;
use std::collections::BTreeMap;
use tacit_circuit::Executable;

/// How much of each material a run takes; widths are keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// ANDs.
    pub ands: u64,
    /// ANDs with a common operand; how many share it is the key.
    pub vectors: BTreeMap<u32, u64>,
    /// Products.
    pub products: BTreeMap<u32, u64>,
    /// Squares.
    pub squares: BTreeMap<u32, u64>,
    /// Matrix products.
    pub matrices: BTreeMap<MatrixShape, u64>,
    /// Words converted from `bool` to `arith`.
    pub doubly_shared: BTreeMap<u32, u64>,
    /// ANDs of several operands; their number is the key.
    pub conjunctions: BTreeMap<u32, u64>,
    /// Lookups by the other's index in a table of one party, in each direction.
    pub lookups: u64,
    /// Bits converted from `bool` to `arith`, each to a word of its own.
    pub summed_bits: BTreeMap<u32, u64>,
    /// Products of a bit in `bool` and a word in `arith`.
    pub scalings: BTreeMap<u32, u64>,
}

impl Demand {
    /// Adds what `other` takes, `times` over; counts stay at the largest number rather than wrap.
    pub fn add(&mut self, other: &Demand, times: u64) {
        self.ands = self.ands.saturating_add(other.ands.saturating_mul(times));
        add(&mut self.vectors, &other.vectors, times);
        add(&mut self.products, &other.products, times);
        add(&mut self.squares, &other.squares, times);
        add(&mut self.matrices, &other.matrices, times);
        add(&mut self.doubly_shared, &other.doubly_shared, times);
        add(&mut self.conjunctions, &other.conjunctions, times);
        self.lookups = self.lookups.saturating_add(other.lookups.saturating_mul(times));
        add(&mut self.summed_bits, &other.summed_bits, times);
        add(&mut self.scalings, &other.scalings, times);
    }

    /// Adds what a circuit takes that runs over so many instances: see [`crate::gmw::run`].
    pub fn circuit(&mut self, circuit: &Executable, instances: u64) {
        for (size, count) in circuit.and_groups() {
            self.group(size, count.saturating_mul(instances));
        }
        for (operands, count) in circuit.conjunctions() {
            let all = self.conjunctions.entry(operands).or_default();
            *all = all.saturating_add(count.saturating_mul(instances));
        }
    }

    /// Adds what ANDs take of which every `size` share an operand, `count` times so many.
    pub fn group(&mut self, size: u32, count: u64) {
        let all = if size == 1 { &mut self.ands } else { self.vectors.entry(size).or_default() };
        *all = all.saturating_add(count);
    }

    /// Triples of bits that are made, those included that ANDs of several operands are made of, by the operands that are not common.
    pub(super) fn bit_triples(&self) -> BTreeMap<u32, u64> {
        let mut all = conjunctions::triples(&self.conjunctions);
        add(&mut all, &self.vectors, 1);
        let ands = all.entry(1).or_default();
        *ands = ands.saturating_add(self.ands);
        all
    }

    /// Whether nothing is needed.
    pub fn is_empty(&self) -> bool {
        *self == Demand::default()
    }

    /// OTs in which the first party, and in which the second party is the sender, when [`super::Ots`] provides.
    pub fn ots(&self) -> [u64; 2] {
        let words = |counts: &BTreeMap<u32, u64>, each: fn(u32) -> u64| -> u64 {
            counts.iter().map(|(bits, count)| each(*bits).saturating_mul(*count)).fold(0, u64::saturating_add)
        };
        let matrices =
            self.matrices.iter().map(|(shape, count)| (shape.words().ots() as u64).saturating_mul(*count));
        let both = sum(self.bit_triples().into_values())
            .saturating_add(words(&self.products, u64::from))
            .saturating_add(matrices.fold(0, u64::saturating_add))
            .saturating_add(self.lookups.saturating_mul(4))
            .saturating_add(words(&self.scalings, |_| 1));
        let one = |bits: u32| u64::from(bits) - 1;
        let first = words(&self.squares, one)
            .saturating_add(words(&self.doubly_shared, one))
            .saturating_add(words(&self.summed_bits, |bits| u64::from(bits > 1)));
        [both.saturating_add(first), both]
    }

    /// Bytes of messages besides those of the OTs that the first and that the second party sends, when [`super::Ots`]
    /// provides. Exact.
    pub fn message_bytes(&self) -> [u64; 2] {
        let words = |shape: Shape| {
            windows(shape.count, shape.window(), |count| Shape { count, ..shape }.message_bits())
        };
        let each = |bits: u32, count: u64| words(Shape { bits, count: count as usize, span: 1 });
        let both = sum([
            sum(self.products.iter().map(|(bits, count)| each(*bits, *count))),
            sum(self.matrices.iter().map(|(shape, count)| words(shape.words()).saturating_mul(*count))),
            conjunctions::message_bits(&self.conjunctions).div_ceil(8),
        ]);
        let square = |(&bits, &count): (&u32, &u64)| if bits > 1 { each(bits - 1, count) } else { 0 };
        let doubly = |(&bits, &count): (&u32, &u64)| {
            windows(count as usize, doubly_shared::window(bits), |count| {
                doubly_shared::message_bits(bits, count)
            })
        };
        let summed = |(&bits, &count): (&u32, &u64)| {
            windows(count as usize, bit_and_word::WINDOW, |count| {
                bit_and_word::summed_message_bits(bits, count)
            })
        };
        let scaled = |sender: usize| {
            sum(self.scalings.iter().map(|(&bits, &count)| {
                windows(count as usize, bit_and_word::WINDOW, |count| {
                    bit_and_word::scaling_message_bits(bits, count)[sender]
                })
            }))
        };
        let first = sum([
            sum(self.squares.iter().map(square)),
            sum(self.doubly_shared.iter().map(doubly)),
            sum(self.summed_bits.iter().map(summed)),
        ]);
        [sum([both, first, scaled(0)]), sum([both, scaled(1)])]
    }

    /// How often a party turns from sending to receiving, about, when [`super::Ots`] provides: one turn for each window of
    /// OTs, and one for each window of messages. Where OTs are `silent`, those of triples of bits take none.
    pub fn turns(&self, silent: bool) -> u64 {
        let windows = |count: u64, window: usize| count.div_ceil(window as u64);
        let each = |bits: u32, count: u64| windows(count, Shape { bits, count: 1, span: 1 }.window());
        let matrix = |(shape, count): (&MatrixShape, &u64)| {
            windows(shape.words().count as u64, shape.words().window()).saturating_mul(*count)
        };
        let doubly = |(bits, count): (&u32, &u64)| windows(*count, doubly_shared::window(*bits));
        let words = |counts: &BTreeMap<u32, u64>, window: usize| {
            sum(counts.values().map(|count| windows(*count, window)))
        };
        let twice = sum([
            sum(self.products.iter().map(|(bits, count)| each(*bits, *count))),
            sum(self.matrices.iter().map(matrix)),
            words(&self.scalings, bit_and_word::WINDOW),
        ]);
        let once = sum([
            if silent { 0 } else { windows(sum(self.bit_triples().into_values()), boolean::TURN) },
            conjunctions::message_bits(&self.conjunctions).div_ceil(8 * exchange::WINDOW as u64),
            sum(self.squares.iter().map(|(bits, count)| each(*bits, *count))),
            sum(self.doubly_shared.iter().map(doubly)),
            windows(self.lookups, super::lookups::WINDOW),
            words(&self.summed_bits, bit_and_word::WINDOW),
        ]);
        once.saturating_add(twice.saturating_mul(2))
    }

    /// Bytes that each party keeps until the run takes them.
    pub fn stored_bytes(&self) -> u64 {
        let words = |counts: &BTreeMap<u32, u64>, each: u64| {
            counts.values().fold(0u64, |sum, count| sum.saturating_add(count.saturating_mul(each)))
        };
        let matrices = self.matrices.iter().map(|(shape, count)| {
            (16 * (shape.left() + shape.right() + shape.product()) as u64).saturating_mul(*count)
        });
        let doubly = self
            .doubly_shared
            .iter()
            .map(|(bits, count)| count.saturating_mul(16 + u64::from(bits * (bits + 1)) / 16 + 1));
        let conjunctions = self
            .conjunctions
            .iter()
            .map(|(operands, count)| (count / 8).saturating_mul(1 << operands.min(&16)));
        let vectors =
            self.vectors.iter().map(|(size, count)| (count / 8).saturating_mul(1 + 2 * u64::from(*size)));
        (self.ands / 8 * 3)
            .saturating_add(vectors.fold(0, u64::saturating_add))
            .saturating_add(words(&self.products, 48))
            .saturating_add(words(&self.squares, 32))
            .saturating_add(matrices.fold(0, u64::saturating_add))
            .saturating_add(doubly.fold(0, u64::saturating_add))
            .saturating_add(conjunctions.fold(0, u64::saturating_add))
            .saturating_add(self.lookups.saturating_mul(9))
            .saturating_add(words(&self.summed_bits, 17))
            .saturating_add(words(&self.scalings, 49))
    }
}

/// The sum, at most the largest number.
fn sum(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

/// Bytes of `count` pieces whose messages are packed window by window.
fn windows(count: usize, window: usize, bits: impl Fn(usize) -> usize) -> u64 {
    let bytes = |count: usize| (bits(count) as u64).div_ceil(8);
    ((count / window) as u64).saturating_mul(bytes(window)).saturating_add(bytes(count % window))
}

fn add<K: Copy + Ord>(counts: &mut BTreeMap<K, u64>, other: &BTreeMap<K, u64>, times: u64) {
    for (key, count) in other {
        let sum = counts.entry(*key).or_default();
        *sum = sum.saturating_add(count.saturating_mul(times));
    }
}
