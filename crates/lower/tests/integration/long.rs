//! Operations on long vectors, forced into steps, against the interpreter.

use tacit_ir::{Builder, Domain, Op, Program, ScanOp, Shape, Type, ValueId, Words, index_bits, interpret};
use tacit_lower::{Options, lower};
use tacit_schedule::evaluate_clear;

const LENGTHS: [u64; 12] = [1, 2, 3, 31, 32, 33, 63, 64, 100, 1024, 1025, 3000];

fn vector(bits: u32, lanes: u64) -> Shape {
    Shape::Array { length: lanes as u32, element: Box::new(Shape::Integer { bits, signed: false }) }
}

/// One operation on inputs of these bits and lanes.
fn program(inputs: &[(u32, u64)], op: impl Fn(&[ValueId]) -> Op) -> Program {
    let mut builder = Builder::new("test");
    let role = builder.role("A");
    let port = |builder: &mut Builder, (number, (bits, lanes)): (usize, &(u32, u64))| {
        builder.input(&format!("x{number}"), role, vector(*bits, *lanes)).expect("an input")
    };
    let ports: Vec<_> = inputs.iter().enumerate().map(|input| port(&mut builder, input)).collect();
    let mut main = builder.template("main", Vec::new());
    let values: Vec<ValueId> =
        ports.iter().map(|port| main.input(&builder, *port).expect("a value")[0]).collect();
    let results = main.push(&builder, op(&values)).expect("fits");
    for (number, result) in results.into_iter().enumerate() {
        let ty = main.value_type(result);
        let Type::Word(bits) = ty.ty else { unreachable!("words alone") };
        let shape = vector(bits, ty.lanes);
        let port = builder.output(&format!("y{number}"), vec![role], shape).expect("an output");
        main.output(&builder, port, &[result]).expect("an output");
    }
    builder.finish(main).expect("a good program")
}

fn check(inputs: &[(u32, u64)], columns: &[Vec<Words>], op: impl Fn(&[ValueId]) -> Op) {
    check_with(&Options { map_ands: 0, ..Options::default() }, inputs, columns, op);
}

fn check_with(
    options: &Options,
    inputs: &[(u32, u64)],
    columns: &[Vec<Words>],
    op: impl Fn(&[ValueId]) -> Op,
) {
    let program = program(inputs, op);
    let schedule = lower(&program, options).expect("lowers");
    assert_eq!(schedule.validate(), Ok(()));
    let expected = interpret(&program, columns, || 0).expect("runs");
    assert!(evaluate_clear(&schedule, columns, || 0) == Ok(expected), "{}", program.to_text());
}

fn random(inputs: &[(u32, u64)], seed: u64) -> Vec<Vec<Words>> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        u128::from(state)
    };
    let mut column = |(bits, lanes): &(u32, u64)| {
        vec![Words::from_u128s(*bits, &(0..*lanes).map(|_| next()).collect::<Vec<_>>())]
    };
    inputs.iter().map(&mut column).collect()
}

#[test]
fn sums_scans_and_minima() {
    for (length, segments) in LENGTHS.iter().flat_map(|length| [(*length, 1), (*length, 3), (*length, 20)]) {
        if length * segments > 4000 {
            continue;
        }
        let inputs = [(5, length * segments)];
        let columns = random(&inputs, length);
        check(&inputs, &columns, |x| Op::SegmentSum { value: x[0], length });
        for op in [ScanOp::Add, ScanOp::And, ScanOp::MinS] {
            check(&inputs, &columns, |x| Op::Scan { op, value: x[0], length });
        }
        for signed in [false, true] {
            check(&inputs, &columns, |x| Op::ArgMin { value: x[0], length, signed });
        }
    }
}

