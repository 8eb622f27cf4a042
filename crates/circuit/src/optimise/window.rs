//! A few nodes with the nodes that determine them, small enough to try all values.

use std::collections::BTreeSet;

use foldhash::HashMap;

use super::patterns::exhaustive_word;
use crate::circuit::{Circuit, Node};
use crate::lit::Lit;

/// Leaves of a window.
pub(crate) const WINDOW_LEAVES: usize = 10;
/// Gates of a window.
pub(crate) const WINDOW_GATES: usize = 60;

/// Nodes that determine others.
pub(super) struct Window {
    leaves: BTreeSet<u32>,
    gates: BTreeSet<u32>,
}

impl Window {
    /// Grows a window downwards from some nodes, always expanding the last node.
    pub(super) fn new(circuit: &Circuit, roots: &[u32]) -> Self {
        let mut window = Window { leaves: roots.iter().copied().collect(), gates: BTreeSet::new() };
        window.leaves.remove(&0);
        while let Some(last) = window.leaves.last().copied() {
            let (Node::And(x, y) | Node::Xor(x, y)) = circuit.node(last) else { break };
            let new = [x.node(), y.node()].iter().filter(|node| !window.leaves.contains(node)).count();
            if window.leaves.len() + new > WINDOW_LEAVES + 1 || window.gates.len() == WINDOW_GATES {
                break;
            }
            window.leaves.remove(&last);
            window.leaves.extend([x.node(), y.node()]);
            window.gates.insert(last);
        }
        window
    }

    /// Whether two nodes are equal, or complementary, for all values of the leaves.
    pub(super) fn proves_equal(&self, circuit: &Circuit, a: u32, b: u32, steps: &mut u64) -> bool {
        let mut difference = None;
        self.leaves.len() <= WINDOW_LEAVES
            && self.all_words(circuit, steps, |values| {
                let here = values[&a] ^ values[&b];
                [0, u64::MAX].contains(&here) && here == *difference.get_or_insert(here)
            })
    }

    /// Passes the values of all nodes for all values of the leaves to `holds`, 64 at a time, until it returns
    /// false; returns whether it never does.
    pub(super) fn all_words(
        &self,
        circuit: &Circuit,
        steps: &mut u64,
        mut holds: impl FnMut(&HashMap<u32, u64>) -> bool,
    ) -> bool {
        let words = 1 << (self.leaves.len().max(6) - 6);
        *steps += (words * (self.gates.len() + 1)) as u64;
        (0..words).all(|word| {
            let mut values: HashMap<u32, u64> = HashMap::from_iter([(0, 0)]);
            values.extend(
                self.leaves.iter().enumerate().map(|(place, leaf)| (*leaf, exhaustive_word(place, word))),
            );
            for gate in &self.gates {
                let read = |lit: Lit| values[&lit.node()] ^ 0u64.wrapping_sub(u64::from(lit.is_inverted()));
                let value = match circuit.node(*gate) {
                    Node::And(a, b) => read(a) & read(b),
                    Node::Xor(a, b) => read(a) ^ read(b),
                    Node::Constant | Node::Input => 0,
                };
                values.insert(*gate, value);
            }
            holds(&values)
        })
    }
}
