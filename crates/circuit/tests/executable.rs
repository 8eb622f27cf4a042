//! Executable forms against their circuits, and the properties that kernels rely on.

use std::collections::HashSet;

use proptest::prelude::*;
use tacit_circuit::{
    Circuit, CircuitBuilder, Executable, Lit, Objective, Output, Target, arithmetic, library,
};

const TARGETS: [Target; 3] = [Target::Flat, Target::Lanes, Target::Rounds];

/// A circuit from random choices: each gate takes two earlier literals, mostly late ones.
fn circuit(inputs: u32, gates: &[(u32, u32, u8)], outputs: usize) -> Circuit {
    let mut builder = CircuitBuilder::new();
    let mut lits = builder.input(inputs);
    lits.push(Lit::TRUE);
    for (a, b, kind) in gates {
        let pick = |choice: u32| {
            let back = match kind & 8 {
                0 => choice as usize % lits.len(),
                _ => choice as usize % lits.len().min(20),
            };
            lits[lits.len() - 1 - back]
        };
        let (a, b) = (pick(*a).flip(kind & 1 != 0), pick(*b).flip(kind & 2 != 0));
        lits.push(if kind & 4 == 0 { builder.and(a, b) } else { builder.xor(a, b) });
    }
    let group = lits.iter().rev().step_by(3).take(outputs).map(|lit| lit.flip(outputs % 2 == 1)).collect();
    builder.finish(vec![group, vec![Lit::FALSE]]).expect("a small circuit")
}

fn assert_promises(executable: &Executable, input_bits: usize) {
    let inputs: HashSet<u32> = executable.inputs.iter().copied().collect();
    assert_eq!(inputs.len(), input_bits, "inputs have slots of their own");
    let mut written = inputs;
    let mut ands = 0;
    for layer in executable.layers() {
        let xors = layer.xor_a.iter().zip(layer.xor_b).zip(layer.xor_out);
        for ((a, b), out) in xors {
            assert!(written.contains(a) && written.contains(b));
            written.insert(*out);
        }
        let wider = layer.conjunctions.iter().flat_map(|wide| wide.operands().map(|(slot, _)| slot));
        let read: HashSet<u32> = layer.and_a.iter().chain(layer.and_b).copied().chain(wider).collect();
        let wider = layer.conjunctions.iter().map(|wide| wide.out);
        let results: HashSet<u32> = layer.and_out.iter().copied().chain(wider).collect();
        let count = layer.and_out.len() + layer.conjunctions.len();
        assert!(read.iter().all(|slot| written.contains(slot)));
        assert!(read.is_disjoint(&results), "ANDs of a layer are independent");
        assert_eq!(results.len(), count, "results of a layer differ");
        assert!(layer.conjunctions.iter().all(|wide| (3..=4).contains(&wide.operands().len())));
        assert!(layer.conjunctions.is_sorted_by_key(|wide| wide.operands().len()));
        assert_eq!([layer.and_b.len(), layer.and_out.len(), layer.and_flip.len()], [layer.and_a.len(); 3]);
        assert!(layer.and_flip.iter().all(|flip| *flip < 4));
        written.extend(results);
        ands += count as u64;
    }
    assert_eq!(ands, executable.and_count);
    assert!(written.iter().all(|slot| *slot < executable.slots));
    assert!((1..=64).contains(&executable.lane_chunk));
    for output in &executable.outputs {
        assert!(
            matches!(output, Output::Constant(_))
                || matches!(output, Output::Slot { slot, .. } if written.contains(slot))
        );
    }
}

