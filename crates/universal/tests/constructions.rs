//! The three constructions: numbers of switches against separate formulas, programs of one construction for another, and circuits of many sizes.

use tacit_circuit::{Circuit, CircuitBuilder};
use tacit_universal::{Construction, Graph, Program, Size, UniversalCircuit, UniversalError};

/// Switches of an edge-universal graph in which each of `poles` poles may be connected to any later one.
fn switches(construction: Construction, poles: u64) -> u64 {
    match construction {
        Construction::Liu => liu(poles),
        Construction::TwoWay => two_way(poles),
        Construction::FourWay => four_way(poles),
    }
}

/// Three switches for each block, except one for the first block and two for the last, or one if the last has a single pole. Of two
/// blocks, the first has none.
fn liu(poles: u64) -> u64 {
    let blocks = poles.div_ceil(2);
    match blocks {
        0 | 1 => 0,
        _ => 2 * liu(blocks) + u64::from(blocks > 2) + 3 * (blocks - 2) + 2 - poles % 2,
    }
}

/// Five for each block except the first and the last, two of them on the wires to the next block.
fn two_way(poles: u64) -> u64 {
    let blocks = poles.div_ceil(2);
    match blocks {
        0 | 1 => 0,
        _ => 2 * two_way(blocks - 1) + u64::from(blocks > 2) + 5 * (blocks - 2) + 2 - poles % 2,
    }
}

/// 19 for each block except the first and the last, four of them on the wires to the next block.
fn four_way(poles: u64) -> u64 {
    let blocks = poles.div_ceil(4);
    let last = (poles + 3) as usize % 4;
    match blocks {
        0 => 0,
        1 => [0, 0, 1, 3][last],
        2 => [6, 8, 10, 13][last],
        _ => 4 * four_way(blocks - 1) + 7 + 19 * (blocks - 2) + [4, 5, 8, 11][last],
    }
}

fn switches_of(size: Size, construction: Construction) -> u64 {
    let count = UniversalCircuit::new(size, construction).count();
    assert_eq!(count.gates, size.gates() as u64);
    count.exchanges + count.selections
}

#[test]
fn sizes_follow_the_recursions() {
    for construction in Construction::ALL {
        for gates in (1..600).chain([4096, 65_537, 1_000_000]) {
            let found = switches_of(Size::new(1, gates, 1).unwrap(), construction);
            assert_eq!(found, 2 * switches(construction, gates as u64 + 2) + 1, "{construction:?} {gates}");
        }
    }
}

/// Each time the number of poles is multiplied by the ways, switches per pole grow by 3/2, 5/2 or 19/4, and by twice that for two graphs.
#[test]
fn leading_terms_are_3_and_5_and_four_and_three_quarters() {
    for (construction, expected) in Construction::ALL.into_iter().zip([3.0, 5.0, 4.75]) {
        let per_gate = |exponent: u32| {
            let gates = 4usize.pow(exponent);
            switches_of(Size::new(1, gates, 1).unwrap(), construction) as f64 / gates as f64
        };
        let grown = (per_gate(10) - per_gate(8)) / 4.0;
        assert!((grown - expected).abs() < 0.01, "{construction:?}: {grown}");
    }
}

/// The table of docs/universal-circuits.md: 64 inputs and outputs.
#[test]
fn documented_sizes_are_those_of_the_circuits() {
    let documented: [(usize, [u64; 3]); 4] = [
        (1000, [28_424, 38_868, 40_284]),
        (10_000, [351_168, 513_420, 527_072]),
        (100_000, [4_542_752, 6_935_756, 6_624_080]),
        (1_000_000, [53_953_728, 84_570_604, 82_011_856]),
    ];
    for (gates, expected) in documented {
        let size = Size::new(64, gates, 64).unwrap();
        assert_eq!(
            Construction::ALL.map(|construction| switches_of(size, construction)),
            expected,
            "{gates}"
        );
    }
}

/// Numbers that look random, the same in each run.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize
    }
}

/// Gates on any earlier values, and outputs that may be complemented.
fn drawn_circuit(inputs: u32, gates: usize, outputs: usize, draws: &mut Draws) -> Circuit {
    let mut builder = CircuitBuilder::new();
    let mut values = builder.input(inputs);
    for _ in 0..gates {
        let [a, b] = [(); 2].map(|()| {
            let value = values[draws.next() % values.len()];
            if draws.next().is_multiple_of(2) { !value } else { value }
        });
        values.push(if draws.next().is_multiple_of(2) { builder.and(a, b) } else { builder.xor(a, b) });
    }
    let output = |_| {
        let value = values[draws.next() % values.len()];
        if draws.next().is_multiple_of(2) { !value } else { value }
    };
    let outputs = (0..outputs).map(output).collect();
    builder.finish(vec![outputs]).unwrap()
}

fn bits(value: usize, count: u32) -> Vec<bool> {
    (0..count).map(|i| value >> i & 1 == 1).collect()
}

#[test]
fn circuits_of_each_small_size_are_computed_on_all_inputs() {
    let mut draws = Draws(3);
    for gates in 1..=40usize {
        for inputs in [1, 2, 5] {
            let circuit = drawn_circuit(inputs, gates / 2, 1 + gates % 5, &mut draws);
            let least = Graph::from_circuit(&circuit, None).unwrap().size().gates();
            let graph = Graph::from_circuit(&circuit, Some(least.max(gates))).unwrap();
            for construction in Construction::ALL {
                let universal = UniversalCircuit::new(graph.size(), construction);
                let program = Program::new(&graph, construction);
                for value in 0..1 << inputs {
                    let inputs = bits(value, inputs);
                    let found = universal.evaluate(&program, &inputs).unwrap();
                    assert_eq!(
                        found,
                        circuit.evaluate(&inputs).unwrap(),
                        "{construction:?} {:?}",
                        graph.size()
                    );
                }
            }
        }
    }
}

#[test]
fn a_circuit_of_five_thousand_gates_is_computed() {
    let mut draws = Draws(5);
    let circuit = drawn_circuit(24, 2400, 100, &mut draws);
    let graph = Graph::from_circuit(&circuit, Some(5000)).unwrap();
    for construction in Construction::ALL {
        let universal = UniversalCircuit::new(graph.size(), construction);
        let program = Program::new(&graph, construction);
        for _ in 0..40 {
            let inputs = bits(draws.next(), 24);
            assert_eq!(universal.evaluate(&program, &inputs).unwrap(), circuit.evaluate(&inputs).unwrap());
        }
    }
}

#[test]
fn a_program_for_another_construction_is_refused() {
    let circuit = drawn_circuit(3, 9, 2, &mut Draws(7));
    let graph = Graph::from_circuit(&circuit, None).unwrap();
    for (circuit, program) in [
        (Construction::TwoWay, Construction::Liu),
        (Construction::Liu, Construction::FourWay),
        (Construction::FourWay, Construction::TwoWay),
    ] {
        let universal = UniversalCircuit::new(graph.size(), circuit);
        let refused = Err(UniversalError::ProgramConstruction { program, circuit });
        let program = Program::new(&graph, program);
        assert_eq!(universal.evaluate(&program, &[false; 3]), refused);
        assert_eq!(universal.controls(&program).map(|_| Vec::<bool>::new()), refused);
    }
}
