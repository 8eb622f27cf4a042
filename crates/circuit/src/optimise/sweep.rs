//! Merging nodes that are equal or complements of each other.
//!
//! What nodes are on some patterns of inputs tells which may be equal. With few inputs all patterns are tried, which proves
//! it. Otherwise a pair is proven in a window: nodes from which both follow, of which all patterns are tried (Mishchenko,
//! Chatterjee, Jiang and Brayton, FRAIGs, 2005, with windows in the place of a SAT solver, so that the effort is known).

use std::collections::{BTreeSet, HashMap};

use crate::builder::CircuitBuilder;
use crate::circuit::{Circuit, CircuitError, Node};
use crate::lit::Lit;
use crate::objective::Objective;

/// Inputs up to which all patterns are tried.
const EXHAUSTIVE_INPUTS: usize = 16;
/// Words that all nodes together may take for that.
const MAX_WORDS: usize = 1 << 22;
/// Words of patterns otherwise.
const SAMPLE_WORDS: usize = 8;
/// Leaves of a window.
const WINDOW_LEAVES: usize = 10;
/// Gates of a window.
const WINDOW_GATES: usize = 60;
/// Proofs tried for nodes that look alike before no more are.
const FAILURES: u32 = 6;

/// The circuit with equal nodes merged, and the steps taken. Where depth counts, no node becomes one that lies deeper.
pub(super) fn sweep(circuit: &Circuit, objective: Objective) -> Result<(Circuit, u64), CircuitError> {
    let patterns = Patterns::of(circuit);
    let mut steps = (circuit.node_count() * patterns.words) as u64;
    let mut classes: HashMap<&[u64], Class> = HashMap::new();
    let values = patterns.normalised(circuit);
    let depths = (objective == Objective::Depth).then(|| super::budget::depths(circuit));
    let mut builder = CircuitBuilder::new();
    let mut lits: Vec<Lit> = vec![Lit::FALSE];
    for width in circuit.inputs() {
        lits.extend(builder.input(*width));
    }
    for node in 0..circuit.node_count() as u32 {
        let value = &values.words[node as usize * patterns.words..][..patterns.words];
        let flip = values.flipped[node as usize];
        let class = classes.entry(value).or_insert(Class { first: node, failures: 0 });
        let (first, mut equal) = (class.first, false);
        let deeper = depths.as_ref().is_some_and(|depths| depths[first as usize] > depths[node as usize]);
        if first != node && !deeper && circuit.is_gate(node) && class.failures < FAILURES {
            equal = patterns.exhaustive || Window::new(circuit, first, node).proves(circuit, &mut steps);
            class.failures += u32::from(!equal);
        }
        let opposite = values.flipped[first as usize] != flip;
        match circuit.node(node) {
            Node::Constant | Node::Input => {}
            _ if equal => lits.push(lits[first as usize].flip(opposite)),
            Node::And(a, b) => {
                let lit = builder.and(read(&lits, a), read(&lits, b));
                lits.push(lit);
            }
            Node::Xor(a, b) => {
                let lit = builder.xor(read(&lits, a), read(&lits, b));
                lits.push(lit);
            }
        }
    }
    let outputs = circuit.outputs().iter();
    let groups = outputs.map(|group| group.iter().map(|lit| read(&lits, *lit)).collect()).collect();
    Ok((builder.finish(groups)?, steps))
}

fn read(lits: &[Lit], lit: Lit) -> Lit {
    lits[lit.node() as usize].flip(lit.is_inverted())
}

/// Nodes that look alike.
struct Class {
    first: u32,
    failures: u32,
}

/// Patterns of inputs.
struct Patterns {
    words: usize,
    exhaustive: bool,
}

/// What nodes are on patterns, complemented where that makes the first 0.
struct Values {
    words: Vec<u64>,
    flipped: Vec<bool>,
}

impl Patterns {
    fn of(circuit: &Circuit) -> Self {
        let inputs = circuit.input_bits();
        let words = 1 << (inputs.clamp(6, EXHAUSTIVE_INPUTS) - 6);
        match inputs <= EXHAUSTIVE_INPUTS && words * circuit.node_count() <= MAX_WORDS {
            true => Patterns { words, exhaustive: true },
            false => Patterns { words: SAMPLE_WORDS, exhaustive: false },
        }
    }

    fn normalised(&self, circuit: &Circuit) -> Values {
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
fn exhaustive_word(variable: usize, word: usize) -> u64 {
    match super::function::VARIABLE.get(variable) {
        Some(pattern) => *pattern,
        None => 0u64.wrapping_sub(word as u64 >> (variable - 6) & 1),
    }
}

/// SplitMix64: patterns need only be varied, and the same everywhere.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// Nodes from which two others follow.
struct Window {
    pair: [u32; 2],
    leaves: BTreeSet<u32>,
    gates: BTreeSet<u32>,
}

impl Window {
    /// Grows a window down from two nodes, always through the last.
    fn new(circuit: &Circuit, a: u32, b: u32) -> Self {
        let mut window = Window { pair: [a, b], leaves: BTreeSet::from([a, b]), gates: BTreeSet::new() };
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

    /// Whether the pair is equal, or complementary, for all patterns of the leaves.
    fn proves(&self, circuit: &Circuit, steps: &mut u64) -> bool {
        if self.leaves.len() > WINDOW_LEAVES {
            return false;
        }
        let words = 1 << (self.leaves.len().max(6) - 6);
        *steps += (words * (self.gates.len() + 1)) as u64;
        let mut difference = None;
        (0..words).all(|word| {
            let mut values: HashMap<u32, u64> = HashMap::from([(0, 0)]);
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
            let here = values[&self.pair[0]] ^ values[&self.pair[1]];
            [0, u64::MAX].contains(&here) && here == *difference.get_or_insert(here)
        })
    }
}
