//! Merges nodes of circuits that always have equal values, and decides whether two circuits are equal.

use std::collections::HashMap;

use tacit_circuit::{Circuit, CircuitBuilder, CircuitError, Lit, Node};

use crate::Limits;
use crate::cnf::Encoding;
use crate::patterns::{LANES, Patterns};
use crate::solver::{self, Answer, Solver};

/// Whether two circuits compute the same function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// On every input.
    Equal,
    /// They differ on these input bits.
    Different(Vec<bool>),
    /// The limit was reached first: this many output bits are not known to be equal.
    Undecided(usize),
}

/// Circuits that cannot be compared, or a circuit that cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// The numbers of inputs or outputs differ.
    #[error("the circuits have {} {what} bits and {}", .counts[0], .counts[1])]
    Bits {
        /// What is counted.
        what: &'static str,
        /// The counts of the first and the second circuit.
        counts: [usize; 2],
    },
    /// The circuits do not fit together.
    #[error(transparent)]
    Circuit(#[from] CircuitError),
}

/// A circuit whose equal nodes are merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swept {
    /// The circuit, with the inputs and outputs of the one swept.
    pub circuit: Circuit,
    /// Nodes that were merged with another.
    pub merged: u64,
    /// Pairs of nodes that were left because the limit was reached.
    pub undecided: u64,
}

/// Conflicts of the solver for each pair of inner nodes.
const PAIR_CONFLICTS: u32 = 200;
/// The most candidates with which each node is compared.
const CANDIDATES: usize = 4;
/// Words of 64 patterns that distinguish nodes before any proof.
const RANDOM_WORDS: usize = 16;
/// Words of patterns from refuted pairs, at most.
const FOUND_WORDS: usize = 64;
/// The most node values that are kept, over all words.
const MAX_VALUES: usize = 1 << 28;

/// Merges nodes that have the same value, or complementary ones, on every input.
///
/// Source: Kuehlmann, Paruthi, Krohm, Ganai: Robust Boolean Reasoning for Equivalence Checking and Functional
/// Property Verification (TCAD 2002); Mishchenko, Chatterjee, Jiang, Brayton: FRAIGs (2005). Differs: works
/// over XOR and AND. Nodes are visited in topological order and compared with nodes of equal values under
/// simulation; counterexamples from the solver become further patterns.
///
/// Cost: at most 4 questions of 200 conflicts for each node, and for each question no more conflicts than
/// `limits` allows.
///
/// # Errors
/// [`CircuitError`] if the circuit grows beyond the builder's limit.
pub fn sweep(circuit: &Circuit, limits: &Limits) -> Result<Swept, CircuitError> {
    let mut sweeper = Sweeper::new(circuit.inputs(), limits);
    let outputs = sweeper.add(circuit, true);
    let groups = regroup(circuit, &outputs);
    let (merged, undecided) = (sweeper.merged, sweeper.undecided);
    Ok(Swept { circuit: sweeper.builder.finish(groups)?, merged, undecided })
}

fn regroup(circuit: &Circuit, outputs: &[Lit]) -> Vec<Vec<Lit>> {
    let mut rest = outputs.iter().copied();
    circuit.outputs().iter().map(|group| rest.by_ref().take(group.len()).collect()).collect()
}

/// Decides whether two circuits compute the same outputs from the same inputs, regardless of groups.
///
/// Simulation comes first; then inner nodes of the second circuit are merged with equal ones of the first, as
/// in [`sweep`]; finally the outputs are compared with the full limit. Circuits of similar structure need no
/// search.
///
/// # Errors
/// [`CompareError`].
pub fn equal(first: &Circuit, second: &Circuit, limits: &Limits) -> Result<Verdict, CompareError> {
    let counts = |what: &'static str, counts: [usize; 2]| match counts[0] == counts[1] {
        true => Ok(()),
        false => Err(CompareError::Bits { what, counts }),
    };
    counts("input", [first.input_bits(), second.input_bits()])?;
    counts("output", [first.output_bits(), second.output_bits()])?;
    let mut sweeper = Sweeper::new(first.inputs(), limits);
    if let Some(inputs) = sweeper.refuted_by_simulation(first, second)? {
        return Ok(Verdict::Different(inputs));
    }
    let ours = sweeper.add(first, false);
    let theirs = sweeper.add(second, true);
    let verdict = sweeper.outputs(&ours, &theirs);
    if sweeper.builder.is_full() {
        // Dropped nodes could make different outputs look equal, so an overflow is an error.
        sweeper.builder.finish(Vec::new())?;
    }
    Ok(verdict)
}

