//! How deep each node may come to lie, so that a circuit whose layers count gets no more of them.

use super::cut::Cut;
use super::function::VARIABLES;
use super::recipe::{Form, ONE, Recipe};
use crate::circuit::{Circuit, Node};

/// For each node the layers of ANDs that it may have. Whatever a node is computed from has a budget that suffices for it; so
/// as long as every change keeps to the budget of its own node, all do.
pub(super) struct Budget(Vec<u32>);

impl Budget {
    /// As early as each node is now, or as late as the outputs allow, which leaves room for other cuts where paths are
    /// short.
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

    /// Whether a node keeps to its budget where it is computed by this cut.
    pub(super) fn allows(&self, node: u32, cut: &Cut, recipe: &Recipe) -> bool {
        // A place for each bit of a form.
        let mut depths = [0; Form::BITS as usize];
        let leaves = depths.iter_mut().zip(cut.leaves());
        leaves.for_each(|(depth, leaf)| *depth = self.0[*leaf as usize]);
        for (and, [a, b]) in recipe.ands.iter().enumerate() {
            depths[VARIABLES + and] = 1 + deepest_of(*a, &depths).max(deepest_of(*b, &depths));
        }
        deepest_of(recipe.output, &depths) <= self.0[node as usize]
    }
}

/// The layers of an affine form of values of these depths.
fn deepest_of(form: Form, depths: &[u32; Form::BITS as usize]) -> u32 {
    let (mut left, mut deepest) = (form & !ONE, 0);
    while left != 0 {
        deepest = deepest.max(depths[left.trailing_zeros() as usize]);
        left &= left - 1;
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
