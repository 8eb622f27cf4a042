//! Every family against integers: all inputs of small widths, corner cases and random inputs of larger ones;
//! exact AND counts.

mod families;
mod layers;
mod sizes;
mod vectors;

use crate::builder::CircuitBuilder;
use crate::circuit::Circuit;
use crate::executable::{Executable, Target};
use crate::lit::Lit;
use crate::objective::Objective;

/// A circuit over inputs of these widths.
fn build(widths: &[u32], body: impl Fn(&mut CircuitBuilder, &[Vec<Lit>]) -> Vec<Vec<Lit>>) -> Circuit {
    build_for(Objective::Size, widths, body)
}

fn build_for(
    objective: Objective,
    widths: &[u32],
    body: impl Fn(&mut CircuitBuilder, &[Vec<Lit>]) -> Vec<Vec<Lit>>,
) -> Circuit {
    let mut builder = CircuitBuilder::new().with_objective(objective);
    let inputs: Vec<Vec<Lit>> = widths.iter().map(|width| builder.input(*width)).collect();
    let outputs = body(&mut builder, &inputs);
    builder.finish(outputs).expect("tests stay below the limit")
}

fn and_count(widths: &[u32], body: impl Fn(&mut CircuitBuilder, &[Vec<Lit>]) -> Vec<Vec<Lit>>) -> u64 {
    build(widths, body).stats().and_count
}

/// Compares the circuits for both objectives, and all their executable forms, with integers: on all inputs if
/// these have at most 12 bits together, else on corner cases and random ones.
fn check(
    widths: &[u32],
    body: impl Fn(&mut CircuitBuilder, &[Vec<Lit>]) -> Vec<Vec<Lit>>,
    expected: impl Fn(&[u128]) -> Vec<u128>,
) {
    for objective in [Objective::Size, Objective::Depth] {
        compare(&build_for(objective, widths, &body), widths, &expected);
    }
}

fn compare(circuit: &Circuit, widths: &[u32], expected: impl Fn(&[u128]) -> Vec<u128>) {
    let forms = [Target::Flat, Target::Lanes, Target::Rounds].map(|target| Executable::new(circuit, target));
    for batch in samples(widths).chunks(64) {
        let words = slice_bits(widths, batch);
        let outputs = circuit.evaluate_lanes(&words).expect("as many inputs as the circuit has");
        for form in &forms {
            assert_eq!(form.evaluate_lanes(&words).as_ref(), Ok(&outputs));
        }
        for (lane, inputs) in batch.iter().enumerate() {
            let mut bits = outputs.iter().map(|word| u128::from(word >> lane & 1));
            let mut read =
                |group: &Vec<Lit>| (0..group.len()).fold(0, |sum, i| sum | bits.next().unwrap_or(0) << i);
            let found: Vec<u128> = circuit.outputs().iter().map(&mut read).collect();
            assert_eq!(found, expected(inputs), "widths {widths:?}, inputs {inputs:?}");
        }
    }
}

fn samples(widths: &[u32]) -> Vec<Vec<u128>> {
    let total: u32 = widths.iter().sum();
    let split = |value: u128| {
        let mut rest = value;
        let take = |width: &u32| {
            let field = rest & mask(*width);
            rest = rest.checked_shr(*width).unwrap_or(0);
            field
        };
        widths.iter().map(take).collect()
    };
    if total <= 12 {
        return (0..1 << total).map(split).collect();
    }
    let mut state = 0x1234_5678_9abc_def1u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut field = |width: &u32| {
        let corners = [0, 1, mask(*width), 1 << (width - 1), mask(*width) >> 1, 2];
        let wide = u128::from(random()) << 64 | u128::from(random());
        match random() % 3 {
            0 => corners[random() as usize % 6] & mask(*width),
            1 => wide & mask(*width) & mask(random() as u32 % width + 1),
            _ => wide & mask(*width),
        }
    };
    (0..1024).map(|_| widths.iter().map(&mut field).collect()).collect()
}

/// Input bits by lane: bit `l` of word `i` is input bit `i` of sample `l`.
fn slice_bits(widths: &[u32], batch: &[Vec<u128>]) -> Vec<u64> {
    let gather = |group: usize, bit: u32| {
        batch
            .iter()
            .enumerate()
            .fold(0, |word, (lane, inputs)| word | ((inputs[group] >> bit & 1) as u64) << lane)
    };
    let group =
        |(group, width): (usize, &u32)| (0..*width).map(move |bit| gather(group, bit)).collect::<Vec<_>>();
    widths.iter().enumerate().flat_map(group).collect()
}

fn mask(width: u32) -> u128 {
    u128::MAX.checked_shr(128 - width).unwrap_or(0)
}

/// The value of a word as a signed integer.
fn signed(value: u128, width: u32) -> i128 {
    (value << (128 - width)) as i128 >> (128 - width)
}