/// A circuit whose nodes are distinguished by simulation.
struct Sweeper<'l> {
    limits: &'l Limits,
    builder: CircuitBuilder,
    inputs: Vec<Lit>,
    patterns: Patterns,
    /// Values of all nodes of the builder, one vector for each word of patterns.
    values: Vec<Vec<u64>>,
    /// Number of patterns in the last word that come from refuted pairs.
    found: usize,
    /// Nodes by the values of their first words, complemented so that the first pattern gives 0.
    classes: HashMap<u64, Vec<u32>>,
    solver: Box<dyn Solver>,
    encoding: Encoding,
    merged: u64,
    undecided: u64,
}

impl<'l> Sweeper<'l> {
    fn new(widths: &[u32], limits: &'l Limits) -> Self {
        let mut builder = CircuitBuilder::new();
        let mut numbers = Vec::new();
        let mut inputs = Vec::new();
        for width in widths {
            numbers.push(inputs.len()..inputs.len() + *width as usize);
            inputs.extend(builder.input(*width));
        }
        let mut patterns = Patterns::new(numbers);
        let values = (0..RANDOM_WORDS)
            .map(|_| {
                let words = patterns.next();
                std::iter::once(0).chain(words).collect()
            })
            .collect();
        let mut sweeper = Sweeper {
            limits,
            builder,
            inputs,
            patterns,
            values,
            found: 0,
            classes: HashMap::new(),
            solver: solver::best(),
            encoding: Encoding::default(),
            merged: 0,
            undecided: 0,
        };
        (0..sweeper.builder.node_count() as u32).for_each(|node| sweeper.enter(node));
        sweeper
    }

    /// Input bits on which the circuits differ, if the patterns show any.
    fn refuted_by_simulation(
        &mut self,
        first: &Circuit,
        second: &Circuit,
    ) -> Result<Option<Vec<bool>>, CircuitError> {
        for word in &self.values {
            let inputs = &word[1..];
            let (ours, theirs) = (first.evaluate_lanes(inputs)?, second.evaluate_lanes(inputs)?);
            let differs = ours.iter().zip(&theirs).map(|(a, b)| a ^ b).find(|differs| *differs != 0);
            if let Some(differs) = differs {
                let lane = differs.trailing_zeros();
                return Ok(Some(inputs.iter().map(|word| word >> lane & 1 == 1).collect()));
            }
        }
        Ok(None)
    }

    /// Writes a circuit's gates and returns its outputs; if `merge` holds, each new node is merged with an
    /// equal existing one.
    fn add(&mut self, circuit: &Circuit, merge: bool) -> Vec<Lit> {
        let mut lits = vec![Lit::FALSE];
        lits.extend(&self.inputs);
        lits.reserve(circuit.node_count());
        for (_, gate) in circuit.gates() {
            let read = |lit: Lit| lits[lit.node() as usize].flip(lit.is_inverted());
            let before = self.builder.node_count();
            let lit = match gate {
                Node::And(a, b) => self.builder.and(read(a), read(b)),
                Node::Xor(a, b) => self.builder.xor(read(a), read(b)),
                Node::Constant | Node::Input => Lit::FALSE,
            };
            self.simulate_from(before);
            let is_new = lit.node() as usize >= before;
            let known = if is_new && merge { self.twin(lit.node()) } else { None };
            lits.push(match known {
                Some(twin) => twin.flip(lit.is_inverted()),
                None => lit,
            });
            for node in before as u32..self.builder.node_count() as u32 {
                if known.is_none() || node != lit.node() {
                    self.enter(node);
                }
            }
        }
        circuit
            .outputs()
            .iter()
            .flatten()
            .map(|lit| lits[lit.node() as usize].flip(lit.is_inverted()))
            .collect()
    }

    /// The values of the nodes from `first` on.
    fn simulate_from(&mut self, first: usize) {
        let (builder, count) = (&self.builder, self.builder.node_count());
        for values in &mut self.values {
            for node in first.max(values.len())..count {
                values.push(compute(builder, values, node as u32));
            }
        }
    }

