//! Combinations of values that nodes never take.
//!
//! If the leaves of a cut never take some combination of values, its function may have any value there, and
//! so one of fewer ANDs may replace it: for example, two conditions of which at most one holds are joined by
//! an XOR. Every node remains the same function of the inputs, so a finding for one node holds whatever is
//! done to others.
//!
//! Patterns of inputs show which combinations are reached. The others are proven unreachable in a window
//! below the leaves, over all values of the window's leaves.
//!
//! Source: Mishchenko and Brayton, SAT-based complete don't-care computation for network optimization (2005),
//! the satisfiability don't-cares. Differs: windows replace the SAT solver, so that the effort is known.

use super::cut::Cut;
use super::patterns::{Patterns, Values};
use super::recipe::Recipes;
use super::window::Window;
use crate::circuit::Circuit;

/// Maximum leaves of the cuts that are examined.
pub(crate) const LEAVES: usize = 4;
/// Maximum combinations of leaf values for which both results are tried.
pub(crate) const CHOICES: usize = 5;

/// The combinations of values that the nodes of a circuit reach.
pub(super) struct Reachable<'a> {
    circuit: &'a Circuit,
    values: Values,
    words: usize,
    exhaustive: bool,
    pub(super) steps: u64,
}

impl<'a> Reachable<'a> {
    pub(super) fn new(circuit: &'a Circuit) -> Self {
        let patterns = Patterns::of(circuit);
        Reachable {
            circuit,
            values: patterns.normalised(circuit),
            words: patterns.words,
            exhaustive: patterns.exhaustive,
            steps: (circuit.node_count() * patterns.words) as u64,
        }
    }

    /// The cut with the cheapest function that agrees with its own one on all reached values of its leaves.
    pub(super) fn cheapest(&mut self, cut: Cut, recipes: &mut Recipes) -> Cut {
        if cut.ands == 0 || cut.leaves().len() > LEAVES {
            return cut;
        }
        let free = self.unreached(cut.leaves());
        let choices: Vec<u64> =
            (0..1u64 << LEAVES).filter(|place| free >> place & 1 == 1).take(CHOICES).collect();
        (1..1u64 << choices.len()).fold(cut, |best, choice| {
            let flipped = (0..choices.len()).filter(|at| choice >> at & 1 == 1);
            let table =
                flipped.fold(cut.table, |table, at| table ^ repeated(1 << choices[at], cut.leaves().len()));
            let ands = recipes.and_count(table);
            if ands < best.ands { cut.with(table, ands) } else { best }
        })
    }

    /// The combinations that these nodes never take, as a set: bit `v` for the value whose bit `i` is that of
    /// node `i`.
    fn unreached(&mut self, nodes: &[u32]) -> u64 {
        let all = (1u64 << (1 << nodes.len())) - 1;
        let seen = self.seen(nodes);
        if seen == all || self.exhaustive {
            return all & !seen;
        }
        all & !self.possible(nodes)
    }

    /// The combinations that occur in the patterns.
    fn seen(&mut self, nodes: &[u32]) -> u64 {
        self.steps += (self.words << nodes.len()) as u64 / 4;
        let word = |node: u32, at: usize| {
            let flip = 0u64.wrapping_sub(u64::from(self.values.flipped[node as usize]));
            self.values.words[node as usize * self.words + at] ^ flip
        };
        (0..self.words).fold(0, |seen, at| seen | taken(nodes.len(), |place| word(nodes[place], at)))
    }

    /// The combinations that the nodes of a window can take, for any values below the window.
    fn possible(&mut self, nodes: &[u32]) -> u64 {
        let mut possible = 0;
        let all = (1u64 << (1 << nodes.len())) - 1;
        Window::new(self.circuit, nodes).all_words(self.circuit, &mut self.steps, |values| {
            possible |= taken(nodes.len(), |place| values[&nodes[place]]);
            possible != all
        });
        possible
    }
}

/// The combinations that words take together, as a set.
fn taken(count: usize, word: impl Fn(usize) -> u64) -> u64 {
    (0..1u64 << count)
        .filter(|value| {
            let agrees = |place: usize| if value >> place & 1 == 1 { word(place) } else { !word(place) };
            (0..count).fold(u64::MAX, |all, place| all & agrees(place)) != 0
        })
        .fold(0, |set, value| set | 1 << value)
}

/// A table of few variables, repeated to six.
fn repeated(table: u64, variables: usize) -> u64 {
    (variables..6).fold(table, |table, variable| table | table << (1 << variable))
}
