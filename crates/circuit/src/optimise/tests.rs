//! The result computes the same functions, has no more ANDs, and is the same every time.

use proptest::prelude::*;

use super::*;
use crate::arithmetic;
use crate::builder::CircuitBuilder;
use crate::library;
use crate::lit::Lit;

const EFFORT: OptimiserBudget = OptimiserBudget { steps: 1 << 22 };

/// Compares two circuits: on all inputs if there are at most 16, else on 2^16 patterns.
fn assert_equal(a: &Circuit, b: &Circuit) {
    let inputs = a.input_bits();
    let mut state = 5u64;
    for word in 0..1u64 << 10 {
        let pattern = |bit: usize| match inputs {
            0..=16 => match function::VARIABLE.get(bit) {
                Some(pattern) => *pattern,
                None => 0u64.wrapping_sub(word >> (bit - 6) & 1),
            },
            _ => 0,
        };
        let words: Vec<u64> = (0..inputs)
            .map(|bit| {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                if inputs <= 16 { pattern(bit) } else { state ^ state >> 29 }
            })
            .collect();
        assert_eq!(a.evaluate_lanes(&words), b.evaluate_lanes(&words));
    }
}

fn optimised(circuit: &Circuit) -> Circuit {
    let mut last = Progress { steps: 0, and_count: u64::MAX };
    let best = optimise(circuit.clone(), EFFORT, |progress| {
        assert!(progress.steps > last.steps && progress.and_count <= last.and_count);
        last = progress;
    })
    .0;
    assert!(best.and_count() <= circuit.and_count());
    assert_equal(circuit, &best);
    best
}

/// A circuit of random gates, each `(kind, operand, operand)`.
fn random_circuit(inputs: u32, gates: &[(bool, u16, u16)], outputs: usize) -> Circuit {
    let mut builder = CircuitBuilder::new();
    let mut lits: Vec<Lit> = builder.input(inputs);
    for (is_and, a, b) in gates {
        let read = |at: &u16| {
            let back = (*at as usize >> 1) % lits.len().min(12);
            lits[lits.len() - 1 - back].flip(at & 1 == 1)
        };
        let (a, b) = (read(a), read(b));
        lits.push(if *is_and { builder.and(a, b) } else { builder.xor(a, b) });
    }
    let output = lits[lits.len() - outputs..].to_vec();
    builder.finish(vec![output]).expect("a small circuit")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn random_circuits_stay_what_they_are(
        inputs in prop_oneof![1u32..9, 17u32..24],
        gates in proptest::collection::vec(any::<(bool, u16, u16)>(), 10..150),
    ) {
        let circuit = random_circuit(inputs, &gates, 4);
        let best = optimised(&circuit);
        let more = OptimiserBudget { steps: 1 << 24 };
        let better = optimise(circuit.clone(), more, |_| {}).0;
        assert_equal(&circuit, &better);
        prop_assert!(better.and_count() <= best.and_count());
        prop_assert_eq!(optimise(circuit.clone(), more, |_| {}).0, better);
        prop_assert_eq!(optimise(circuit, EFFORT, |_| {}).0, best);
    }
}

#[test]
fn circuits_for_depth_get_no_deeper() {
    let mut builder = CircuitBuilder::new().with_objective(Objective::Depth);
    let (a, b) = (builder.input(12), builder.input(12));
    let product = arithmetic::multiply(&mut builder, &a, &b);
    let less = arithmetic::less_signed(&mut builder, &a, &b);
    let mut circuits = vec![builder.finish(vec![product, vec![less]]).expect("a small circuit")];
    let mut state = 9u64;
    for _ in 0..60 {
        let gate = |state: &mut u64| {
            *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (*state >> 20 & 1 == 1, (*state >> 32) as u16, (*state >> 48) as u16)
        };
        let gates: Vec<_> = (0..120).map(|_| gate(&mut state)).collect();
        circuits.push(random_circuit(if state >> 63 == 1 { 7 } else { 20 }, &gates, 5));
    }
    let mut saved = 0;
    for circuit in circuits {
        let best = optimise_for(circuit.clone(), Objective::Depth, EFFORT, |_| {}).0;
        assert_equal(&circuit, &best);
        let (before, after) = (circuit.stats(), best.stats());
        assert!((after.and_depth, after.and_count) <= (before.and_depth, before.and_count));
        saved += before.and_count - after.and_count;
        assert_eq!(optimise_for(circuit, Objective::Depth, EFFORT, |_| {}).0, best);
    }
    assert!(saved > 100, "{saved} ANDs saved");
}

