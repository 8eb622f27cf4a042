//! Every operation, over widths and lanes, against the interpreter.

use tacit_circuit::Objective;
use tacit_ir::{
    BinaryOp, BuildError, Builder, CompareOp, Index, Op, Program, ScanOp, Shape, ShiftOp, TemplateBuilder,
    UnaryOp, ValueId, Words, index_bits, interpret,
};
use tacit_lower::{Options, flatten, lower};
use tacit_schedule::evaluate_clear;

const WIDTHS: [u32; 11] = [1, 7, 8, 16, 31, 32, 33, 63, 64, 65, 128];
const LANES: [u32; 5] = [1, 3, 16, 64, 1000];

fn vector(bits: u32, lanes: u32) -> Shape {
    Shape::Array { length: lanes, element: Box::new(Shape::Integer { bits, signed: false }) }
}

/// A program that applies `body` to one vector for each of these bits and lanes.
fn program(
    inputs: &[(u32, u32)],
    body: impl Fn(&Builder, &mut TemplateBuilder, &[ValueId]) -> Result<Vec<ValueId>, BuildError>,
) -> Result<Program, BuildError> {
    let mut builder = Builder::new("test");
    let role = builder.role("A");
    let mut ports = Vec::new();
    for (number, (bits, lanes)) in inputs.iter().enumerate() {
        ports.push(builder.input(&format!("x{number}"), role, vector(*bits, *lanes))?);
    }
    let mut main = builder.template("main", Vec::new());
    let mut values = Vec::new();
    for port in ports {
        values.extend(main.input(&builder, port)?);
    }
    let results = body(&builder, &mut main, &values)?;
    let mut outputs = Vec::new();
    for (number, value) in results.iter().enumerate() {
        let ty = main.value_type(*value);
        let tacit_ir::Type::Word(bits) = ty.ty else { unreachable!("words alone") };
        outputs.push(builder.output(&format!("y{number}"), vec![role], vector(bits, ty.lanes as u32))?);
    }
    for (port, value) in outputs.into_iter().zip(results) {
        main.output(&builder, port, &[value])?;
    }
    builder.finish(main)
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Random words, many of them corners.
    fn words(&mut self, bits: u32, lanes: u32) -> Words {
        let lane = |random: &mut Self| match random.next() % 6 {
            0 => 0,
            1 => u128::MAX,
            2 => 1u128 << (bits - 1).min(127),
            3 => u128::from(random.next() % 8),
            _ => u128::from(random.next()) << 64 | u128::from(random.next()),
        };
        let values: Vec<u128> = (0..lanes).map(|_| lane(self)).collect();
        Words::from_u128s(bits, &values)
    }
}

fn check(inputs: &[(u32, u32)], program: Result<Program, BuildError>) {
    let program = program.expect("a good program");
    check_for(Objective::Size, inputs, &program);
    if inputs.iter().all(|(_, lanes)| *lanes <= 3) {
        check_for(Objective::Depth, inputs, &program);
    }
}

fn check_for(objective: Objective, inputs: &[(u32, u32)], program: &Program) {
    // Enough to try every pass on the smallest; random programs are optimised in full elsewhere.
    let options = Options { effort: 1 << 12, objective, ..Options::default() };
    let schedule = lower(program, &options).expect("lowers");
    assert_eq!(schedule.validate(), Ok(()));
    let mut random = Random(0x1234_5678_9abc_def1);
    for _ in 0..3 {
        let columns: Vec<Vec<Words>> =
            inputs.iter().map(|(bits, lanes)| vec![random.words(*bits, *lanes)]).collect();
        let expected = interpret(program, &columns, || 0).expect("runs");
        let found = evaluate_clear(&schedule, &columns, || 0).expect("runs");
        assert_eq!(found, expected, "inputs {columns:?}");
    }
}

fn check_op(inputs: &[(u32, u32)], op: impl Fn(&[ValueId]) -> Op) {
    check(inputs, program(inputs, |builder, main, values| main.push(builder, op(values))));
}

#[test]
fn unary_and_binary() {
    for (bits, lanes) in WIDTHS.iter().flat_map(|bits| LANES.map(|lanes| (*bits, lanes))) {
        for op in [UnaryOp::Neg, UnaryOp::Not] {
            check_op(&[(bits, lanes)], |x| Op::Unary(op, x[0]));
        }
        for op in BinaryOp::ALL {
            check_op(&[(bits, lanes), (bits, lanes)], |x| Op::Binary(*op, x[0], x[1]));
        }
        check_op(&[(bits, lanes)], |x| Op::Binary(BinaryOp::Mul, x[0], x[0]));
        for op in [CompareOp::Eq, CompareOp::LtU, CompareOp::LtS] {
            check_op(&[(bits, lanes), (bits, lanes)], |x| Op::Compare(op, x[0], x[1]));
        }
        check_op(&[(1, lanes), (bits, lanes), (bits, lanes)], |x| Op::Select(x[0], x[1], x[2]));
        check_op(&[(bits, lanes)], |x| Op::Open(x[0]));
    }
}

