//! Bounds on the depth of each node, so that optimisation does not add layers to a circuit whose layers
//! count.

use super::cut::Cut;
use super::function::VARIABLES;
use super::recipe::{Form, MOST_ANDS, ONE, Recipe};
use crate::circuit::{Circuit, Node};

/// The number of layers of ANDs that each node may have. The operands of a node have budgets that suffice for
/// it, so if every change keeps to the budget of its own node, all nodes do.
pub(super) struct Budget(Vec<u32>);

impl Budget {
    /// As early as each node is now, or as late as the outputs allow, which leaves room for other cuts on
    /// short paths.
    pub(super) fn new(circuit: &Circuit, late: bool) -> Self {
        let now = depths(circuit);
        if !late {
            return Budget(now);
        }
        let mut budget = vec![deepest(circuit, &now); circuit.node_count()];
        budget[..circuit.first_gate()].fill(0);
        for node in (circuit.first_gate() as u32..circuit.node_count() as u32).rev() {
            let (a, b, layers) = match circuit.node(node) {
                Node::And(a, b) => (a, b, 1),
                Node::Xor(a, b) => (a, b, 0),
                Node::Constant | Node::Input => continue,
            };
            let below = budget[node as usize] - layers;
            for operand in [a.node() as usize, b.node() as usize] {
                budget[operand] = budget[operand].min(below);
            }
        }
        Budget(budget)
    }

    /// Whether a node keeps to its budget if this cut computes it.
    pub(super) fn allows(&self, node: u32, cut: &Cut, recipe: &Recipe) -> bool {
        let mut depths = [0; VARIABLES + MOST_ANDS];
        for (depth, leaf) in depths.iter_mut().zip(cut.leaves()) {
            *depth = self.0[*leaf as usize];
        }
        for (at, [a, b]) in recipe.ands().iter().enumerate() {
            depths[VARIABLES + at] = 1 + deepest_of(*a, &depths).max(deepest_of(*b, &depths));
        }
        deepest_of(recipe.output, &depths) <= self.0[node as usize]
    }
}

/// The layers of an affine form of values of these depths.
fn deepest_of(form: Form, depths: &[u32; VARIABLES + MOST_ANDS]) -> u32 {
    let (mut rest, mut deepest) = (form & !ONE, 0);
    while rest != 0 {
        deepest = deepest.max(depths[rest.trailing_zeros() as usize]);
        rest &= rest - 1;
    }
    deepest
}

/// ANDs on the longest path to each node.
pub(super) fn depths(circuit: &Circuit) -> Vec<u32> {
    let mut depths = vec![0u32; circuit.node_count()];
    for (node, gate) in circuit.gates() {
        let (a, b, layers) = match gate {
            Node::And(a, b) => (a, b, 1),
            Node::Xor(a, b) => (a, b, 0),
            Node::Constant | Node::Input => continue,
        };
        depths[node as usize] = depths[a.node() as usize].max(depths[b.node() as usize]) + layers;
    }
    depths
}

/// The layers of a circuit.
pub(super) fn deepest(circuit: &Circuit, depths: &[u32]) -> u32 {
    circuit.outputs().iter().flatten().map(|lit| depths[lit.node() as usize]).max().unwrap_or(0)
}
