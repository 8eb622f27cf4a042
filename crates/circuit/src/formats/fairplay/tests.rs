use super::super::{CircuitFile, FormatError, MAX_WIRES, PlayersCircuit, Port, Problem, read_file};
use crate::circuit::Circuit;
use proptest::prelude::*;

/// An adder of two numbers of two bits, with gates of zero to three inputs; alice gets the sum, bob whether
/// it is at least four.
const SHDL: &str = "\
0 gate arity 0 table [ 0 ] inputs [ ]\t//CONST 0
1 input\t\t//output$input.bob$1
2 input\t\t//output$input.bob$0
3 input\t\t//output$input.alice.x$0
4 input\t\t//output$input.alice.x$1
5 output gate arity 2 table [ 0 1 1 0 ] inputs [ 3 2 ]\t//output$output.alice$0
6 gate arity 2 table [0 0 0 1] inputs [3 2]
7 output gate arity 3 table [ 0 1 1 0 1 0 0 1 ] inputs [ 4 1 6 ] //output$output.alice$1

// a comment
8 gate arity 3 table [ 0 0 0 1 0 1 1 1 ] inputs [ 4 1 6 ]
9 output gate arity 2 table [ 0 1 1 1 ] inputs [ 8 0 ] //output$output.alice$2
10 output gate arity 1 table [ 0 1 ] inputs [ 8 ] //output$output.bob$0
";

/// The same circuit with its names in a separate file.
const FMT: &str = "\
Bob input integer \"input.bob\" [ 2 1 ]
Alice input integer \"input.alice.x=\" [ 3 4 ]

Alice output integer \"output.alice=\"  [ 5 7 9 ]
Bob output integer \"output.bob=\"  [ 10 ]
";

const CNV: &str = "\
FMT - Input:
input,bob,input,0,1
input,alice[0],input,2,3
Gates:
gate,4,2,0 1 1 0,2,0
gate,5,2,0 0 0 1,2,0
gate,6,3,0 1 1 0 1 0 0 1,3,1,5
gate,7,3,0 0 0 1 0 1 1 1,3,1,5
FMT - Output:
output,alice[0],output,4,6,7
output,bob,output.carry,7,-2,-1
";

const MP: &str = "\
// general info
// gates: 8
input_player:bob:2:1
input:bob.input:2
input_player:alice:2:2
input:alice.low:1
input:alice.high:1

result_player:alice:1
result:alice.output:3:4:8:10
result_player:bob:2
result:bob.both:2:10:5
result:bob.either:1:9

gate:0:4:2:0:6
gate:1:5:2:0:1
gate:2:6:3:1:6
gate:3:7:3:1:1
gate:4:8:6:5:6
gate:5:9:6:5:2
gate:6:11:6:5:1
gate:7:10:11:7:7
";

fn circuit_in(text: &str, names: Option<&str>) -> PlayersCircuit {
    match read_file(text, names, MAX_WIRES).expect(text) {
        CircuitFile::Players(circuit) => circuit,
        CircuitFile::Plain(_) => panic!("a file that names its players"),
    }
}

fn ports(ports: &[Port]) -> Vec<(&str, &str)> {
    ports.iter().map(|port| (port.player.as_str(), port.name.as_str())).collect()
}

/// The outputs as numbers, by their groups.
fn outputs(circuit: &Circuit, inputs: &[(u64, u32)]) -> Vec<u64> {
    let bits: Vec<bool> =
        inputs.iter().flat_map(|(value, width)| (0..*width).map(move |bit| value >> bit & 1 == 1)).collect();
    let mut bits = circuit.evaluate(&bits).expect("as many bits as inputs").into_iter();
    let number = |width: usize| (0..width).zip(&mut bits).map(|(place, bit)| u64::from(bit) << place).sum();
    circuit.outputs().iter().map(Vec::len).map(number).collect()
}

fn pairs() -> impl Iterator<Item = (u64, u64)> {
    (0..4).flat_map(|bob| (0..4).map(move |alice| (bob, alice)))
}

#[test]
fn shdl_with_names_in_comments() {
    let read = circuit_in(SHDL, None);
    assert_eq!(ports(&read.inputs), [("bob", "input.bob"), ("alice", "input.alice.x")]);
    assert_eq!(ports(&read.outputs), [("alice", "output.alice"), ("bob", "output.bob")]);
    assert_eq!(read.circuit.stats().and_count, 2);
    for (bob, alice) in pairs() {
        let expected = vec![bob + alice, (bob + alice) / 4];
        assert_eq!(outputs(&read.circuit, &[(bob, 2), (alice, 2)]), expected);
    }
}

