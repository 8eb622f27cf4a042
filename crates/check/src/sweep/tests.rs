use tacit_circuit::arithmetic;

use super::*;

/// A random circuit over `inputs` bits. `mutation` is the gate that becomes another one, if any.
fn random_circuit(seed: u64, inputs: u32, gates: usize, mutation: Option<usize>) -> Circuit {
    let mut patterns = Patterns::new(Vec::new());
    for _ in 0..seed {
        patterns.random();
    }
    let mut builder = CircuitBuilder::new();
    let mut lits = builder.input(inputs);
    for gate in 0..gates {
        let random = patterns.random();
        let choose = |part: u64| {
            let recent = lits.len().min(24);
            lits[lits.len() - 1 - part as usize % recent].flip(part >> 20 & 1 == 1)
        };
        let (a, b) = (choose(random & 0xff_ffff), choose(random >> 24 & 0xff_ffff));
        let and = (random >> 60 < 9) ^ (mutation == Some(gate));
        lits.push(if and { builder.and(a, b) } else { builder.xor(a, b) });
    }
    let outputs = lits[lits.len() - 12..].chunks(4).map(<[Lit]>::to_vec).collect();
    builder.finish(outputs).expect("a small circuit")
}

/// Whether two circuits of at most 12 input bits differ, by trying all inputs.
fn differs(first: &Circuit, second: &Circuit) -> bool {
    (0..1u32 << first.input_bits()).any(|value| {
        let bits: Vec<bool> = (0..first.input_bits()).map(|bit| value >> bit & 1 == 1).collect();
        first.evaluate(&bits) != second.evaluate(&bits)
    })
}

fn assert_verdict(first: &Circuit, second: &Circuit) {
    match equal(first, second, &Limits::default()).expect("circuits that fit") {
        Verdict::Equal => assert!(!differs(first, second)),
        Verdict::Different(inputs) => assert_ne!(first.evaluate(&inputs), second.evaluate(&inputs)),
        Verdict::Undecided(count) => panic!("{count} outputs undecided"),
    }
}

#[test]
fn random_circuits_and_their_mutations() {
    let mut changed = 0;
    for seed in 0..24 {
        let circuit = random_circuit(seed, 10, 150, None);
        assert_verdict(&circuit, &circuit.clone());
        for gate in [3, 60, 100, 140, 149] {
            let mutated = random_circuit(seed, 10, 150, Some(gate));
            changed += usize::from(differs(&circuit, &mutated));
            assert_verdict(&circuit, &mutated);
        }
    }
    assert!(changed > 24, "only {changed} mutations change anything");
}

#[test]
fn swept_circuits_compute_the_same() {
    let mut merged = 0;
    for seed in 0..24 {
        let circuit = random_circuit(seed, 10, 200, None);
        let swept = sweep(&circuit, &Limits::default()).expect("a small circuit");
        assert!(!differs(&circuit, &swept.circuit));
        assert_eq!(swept.circuit.inputs(), circuit.inputs());
        assert!(swept.circuit.node_count() <= circuit.node_count());
        merged += swept.merged;
    }
    assert!(merged > 0);
}

/// A product by shifting and adding from the highest bit down, with operands in the other order.
fn product_from_the_top(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let mut sum = vec![Lit::FALSE; a.len()];
    for bit in b.iter().rev() {
        sum.rotate_right(1);
        sum[0] = Lit::FALSE;
        let row: Vec<Lit> = a.iter().map(|lit| builder.and(*lit, *bit)).collect();
        sum = arithmetic::add(builder, &sum, &row);
    }
    sum
}

fn circuit(width: u32, write: impl FnOnce(&mut CircuitBuilder, &[Lit], &[Lit]) -> Vec<Lit>) -> Circuit {
    let mut builder = CircuitBuilder::new();
    let (a, b) = (builder.input(width), builder.input(width));
    let output = write(&mut builder, &a, &b);
    builder.finish(vec![output]).expect("a small circuit")
}

#[test]
fn large_products_of_one_structure_are_equal_at_once() {
    // The second circuit computes the same rows from operands that look different.
    let first = circuit(48, arithmetic::multiply);
    let second = circuit(48, |builder, a, b| {
        let masked: Vec<Lit> = a.iter().zip(b).map(|(a, b)| builder.xor(*a, *b)).collect();
        let again: Vec<Lit> = masked
            .iter()
            .zip(a)
            .map(|(masked, a)| {
                let both = builder.and(*masked, *a);
                let either = builder.or(*masked, *a);
                builder.xor(both, either)
            })
            .collect();
        arithmetic::multiply(builder, a, &again)
    });
    assert_eq!(equal(&first, &second, &Limits::default()), Ok(Verdict::Equal));
}

#[test]
fn small_products_of_different_structure_are_equal() {
    let first = circuit(6, arithmetic::multiply);
    let second = circuit(6, product_from_the_top);
    assert_eq!(equal(&first, &second, &Limits::default()), Ok(Verdict::Equal));
    let wrong = circuit(6, |builder, a, b| {
        let mut product = product_from_the_top(builder, a, b);
        let all = a.iter().chain(b).fold(Lit::TRUE, |all, bit| builder.and(all, *bit));
        product[5] = builder.xor(product[5], all);
        product
    });
    let Ok(Verdict::Different(inputs)) = equal(&first, &wrong, &Limits::default()) else { panic!("equal") };
    assert_eq!(inputs, [true; 12]);
}

#[test]
fn what_takes_too_long_is_undecided() {
    let first = circuit(24, arithmetic::multiply);
    let second = circuit(24, product_from_the_top);
    let limits = Limits { conflicts: 10, ..Limits::default() };
    assert!(matches!(equal(&first, &second, &limits), Ok(Verdict::Undecided(_))));
    let limits = Limits { stop: crate::Stop::default(), ..limits };
    limits.stop.stop();
    assert!(matches!(equal(&first, &second, &limits), Ok(Verdict::Undecided(_))));
}

#[test]
fn circuits_of_different_shape_are_not_compared() {
    let first = circuit(4, arithmetic::multiply);
    let more_inputs = circuit(5, arithmetic::multiply);
    let fewer_outputs = circuit(4, |_, a, _| a[..2].to_vec());
    for other in [more_inputs, fewer_outputs] {
        assert!(matches!(equal(&first, &other, &Limits::default()), Err(CompareError::Bits { .. })));
    }
}
