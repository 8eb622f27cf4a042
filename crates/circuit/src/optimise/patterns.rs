//! Patterns of inputs, and the values of nodes on them: they show that nodes differ and, if all patterns are
//! tried, that they do not.

use crate::circuit::{Circuit, Node};
use crate::lit::Lit;

/// Up to this many inputs, all patterns are tried.
pub(crate) const EXHAUSTIVE_INPUTS: usize = 16;
/// Words that all nodes together may use for that.
pub(crate) const MAX_WORDS: usize = 1 << 22;
/// Words of patterns otherwise.
pub(crate) const SAMPLE_WORDS: usize = 8;

/// Patterns of inputs.
pub(super) struct Patterns {
    pub(super) words: usize,
    /// Whether these are all possible patterns.
    pub(super) exhaustive: bool,
}

/// The values of nodes on patterns, complemented if the first one is 1.
pub(super) struct Values {
    pub(super) words: Vec<u64>,
    pub(super) flipped: Vec<bool>,
}

impl Patterns {
    pub(super) fn of(circuit: &Circuit) -> Self {
        let inputs = circuit.input_bits();
        let words = 1 << (inputs.clamp(6, EXHAUSTIVE_INPUTS) - 6);
        match inputs <= EXHAUSTIVE_INPUTS && words * circuit.node_count() <= MAX_WORDS {
            true => Patterns { words, exhaustive: true },
            false => Patterns { words: SAMPLE_WORDS, exhaustive: false },
        }
    }

    pub(super) fn normalised(&self, circuit: &Circuit) -> Values {
        let mut words = vec![0u64; circuit.node_count() * self.words];
        let mut flipped = vec![false; circuit.node_count()];
        let mut state = 0u64;
        for node in 1..circuit.node_count() {
            let (before, here) = words.split_at_mut(node * self.words);
            for (word, value) in here[..self.words].iter_mut().enumerate() {
                let read = |lit: Lit| before[lit.node() as usize * self.words + word] ^ ones(lit, &flipped);
                *value = match circuit.node(node as u32) {
                    Node::Constant => 0,
                    Node::Input if self.exhaustive => exhaustive_word(node - 1, word),
                    Node::Input => next(&mut state),
                    Node::And(a, b) => read(a) & read(b),
                    Node::Xor(a, b) => read(a) ^ read(b),
                };
            }
            if here[0] & 1 == 1 {
                here[..self.words].iter_mut().for_each(|value| *value = !*value);
                flipped[node] = true;
            }
        }
        Values { words, flipped }
    }
}

fn ones(lit: Lit, flipped: &[bool]) -> u64 {
    0u64.wrapping_sub(u64::from(lit.is_inverted() != flipped[lit.node() as usize]))
}

/// Word `word` of the patterns of variable `variable` among all patterns.
pub(super) fn exhaustive_word(variable: usize, word: usize) -> u64 {
    match super::function::VARIABLE.get(variable) {
        Some(pattern) => *pattern,
        None => 0u64.wrapping_sub(word as u64 >> (variable - 6) & 1),
    }
}

/// SplitMix64: patterns only need to be varied, and equal everywhere.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