#[test]
fn shdl_with_names_beside_it() {
    let read = circuit_in(SHDL, Some(FMT));
    assert_eq!(ports(&read.inputs), [("Bob", "input.bob"), ("Alice", "input.alice.x")]);
    assert_eq!(read.circuit, circuit_in(SHDL, None).circuit);
    let players = "bidder input integer \"bidder[1].input=\" [ 2 1 ]\nseller input integer \"price=\" [ 3 4 ]\n\
                   seller output boolean \"seller.win\" [ 10 ]\n";
    let read = circuit_in(SHDL, Some(players));
    assert_eq!(ports(&read.inputs), [("bidder[1]", "bidder[1].input"), ("seller", "price")]);
    assert_eq!(ports(&read.outputs), [("seller", "seller.win")]);
}

#[test]
fn the_first_input_is_the_lowest_bit_of_a_place_in_the_table() {
    let text = "0 input //f$input.alice$0\n1 input //f$input.bob$0\n\
                2 output gate arity 2 table [ 0 1 0 0 ] inputs [ 0 1 ] //f$output.alice$0\n";
    let circuit = circuit_in(text, None).circuit;
    for (alice, bob) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        assert_eq!(outputs(&circuit, &[(alice, 1), (bob, 1)]), [alice & (1 - bob)]);
    }
    let text =
        "FMT - Input:\ninput,a,x,0\ninput,b,x,1\nGates:\ngate,2,2,0 1 0 0,0,1\nFMT - Output:\noutput,a,y,2\n";
    assert_eq!(circuit_in(text, None).circuit, circuit);
    let text = "input_player:a:1:1\ninput:x:1\ninput_player:b:1:1\ninput:y:1\nresult_player:a:1\n\
                result:z:1:2\ngate:0:2:0:1:2\n";
    assert_eq!(circuit_in(text, None).circuit, circuit);
}

#[test]
fn every_gate_of_three_inputs() {
    for function in 0..256u64 {
        let table: Vec<String> = (0..8).map(|place| (function >> place & 1).to_string()).collect();
        let text = format!(
            "0 input //f$input.a$0\n1 input //f$input.a$1\n2 input //f$input.a$2\n\
             3 output gate arity 3 table [ {} ] inputs [ 0 1 2 ] //f$output.a$0\n",
            table.join(" ")
        );
        let circuit = circuit_in(&text, None).circuit;
        for place in 0..8 {
            assert_eq!(outputs(&circuit, &[(place, 3)]), [function >> place & 1], "{text}");
        }
    }
}

#[test]
fn files_of_fairplay_mp() {
    let read = circuit_in(CNV, None);
    assert_eq!(ports(&read.inputs), [("bob", "input"), ("alice[0]", "input")]);
    assert_eq!(ports(&read.outputs), [("alice[0]", "output"), ("bob", "output.carry")]);
    for (bob, alice) in pairs() {
        let sum = bob + alice;
        assert_eq!(outputs(&read.circuit, &[(bob, 2), (alice, 2)]), [sum, sum / 4 + 4]);
    }
}

#[test]
fn files_of_fairplay_mp_2() {
    let read = circuit_in(MP, None);
    assert_eq!(ports(&read.inputs), [("bob", "bob.input"), ("alice", "alice.low"), ("alice", "alice.high")]);
    assert_eq!(ports(&read.outputs), [("alice", "alice.output"), ("bob", "bob.both"), ("bob", "bob.either")]);
    for (bob, alice) in pairs() {
        let (low, sum) = (alice & bob & 1, bob + alice);
        let either = (bob ^ alice) >> 1 & (1 - low);
        let inputs = [(bob, 2), (alice & 1, 1), (alice >> 1, 1)];
        assert_eq!(outputs(&read.circuit, &inputs), [sum, sum / 4 + 2 * low, either]);
    }
}

