//! Circuits as programs and back.

use tacit_circuit::{CircuitBuilder, Lit, formats, library};
use tacit_ir::{RoleId, Words, interpret};
use tacit_lower::{Options, flatten, lower, program_from_circuit, program_from_players};
use tacit_schedule::evaluate_clear;

const KEY: u128 = 0x00010203_04050607_08090a0b_0c0d0e0f;
const PLAINTEXT: u128 = 0x00112233_44556677_8899aabb_ccddeeff;
const CIPHERTEXT: u128 = 0x69c4e0d8_6a7b0430_d8cdb780_70b4c55a;

#[test]
fn aes_from_its_file_runs_between_two_roles() {
    let mut file = Vec::new();
    formats::bristol_fashion::write(&library::aes128().expect("a small circuit"), &mut file)
        .expect("memory takes it");
    let text = String::from_utf8(file).expect("text");
    let circuit = formats::read(&text, formats::MAX_WIRES).expect("what was written");
    let program = program_from_circuit(&circuit, "aes_128").expect("within bounds");
    let names: Vec<_> = program.inputs.iter().map(|port| (port.name.as_str(), port.role.0)).collect();
    assert_eq!(
        (program.roles.as_slice(), names.as_slice()),
        (&["A".to_owned(), "B".to_owned()][..], &[("in0", 0), ("in1", 1)][..])
    );
    assert_eq!((program.outputs[0].name.as_str(), program.outputs[0].roles.len()), ("out0", 2));

    let inputs = [vec![Words::scalar(128, KEY)], vec![Words::scalar(128, PLAINTEXT)]];
    let expected = vec![vec![Words::scalar(128, CIPHERTEXT)]];
    assert_eq!(interpret(&program, &inputs, || 0).expect("runs"), expected);
    let schedule = lower(&program, &Options::default()).expect("lowers");
    assert_eq!(schedule.and_count(), 6400);
    assert_eq!(evaluate_clear(&schedule, &inputs, || 0), Ok(expected));
    assert_eq!(flatten(&program, 1 << 20).expect("flattens").stats().and_count, 6400);
}

#[test]
fn odd_circuits_become_programs() {
    let mut builder = CircuitBuilder::new();
    let (a, _, c) = (builder.input(2), builder.input(0), builder.input(1));
    let both = builder.and(a[0], !c[0]);
    let outputs = vec![vec![!both, both, !a[1], a[1], !a[1]], vec![], vec![Lit::TRUE, Lit::FALSE, c[0]]];
    let circuit = builder.finish(outputs).expect("a small circuit");
    let program = program_from_circuit(&circuit, "odd").expect("within bounds");
    let names: Vec<_> = program.inputs.iter().map(|port| (port.name.as_str(), port.role.0)).collect();
    assert_eq!(names, [("in0", 0), ("in2", 0)]);
    for value in 0..8u128 {
        let inputs = [vec![Words::scalar(2, value & 3)], vec![Words::scalar(1, value >> 2)]];
        let bits: Vec<bool> = (0..3).map(|bit| value >> bit & 1 == 1).collect();
        let output = circuit.evaluate(&bits).expect("three bits");
        let word =
            |bits: &[bool]| bits.iter().enumerate().fold(0, |sum, (i, bit)| sum | u128::from(*bit) << i);
        let expected =
            vec![vec![Words::scalar(5, word(&output[..5]))], vec![Words::scalar(3, word(&output[5..]))]];
        assert_eq!(interpret(&program, &inputs, || 0).expect("runs"), expected);
        let schedule = lower(&program, &Options::default()).expect("lowers");
        assert_eq!(evaluate_clear(&schedule, &inputs, || 0), Ok(expected));
    }
}

#[test]
fn circuits_of_players_become_programs_between_them() {
    let text = "0 input //f$input.bob$0\n1 input //f$input.alice$0\n2 input //f$input.alice$1\n\
                3 output gate arity 3 table [ 0 0 0 1 0 1 1 1 ] inputs [ 0 1 2 ] //f$output.carol$0\n\
                4 output gate arity 1 table [ 1 0 ] inputs [ 0 ] //f$output.bob$0\n";
    let formats::CircuitFile::Players(file) = formats::read_file(text, None, 100).expect("a good file")
    else {
        panic!("it has players")
    };
    let program = program_from_players(&file, "majority").expect("within bounds");
    assert_eq!(program.roles, ["bob", "alice", "carol"]);
    let names: Vec<_> = program.inputs.iter().map(|port| (port.name.as_str(), port.role.0)).collect();
    assert_eq!(names, [("input.bob", 0), ("input.alice", 1)]);
    let names: Vec<_> = program.outputs.iter().map(|port| (port.name.as_str(), port.roles.clone())).collect();
    assert_eq!(names, [("output.carol", vec![RoleId(2)]), ("output.bob", vec![RoleId(0)])]);
    for value in 0..8u128 {
        let inputs = [vec![Words::scalar(1, value & 1)], vec![Words::scalar(2, value >> 1)]];
        let majority = u128::from(value.count_ones() >= 2);
        let expected = vec![vec![Words::scalar(1, majority)], vec![Words::scalar(1, 1 - (value & 1))]];
        assert_eq!(interpret(&program, &inputs, || 0).expect("runs"), expected);
    }
}
