use tacit_circuit::Lit;
use tacit_ir::Words;

/// A value within a circuit: its lanes one after the other, each least significant bit first.
#[derive(Clone, Debug)]
pub(crate) struct Wires {
    bits: usize,
    lits: Vec<Lit>,
}

impl Wires {
    pub(crate) fn new(bits: usize, lits: Vec<Lit>) -> Self {
        Wires { bits, lits }
    }

    pub(crate) fn of_lanes(bits: usize, lanes: impl IntoIterator<Item = Vec<Lit>>) -> Self {
        Wires { bits, lits: lanes.into_iter().flatten().collect() }
    }

    /// Lanes `from .. from + count` of a constant.
    pub(crate) fn constant(words: &Words, from: u64, count: u64) -> Self {
        let lane = |lane: u64| (0..words.bits()).map(move |bit| Lit::constant(words.bit(lane, bit)));
        Wires { bits: words.bits() as usize, lits: (from..from + count).flat_map(lane).collect() }
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
        Wires { bits: self.bits, lits: self.lits[index * length..][..length].to_vec() }
    }
}
