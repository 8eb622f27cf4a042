//! Finds choices (multiplexers) that a circuit computes with XORs, as t ⊕ q·(t ⊕ u): u where q is 1, t where it is 0. Majorities, and so
//! carries, have this form too.

use tacit_circuit::{Circuit, Lit, Node};

/// `one` where `selector` is 1, `zero` where it is 0.
#[derive(Clone, Copy)]
pub(crate) struct Multiplexer {
    pub selector: Lit,
    pub one: Lit,
    pub zero: Lit,
    /// The node of q·(t ⊕ u), and that of t ⊕ u. They are only computed if something else reads them.
    pub product: u32,
    pub difference: u32,
}

impl Multiplexer {
    /// All readings of an XOR of these operands as a choice.
    pub fn readings(circuit: &Circuit, [a, b]: [Lit; 2]) -> impl Iterator<Item = Multiplexer> + '_ {
        [(a, b), (b, a)].into_iter().flat_map(move |(zero, product)| {
            let factors = match circuit.node(product.node()) {
                Node::And(p, q) => [Some((p, q)), Some((q, p))],
                _ => [None; 2],
            };
            factors.into_iter().flatten().filter_map(move |(difference, selector)| {
                let one = other_operand(circuit, difference, zero)?;
                let flip = product.is_inverted();
                let (one, zero) = (one.flip(flip), zero.flip(flip));
                let (product, difference) = (product.node(), difference.node());
                Some(Multiplexer { selector, one, zero, product, difference })
            })
        })
    }

    /// The complement: the same choice of the complemented values.
    pub fn complemented(self) -> Multiplexer {
        Multiplexer { one: !self.one, zero: !self.zero, ..self }
    }

    /// All literals that the choice's gates read.
    pub fn operands(&self) -> [Lit; 4] {
        [self.selector, !self.selector, self.one, self.zero]
    }
}

/// u, if the literal is t ⊕ u.
fn other_operand(circuit: &Circuit, difference: Lit, t: Lit) -> Option<Lit> {
    let Node::Xor(a, b) = circuit.node(difference.node()) else { return None };
    let (same, other) = [(a, b), (b, a)].into_iter().find(|(same, _)| same.node() == t.node())?;
    Some(other.flip(same.is_inverted() ^ t.is_inverted() ^ difference.is_inverted()))
}
