//! Simplifies inputs that set an output.

use std::ops::Range;

use tacit_circuit::Circuit;

use crate::Stop;
use crate::patterns::LANES;

/// The most gates that are computed, 64 lanes at a time.
const MAX_GATES: usize = 1 << 29;

/// Inputs that still set output bit `output`, with as many zeros and as small numbers as a bounded search
/// finds.
///
/// Source: Zeller, Hildebrandt: Simplifying and Isolating Failure-Inducing Input (TSE 2002), applied to which
/// numbers are zero.
pub(crate) fn minimise(
    circuit: &Circuit,
    output: usize,
    numbers: &[Range<usize>],
    signed: &[bool],
    inputs: Vec<bool>,
    stop: &Stop,
) -> Vec<bool> {
    let tries = MAX_GATES / circuit.node_count().max(1);
    let mut search = Search { circuit, output, inputs, tries, stop };
    search.zeros(numbers);
    for (number, signed) in numbers.iter().zip(signed) {
        search.smaller(number.clone(), *signed);
    }
    search.inputs
}

struct Search<'c> {
    circuit: &'c Circuit,
    output: usize,
    inputs: Vec<bool>,
    tries: usize,
    stop: &'c Stop,
}

impl Search<'_> {
    /// Takes the first of up to 64 candidates that sets the output. A candidate assigns values to some input
    /// bits.
    fn take_first(&mut self, candidates: &[Vec<(Range<usize>, Vec<bool>)>]) -> Option<usize> {
        if self.tries == 0 || self.stop.is_due() {
            return None;
        }
        self.tries -= 1;
        let mut words: Vec<u64> = self.inputs.iter().map(|bit| 0u64.wrapping_sub(u64::from(*bit))).collect();
        for (lane, candidate) in candidates.iter().enumerate().take(LANES) {
            for (bits, values) in candidate {
                for (word, value) in words[bits.clone()].iter_mut().zip(values) {
                    *word = *word & !(1 << lane) | u64::from(*value) << lane;
                }
            }
        }
        let results = self.circuit.evaluate_lanes(&words).ok()?;
        let lane = results.get(self.output)?.trailing_zeros() as usize;
        let found = candidates.get(lane)?;
        for (bits, values) in found {
            self.inputs[bits.clone()].copy_from_slice(values);
        }
        Some(lane)
    }

    /// Sets runs of numbers to zero, long runs first.
    fn zeros(&mut self, numbers: &[Range<usize>]) {
        let zero = |number: &Range<usize>| (number.clone(), vec![false; number.len()]);
        let mut length = numbers.len();
        while length > 0 {
            let runs: Vec<_> = numbers.chunks(length).map(|run| run.iter().map(zero).collect()).collect();
            for runs in runs.chunks(LANES) {
                let mut rest = runs.to_vec();
                while let Some(lane) = self.take_first(&rest) {
                    rest.drain(..=lane);
                    if rest.is_empty() {
                        break;
                    }
                }
            }
            length /= 2;
        }
    }

    /// Replaces a number by a simpler one.
    fn smaller(&mut self, bits: Range<usize>, signed: bool) {
        let now = self.inputs[bits.clone()].to_vec();
        let mut candidates = simpler(&now, signed);
        candidates.truncate(candidates.iter().position(|candidate| *candidate == now).unwrap_or(usize::MAX));
        let of = |value: &Vec<bool>| vec![(bits.clone(), value.clone())];
        for candidates in candidates.chunks(LANES) {
            if self.take_first(&candidates.iter().map(of).collect::<Vec<_>>()).is_some() {
                return;
            }
        }
    }
}

/// Numbers simpler than this one, the simplest first: small ones of both signs, the ends of the range, the
/// number without its highest bits, a single bit.
fn simpler(now: &[bool], signed: bool) -> Vec<Vec<bool>> {
    let width = now.len();
    let small = |value: i32| (0..width).map(|bit| value >> bit.min(31) & 1 == 1).collect::<Vec<_>>();
    let mut candidates: Vec<Vec<bool>> = vec![small(0)];
    for value in 1..=8 {
        candidates.push(small(value));
        if signed {
            candidates.push(small(-value));
        }
    }
    candidates.push((0..width).map(|bit| bit + 1 == width).collect());
    candidates.push((0..width).map(|bit| bit + 1 != width).collect());
    for kept in 0..width {
        candidates.push(now.iter().enumerate().map(|(bit, value)| *value && bit < kept).collect());
    }
    for kept in 0..width {
        let ones = |(bit, value): (usize, &bool)| *value || signed && bit >= kept;
        candidates.push(now.iter().enumerate().map(ones).collect());
    }
    candidates.extend((0..width).map(|one| (0..width).map(|bit| bit == one).collect()));
    candidates
}

#[cfg(test)]
mod tests {
    use tacit_circuit::{CircuitBuilder, Lit, arithmetic};

    use super::*;

    #[test]
    fn what_does_not_matter_becomes_zero_and_the_rest_small() {
        let mut builder = CircuitBuilder::new();
        let (a, b, c) = (builder.input(16), builder.input(16), builder.input(16));
        let seven: Vec<Lit> = (0..16).map(|bit| Lit::constant(7 >> bit & 1 == 1)).collect();
        let above = arithmetic::less_unsigned(&mut builder, &seven, &b);
        let circuit = builder.finish(vec![vec![a[0], above]]).expect("a small circuit");
        assert_eq!(circuit.input_bits(), c.len() * 3);
        let bits = |value: u64| (0..48).map(move |bit| value >> bit & 1 == 1);
        let inputs: Vec<bool> = bits(0xdead_beef_cafe).collect();
        let found = minimise(
            &circuit,
            1,
            &[0..16, 16..32, 32..48],
            &[true, false, true],
            inputs.clone(),
            &Stop::default(),
        );
        assert_eq!(found, bits(8 << 16).collect::<Vec<_>>());
        let stop = Stop::default();
        stop.stop();
        assert_eq!(
            minimise(&circuit, 1, &[0..16, 16..32, 32..48], &[true, false, true], inputs.clone(), &stop),
            inputs
        );
    }
}