#[test]
fn shifts_and_widths() {
    for (bits, lanes) in WIDTHS.iter().flat_map(|bits| LANES.map(|lanes| (*bits, lanes))) {
        for op in [ShiftOp::Left, ShiftOp::RightU, ShiftOp::RightS] {
            for amount in [0, 1, bits / 2, bits - 1, bits, bits + 1, u32::MAX] {
                check_op(&[(bits, lanes)], |x| Op::ShiftBy(op, x[0], amount));
            }
            for amount in [1, 6, 8, 70] {
                check_op(&[(bits, lanes), (amount, lanes)], |x| Op::Shift(op, x[0], x[1]));
            }
        }
        for signed in [false, true] {
            check_op(&[(bits, lanes)], |x| Op::Extend { value: x[0], bits: bits + 9, signed });
        }
        let low = bits / 3;
        check_op(&[(bits, lanes)], |x| Op::Slice { value: x[0], low, bits: (bits - low).div_ceil(2) });
        check_op(&[(bits, lanes), (3, lanes), (bits, lanes)], |x| Op::Concat(x.to_vec()));
    }
}

#[test]
fn products_of_widened_words() {
    for signed in [false, true] {
        for (bits, lanes) in [(8, 1), (32, 1), (8, 40)] {
            let inputs = [(bits, lanes), (bits, lanes)];
            check(
                &inputs,
                program(&inputs, |builder, main, x| {
                    let mut wide = Vec::new();
                    for value in x {
                        wide.extend(
                            main.push(builder, Op::Extend { value: *value, bits: 2 * bits, signed })?,
                        );
                    }
                    let product = main.mul(wide[0], wide[1])?;
                    let quotient = main.div_s(wide[0], wide[1])?;
                    Ok(vec![product, quotient])
                }),
            );
        }
    }
}

#[test]
fn lanes_chosen_and_joined() {
    for lanes in LANES {
        let last = lanes - 1;
        let indices = [
            Index::List(vec![last]),
            Index::List(vec![last, 0, last / 2, 0]),
            Index::List((0..lanes).rev().collect()),
            Index::List((0..200).map(|i| i * 7 % lanes).collect()),
            Index::Range { start: last, step: -1, count: u64::from(lanes) },
            Index::Range { start: last / 2, step: 0, count: 20 },
            Index::Repeat { each: 3, tiles: 2 },
            Index::Repeat { each: 1, tiles: 1 },
        ];
        for index in indices {
            check_op(&[(5, lanes)], |x| Op::Gather(x[0], index.clone()));
            // Behind a gate, so that the source is in a circuit.
            let inputs = [(5, lanes), (5, lanes)];
            check(
                &inputs,
                program(&inputs, |builder, main, x| {
                    let sum = main.add(x[0], x[1])?;
                    let chosen = main.push(builder, Op::Gather(sum, index.clone()))?;
                    let double = main.add(chosen[0], chosen[0])?;
                    Ok(vec![main.mul(double, chosen[0])?, sum])
                }),
            );
        }
        for more in LANES {
            check_op(&[(5, lanes), (5, more), (5, 1)], |x| Op::Join(x.to_vec()));
        }
    }
}

#[test]
fn segments() {
    for (length, segments) in [(1, 1), (1, 20), (2, 3), (3, 16), (5, 1), (7, 40), (16, 2), (40, 1), (8, 1)] {
        let lanes = length * segments;
        let length = u64::from(length);
        for bits in [1, 4, 9, 65] {
            check_op(&[(bits, lanes)], |x| Op::SegmentSum { value: x[0], length });
            for op in ScanOp::ALL {
                check_op(&[(bits, lanes)], |x| Op::Scan { op: *op, value: x[0], length });
            }
            for signed in [false, true] {
                check_op(&[(bits, lanes)], |x| Op::ArgMin { value: x[0], length, signed });
                check_op(&[(bits, lanes)], |x| Op::Sort { key: x[0], payloads: vec![], length, signed });
                check_op(&[(bits, lanes), (3, lanes), (40, lanes)], |x| Op::Sort {
                    key: x[0],
                    payloads: x[1..].to_vec(),
                    length,
                    signed,
                });
            }
        }
    }
}

#[test]
fn sums_of_products_join_one_circuit() {
    let inputs = [(32, 512), (32, 512)];
    let program = program(&inputs, |_, main, x| {
        let product = main.mul(x[0], x[1])?;
        Ok(vec![main.segment_sum(product, 4)?])
    });
    check(&inputs, program.clone());
    let schedule = lower(&program.expect("a good program"), &Options::default()).expect("lowers");
    assert_eq!(schedule.circuits.len(), 1);
    assert!(schedule.and_count() < 128 * (4 * 559 + 3 * 31));
}

