use super::*;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// A pseudo-random circuit whose outputs are gates, complements, repeats, inputs and constants.
fn sample(seed: u64, groups: &[u32], outputs: &[usize]) -> Circuit {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize % below
    };
    let mut builder = CircuitBuilder::new();
    let mut lits: Vec<Lit> = groups.iter().flat_map(|width| builder.input(*width)).collect();
    lits.push(Lit::TRUE);
    for _ in 0..60 {
        let (a, b) = (lits[random(lits.len())], lits[random(lits.len())].flip(random(2) == 1));
        let lit = if random(2) == 0 { builder.and(a, b) } else { builder.xor(a, b) };
        lits.push(lit);
    }
    let mut pick = |_| lits[random(lits.len())].flip(random(2) == 1);
    let outputs = outputs.iter().map(|width| (0..*width).map(&mut pick).collect()).collect();
    builder.finish(outputs).expect("a small circuit")
}

fn assert_same(a: &Circuit, b: &Circuit, seed: u64) {
    assert_eq!((a.inputs(), a.output_bits()), (b.inputs(), b.output_bits()));
    let words: Vec<u64> =
        (0..a.input_bits() as u64).map(|i| (seed + i + 1).wrapping_mul(0xd134_2543_de82_ef95)).collect();
    assert_eq!(a.evaluate_lanes(&words), b.evaluate_lanes(&words));
}

#[test]
fn circuits_survive_both_formats() {
    for seed in 0..200 {
        let circuit = sample(seed, &[5, 3], &[9]);
        for write in [bristol::write, bristol_fashion::write] {
            let mut file = Vec::new();
            write(&circuit, &mut file).expect("memory takes it");
            let text = String::from_utf8(file).expect("text");
            assert_same(&circuit, &read(&text, MAX_WIRES).expect(&text), seed);
        }
        let circuit = sample(seed, &[2, 1, 4], &[3, 1, 4]);
        let mut file = Vec::new();
        bristol_fashion::write(&circuit, &mut file).expect("memory takes it");
        let found = read(&String::from_utf8(file).expect("text"), MAX_WIRES).expect("what was written");
        assert_same(&circuit, &found, seed);
        assert_eq!(found.outputs().iter().map(Vec::len).collect::<Vec<_>>(), [3, 1, 4]);
    }
}

#[test]
fn constants_need_an_input_in_bristol_format() {
    let circuit = CircuitBuilder::new().finish(vec![vec![Lit::TRUE]]).expect("a small circuit");
    assert!(matches!(bristol::write(&circuit, &mut Vec::new()), Err(WriteError::Constant)));
    let mut file = Vec::new();
    bristol_fashion::write(&circuit, &mut file).expect("memory takes it");
    assert_eq!(file, b"1 1\n0\n1 1\n\n1 1 1 0 EQ\n");
    assert_eq!(read("1 1\n0\n1 1\n\n1 1 1 0 EQ\n", MAX_WIRES), Ok(circuit));
}

#[test]
fn too_many_groups_for_bristol_format() {
    let circuit = sample(1, &[1, 1, 1], &[1]);
    assert!(matches!(
        bristol::write(&circuit, &mut Vec::new()),
        Err(WriteError::Groups { inputs: 3, outputs: 1 })
    ));
}

#[test]
fn all_gates_of_bristol_fashion() {
    let text = "6 12\n2 2 2\n1 4\n\n4 2 0 1 2 3 4 5 MAND\n1 1 0 6 INV\n1 1 1 7 EQ\n2 1 4 7 8 XOR\n\
                1 1 5 9 EQW\n4 2 6 6 2 3 10 11 MAND\n";
    let circuit = read(text, MAX_WIRES).expect("a good file");
    for value in 0..16u8 {
        let bit = |i: u8| value >> i & 1 == 1;
        let inputs: Vec<bool> = (0..4).map(bit).collect();
        let expected = vec![!(bit(0) && bit(2)), bit(1) && bit(3), !bit(0) && bit(2), !bit(0) && bit(3)];
        assert_eq!(circuit.evaluate(&inputs), Ok(expected));
    }
}

