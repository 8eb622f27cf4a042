use proptest::prelude::*;
use tacit_circuit::{CircuitBuilder, Lit, arithmetic, library};

use super::*;

fn function(circuit: &Circuit, gates: Option<usize>) -> PrivateFunction {
    let owners: Vec<InputOwner> = circuit.inputs().iter().map(|_| InputOwner::Owner).collect();
    PrivateFunction::from_circuit(circuit, &owners, gates).unwrap()
}

fn bits(value: u128, width: u32) -> Vec<bool> {
    (0..width).map(|i| value >> i & 1 == 1).collect()
}

/// A circuit of AND and XOR gates over three inputs, with the given literals as outputs.
fn random_circuit(gates: &[(bool, usize, usize)], outputs: &[usize]) -> Circuit {
    let mut builder = CircuitBuilder::new();
    let mut lits = vec![Lit::FALSE, Lit::TRUE];
    for lit in builder.input(3) {
        lits.extend([lit, !lit]);
    }
    for &(and, a, b) in gates {
        let (a, b) = (lits[a % lits.len()], lits[b % lits.len()]);
        let lit = if and { builder.and(a, b) } else { builder.xor(a, b) };
        lits.extend([lit, !lit]);
    }
    let outputs = outputs.iter().map(|output| lits[lits.len() - 1 - output % lits.len()]).collect();
    builder.finish(vec![outputs]).unwrap()
}

proptest! {
    #[test]
    fn a_private_function_is_its_circuit(
        gates in prop::collection::vec((any::<bool>(), any::<usize>(), any::<usize>()), 0..40),
        outputs in prop::collection::vec(0..20usize, 1..6),
        padding in 0..9usize,
    ) {
        let circuit = random_circuit(&gates, &outputs);
        let exact = function(&circuit, None);
        let padded = function(&circuit, Some(exact.size().gates() + padding));
        for value in 0..8 {
            let input = bits(value, 3);
            let expected = circuit.evaluate(&input).unwrap();
            prop_assert_eq!(exact.evaluate(&[], &input).unwrap(), &expected[..]);
            prop_assert_eq!(padded.evaluate(&[], &input).unwrap(), &expected[..]);
        }
        let levels: Vec<usize> = padded.levels().flatten().collect();
        prop_assert_eq!(levels, (0..padded.size().gates()).collect::<Vec<_>>());
    }
}

#[test]
fn gates_of_known_circuits() {
    let mut builder = CircuitBuilder::new();
    let (a, b) = (builder.input(32), builder.input(32));
    let less = arithmetic::less_unsigned(&mut builder, &a, &b);
    let comparison = function(&builder.finish(vec![vec![less]]).unwrap(), None);
    let aes = function(&library::aes128().unwrap(), None);
    let sha = function(&library::sha256_compression().unwrap(), None);
    let counts = [comparison, aes, sha].map(|function| function.size().gates());
    assert_eq!(counts, [251, 101_925, 353_112]);
}

#[test]
fn choices_take_three_gates_in_all_forms() {
    for form in 0..256u32 {
        let flip = |lit: Lit, place: u32| lit.flip(form >> place & 1 == 1);
        let mut builder = CircuitBuilder::new();
        let input = builder.input(3);
        let [q, t, u] = [0, 1, 2].map(|i| flip(input[i], i as u32));
        let difference = builder.xor(t, u);
        let product = builder.and(flip(difference, 3), flip(q, 4));
        let chosen = builder.xor(flip(product, 5), flip(t, 6));
        let circuit = builder.finish(vec![vec![flip(chosen, 7)]]).unwrap();
        let function = function(&circuit, None);
        for value in 0..8 {
            let input = bits(value, 3);
            assert_eq!(function.evaluate(&[], &input).unwrap(), circuit.evaluate(&input).unwrap());
        }
        // Three gates, and complements of the selector and perhaps of both values.
        assert!(function.size().gates() <= 6, "form {form}");
    }
}