    /// The values of a node in the first words; the same for its complement.
    fn key(&self, node: u32) -> u64 {
        let flip = self.flip(node);
        self.values[..RANDOM_WORDS].iter().fold(0, |key: u64, values| {
            let word = values[node as usize] ^ flip;
            (key.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    }

    /// All ones if the first pattern sets the node.
    fn flip(&self, node: u32) -> u64 {
        0u64.wrapping_sub(self.values[0][node as usize] & 1)
    }

    fn enter(&mut self, node: u32) {
        let key = self.key(node);
        self.classes.entry(key).or_default().push(node);
    }

    /// A literal that is proven equal to a node, if there is one.
    fn twin(&mut self, node: u32) -> Option<Lit> {
        let candidates = self.classes.get(&self.key(node)).cloned().unwrap_or_default();
        let limits = Limits { conflicts: self.limits.conflicts.min(PAIR_CONFLICTS), ..self.limits.clone() };
        let mut tries = 0;
        for candidate in candidates {
            if tries == CANDIDATES || limits.stop.is_due() {
                break;
            }
            let flip = self.flip(node) ^ self.flip(candidate);
            if !self.values.iter().all(|v| v[node as usize] == v[candidate as usize] ^ flip) {
                continue;
            }
            tries += 1;
            let (lit, twin) = (Lit::of_node(node), Lit::of_node(candidate).flip(flip != 0));
            match self.compare(lit, twin, &limits) {
                Answer::Unsatisfiable => {
                    self.merged += 1;
                    return Some(twin);
                }
                Answer::Satisfiable => self.refine(),
                Answer::Unknown => self.undecided += 1,
            }
        }
        None
    }

    /// Searches for inputs on which two literals differ. If there are none, the solver learns their equality.
    fn compare(&mut self, a: Lit, b: Lit, limits: &Limits) -> Answer {
        let solver = self.solver.as_mut();
        let a = self.encoding.literal(&self.builder, solver, a);
        let b = self.encoding.literal(&self.builder, solver, b);
        for assumptions in [[a, -b], [-a, b]] {
            match solver.solve(&assumptions, limits) {
                Answer::Unsatisfiable => solver.add_clause(&assumptions.map(|literal| -literal)),
                answer => return answer,
            }
        }
        Answer::Unsatisfiable
    }

    /// The input bits of the solver's assignment.
    fn model(&self) -> Vec<bool> {
        let value = |lit: &Lit| {
            let variable = self.encoding.variable(lit.node());
            variable.is_some_and(|variable| self.solver.value(variable))
        };
        self.inputs.iter().map(value).collect()
    }

    /// Adds the solver's assignment to the patterns.
    fn refine(&mut self) {
        let words = self.values.len() - RANDOM_WORDS;
        if self.found.is_multiple_of(LANES) {
            if words == FOUND_WORDS || (self.values.len() + 1) * self.builder.node_count() > MAX_VALUES {
                return;
            }
            let near = self.patterns.near(&self.model());
            self.values.push(std::iter::once(0).chain(near).collect());
        } else {
            let (lane, model) = (self.found % LANES, self.model());
            if let Some(values) = self.values.last_mut() {
                values.truncate(1 + model.len());
                for (value, bit) in values[1..].iter_mut().zip(model) {
                    *value = *value & !(1 << lane) | u64::from(bit) << lane;
                }
            }
        }
        self.found += 1;
        let builder = &self.builder;
        if let Some(values) = self.values.last_mut() {
            for node in values.len()..builder.node_count() {
                values.push(compute(builder, values, node as u32));
            }
        }
    }

    /// Compares outputs with the full limit, in order, so that each proof helps with the next.
    fn outputs(&mut self, ours: &[Lit], theirs: &[Lit]) -> Verdict {
        let mut undecided = 0;
        for (a, b) in ours.iter().zip(theirs).filter(|(a, b)| a != b) {
            match self.compare(*a, *b, self.limits) {
                Answer::Unsatisfiable => {}
                Answer::Satisfiable => return Verdict::Different(self.model()),
                Answer::Unknown => undecided += 1,
            }
        }
        if undecided == 0 { Verdict::Equal } else { Verdict::Undecided(undecided) }
    }
}

/// The value of a gate from those of its operands.
fn compute(builder: &CircuitBuilder, values: &[u64], node: u32) -> u64 {
    let read = |lit: Lit| values[lit.node() as usize] ^ 0u64.wrapping_sub(u64::from(lit.is_inverted()));
    match builder.node(node) {
        Node::And(a, b) => read(a) & read(b),
        Node::Xor(a, b) => read(a) ^ read(b),
        Node::Constant | Node::Input => 0,
    }
}

#[cfg(test)]
mod tests;
