//! Counts of ANDs in circuits whose layers are rounds.

use std::collections::BTreeMap;

use super::Executable;

/// The ANDs of one instance of a circuit whose layers are rounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Groups of ANDs of two operands, by the ANDs of a group.
    pub(super) groups: BTreeMap<u32, u64>,
    /// ANDs of more operands, by their number.
    pub(super) conjunctions: BTreeMap<u32, u64>,
    /// Layers that have ANDs.
    pub(super) layers: u64,
}

impl Counts {
    pub(super) fn of(executable: &Executable) -> Counts {
        Counts {
            groups: executable.and_groups(),
            conjunctions: executable.conjunctions(),
            layers: executable.and_layers(),
        }
    }

    /// Counts groups of this many ANDs.
    pub(super) fn groups(&mut self, size: u32, count: u64) {
        *self.groups.entry(size).or_default() += count;
    }

    /// Counts ANDs of this many operands.
    pub(super) fn conjunctions(&mut self, operands: u32, count: u64) {
        *self.conjunctions.entry(operands).or_default() += count;
    }

    /// Bits that a party sends for an instance, plus the worth of its layers and OTs in bits.
    pub(super) fn price(&self, layer_bits: u128, ot_bits: u128) -> u128 {
        let group = |size: u32| ot_bits + 1 + u128::from(size);
        // OTs, and bits in setup and online, of two parties' triples of several operands.
        let conjunction = |operands: u32| match operands {
            3 => 2 * ot_bits + 3 + 3,
            _ => 4 * ot_bits + 11 + 4,
        };
        let groups = self.groups.iter().map(|(size, count)| group(*size) * u128::from(*count));
        let wide = self.conjunctions.iter();
        let wide = wide.map(|(operands, count)| conjunction(*operands) * u128::from(*count));
        groups.chain(wide).sum::<u128>() + u128::from(self.layers) * layer_bits
    }
}
