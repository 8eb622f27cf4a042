//! Proves that output bits of a circuit are never set, or finds inputs that set them.

use std::ops::Range;

use tacit_circuit::{Circuit, Lit};

use crate::Limits;
use crate::cnf::Encoding;
use crate::patterns::{LANES, Patterns};
use crate::solver::{self, Answer, Literal, Solver};

/// The result for an output bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// No input sets it.
    Never,
    /// These input bits set it.
    Set(Vec<bool>),
    /// The limit was reached first.
    Undecided,
}

/// The most gates that simulation computes, 64 lanes at a time.
const SIMULATED_GATES: usize = 1 << 28;
/// The most rounds of simulation.
const SIMULATED_ROUNDS: usize = 64;
/// Conflicts of the first attempt, so that easy questions are decided before hard ones, which profit from
/// their results.
const FIRST_CONFLICTS: u32 = 2000;

/// Decides for each output bit whether any input sets it. `numbers` are the input bits of each number, in order and
/// without gaps; they only help to find inputs sooner.
///
/// Simulation comes first, then the solver, with easy questions before hard ones; proofs of one output help
/// with the others. `known` is called with the number of decided outputs whenever one is decided.
///
/// Cost: up to `limits.conflicts` conflicts of the solver for each output.
pub fn never_set(
    circuit: &Circuit,
    numbers: &[Range<usize>],
    limits: &Limits,
    known: impl FnMut(usize),
) -> Vec<Outcome> {
    let outputs = circuit.outputs().iter().flatten().copied().collect();
    let mut search = Search {
        circuit,
        outputs,
        outcomes: vec![Outcome::Undecided; circuit.output_bits()],
        patterns: Patterns::new(numbers.to_vec()),
        solver: solver::best(),
        encoding: Encoding::default(),
        decided: 0,
        known,
    };
    search.constants();
    search.simulate(limits);
    search.solve(&Limits { conflicts: limits.conflicts.min(FIRST_CONFLICTS), ..limits.clone() });
    if limits.conflicts > FIRST_CONFLICTS {
        search.solve(limits);
    }
    search.outcomes
}

struct Search<'c, F> {
    circuit: &'c Circuit,
    outputs: Vec<Lit>,
    outcomes: Vec<Outcome>,
    patterns: Patterns,
    solver: Box<dyn Solver>,
    encoding: Encoding,
    decided: usize,
    known: F,
}

