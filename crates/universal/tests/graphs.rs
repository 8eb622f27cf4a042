//! Compares graphs, and universal circuits programmed from them, with the original circuits.

use proptest::prelude::*;
use tacit_circuit::{Circuit, CircuitBuilder};
use tacit_universal::{Construction, Graph, Program, Size, SwitchCount, UniversalCircuit, UniversalError};

const INPUTS: u32 = 5;

/// A circuit of gates `(kind, left, right, complement of left, complement of right)` over all earlier values.
fn circuit(gates: &[(bool, usize, usize, bool, bool)], outputs: &[(usize, bool)]) -> Circuit {
    let mut builder = CircuitBuilder::new();
    let mut values = builder.input(INPUTS);
    for (and, left, right, not_left, not_right) in gates {
        let [a, b] = [(left, not_left), (right, not_right)].map(|(value, not)| {
            let lit = values[value % values.len()];
            if *not { !lit } else { lit }
        });
        values.push(if *and { builder.and(a, b) } else { builder.xor(a, b) });
    }
    let outputs = outputs.iter().map(|(value, not)| {
        let lit = values[value % values.len()];
        if *not { !lit } else { lit }
    });
    builder.finish(vec![outputs.collect()]).unwrap()
}

fn random_circuit() -> impl Strategy<Value = Circuit> {
    let gate = (any::<bool>(), any::<usize>(), any::<usize>(), any::<bool>(), any::<bool>());
    let output = (any::<usize>(), any::<bool>());
    (prop::collection::vec(gate, 0..60), prop::collection::vec(output, 1..12))
        .prop_map(|(gates, outputs)| circuit(&gates, &outputs))
}

fn any_construction() -> impl Strategy<Value = Construction> {
    prop::sample::select(&Construction::ALL[..])
}

fn all_inputs() -> impl Iterator<Item = Vec<bool>> {
    (0..1u32 << INPUTS).map(|value| (0..INPUTS).map(|i| value >> i & 1 == 1).collect())
}

proptest! {
    #[test]
    fn a_graph_computes_what_its_circuit_does(circuit in random_circuit(), padding in 0..10usize) {
        let least = Graph::from_circuit(&circuit, None).unwrap().size().gates();
        let graph = Graph::from_circuit(&circuit, Some(least + padding)).unwrap();
        prop_assert_eq!(graph.size().gates(), least + padding);
        for inputs in all_inputs() {
            prop_assert_eq!(graph.evaluate(&inputs).unwrap(), circuit.evaluate(&inputs).unwrap());
        }
    }

    #[test]
    fn a_programmed_circuit_computes_what_the_circuit_does(circuit in random_circuit(), construction in any_construction(), padding in 0..10usize) {
        let least = Graph::from_circuit(&circuit, None).unwrap().size().gates();
        let graph = Graph::from_circuit(&circuit, Some(least + padding)).unwrap();
        let (universal, program) = (UniversalCircuit::new(graph.size(), construction), Program::new(&graph, construction));
        for inputs in all_inputs() {
            prop_assert_eq!(universal.evaluate(&program, &inputs).unwrap(), circuit.evaluate(&inputs).unwrap());
        }
    }

    #[test]
    fn its_boolean_circuit_takes_the_program_as_input(circuit in random_circuit(), construction in any_construction()) {
        let graph = Graph::from_circuit(&circuit, None).unwrap();
        let universal = UniversalCircuit::new(graph.size(), construction);
        let boolean = universal.to_circuit().unwrap();
        prop_assert!(boolean.and_count() <= universal.count().ands());
        let controls = universal.controls(&Program::new(&graph, construction)).unwrap();
        prop_assert_eq!(controls.len() as u64, universal.count().controls());
        for inputs in all_inputs() {
            let all: Vec<bool> = controls.iter().copied().chain(inputs.iter().copied()).collect();
            prop_assert_eq!(boolean.evaluate(&all).unwrap(), circuit.evaluate(&inputs).unwrap());
        }
    }
}

#[test]
fn a_graph_larger_than_its_size_is_refused() {
    let circuit = circuit(&[(true, 0, 1, false, false), (false, 2, 5, false, false)], &[(6, false)]);
    assert_eq!(
        Graph::from_circuit(&circuit, Some(1)).unwrap_err(),
        UniversalError::TooManyGates { needed: 2, gates: 1 }
    );
}

#[test]
fn a_million_gates_take_no_more_switches_than_published() {
    let SwitchCount { exchanges, selections, gates } =
        UniversalCircuit::new(Size::new(100, 1_000_000, 100).unwrap(), Construction::Liu).count();
    let published = 3.0 * 1e6 * 1e6f64.log2();
    assert_eq!(gates, 1_000_000);
    assert!(((exchanges + selections) as f64) < published);
}

#[test]
fn a_program_of_another_size_is_refused() {
    let circuit = circuit(&[(true, 0, 1, false, false)], &[(5, false)]);
    let program = Program::new(&Graph::from_circuit(&circuit, Some(3)).unwrap(), Construction::Liu);
    let universal = UniversalCircuit::new(Size::new(5, 4, 1).unwrap(), Construction::Liu);
    assert_eq!(universal.evaluate(&program, &[false; 5]), Err(UniversalError::ProgramSize));
}

#[test]
fn the_public_circuit_depends_on_the_size_alone() {
    let and = circuit(&[(true, 0, 1, false, false)], &[(5, false)]);
    let xor = circuit(&[(false, 3, 4, false, false), (true, 5, 2, true, false)], &[(6, true)]);
    let [and, xor] = [and, xor].map(|circuit| {
        let graph = Graph::from_circuit(&circuit, Some(20)).unwrap();
        UniversalCircuit::new(graph.size(), Construction::Liu).to_circuit().unwrap()
    });
    assert_eq!(and, xor);
}

/// A circuit whose graphs have many levels with blocks of every kind.
#[test]
fn larger_circuits_are_routed() {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let gates: Vec<_> =
        (0..3000).map(|_| (next() % 3 == 0, next(), next(), next() % 2 == 0, false)).collect();
    let outputs: Vec<_> = (0..500).map(|_| (next(), next() % 2 == 0)).collect();
    let circuit = circuit(&gates, &outputs);
    let graph = Graph::from_circuit(&circuit, None).unwrap();
    let (universal, program) =
        (UniversalCircuit::new(graph.size(), Construction::Liu), Program::new(&graph, Construction::Liu));
    for inputs in all_inputs() {
        assert_eq!(universal.evaluate(&program, &inputs).unwrap(), circuit.evaluate(&inputs).unwrap());
    }
}
