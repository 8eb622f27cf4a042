//! The gates that are assigned to layers and slots.

use crate::circuit::Circuit;
use crate::lit::Lit;

/// Gates in topological order, numbered after the constant and the inputs.
pub(super) trait Gates {
    /// Number of the first gate.
    fn first_gate(&self) -> usize;

    /// Number of nodes, including the constant and the inputs.
    fn node_count(&self) -> usize;

    /// The operands of a gate: two for an XOR, neither complemented, and two or more for an AND.
    fn operands(&self, gate: usize) -> &[Lit];

    /// Whether a node is an AND; inputs and the constant are not.
    fn is_and(&self, node: usize) -> bool;

    /// The output bits.
    fn outputs(&self) -> impl Iterator<Item = Lit>;

    /// The gates' numbers.
    fn gates(&self) -> std::ops::Range<usize> {
        self.first_gate()..self.node_count()
    }
}

impl Gates for Circuit {
    fn first_gate(&self) -> usize {
        Circuit::first_gate(self)
    }

    fn node_count(&self) -> usize {
        Circuit::node_count(self)
    }

    fn operands(&self, gate: usize) -> &[Lit] {
        &self.gates[gate - Circuit::first_gate(self)]
    }

    fn is_and(&self, node: usize) -> bool {
        let gate = node.checked_sub(Circuit::first_gate(self));
        gate.is_some_and(|gate| self.gates[gate][0] < self.gates[gate][1])
    }

    fn outputs(&self) -> impl Iterator<Item = Lit> {
        self.outputs.iter().flatten().copied()
    }
}
