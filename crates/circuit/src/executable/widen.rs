//! Whether wider ANDs pay.

use std::collections::BTreeSet;

use super::collapse::Collapse;
use super::{Executable, Target};
use crate::CircuitBuilder;

/// Nodes that may be gone through, for all numbers of layers that are tried together: a second or so.
const MAX_NODES: usize = 1 << 21;
/// Numbers of layers that are tried on after the best one.
const PATIENCE: usize = 4;
/// Bits that a party sends for an OT in setup: SoftSpokenOT's with k = 4. Silent ones are nearly free.
const OT_BITS: u64 = 32;

impl Executable {
    /// The same circuit in fewer layers, by ANDs of up to four operands, if that pays where a layer is worth `layer_bits` of the bits
    /// that a party sends for an instance, setup included. This one has layers that are rounds: [`Target::Rounds`].
    ///
    /// Linear time for each number of layers that is tried: some twenty at most, fewer of large circuits, none of those of millions
    /// of gates.
    pub fn widened(&self, layer_bits: u64) -> Option<Executable> {
        let mut builder = CircuitBuilder::new();
        let inputs = builder.input(self.inputs.len() as u32);
        let outputs = self.write(&mut builder, &inputs);
        let circuit = builder.finish(vec![outputs]).ok()?;
        let collapse = Collapse::new(&circuit);
        let (least, most) = (u64::from(collapse.depth()), self.and_layers());
        let (mut best, mut tried): (Option<Executable>, usize) = (None, 0);
        for depth in depths(least, most).take(MAX_NODES / circuit.node_count()) {
            let wide = Executable::of_gates(&collapse.within(depth as u32), Target::Rounds);
            if wide.price(layer_bits) < best.as_ref().unwrap_or(self).price(layer_bits) {
                (best, tried) = (Some(wide), 0);
            } else {
                tried += 1;
            }
            if tried > PATIENCE {
                break;
            }
        }
        best
    }

    /// Layers that have ANDs.
    pub fn and_layers(&self) -> u64 {
        self.layers().filter(|layer| layer.has_ands()).count() as u64
    }

    /// Bits that a party sends for an instance, those included that its layers are worth.
    fn price(&self, layer_bits: u64) -> u128 {
        let group = |(size, count): (u32, u64)| (OT_BITS + 1 + u64::from(size)) * count;
        // OTs, and bits in setup and online: what two parties' triples of several operands take.
        let conjunction = |(operands, count): (u32, u64)| match operands {
            3 => (2 * OT_BITS + 3 + 3) * count,
            _ => (4 * OT_BITS + 11 + 4) * count,
        };
        let groups = self.and_groups().into_iter().map(group).sum::<u64>();
        let wide = self.conjunctions().into_iter().map(conjunction).sum::<u64>();
        u128::from(groups + wide) + u128::from(self.and_layers()) * u128::from(layer_bits)
    }
}

/// Numbers of layers from less than `most` down to `least`, closest at that end.
fn depths(least: u64, most: u64) -> impl Iterator<Item = u64> {
    let span = most.saturating_sub(least);
    let powers = (2..63).flat_map(|power| [1 << power, 3 << (power - 1)]);
    let last = [1, 2].map(|back| span.wrapping_sub(back));
    let steps: BTreeSet<u64> = (0..4).chain(powers).chain(last).filter(|step| *step < span).collect();
    steps.into_iter().rev().map(move |step| least + step)
}
