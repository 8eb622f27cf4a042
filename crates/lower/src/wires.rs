use std::borrow::Cow;

use tacit_circuit::arithmetic::Heap;
use tacit_circuit::{CircuitBuilder, Lit};
use tacit_ir::Words;

/// A value within a circuit: its lanes one after the other, each least significant bit first; or a sum for
/// each lane that is still to be added up.
#[derive(Clone, Debug)]
pub(crate) struct Wires {
    bits: usize,
    lits: Vec<Lit>,
    /// Empty if the lanes are literals.
    sums: Vec<Heap>,
}

impl Wires {
    pub(crate) fn new(bits: usize, lits: Vec<Lit>) -> Self {
        Wires { bits, lits, sums: Vec::new() }
    }

    /// A value still to be added up.
    pub(crate) fn of_sums(bits: usize, sums: Vec<Heap>) -> Self {
        Wires { bits, lits: Vec::new(), sums }
    }

    /// Whether lanes are still to be added up; such a value has no literals yet.
    pub(crate) fn is_pending(&self) -> bool {
        !self.sums.is_empty()
    }

    /// The lanes as sums.
    pub(crate) fn sums(&self) -> impl Iterator<Item = Heap> + '_ {
        let words = self.lanes().map(Heap::of_word);
        self.sums.iter().cloned().chain(words)
    }

    /// The value with its lanes added up.
    pub(crate) fn settle(&self, builder: &mut CircuitBuilder) -> Cow<'_, Wires> {
        match self.is_pending() {
            true => Cow::Owned(Wires::of_lanes(self.bits, self.sums.iter().map(|sum| sum.total(builder)))),
            false => Cow::Borrowed(self),
        }
    }

    pub(crate) fn of_lanes(bits: usize, lanes: impl IntoIterator<Item = Vec<Lit>>) -> Self {
        Wires::new(bits, lanes.into_iter().flatten().collect())
    }

    /// Lanes `from .. from + count` of a constant.
    pub(crate) fn constant(words: &Words, from: u64, count: u64) -> Self {
        let lane = |lane: u64| (0..words.bits()).map(move |bit| Lit::constant(words.bit(lane, bit)));
        Wires::new(words.bits() as usize, (from..from + count).flat_map(lane).collect())
    }

    pub(crate) fn bits(&self) -> usize {
        self.bits
    }

    pub(crate) fn lane_count(&self) -> usize {
        self.lits.len() / self.bits
    }

    pub(crate) fn lits(&self) -> &[Lit] {
        &self.lits
    }

    pub(crate) fn into_lits(self) -> Vec<Lit> {
        self.lits
    }

    pub(crate) fn lane(&self, lane: usize) -> &[Lit] {
        &self.lits[lane * self.bits..][..self.bits]
    }

    pub(crate) fn lanes(&self) -> std::slice::ChunksExact<'_, Lit> {
        self.lits.chunks_exact(self.bits)
    }

    /// Share `index` of `count`, each of equally many lanes.
    pub(crate) fn share(&self, index: usize, count: usize) -> Wires {
        let length = self.lits.len() / count;
        Wires::new(self.bits, self.lits[index * length..][..length].to_vec())
    }
}