#[test]
fn bad_files_name_the_line() {
    let shdl = |line: &str| format!("0 input //f$input.a$0\n1 input //f$input.b$0\n{line}\n");
    let expected = |expected, found: &str| Problem::Expected { expected, found: found.into() };
    let head = "FMT - Input:\ninput,a,x,0\nGates:\n";
    let cases = [
        (shdl("2 gat"), 3, expected("input, gate or output", "gat")),
        (shdl("x input"), 3, Problem::NotANumber("x".into())),
        (shdl("2"), 3, Problem::Lacks("input, gate or output")),
        (shdl("2 input"), 3, Problem::Unnamed(2)),
        (shdl("2 input //f$input.a$0"), 1, Problem::Gaps("input.a".into())),
        (shdl("2 input //f$input.a$2"), 1, Problem::Gaps("input.a".into())),
        (shdl("0 input //f$input.c$0"), 3, Problem::DrivenTwice(0)),
        (shdl("99999 input //f$input.c$0"), 3, Problem::NoSuchWire(99999)),
        (shdl("2 output arity"), 3, expected("gate", "arity")),
        (shdl("2 gate arity 2 table [ 0 1 ] inputs [ 0 1 ]"), 3, Problem::Table { inputs: 2, found: 2 }),
        (shdl("2 gate arity 2 table [ 0 1 1 2 ] inputs [ 0 1 ]"), 3, Problem::NotABit(2)),
        (shdl("2 gate arity 2 table [ 0 1 1 0 ] inputs [ 0 ]"), 3, Problem::Inputs { expected: 2, found: 1 }),
        (shdl("2 gate arity 1 table [ 0 1 ] inputs [ 7 ]"), 3, Problem::Undriven(7)),
        (shdl("1 gate arity 1 table [ 0 1 ] inputs [ 0 ]"), 3, Problem::DrivenTwice(1)),
        (shdl("2 gate arity 1 table [ 0 1 inputs [ 0 ]"), 3, Problem::NotANumber("inputs".into())),
        (shdl("2 gate arity 1 table [ 0 1 ] inputs [ 0"), 3, Problem::Lacks("a wire")),
        (shdl("2 gate arity 1 table [ 0 1 ] inputs [ 0 ] ]"), 3, expected("the end of the line", "]")),
        (shdl("2 gate arity 99 table [ ] inputs [ ]"), 3, Problem::Inputs { expected: 99, found: 0 }),
        (
            shdl("2 gate arity 13 table [ 0 ] inputs [ 0 0 0 0 0 0 0 0 0 0 0 0 0 ]"),
            3,
            Problem::FanIn { inputs: 13, limit: 12 },
        ),
        (shdl("2 output gate arity 1 table [ 0 1 ] inputs [ 0 ]"), 3, Problem::Unnamed(2)),
        (shdl(""), 1, Problem::Ends("an output")),
        ("FMT - Outputs:\n".into(), 1, expected("FMT - Input:", "FMT - Outputs:")),
        ("FMT - Input:\ninput,a,x,0\n".into(), 2, Problem::Ends("Gates:")),
        ("FMT - Input:\ninput,a\nGates:\n".into(), 2, Problem::Lacks("a name")),
        ("FMT - Input:\ninput,a,x\nGates:\n".into(), 2, Problem::NoBits("x".into())),
        ("FMT - Input:\ninput,a,x,0\ninput,a,x,1\n".into(), 3, Problem::NamedTwice("x".into())),
        ("FMT - Input:\ninput,a,x,99\n".into(), 2, Problem::NoSuchWire(99)),
        (head.into(), 3, Problem::Ends("FMT - Output:")),
        (format!("{head}gate,1,2,0 1 1,0,0\n"), 4, Problem::Table { inputs: 2, found: 3 }),
        (
            format!("{head}gate,1,1,0 1,0\nFMT - Output:\noutput,a,y,-3\n"),
            6,
            Problem::NotANumber("-3".into()),
        ),
        (
            "input_player:a:2:1\ninput:x:1\n".into(),
            2,
            Problem::PlayerBits { player: "a".into(), expected: 2, found: 1 },
        ),
        ("input_player:a:1:1\n".into(), 1, Problem::Ends("an input")),
        (
            "input_player:a:9:1\ninput:x:99999999999\n".into(),
            2,
            Problem::TooLarge { wires: 99_999_999_999, limit: 1000 },
        ),
        ("input_player:a:1:1\ninput:x:1\ngate:0:1:0:0:16\n".into(), 3, expected("a table below 16", "16")),
        (
            "input_player:a:1:1\ninput:x:1\ngate:1:1:0:0:1\n".into(),
            3,
            expected("the next gate's number", "1"),
        ),
        ("input_player:a:1:1\ninput:x:1\nresult_player:a:1\nresult:y:1:7\n".into(), 4, Problem::Undriven(7)),
    ];
    for (text, line, problem) in cases {
        assert_eq!(read_file(&text, None, 1000), Err(FormatError { line, problem }), "{text}");
    }
}