fn circuit_of(widths: &[u32], body: impl Fn(&mut CircuitBuilder, &[Vec<Lit>]) -> Vec<Lit>) -> Circuit {
    let mut builder = CircuitBuilder::new();
    let inputs: Vec<Vec<Lit>> = widths.iter().map(|width| builder.input(*width)).collect();
    let output = body(&mut builder, &inputs);
    builder.finish(vec![output]).expect("a small circuit")
}

#[test]
fn choice_and_majority_take_one_and() {
    let choice = circuit_of(&[8, 8, 8], |c, x| {
        (0..8)
            .map(|i| {
                let (t, f) = (c.and(x[0][i], x[1][i]), c.and(!x[0][i], x[2][i]));
                c.xor(t, f)
            })
            .collect()
    });
    assert_eq!(optimised(&choice).and_count(), 8);
    let majority = circuit_of(&[8, 8, 8], |c, x| {
        (0..8)
            .map(|i| {
                let [a, b, d] = [0, 1, 2].map(|group: usize| x[group][i]);
                let (ab, ad, bd) = (c.and(a, b), c.and(a, d), c.and(b, d));
                let either = c.or(ab, ad);
                c.or(either, bd)
            })
            .collect()
    });
    assert_eq!(optimised(&majority).and_count(), 8);
}

#[test]
fn adders_of_ands_and_ors_take_one_and_a_bit() {
    let adder = circuit_of(&[16, 16], |c, x| {
        let mut carry = Lit::FALSE;
        (0..16)
            .map(|i| {
                let (a, b) = (x[0][i], x[1][i]);
                let (both, either) = (c.and(a, b), c.or(a, b));
                let passed = c.and(either, carry);
                let half = c.xor(a, b);
                let sum = c.xor(half, carry);
                carry = c.or(both, passed);
                sum
            })
            .collect()
    });
    assert_eq!(optimised(&adder).and_count(), 15);
}

#[test]
fn what_excludes_each_other_is_joined_for_free() {
    // One of eight words, selected by a shared number: exactly one of the conditions holds.
    let selected = |inputs: u32| {
        circuit_of(&[3, inputs], |c, x| {
            let hits: Vec<Lit> = (0..8)
                .map(|number| {
                    let bits: Vec<Lit> = (0..3).map(|bit| x[0][bit].flip(number >> bit & 1 == 0)).collect();
                    let low = c.and(bits[0], bits[1]);
                    c.and(low, bits[2])
                })
                .collect();
            let words: Vec<Lit> = (0..8).map(|number| c.and(hits[number], x[1][number])).collect();
            vec![words.iter().fold(Lit::FALSE, |any, word| c.or(any, *word))]
        })
    };
    // With all patterns, eight ANDs for the words and five for the number; windows see only part of it.
    for (inputs, most) in [(8, 13), (40, 17)] {
        let circuit = selected(inputs);
        let plain = optimise(circuit.clone(), OptimiserBudget { steps: REACHABLE_ABOVE }, |_| {}).0;
        let best = optimise(circuit.clone(), OptimiserBudget { steps: REACHABLE_ABOVE + 1 }, |_| {}).0;
        assert_equal(&circuit, &best);
        assert!(best.and_count() < plain.and_count(), "{} of {}", best.and_count(), plain.and_count());
        assert!(best.and_count() <= most, "{}", best.and_count());
    }
}

#[test]
fn equal_words_computed_twice_are_merged() {
    let twice = circuit_of(&[8, 8], |c, x| {
        let sum = arithmetic::add(c, &x[0], &x[1]);
        let negated = arithmetic::negate(c, &x[1]);
        let other = arithmetic::subtract(c, &x[0], &negated);
        sum.iter().zip(&other).map(|(a, b)| c.xor(*a, *b)).collect()
    });
    assert_eq!(optimised(&twice).and_count(), 0);
}

#[test]
fn good_circuits_stay_good() {
    let aes = library::aes128().expect("a small circuit");
    let best = optimise(aes.clone(), OptimiserBudget { steps: 1 << 24 }, |_| {}).0;
    assert!(best.and_count() <= aes.and_count());
    assert_equal(&aes, &best);
}

#[test]
fn without_effort_nothing_changes() {
    let circuit = circuit_of(&[4, 4], |c, x| arithmetic::multiply(c, &x[0], &x[1]));
    assert_eq!(optimise(circuit.clone(), OptimiserBudget { steps: 0 }, |_| {}), (circuit, 0));
}
