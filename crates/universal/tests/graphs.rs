//! Graphs against the circuits they are made from.

use proptest::prelude::*;
use tacit_circuit::{Circuit, CircuitBuilder};
use tacit_universal::{Graph, UniversalError};

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
}

#[test]
fn a_graph_larger_than_its_size_is_refused() {
    let circuit = circuit(&[(true, 0, 1, false, false), (false, 2, 5, false, false)], &[(6, false)]);
    assert_eq!(
        Graph::from_circuit(&circuit, Some(1)).unwrap_err(),
        UniversalError::TooManyGates { needed: 2, gates: 1 }
    );
}