#[test]
fn bad_names_name_the_line() {
    let of_names = |problem| Problem::InNames(Box::new(problem));
    let cases = [
        ("Bob", of_names(Problem::Lacks("input or output"))),
        (
            "Bob takes integer \"x\" [ 1 ]",
            of_names(Problem::Expected { expected: "input or output", found: "takes".into() }),
        ),
        (
            "Bob input integer x [ 1 ]",
            of_names(Problem::Expected { expected: "the end of the line", found: "x".into() }),
        ),
        ("Bob input integer", of_names(Problem::Lacks("a name in quotation marks"))),
        ("Bob input integer \"x\" 1", of_names(Problem::Expected { expected: "[", found: "1".into() })),
        ("Bob input integer \"x\" [ 1 1 ]", of_names(Problem::DrivenTwice(1))),
        ("Bob input integer \"x\" [ 99999 ]", of_names(Problem::NoSuchWire(99999))),
    ];
    for (text, problem) in cases {
        assert_eq!(read_file(SHDL, Some(text), 1000), Err(FormatError { line: 1, problem }), "{text}");
    }
    let missing = FMT.replace("[ 2 1 ]", "[ 2 ]");
    assert!(matches!(
        read_file(SHDL, Some(&missing), 1000),
        Err(FormatError { line: 2, problem: Problem::Unnamed(1) })
    ));
    let beyond = FMT.replace("[ 2 1 ]", "[ 2 1 11 ]");
    assert!(matches!(
        read_file(SHDL, Some(&beyond), 1000),
        Err(FormatError { problem: Problem::NoInput(11), .. })
    ));
}

#[test]
fn damaged_files_never_panic() {
    for (text, names) in [(SHDL, None), (SHDL, Some(FMT)), (CNV, None), (MP, None)] {
        let damaged = names.unwrap_or(text);
        for position in 0..damaged.len() {
            for byte in [b'0', b'9', b' ', b'\n', b'x', b'[', b':', b',', b'$', 0] {
                let mut bytes = damaged.as_bytes().to_vec();
                bytes[position] = byte;
                let changed = String::from_utf8(bytes).expect("text");
                for part in [changed.as_str(), &changed[..position]] {
                    let _ = match names {
                        Some(_) => read_file(text, Some(part), 1 << 12),
                        None => read_file(part, None, 1 << 12),
                    };
                }
            }
        }
    }
}

/// Gates by their tables and the wires they read, over four inputs.
fn gates() -> impl Strategy<Value = Vec<(Vec<bool>, Vec<usize>)>> {
    let gate = (0usize..=5).prop_flat_map(|fan_in| {
        (prop::collection::vec(any::<bool>(), 1 << fan_in), prop::collection::vec(any::<usize>(), fan_in))
    });
    prop::collection::vec(gate, 1..30).prop_map(|mut gates| {
        for (place, (_, inputs)) in gates.iter_mut().enumerate() {
            inputs.iter_mut().for_each(|wire| *wire %= place + 4);
        }
        gates
    })
}

proptest! {
    #[test]
    fn circuits_compute_what_their_tables_say(gates in gates()) {
        let mut text: String = (0..4).map(|wire| format!("{wire} input //f$input.a$0{wire}\n")).collect();
        let words = |numbers: &[usize]| numbers.iter().map(|number| format!("{number} ")).collect::<String>();
        for (place, (table, inputs)) in gates.iter().enumerate() {
            let table: Vec<usize> = table.iter().map(|bit| usize::from(*bit)).collect();
            let (wire, fan_in) = (place + 4, inputs.len());
            let (table, inputs) = (words(&table), words(inputs));
            text += &format!(
                "{wire} output gate arity {fan_in} table [ {table}] inputs [ {inputs}] //f$output.b${place}\n"
            );
        }
        let circuit = circuit_in(&text, None).circuit;
        for value in 0..16 {
            let mut wires: Vec<bool> = (0..4).map(|bit| value >> bit & 1 == 1).collect();
            for (table, inputs) in &gates {
                let place: usize = inputs.iter().enumerate().map(|(bit, wire)| usize::from(wires[*wire]) << bit).sum();
                wires.push(table[place]);
            }
            prop_assert_eq!(circuit.evaluate(&wires[..4]), Ok(wires[4..].to_vec()));
        }
    }

    #[test]
    fn any_lines_are_read_or_refused(
        lines in prop::collection::vec("[0-9]{1,3} (input|(output )?gate arity [0-4] table \\[( [01]){0,8} \\] inputs \\[( [0-9]){0,4} \\])( //f\\$(input|output)\\.[ab]\\$[0-3])?", 0..12)
    ) {
        let text = lines.join("\n");
        if let Ok(CircuitFile::Players(read)) = read_file(&text, None, 1000) {
            prop_assert_eq!(read.inputs.len(), read.circuit.inputs().len());
            prop_assert_eq!(read.outputs.len(), read.circuit.outputs().len());
        }
    }
}
