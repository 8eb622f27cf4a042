//! Schedules as one circuit against the interpreter.

use tacit_arbitrary as arbitrary;
use tacit_ir::{Words, interpret};
use tacit_lower::{Options, lower};
use tacit_schedule::circuit_of;

/// All columns of all ports, lane by lane.
fn bits(ports: &[Vec<Words>]) -> Vec<bool> {
    let mut bits = Vec::new();
    for words in ports.iter().flatten() {
        (0..words.lanes()).for_each(|lane| bits.extend((0..words.bits()).map(|bit| words.bit(lane, bit))));
    }
    bits
}

#[test]
fn schedules_as_circuits_compute_what_programs_do() {
    let usual = Options::default();
    let apart = Options { vector_lanes: 2, inline_ands: 0, map_ands: 0, ..usual };
    let size = arbitrary::Size { bits: 7, lanes: 20, ..arbitrary::Size::default() };
    let mut written = 0;
    for seed in 0..300 {
        let program = arbitrary::program(seed, &size);
        let inputs = arbitrary::inputs(&program, seed);
        let expected = interpret(&program, &inputs, || 0).expect("runs");
        for options in [usual, apart] {
            let schedule = lower(&program, &options).expect("lowers");
            let Ok(circuit) = circuit_of(&schedule, &program, 1 << 22) else { continue };
            assert_eq!(circuit.evaluate(&bits(&inputs)), Ok(bits(&expected)), "seed {seed}, {options:?}");
            written += 1;
        }
    }
    assert!(written > 300, "only {written} of 600 have a circuit");
}