#[test]
fn a_minimum_and_its_position_are_computed_once() {
    let asked = |times: usize| {
        let mut builder = Builder::new("test");
        let role = builder.role("A");
        let port = builder.input("x", role, vector(18, 300)).expect("an input");
        let mut main = builder.template("main", Vec::new());
        let value = main.input(&builder, port).expect("a value")[0];
        for number in 0..times {
            let (least, place) = main.arg_min(value, 300, false).expect("fits");
            for (name, result, bits) in [("least", least, 18), ("place", place, index_bits(300))] {
                let port = builder.output(&format!("{name}{number}"), vec![role], vector(bits, 1));
                main.output(&builder, port.expect("an output"), &[result]).expect("an output");
            }
        }
        builder.finish(main).expect("a good program")
    };
    let (once, twice) = (asked(1), asked(2));
    for options in [
        Options::default(),
        Options { map_ands: 0, ..Options::default() },
        Options { paired_minima: true, domain: Domain::Bool, ..Options::default() },
    ] {
        let [one, two] = [&once, &twice].map(|program| lower(program, &options).expect("lowers"));
        assert_eq!(one.and_count(), two.and_count());
        let columns = random(&[(18, 300)], 7);
        let expected = interpret(&twice, &columns, || 0).expect("runs");
        assert!(evaluate_clear(&two, &columns, || 0) == Ok(expected));
    }
}

#[test]
fn minima_by_pairs() {
    let paired = Options { paired_minima: true, domain: Domain::Bool, ..Options::default() };
    let of = |length: u64| [(length, 1), (length, 3), (length, 9)];
    for (length, segments) in LENGTHS.iter().copied().flat_map(of).chain([(20_000, 1)]) {
        for bits in [2, 18] {
            let inputs = [(bits, length * segments)];
            let columns = random(&inputs, length);
            for signed in [false, true] {
                check_with(&paired, &inputs, &columns, |x| Op::ArgMin { value: x[0], length, signed });
            }
        }
    }
}

#[test]
fn minima_by_pairs_take_few_layers_and_small_circuits() {
    let minimum = |bits, paired_minima| {
        let program = program(&[(bits, 512)], |x| Op::ArgMin { value: x[0], length: 512, signed: false });
        let options = Options { paired_minima, domain: Domain::Bool, ..Options::default() };
        let schedule = lower(&program, &options).expect("lowers");
        let largest = schedule.circuits.iter().map(|circuit| circuit.and_count).max();
        (schedule.and_depth(), schedule.and_count(), largest)
    };
    assert_eq!(minimum(16, true), (21, 154_702, Some(1550)));
    assert_eq!(minimum(16, false), (27, 71_534, Some(71_534)));
    assert_eq!(minimum(18, true), (21, 181_740, Some(1612)));
}

#[test]
fn sorts() {
    for (length, segments) in [(1, 1), (2, 1), (3, 5), (33, 1), (64, 2), (100, 17)] {
        let inputs = [(4, length * segments), (3, length * segments), (70, length * segments)];
        let columns = random(&inputs, length);
        for signed in [false, true] {
            check(&inputs[..1], &columns[..1], |x| Op::Sort { key: x[0], payloads: vec![], length, signed });
            check(&inputs, &columns, |x| Op::Sort { key: x[0], payloads: x[1..].to_vec(), length, signed });
        }
    }
}

#[test]
fn secret_positions() {
    for entries in LENGTHS {
        for bits in [1, 5, 6, 10, 12, 20] {
            let inputs = [(9, entries), (bits, 3)];
            check(&inputs, &random(&inputs, entries), |x| Op::Lookup { table: x[0], index: x[1] });
            let inputs = [(9, entries), (bits, 1), (9, 1)];
            for seed in 0..5 {
                let mut columns = random(&inputs, seed + entries);
                if seed < 2 {
                    columns[1][0] = Words::scalar(bits, u128::from(entries - seed.min(entries)));
                }
                check(&inputs, &columns, |x| Op::Update { table: x[0], index: x[1], value: x[2] });
            }
        }
    }
}

#[test]
fn permutations() {
    for length in [1, 2, 3, 40, 100] {
        let bits = index_bits(length);
        let inputs = [(9, length), (bits, length)];
        let mut columns = random(&inputs, length);
        let mut order: Vec<u128> = (0..u128::from(length)).collect();
        order.sort_by_key(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 1009);
        columns[1][0] = Words::from_u128s(bits, &order);
        check(&inputs, &columns, |x| Op::Permute { value: x[0], order: x[1] });
    }
}

#[test]
fn a_million_summands_take_a_small_circuit() {
    let inputs = [(32, 1 << 20)];
    let program = program(&inputs, |x| Op::SegmentSum { value: x[0], length: 1 << 20 });
    let schedule = lower(&program, &Options::default()).expect("lowers");
    assert!(schedule.stats().circuit_ands < 10_000);
    assert!(schedule.and_count() < 31 << 20);
}