fn assert_same(circuit: &Circuit) {
    let words: Vec<u64> = (1..=circuit.input_bits() as u64)
        .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23))
        .collect();
    let expected = circuit.evaluate_lanes(&words);
    for target in TARGETS {
        let executable = Executable::new(circuit, target);
        assert_promises(&executable, circuit.input_bits());
        assert_eq!(executable.evaluate_lanes(&words), expected);
        let stats = circuit.stats();
        assert_eq!(executable.and_count, stats.and_count);
        assert_eq!(executable.xor_count(), stats.xor_count);
        assert!(executable.conjunctions().is_empty());
        if target == Target::Rounds {
            assert_eq!(executable.and_layers(), stats.and_depth);
            for layer_bits in [100, u64::MAX] {
                let Some(wide) = executable.widened(layer_bits, 32) else { continue };
                assert_promises(&wide, circuit.input_bits());
                assert_eq!(wide.evaluate_lanes(&words), expected);
                assert!(wide.and_layers() < stats.and_depth);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn random_circuits(
        inputs in 0u32..40,
        gates in prop::collection::vec(any::<(u32, u32, u8)>(), 0..3000),
        outputs in 0usize..60,
    ) {
        assert_same(&circuit(inputs, &gates, outputs));
    }
}

#[test]
fn library_circuits() {
    assert_same(&library::aes128().expect("a small circuit"));
    assert_same(&library::sha256_compression().expect("a small circuit"));
}

#[test]
fn long_chains_of_xors() {
    // Far more XORs than a window holds, without an AND.
    let mut builder = CircuitBuilder::new();
    let input = builder.input(200);
    let mut state = input.clone();
    for round in 0..500 {
        for bit in 0..200 {
            state[bit] = builder.xor(state[bit], state[(bit * 7 + round) % 200]);
        }
    }
    assert_same(&builder.finish(vec![state]).expect("a small circuit"));
}

#[test]
fn few_slots_for_long_circuits() {
    // The number of live slots stays small, however long the circuit is.
    let mut builder = CircuitBuilder::new();
    let mut state = builder.input(64);
    for round in 0..2000 {
        for bit in 0..64 {
            let both = builder.and(state[(bit + 1) % 64], !state[(bit + round) % 64]);
            state[bit] = builder.xor(state[bit], both);
        }
    }
    let circuit = builder.finish(vec![state]).expect("a small circuit");
    assert!(Executable::new(&circuit, Target::Lanes).slots < 200);
    assert!(Executable::new(&circuit, Target::Flat).slots < 6000);
}

/// ANDs, layers and groups of ANDs with a common operand of a function of two words, in few layers.
fn shallow(width: u32, function: impl Fn(&mut CircuitBuilder, &[Lit], &[Lit]) -> Vec<Lit>) -> [u64; 3] {
    let mut builder = CircuitBuilder::new().with_objective(Objective::Depth);
    let (a, b) = (builder.input(width), builder.input(width));
    let outputs = function(&mut builder, &a, &b);
    let circuit = builder.finish(vec![outputs]).expect("a small circuit");
    assert_same(&circuit);
    let executable = Executable::new(&circuit, Target::Rounds);
    let groups = executable.and_groups().values().sum();
    [executable.and_count, circuit.stats().and_depth, groups]
}

#[test]
fn both_products_of_a_step_of_carries_share_their_operand() {
    let less = |width| shallow(width, |builder, a, b| vec![arithmetic::less_unsigned(builder, a, b)]);
    let sum = |width| shallow(width, arithmetic::add);
    assert_eq!([8, 16, 32, 64].map(less), [[19, 4, 15], [42, 5, 31], [89, 6, 63], [184, 7, 127]]);
    assert_eq!([8, 16, 32, 64].map(sum), [[19, 4, 13], [55, 5, 36], [139, 6, 87], [325, 7, 187]]);
}

/// Layers, and ANDs of two, three and four operands.
fn sizes(executable: &Executable) -> [u64; 4] {
    let wider = executable.conjunctions();
    let of = |operands| wider.get(&operands).copied().unwrap_or(0);
    [executable.and_layers(), executable.and_count - of(3) - of(4), of(3), of(4)]
}

/// The sizes if a layer is worth this many bits.
fn widened(circuit: &Circuit, layer_bits: u64) -> [u64; 4] {
    assert_same(circuit);
    let narrow = Executable::new(circuit, Target::Rounds);
    sizes(narrow.widened(layer_bits, 32).as_ref().unwrap_or(&narrow))
}

/// A function of two words of 32 bits, in few layers.
fn of_words(function: impl Fn(&mut CircuitBuilder, &[Lit], &[Lit]) -> Vec<Lit>) -> Circuit {
    let mut builder = CircuitBuilder::new().with_objective(Objective::Depth);
    let (a, b) = (builder.input(32), builder.input(32));
    let outputs = function(&mut builder, &a, &b);
    builder.finish(vec![outputs]).expect("a small circuit")
}

#[test]
fn wide_ands_halve_the_layers() {
    let fewest = |circuit| widened(&circuit, u64::MAX);
    let less =
        |builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit]| vec![arithmetic::less_unsigned(builder, a, b)];
    let equal = |builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit]| vec![arithmetic::equal(builder, a, b)];
    // The circuits have 6, 6, 5, 10 and 60 layers before.
    assert_eq!(fewest(of_words(less)), [3, 49, 14, 8]);
    assert_eq!(fewest(of_words(arithmetic::add)), [3, 112, 44, 11]);
    assert_eq!(fewest(of_words(equal)), [3, 1, 0, 10]);
    assert_eq!(fewest(of_words(arithmetic::multiply)), [6, 634, 125, 20]);
    assert_eq!(fewest(library::aes128().expect("a small circuit")), [30, 6000, 2400, 200]);
}

#[test]
fn layers_are_saved_where_they_are_worth_it() {
    // The smaller of two words: to fit in the layers of the comparison alone, the choice would need products
    // for each bit.
    let lesser = of_words(|builder, a, b| {
        let less = arithmetic::less_unsigned(builder, a, b);
        arithmetic::select(builder, less, a, b)
    });
    assert_eq!(widened(&lesser, 100), [7, 121, 0, 0]);
    assert_eq!(widened(&lesser, 1000), [4, 81, 14, 8]);
    assert_eq!(widened(&lesser, 10_000), [3, 74, 80, 40]);
}

#[test]
fn sums_too_long_to_be_multiplied_out_are_added_first() {
    // A chain of sums over many products, multiplied: visited at most once for each AND, whatever its length.
    let mut builder = CircuitBuilder::new();
    let inputs = builder.input(400);
    let products: Vec<Lit> = inputs.chunks(2).map(|pair| builder.and(pair[0], pair[1])).collect();
    let mut sum = Lit::FALSE;
    let mut outputs = Vec::new();
    for (product, input) in products.iter().zip(&inputs) {
        sum = builder.xor(sum, *product);
        outputs.push(builder.and(sum, *input));
    }
    let [layers, ..] = widened(&builder.finish(vec![outputs]).expect("a small circuit"), u64::MAX);
    assert_eq!(layers, 2);
}