#[test]
fn choices_share_what_others_read() {
    let mut builder = CircuitBuilder::new();
    let (a, b) = (builder.input(4), builder.input(4));
    let difference = builder.xor(a[0], b[0]);
    let product = builder.and(difference, a[1]);
    let chosen = builder.xor(product, b[0]);
    let mut outputs = vec![difference, !product, chosen, !chosen];
    outputs.extend(arithmetic::add(&mut builder, &a, &b));
    let circuit = builder.finish(vec![outputs]).unwrap();
    let function = function(&circuit, None);
    for value in 0..256 {
        let input = bits(value, 8);
        assert_eq!(function.evaluate(&[], &input).unwrap(), circuit.evaluate(&input).unwrap());
    }
}

#[test]
fn aes_encrypts_as_fips_197_says() {
    let aes = function(&library::aes128().unwrap(), None);
    let key = bits(0x000102030405060708090a0b0c0d0e0f, 128);
    let plaintext = bits(0x00112233445566778899aabbccddeeff, 128);
    let ciphertext = aes.evaluate(&[], &[key, plaintext].concat()).unwrap();
    assert_eq!(ciphertext, bits(0x69c4e0d86a7b0430d8cdb78070b4c55a, 128));
}

#[test]
fn inputs_go_to_their_owners_in_order() {
    let mut builder = CircuitBuilder::new();
    let groups: Vec<Lit> = [2, 1, 2].into_iter().flat_map(|width| builder.input(width)).collect();
    let circuit = builder.finish(vec![groups]).unwrap();
    let owners = [InputOwner::Owner, InputOwner::Holder, InputOwner::Owner];
    let function = PrivateFunction::from_circuit(&circuit, &owners, None).unwrap();
    assert_eq!((function.size().holder_inputs(), function.size().owner_inputs()), (1, 4));
    for value in 0..32 {
        let all = bits(value, 5);
        let owner = [&all[..2], &all[3..]].concat();
        assert_eq!(function.evaluate(&all[2..3], &owner).unwrap(), all);
    }
}

#[test]
fn functions_that_do_not_fit_are_refused() {
    let mut builder = CircuitBuilder::new();
    let input = builder.input(2);
    let both = builder.and(input[0], input[1]);
    let circuit = builder.finish(vec![vec![both]]).unwrap();
    let owner = [InputOwner::Owner];
    let refused = |circuit: &Circuit, owners: &[InputOwner], gates| {
        PrivateFunction::from_circuit(circuit, owners, gates).unwrap_err()
    };
    assert_eq!(refused(&circuit, &owner, Some(1)), FunctionError::Gates { given: 2, announced: 1 });
    assert_eq!(refused(&circuit, &owner, Some(0)), FunctionError::FewGates { gates: 0, outputs: 1 });
    assert!(matches!(refused(&circuit, &[], None), FunctionError::Count { given: 0, announced: 1, .. }));
    let mut builder = CircuitBuilder::new();
    builder.input(2);
    assert_eq!(refused(&builder.finish(vec![]).unwrap(), &owner, None), FunctionError::NoOutputs);
    let constant = CircuitBuilder::new().finish(vec![vec![Lit::TRUE]]).unwrap();
    assert_eq!(refused(&constant, &[], None), FunctionError::NoInputs);
}

#[test]
fn wirings_that_are_no_circuit_are_refused() {
    let size = Size::new(1, 1, 3, 1).unwrap();
    let wire = |wiring: [[u32; 2]; 3]| PrivateFunction::new(size, wiring.to_vec()).map(|_| ());
    assert_eq!(wire([[0, 1], [2, 0], [3, 3]]), Ok(()));
    assert_eq!(wire([[0, 2], [2, 0], [3, 3]]), Err(FunctionError::Wire { gate: 0, wire: 2 }));
    assert_eq!(wire([[0, 1], [2, 0], [3, 4]]), Err(FunctionError::Wire { gate: 2, wire: 4 }));
    let few = PrivateFunction::new(size, vec![[0; 2]]).map(|_| ());
    assert_eq!(few, Err(FunctionError::Count { what: "gates", given: 1, announced: 3 }));
    let outputs = PrivateFunction::new(Size::new(1, 0, 2, 2).unwrap(), vec![[0; 2], [0, 1]]).map(|_| ());
    assert_eq!(outputs, Err(FunctionError::Wire { gate: 1, wire: 1 }));
}
