//! Decides whether wider ANDs pay off.

use std::collections::BTreeSet;

use super::Executable;
use super::collapse::Collapse;
use super::counts::Counts;
use super::rounds::Rounds;
use crate::circuit::Circuit;
use crate::lit::Lit;

/// Nodes that may be visited over all numbers of layers that are tried: about a second.
pub(crate) const MAX_NODES: usize = 1 << 21;
/// How many further numbers of layers are tried after the best one.
pub(crate) const PATIENCE: usize = 4;

impl Executable {
    /// The same circuit in fewer layers, by ANDs of up to four operands, if that pays off: a layer is worth
    /// `layer_bits`, and an OT of setup `ot_bits`, of the bits that a party sends for an instance. This
    /// circuit must have layers that are rounds, [`crate::Target::Rounds`], and ANDs of two operands.
    ///
    /// Linear time for each number of layers that is tried: at most about twenty, fewer for large circuits,
    /// and none for circuits of millions of gates. Only the best one is put into executable form.
    pub fn widened(&self, layer_bits: u64, ot_bits: u64) -> Option<Executable> {
        let gates = self.xor_a.len() + self.and_a.len();
        let tries = MAX_NODES / (1 + self.inputs.len() + gates);
        if tries == 0 || !self.conjunctions.is_empty() {
            return None;
        }
        let circuit = self.circuit();
        let collapse = Collapse::new(&circuit);
        let price = |counts: &Counts| counts.price(layer_bits.into(), ot_bits.into());
        let (mut lowest, mut best, mut tried) = (price(&Counts::of(self)), None, 0);
        for depth in depths(collapse.depth().into(), self.and_layers()).take(tries) {
            let wide = collapse.within(depth as u32);
            let rounds = Rounds::new(&wide);
            let found = price(&rounds.counts(&wide));
            if found < lowest {
                (lowest, best, tried) = (found, Some((wide, rounds)), 0);
            } else {
                tried += 1;
            }
            if tried > PATIENCE {
                break;
            }
        }
        best.map(|(wide, rounds)| Executable::of_rounds(&wide, rounds))
    }

    /// The gates in the order in which they run. No two are equal and none is constant, as in the original
    /// circuit, so a builder would write the same gates.
    fn circuit(&self) -> Circuit {
        let mut slots = vec![Lit::FALSE; self.slots as usize];
        (1..).zip(&self.inputs).for_each(|(node, slot)| slots[*slot as usize] = Lit::of_node(node));
        let mut gates: Vec<[Lit; 2]> = Vec::with_capacity(self.xor_a.len() + self.and_a.len());
        for layer in self.layers() {
            let mut push = |gate: [Lit; 2]| {
                gates.push(gate);
                Lit::of_node((self.inputs.len() + gates.len()) as u32)
            };
            for ((a, b), out) in layer.xor_a.iter().zip(layer.xor_b).zip(layer.xor_out) {
                let (a, b) = (slots[*a as usize], slots[*b as usize]);
                slots[*out as usize] = push([a.max(b), a.min(b)]);
            }
            let operands = layer.and_a.iter().zip(layer.and_b).zip(layer.and_flip);
            for (((a, b), flip), out) in operands.zip(layer.and_out) {
                let (a, b) = (slots[*a as usize].flip(flip & 1 != 0), slots[*b as usize].flip(flip & 2 != 0));
                slots[*out as usize] = push([a.min(b), a.max(b)]);
            }
        }
        let inputs = vec![self.inputs.len() as u32];
        Circuit { gates, input_bits: self.inputs.len(), inputs, outputs: vec![self.output_lits(&slots)] }
    }
}

/// Numbers of layers from below `most` down to `least`, closest together at that end.
fn depths(least: u64, most: u64) -> impl Iterator<Item = u64> {
    let span = most.saturating_sub(least);
    let powers = (2..63).flat_map(|power| [1 << power, 3 << (power - 1)]);
    let last = [1, 2].map(|back| span.wrapping_sub(back));
    let steps: BTreeSet<u64> = (0..4).chain(powers).chain(last).filter(|step| *step < span).collect();
    steps.into_iter().rev().map(move |step| least + step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CircuitBuilder, Objective, Target, arithmetic, library};

    fn assert_same_as_built(circuit: &Circuit) {
        let executable = Executable::new(circuit, Target::Rounds);
        let mut builder = CircuitBuilder::new();
        let inputs = builder.input(executable.inputs.len() as u32);
        let outputs = executable.write(&mut builder, &inputs);
        assert_eq!(builder.finish(vec![outputs]).unwrap(), executable.circuit());
        let counts = Rounds::new(circuit).counts(circuit);
        assert_eq!(counts, Counts::of(&executable));
        if let Some(wide) = executable.widened(u64::MAX, 32) {
            assert!(Counts::of(&wide).price(u64::MAX.into(), 32) < counts.price(u64::MAX.into(), 32));
        }
    }

    #[test]
    fn gates_in_the_order_of_running_are_what_a_builder_writes() {
        assert_same_as_built(&library::aes128().unwrap());
        assert_same_as_built(&library::sha256_compression().unwrap());
        for objective in [Objective::Size, Objective::Depth] {
            let mut builder = CircuitBuilder::new().with_objective(objective);
            let (a, b) = (builder.input(32), builder.input(32));
            let product = arithmetic::multiply(&mut builder, &a, &b);
            let (quotient, _) = arithmetic::divide_unsigned(&mut builder, &product, &b);
            assert_same_as_built(&builder.finish(vec![quotient, product]).unwrap());
        }
    }
}
