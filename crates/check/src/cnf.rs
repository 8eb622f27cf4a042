//! Circuits as clauses.

use tacit_circuit::{Circuit, CircuitBuilder, Lit, Node};

use crate::solver::{Literal, Solver};

/// A graph with gates in topological order.
pub(crate) trait Gates {
    /// The operation of a node.
    fn gate(&self, node: u32) -> Node;
    /// Number of nodes.
    fn count(&self) -> usize;
}

impl Gates for Circuit {
    fn gate(&self, node: u32) -> Node {
        self.node(node)
    }

    fn count(&self) -> usize {
        self.node_count()
    }
}

impl Gates for CircuitBuilder {
    fn gate(&self, node: u32) -> Node {
        self.node(node)
    }

    fn count(&self) -> usize {
        self.node_count()
    }
}

/// The variables of nodes. Nodes become clauses when first requested, together with everything they depend
/// on.
///
/// Source: Tseitin, On the complexity of derivation in propositional calculus (1968). Differs: multiplexers
/// and majorities, which XOR/AND graphs write as XOR, AND, XOR, become the clauses of their truth tables plus
/// implied ones, so that unit propagation sees through them (Eén, Sörensson: Translating pseudo-Boolean
/// constraints into SAT, JSAT 2006, section 5).
#[derive(Default)]
pub(crate) struct Encoding {
    /// 0 if a node has none yet.
    variables: Vec<Literal>,
    last: Literal,
    /// The variables of nodes, in order.
    nodes: Vec<u32>,
}

/// The form in which a gate is encoded.
enum Shape {
    Free,
    And(Lit, Lit),
    Xor(Lit, Lit),
    /// `choice ? then : otherwise`.
    Choice {
        choice: Lit,
        then: Lit,
        otherwise: Lit,
    },
    Majority([Lit; 3]),
}

impl Shape {
    fn of(gates: &impl Gates, node: u32) -> Shape {
        match gates.gate(node) {
            Node::Constant | Node::Input => Shape::Free,
            Node::And(a, b) => Shape::And(a, b),
            Node::Xor(a, b) => {
                choice(gates, a, b).or_else(|| choice(gates, b, a)).unwrap_or(Shape::Xor(a, b))
            }
        }
    }

    fn operands(&self) -> [Option<Lit>; 3] {
        match *self {
            Shape::Free => [None; 3],
            Shape::And(a, b) | Shape::Xor(a, b) => [Some(a), Some(b), None],
            Shape::Choice { choice, then, otherwise } => [choice, then, otherwise].map(Some),
            Shape::Majority(inputs) => inputs.map(Some),
        }
    }
}

/// `base ⊕ product` as a multiplexer, if the product is `q ∧ (base ⊕ u)`: `q ? u : base`.
fn choice(gates: &impl Gates, base: Lit, product: Lit) -> Option<Shape> {
    let Node::And(p, q) = gates.gate(product.node()) else { return None };
    let rest = |lit: Lit| match gates.gate(lit.node()) {
        Node::Xor(a, b) if a == base => Some(b.flip(lit.is_inverted())),
        Node::Xor(a, b) if b == base => Some(a.flip(lit.is_inverted())),
        _ => None,
    };
    Some(match (rest(p), rest(q)) {
        (Some(u), Some(v)) => Shape::Majority([base, u, v]),
        (Some(then), None) => Shape::Choice { choice: q, then, otherwise: base },
        (None, Some(then)) => Shape::Choice { choice: p, then, otherwise: base },
        (None, None) => return None,
    })
}

impl Encoding {
    /// The literal of `lit`; the solver gets its clauses if it does not have them yet.
    ///
    /// Cost: linear in the number of new nodes.
    pub(crate) fn literal(&mut self, gates: &impl Gates, solver: &mut dyn Solver, lit: Lit) -> Literal {
        self.variables.resize(gates.count(), 0);
        let mut open = vec![lit.node()];
        while let Some(node) = open.last().copied() {
            if self.variables[node as usize] != 0 {
                open.pop();
                continue;
            }
            let shape = Shape::of(gates, node);
            let before = open.len();
            let missing = |operand: &Lit| self.variables[operand.node() as usize] == 0;
            open.extend(shape.operands().into_iter().flatten().filter(missing).map(Lit::node));
            if open.len() == before {
                self.encode(solver, node, &shape);
                open.pop();
            }
        }
        self.of(lit)
    }