#[test]
fn matrix_products() {
    for (bits, batch, rows, inner, columns) in [
        (8, 1, 1, 1, 1),
        (8, 1, 2, 3, 2),
        (9, 3, 2, 2, 3),
        (5, 20, 2, 3, 2),
        (32, 1, 12, 20, 9),
        (32, 1, 7, 20, 12),
        (32, 2, 1, 100, 9),
        (32, 1, 30, 50, 1),
        // Longer than one circuit: whole tiles, and tiles with a remainder.
        (16, 1, 1, 784, 5),
        (16, 2, 5, 128, 1),
        (12, 3, 2, 195, 3),
    ] {
        let inputs = [(bits, (batch * rows * inner) as u32), (bits, (batch * inner * columns) as u32)];
        check_op(&inputs, |x| Op::MatrixProduct { left: x[0], right: x[1], batch, rows, inner, columns });
    }
}

#[test]
fn long_inner_products_cost_less_than_their_products_alone() {
    let (bits, columns) = (44, 32);
    let ands = |inner: u64, alone: bool| {
        let inputs = [(16, inner as u32), (16, (inner * columns) as u32)];
        let program = program(&inputs, |builder, main, x| {
            let mut extend = |value| main.push(builder, Op::Extend { value, bits, signed: true });
            let (left, right) = (extend(x[0])?[0], extend(x[1])?[0]);
            if !alone {
                return main
                    .push(builder, Op::MatrixProduct { left, right, batch: 1, rows: 1, inner, columns });
            }
            let repeated = Index::Repeat { each: 1, tiles: columns as u32 };
            let left = main.push(builder, Op::Gather(left, repeated))?[0];
            let value = main.push(builder, Op::Binary(BinaryOp::Mul, left, right))?[0];
            main.push(builder, Op::SegmentSum { value, length: inner })
        });
        lower(&program.unwrap(), &Options::default()).unwrap().and_count()
    };
    for inner in [64, 65, 640, 650] {
        assert!(
            ands(inner, false) < ands(inner, true),
            "{inner}: {} {}",
            ands(inner, false),
            ands(inner, true)
        );
    }
}

#[test]
fn products_of_widened_matrices_cost_what_the_narrow_ones_do() {
    for (batch, rows, inner, columns_of_right) in [(1, 2, 3, 2), (3, 2, 2, 3), (1, 12, 10, 9)] {
        for signed in [[false, false], [true, true], [true, false]] {
            let inputs =
                [(16, (batch * rows * inner) as u32), (9, (batch * inner * columns_of_right) as u32)];
            let program = program(&inputs, |builder, main, x| {
                let extend = |main: &mut TemplateBuilder, value, signed| {
                    Ok::<_, BuildError>(main.push(builder, Op::Extend { value, bits: 40, signed })?[0])
                };
                let (left, right) = (extend(main, x[0], signed[0])?, extend(main, x[1], signed[1])?);
                let columns = columns_of_right;
                main.push(builder, Op::MatrixProduct { left, right, batch, rows, inner, columns })
            });
            check(&inputs, program.clone());
            // The same as steps in a loop.
            let (program, small) = (program.unwrap(), Options { map_ands: 100, ..Options::default() });
            let schedule = lower(&program, &small).unwrap();
            let mut random = Random(7);
            let columns = inputs.map(|(bits, lanes)| vec![random.words(bits, lanes)]);
            let wanted = interpret(&program, &columns, || 0).unwrap();
            assert_eq!(evaluate_clear(&schedule, &columns, || 0).unwrap(), wanted);
            let products = batch * rows * inner * columns_of_right;
            for ands in [schedule.and_count(), lower(&program, &Options::default()).unwrap().and_count()] {
                assert!(ands <= products * (2 * 16 * 9 + 40), "{ands} for {products} products");
            }
        }
    }
}

#[test]
fn what_is_known_of_bits_crosses_circuits() {
    // The constant is widened before the input arrives, so in a circuit before that of the division.
    for (lanes, op) in
        [1, 64].into_iter().flat_map(|lanes| [BinaryOp::DivU, BinaryOp::RemU].map(|op| (lanes, op)))
    {
        let inputs = [(32, lanes)];
        let program = program(&inputs, |builder, main, x| {
            let ten = main.constant(Words::scalar(4, 10))?;
            let ten = main.zero_extend(ten, 32)?;
            let ten = main.push(builder, Op::Gather(ten, Index::Repeat { each: lanes, tiles: 1 }))?[0];
            Ok(vec![main.push(builder, Op::Binary(op, x[0], ten))?[0]])
        });
        check(&inputs, program.clone());
        let ands = lower(&program.unwrap(), &Options::default()).unwrap().and_count();
        assert!(ands <= u64::from(lanes) * 100, "{ands}");
    }
}