#[test]
fn an_input_of_no_bits_is_no_input() {
    let circuit = read("1 3\n2 0 1\n\n2 1 0 1 2 AND\n", MAX_WIRES).expect("a good file");
    assert_eq!(circuit.inputs(), [2]);
}

#[test]
fn bad_files_name_the_line() {
    let fashion = |gates: &str| format!("2 4\n1 2\n1 1\n\n{gates}");
    let cases = [
        (String::new(), 1, Problem::Ends("the numbers of gates and wires")),
        ("1 2 3\n".into(), 1, Problem::Fields { expected: 2, found: 3 }),
        ("1 -2\n".into(), 1, Problem::NotANumber("-2".into())),
        ("1 99999999999999999999999\n".into(), 1, Problem::NotANumber("99999999999999999999999".into())),
        ("1 3\n2 1 1\n2 1\n\n".into(), 3, Problem::Fields { expected: 3, found: 2 }),
        ("1 2\n2 1 1\n\n2 1 0 1 2 AND\n".into(), 2, Problem::Header { wires: 2, inputs: 3, outputs: 1 }),
        ("1 9999\n1 9000\n1 1\n".into(), 3, Problem::TooLarge { wires: 9999, limit: 1000 }),
        (fashion("2 1 0 1 2 AND\n"), 5, Problem::Ends("a gate")),
        (fashion("2 1 0 1 2 AND\n2 1 0 2 3 NAND\n"), 6, Problem::UnknownGate("NAND".into())),
        (fashion("2 1 0 3 2 AND\n"), 5, Problem::Undriven(3)),
        (fashion("2 1 0 4 2 AND\n"), 5, Problem::NoSuchWire(4)),
        (fashion("2 1 0 1 1 AND\n"), 5, Problem::DrivenTwice(1)),
        (fashion("1 1 2 3 EQ\n"), 5, Problem::NotABit(2)),
        (fashion("1 1 0 1 3 INV\n"), 5, Problem::Fields { expected: 5, found: 6 }),
        (fashion("3 1 0 1 0 3 AND\n"), 5, Problem::Arity { gate: "AND", inputs: 3, outputs: 1 }),
        (fashion("1 2 0 1 3 AND\n"), 5, Problem::Arity { gate: "AND", inputs: 1, outputs: 2 }),
        (fashion("3 1 0 1 0 3 MAND\n"), 5, Problem::Arity { gate: "MAND", inputs: 3, outputs: 1 }),
        (fashion("99999999999999999999 1 0 AND\n"), 5, Problem::NotANumber("99999999999999999999".into())),
        (fashion("18446744073709551615 1 0 AND\n"), 5, Problem::Fields { expected: usize::MAX, found: 4 }),
        (fashion("2 1 0 1 2 AND\n2 1 0 2 3 AND\n2 1 0 1 2 AND\n"), 7, Problem::Trailing(2)),
        ("1 4\n1 2\n1 1\n\n2 1 0 1 3 AND\n".into(), 5, Problem::Missing(1)),
        ("1 3\n1 1 1\n\n1 1 0 2 EQ\n".into(), 4, Problem::UnknownGate("EQ".into())),
        (fashion("AND\n"), 5, Problem::Fields { expected: 5, found: 1 }),
    ];
    for (text, line, problem) in cases {
        assert_eq!(read(&text, 1000), Err(FormatError { line, problem }), "{text}");
    }
}

#[test]
fn damaged_files_never_panic() {
    let mut file = Vec::new();
    bristol_fashion::write(&sample(7, &[3, 2], &[4]), &mut file).expect("memory takes it");
    for position in 0..file.len() {
        for byte in [b'0', b'9', b' ', b'\n', b'x', 0] {
            let mut damaged = file.clone();
            damaged[position] = byte;
            let text = String::from_utf8(damaged).expect("text");
            let _ = read(&text, 1 << 12);
            let _ = read(&text[..position], 1 << 12);
        }
    }
}