    /// The literal of a node that already has clauses.
    fn of(&self, lit: Lit) -> Literal {
        let variable = self.variables[lit.node() as usize];
        if lit.is_inverted() { -variable } else { variable }
    }

    /// The variable of a node, if it has one.
    pub(crate) fn variable(&self, node: u32) -> Option<Literal> {
        self.variables.get(node as usize).copied().filter(|variable| *variable != 0)
    }

    fn encode(&mut self, solver: &mut dyn Solver, node: u32, shape: &Shape) {
        self.last += 1;
        let x = self.last;
        self.variables[node as usize] = x;
        self.nodes.push(node);
        let mut add = |clauses: &[[Literal; 3]]| clauses.iter().for_each(|clause| solver.add_clause(clause));
        match *shape {
            Shape::Free if node == 0 => solver.add_clause(&[-x]),
            Shape::Free => {}
            Shape::And(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                solver.add_clause(&[a, -x]);
                solver.add_clause(&[b, -x]);
                solver.add_clause(&[-a, -b, x]);
            }
            Shape::Xor(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                add(&[[a, b, -x], [-a, -b, -x], [a, -b, x], [-a, b, x]]);
            }
            Shape::Choice { choice, then, otherwise } => {
                let (c, t, f) = (self.of(choice), self.of(then), self.of(otherwise));
                add(&[[-c, -t, x], [-c, t, -x], [c, -f, x], [c, f, -x], [-t, -f, x], [t, f, -x]]);
            }
            Shape::Majority(inputs) => {
                let [a, b, c] = inputs.map(|lit| self.of(lit));
                add(&[[-a, -b, x], [-a, -c, x], [-b, -c, x], [a, b, -x], [a, c, -x], [b, c, -x]]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::solver::{Answer, best};

    /// Compares every literal of a circuit with its evaluation on all inputs.
    fn agrees(circuit: &Circuit) {
        let mut solver = best();
        let mut encoding = Encoding::default();
        let limits = Limits::default();
        let inputs: Vec<Literal> = (0..circuit.input_bits() as u32)
            .map(|bit| encoding.literal(circuit, solver.as_mut(), Lit::of_node(bit + 1)))
            .collect();
        let outputs: Vec<Lit> = circuit.outputs().iter().flatten().copied().collect();
        let literals: Vec<Literal> =
            outputs.iter().map(|lit| encoding.literal(circuit, solver.as_mut(), *lit)).collect();
        for value in 0..1u32 << inputs.len() {
            let bits: Vec<bool> = (0..inputs.len()).map(|bit| value >> bit & 1 == 1).collect();
            let expected = circuit.evaluate(&bits).expect("as many inputs");
            let mut assumptions: Vec<Literal> = inputs
                .iter()
                .zip(&bits)
                .map(|(literal, bit)| if *bit { *literal } else { -literal })
                .collect();
            assert_eq!(solver.solve(&assumptions, &limits), Answer::Satisfiable);
            for (literal, expected) in literals.iter().zip(expected) {
                assert_eq!(solver.value(literal.abs()) == (*literal > 0), expected, "{value:b}");
                assumptions.push(if expected { -literal } else { *literal });
                assert_eq!(solver.solve(&assumptions, &limits), Answer::Unsatisfiable);
                assumptions.pop();
            }
        }
    }

    /// All literals over three inputs, the gates of their pairs, and the gates of those with an input.
    #[test]
    fn small_circuits_agree_on_every_input() {
        for second in 0..32u32 {
            let mut builder = CircuitBuilder::new();
            let inputs = builder.input(4);
            let choose =
                |lits: &[Lit], number: u32| lits[number as usize / 2 % lits.len()].flip(number % 2 == 1);
            let mut lits = inputs.clone();
            let mut outputs = vec![Lit::TRUE, Lit::FALSE];
            for first in 0..16 {
                let (a, b) = (choose(&lits, first), choose(&lits, first + second));
                let x = if second & 1 == 1 { builder.and(a, b) } else { builder.xor(a, b) };
                let c = choose(&inputs, first ^ second);
                let y = if first & 2 == 2 { builder.and(x, c) } else { builder.xor(x, c) };
                lits.push(y);
                outputs.extend([x, !y, builder.mux(a, x, c), builder.majority(x, !c, b)]);
            }
            agrees(&builder.finish(vec![outputs]).expect("a small circuit"));
        }
    }
}