#[test]
fn secret_positions() {
    for entries in [1, 2, 3, 5, 16, 33, 100] {
        for bits in [1, 2, 7, 12] {
            for lanes in [1, 5, 16, 70] {
                check_op(&[(9, entries), (bits, lanes)], |x| Op::Lookup { table: x[0], index: x[1] });
            }
            check_op(&[(9, entries), (bits, 1), (9, 1)], |x| Op::Update {
                table: x[0],
                index: x[1],
                value: x[2],
            });
        }
        // The table is its own index, and comes from a circuit.
        let bits = index_bits(entries.into());
        let inputs = [(bits, entries)];
        check(
            &inputs,
            program(&inputs, |_, main, x| {
                let square = main.mul(x[0], x[0])?;
                Ok(vec![main.lookup(square, square)?])
            }),
        );
    }
}

#[test]
fn permutations() {
    for lanes in [1, 2, 3, 8, 21, 64] {
        let bits = index_bits(lanes.into());
        let inputs = [(16, lanes), (9, lanes)];
        check(
            &inputs,
            program(&inputs, |builder, main, x| {
                let positions: Vec<u128> = (0..u128::from(lanes)).collect();
                let positions = main.constant(Words::from_u128s(bits, &positions))?;
                let length = u64::from(lanes);
                let order = main.push(
                    builder,
                    Op::Sort { key: x[0], payloads: vec![positions], length, signed: false },
                )?;
                Ok(vec![main.permute(x[1], order[1])?])
            }),
        );
    }
}

#[test]
fn constants_and_copies() {
    let mut random = Random(99);
    for lanes in LANES {
        for bits in [8, 40] {
            let inputs = [(bits, lanes), (bits, 1)];
            let same = Words::from_u128s(bits, &vec![37; lanes as usize]);
            let other = random.words(bits, lanes);
            check(
                &inputs,
                program(&inputs, |_, main, x| {
                    let (same, other) = (main.constant(same.clone())?, main.constant(other.clone())?);
                    let copies =
                        main.gather(x[1], Index::Range { start: 0, step: 0, count: lanes.into() })?;
                    let again = main.gather(copies, Index::Repeat { each: 2, tiles: 1 })?;
                    let a = main.mul(x[0], same)?;
                    let b = main.add(x[0], other)?;
                    let c = main.mul(b, copies)?;
                    Ok(vec![a, b, c, copies, again, same, other, x[0], x[0]])
                }),
            );
        }
    }
}

#[test]
fn flat_and_vector_parts_interleave() {
    let inputs = [(16, 20), (16, 20), (16, 1)];
    check(
        &inputs,
        program(&inputs, |_, main, x| {
            let a = main.mul(x[0], x[1])?;
            let first = main.gather(a, Index::List(vec![3]))?;
            let scaled = main.mul(first, x[2])?;
            let copies = main.gather(scaled, Index::Range { start: 0, step: 0, count: 20 })?;
            let b = main.add(a, copies)?;
            let c = main.add(b, x[0])?;
            let total = main.segment_sum(c, 20)?;
            let d = main.gather(total, Index::Repeat { each: 20, tiles: 1 })?;
            let e = main.sub(c, d)?;
            let last = main.gather(e, Index::List(vec![19]))?;
            Ok(vec![e, last, total])
        }),
    );
}

#[test]
fn flattened_programs_agree() {
    let inputs = [(16, 20), (16, 1)];
    let program = program(&inputs, |_, main, x| {
        let copies = main.gather(x[1], Index::Range { start: 0, step: 0, count: 20 })?;
        let product = main.mul(x[0], copies)?;
        let (least, at) = main.arg_min(product, 20, true)?;
        Ok(vec![product, least, at])
    })
    .expect("a good program");
    let circuit = flatten(&program, 1 << 20).expect("flattens");
    assert_eq!(circuit.inputs(), [320, 16]);
    assert_eq!(circuit.outputs().iter().map(Vec::len).collect::<Vec<_>>(), [320, 16, 5]);
    let mut random = Random(5);
    let columns: Vec<Vec<Words>> =
        inputs.iter().map(|(bits, lanes)| vec![random.words(*bits, *lanes)]).collect();
    let bits = |ports: &[Vec<Words>]| {
        let words = ports.iter().flatten();
        let lane =
            |words: &Words, lane| (0..words.bits()).map(|bit| words.bit(lane, bit)).collect::<Vec<_>>();
        words
            .flat_map(|words| (0..words.lanes()).flat_map(|l| lane(words, l)).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    };
    let expected = interpret(&program, &columns, || 0).expect("runs");
    assert_eq!(circuit.evaluate(&bits(&columns)), Ok(bits(&expected)));
}