impl<F: FnMut(usize)> Search<'_, F> {
    fn decide(&mut self, output: usize, outcome: Outcome) {
        if self.outcomes[output] == Outcome::Undecided {
            self.outcomes[output] = outcome;
            self.decided += 1;
            (self.known)(self.decided);
        }
    }

    fn open(&self) -> Vec<usize> {
        let undecided = |output: &usize| self.outcomes[*output] == Outcome::Undecided;
        (0..self.outputs.len()).filter(undecided).collect()
    }

    fn constants(&mut self) {
        for output in 0..self.outputs.len() {
            match self.outputs[output].as_constant() {
                Some(false) => self.decide(output, Outcome::Never),
                Some(true) => self.decide(output, Outcome::Set(vec![false; self.circuit.input_bits()])),
                None => {}
            }
        }
    }

    fn simulate(&mut self, limits: &Limits) {
        let rounds = (SIMULATED_GATES / self.circuit.node_count().max(1)).clamp(1, SIMULATED_ROUNDS);
        for _ in 0..rounds {
            if limits.stop.is_due() || self.decided == self.outputs.len() {
                return;
            }
            let words = self.patterns.next();
            self.try_all(&words);
        }
    }

    /// Records the outputs that these inputs set.
    fn try_all(&mut self, words: &[u64]) {
        let mut words = words.to_vec();
        words.resize(self.circuit.input_bits(), 0);
        let Ok(results) = self.circuit.evaluate_lanes(&words) else { return };
        for (output, lanes) in results.into_iter().enumerate() {
            if lanes != 0 && self.outcomes[output] == Outcome::Undecided {
                let lane = (lanes.trailing_zeros() as usize).min(LANES - 1);
                self.decide(output, Outcome::Set(words.iter().map(|word| word >> lane & 1 == 1).collect()));
            }
        }
    }

    fn solve(&mut self, limits: &Limits) {
        for output in self.open() {
            if self.outcomes[output] != Outcome::Undecided {
                continue;
            }
            if limits.stop.is_due() {
                return;
            }
            let lit = self.outputs[output];
            let literal = self.encoding.literal(self.circuit, self.solver.as_mut(), lit);
            match self.solver.solve(&[literal], limits) {
                Answer::Unsatisfiable => {
                    self.solver.add_clause(&[-literal]);
                    self.decide(output, Outcome::Never);
                }
                Answer::Satisfiable => {
                    let near = self.patterns.near(&self.model());
                    self.try_all(&near);
                }
                Answer::Unknown => {}
            }
        }
    }

    /// The input bits of the solver's assignment.
    fn model(&self) -> Vec<bool> {
        let value = |node: u32| {
            let variable: Option<Literal> = self.encoding.variable(node);
            variable.is_some_and(|variable| self.solver.value(variable))
        };
        (1..=self.circuit.input_bits() as u32).map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use tacit_circuit::{CircuitBuilder, arithmetic};

    use super::*;

    #[test]
    fn what_cannot_be_is_proven_and_what_can_is_shown() {
        let mut builder = CircuitBuilder::new();
        let (a, b) = (builder.input(24), builder.input(24));
        let (sum, difference) =
            (arithmetic::add(&mut builder, &a, &b), arithmetic::subtract(&mut builder, &b, &a));
        let back = arithmetic::add(&mut builder, &difference, &sum);
        let twice = arithmetic::add(&mut builder, &b, &b);
        let never: Vec<Lit> = back.iter().zip(&twice).map(|(x, y)| builder.xor(*x, *y)).collect();
        // One pair of numbers among 2^48.
        let constant =
            |value: u32| (0..24).map(|bit| Lit::constant(value >> bit & 1 == 1)).collect::<Vec<_>>();
        let first = arithmetic::equal(&mut builder, &sum, &constant(0xabcdef));
        let second = arithmetic::equal(&mut builder, &difference, &constant(0x123457));
        let rare = builder.and(first, second);
        let outputs = vec![never, vec![rare, first, Lit::TRUE, Lit::FALSE]];
        let circuit = builder.finish(outputs).expect("a small circuit");
        let mut known = 0;
        let outcomes = never_set(&circuit, &[0..24, 24..48], &Limits::default(), |count| known = count);
        assert_eq!(known, outcomes.len());
        let set = |output: usize| match &outcomes[output] {
            Outcome::Set(inputs) => circuit.evaluate(inputs).expect("as many inputs")[output],
            _ => false,
        };
        assert!(outcomes[..24].iter().all(|outcome| *outcome == Outcome::Never), "{outcomes:?}");
        assert!(outcomes[24] == Outcome::Never || set(24));
        assert!(set(25) && set(26));
        assert_eq!(outcomes[27], Outcome::Never);
    }

    #[test]
    fn what_takes_too_long_is_undecided() {
        let mut builder = CircuitBuilder::new();
        let (a, b) = (builder.input(32), builder.input(32));
        let product = arithmetic::multiply(&mut builder, &a, &b);
        let constant: Vec<Lit> = (0..32).map(|bit| Lit::constant(0xfff1_ab35u32 >> bit & 1 == 1)).collect();
        let equal = arithmetic::equal(&mut builder, &product, &constant);
        let one = |bit: usize| Lit::constant(bit == 0);
        let ones: Vec<Lit> = (0..32).map(one).collect();
        let trivial = [&a, &b].map(|number| arithmetic::less_unsigned(&mut builder, number, &ones));
        let short = [&a, &b].map(|number| number[16..].to_vec());
        let long = short.iter().flatten().fold(Lit::FALSE, |any, bit| builder.or(any, *bit));
        let proper = trivial.iter().fold(builder.and(equal, !long), |all, one| builder.and(all, !*one));
        let circuit = builder.finish(vec![vec![proper]]).expect("a small circuit");
        let limits = Limits { conflicts: 3, ..Limits::default() };
        assert_eq!(never_set(&circuit, &[0..32, 32..64], &limits, |_| {}), [Outcome::Undecided]);
        let limits = Limits { stop: crate::Stop::after(std::time::Duration::ZERO), ..Limits::default() };
        assert_eq!(never_set(&circuit, &[0..32, 32..64], &limits, |_| {}), [Outcome::Undecided]);
    }
}
