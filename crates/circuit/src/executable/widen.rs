//! Whether wider ANDs pay.

use std::collections::BTreeSet;

use super::collapse::Collapse;
use super::{Executable, Target};
use crate::CircuitBuilder;

/// Nodes that may be gone through, for all numbers of layers that are tried together: a second or so.
pub(crate) const MAX_NODES: usize = 1 << 21;
/// Numbers of layers that are tried on after the best one.
pub(crate) const PATIENCE: usize = 4;
impl Executable {
    /// The same circuit in fewer layers, by ANDs of up to four operands, if that pays where a layer is worth `layer_bits` and an OT of
    /// setup `ot_bits` of the bits that a party sends for an instance. This one has layers that are rounds: [`Target::Rounds`].
    ///
    /// Linear time for each number of layers that is tried: some twenty at most, fewer of large circuits, none of those of millions
    /// of gates.
    pub fn widened(&self, layer_bits: u64, ot_bits: u64) -> Option<Executable> {
        let mut builder = CircuitBuilder::new();
        let inputs = builder.input(self.inputs.len() as u32);
        let outputs = self.write(&mut builder, &inputs);
        let circuit = builder.finish(vec![outputs]).ok()?;
        let collapse = Collapse::new(&circuit);
        let (least, most) = (u64::from(collapse.depth()), self.and_layers());
        let price = |executable: &Executable| executable.price(layer_bits.into(), ot_bits.into());
        let (mut best, mut tried): (Option<Executable>, usize) = (None, 0);
        for depth in depths(least, most).take(MAX_NODES / circuit.node_count()) {
            let wide = Executable::of_gates(&collapse.within(depth as u32), Target::Rounds);
            if price(&wide) < price(best.as_ref().unwrap_or(self)) {
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

    /// Bits that a party sends for an instance, with those that its layers and OTs are worth.
    fn price(&self, layer_bits: u128, ot_bits: u128) -> u128 {
        let groups = self.and_groups();
        let groups =
            groups.iter().map(|(size, count)| (ot_bits + 1 + u128::from(*size)) * u128::from(*count));
        // OTs, and bits in setup and online: what two parties' triples of several operands take.
        let conjunction = |operands: u32| match operands {
            3 => 2 * ot_bits + 3 + 3,
            _ => 4 * ot_bits + 11 + 4,
        };
        let wide = self.conjunctions();
        let wide = wide.iter().map(|(operands, count)| conjunction(*operands) * u128::from(*count));
        groups.chain(wide).sum::<u128>() + u128::from(self.and_layers()) * layer_bits
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
