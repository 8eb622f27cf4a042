//! How many ANDs must follow one another.

use tacit_ir::{BinaryOp, Builder, Op, Program, Shape, ValueType};
use tacit_lower::{Options, flatten, lower};

/// All of `x` and `y` brought together in a loop.
fn in_a_loop(op: BinaryOp, count: u64) -> Program {
    let word = Shape::Integer { bits: 16, signed: false };
    let words = Shape::Array { length: count as u32, element: word.clone().into() };
    let mut program = Builder::new("sum");
    let roles = [program.role("A"), program.role("B")];
    let x = program.input("x", roles[0], words).unwrap();
    let y = program.input("y", roles[1], word.clone()).unwrap();
    let z = program.output("z", roles.to_vec(), word).unwrap();
    let mut body = program.template("body", vec![ValueType::word(16, 1); 2]);
    let [sum, next] = body.parameters()[..] else { panic!("two parameters") };
    let sum = body.push(&program, Op::Binary(op, sum, next)).unwrap();
    let body = program.add(body, sum).unwrap();
    let mut main = program.template("main", vec![]);
    let (x, y) = (main.input(&program, x).unwrap()[0], main.input(&program, y).unwrap()[0]);
    let sum = main.iterate(&program, body, count, &[y], &[], &[x]).unwrap()[0];
    main.output(&program, z, &[sum]).unwrap();
    program.finish(main).unwrap()
}

#[test]
fn depth_is_that_of_all_as_one_circuit() {
    for op in [BinaryOp::Add, BinaryOp::Mul, BinaryOp::And, BinaryOp::Xor] {
        for count in [1, 2, 3, 4, 40] {
            let program = in_a_loop(op, count);
            let flat = flatten(&program, 1 << 20).unwrap().stats().and_depth;
            for inline_ands in [0, 1 << 20] {
                let options = Options { inline_ands, ..Options::default() };
                let depth = lower(&program, &options).unwrap().and_depth();
                assert!(depth >= flat && depth <= 2 * flat + 1, "{op:?} {count}: {depth}, flat {flat}");
            }
        }
    }
}

#[test]
fn long_loops_are_not_followed_to_their_end() {
    assert_eq!(lower(&in_a_loop(BinaryOp::And, 1 << 20), &Options::default()).unwrap().and_depth(), 1 << 20);
    assert_eq!(lower(&in_a_loop(BinaryOp::Add, 1 << 20), &Options::default()).unwrap().and_depth(), 15);
}
