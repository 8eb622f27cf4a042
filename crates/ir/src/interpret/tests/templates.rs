//! Calls, maps, iterations, netlists, fields, and inputs that do not fit.

use super::*;
use crate::{Field, Netlist, NetlistGate, Op, UnaryOp};

fn vector(bits: u32, values: &[u128]) -> Words {
    Words::from_u128s(bits, values)
}

#[test]
fn map_gives_each_instance_its_lanes() {
    let output = run(&[vector(8, &[1, 2, 3, 4, 5, 6]), vector(8, &[10, 20, 30])], |program, p| {
        let mut row = program.template("row", vec![ValueType::word(8, 2), ValueType::word(8, 1)]);
        let sum = row.segment_sum(ValueId(0), 2).unwrap();
        let sum = row.add(sum, ValueId(1)).unwrap();
        let row = program.add(row, vec![sum, ValueId(0)]).unwrap();
        let types = vec![ValueType::word(8, 6), ValueType::word(8, 3)];
        let mut body = program.template("body", types);
        let results = body.map(program, row, 3, p).unwrap();
        (body, results)
    });
    assert_eq!(output, [vector(8, &[13, 27, 41]), vector(8, &[1, 2, 3, 4, 5, 6])]);
}

#[test]
fn iterate_carries_slices_and_stacks() {
    // carried (a, b) -> (b, a + b + slice + invariant), stacked: a.
    let output = run(&[vector(16, &[1, 2]), vector(16, &[5]), vector(16, &[1, 2, 3, 4])], |program, p| {
        let word = ValueType::word(16, 1);
        let mut step = program.template("step", vec![word; 4]);
        let [a, b, k, slice] = [0, 1, 2, 3].map(ValueId);
        let sum = step.add(a, b).unwrap();
        let sum = step.add(sum, slice).unwrap();
        let sum = step.add(sum, k).unwrap();
        let step = program.add(step, vec![b, sum, a]).unwrap();
        let mut body = program.template("body", vec![ValueType::word(16, 2), word, ValueType::word(16, 4)]);
        let first = body.gather(p[0], crate::Index::List(vec![0])).unwrap();
        let second = body.gather(p[0], crate::Index::List(vec![1])).unwrap();
        let results = body.iterate(program, step, 4, &[first, second], &[p[1]], &[p[2]]).unwrap();
        (body, results)
    });
    // (1,2) (2,9) (9,18) (18,35) (35,62)
    assert_eq!(output, [vector(16, &[35]), vector(16, &[62]), vector(16, &[1, 2, 9, 18])]);
}

#[test]
fn carried_values_may_trade_places() {
    for count in [1, 2, 7] {
        let output = run(&[vector(8, &[3]), vector(8, &[4])], |program, p| {
            let swap = program.template("swap", vec![ValueType::word(8, 1); 2]);
            let swap = program.add(swap, vec![ValueId(1), ValueId(0)]).unwrap();
            let mut body = program.template("body", vec![ValueType::word(8, 1); 2]);
            let results = body.iterate(program, swap, count, p, &[], &[]).unwrap();
            (body, results)
        });
        let expected = if count % 2 == 0 { [3, 4] } else { [4, 3] };
        assert_eq!(output, expected.map(|value| vector(8, &[value])));
    }
}

#[test]
fn a_million_iterations_beside_a_large_invariant() {
    let table: Vec<u128> = (0..10_000).collect();
    let output = run(&[vector(32, &[0]), vector(32, &table)], |program, p| {
        let mut step = program.template("step", vec![ValueType::word(32, 1), ValueType::word(32, 10_000)]);
        let found = step.lookup(ValueId(1), ValueId(0)).unwrap();
        let one = step.word(32, 1).unwrap();
        let next = step.add(found, one).unwrap();
        let mask = step.word(32, 8191).unwrap();
        let next = step.and(next, mask).unwrap();
        let step = program.add(step, vec![next]).unwrap();
        let mut body = program.template("body", vec![ValueType::word(32, 1), ValueType::word(32, 10_000)]);
        let results = body.iterate(program, step, 1_000_000, &p[..1], &p[1..], &[]).unwrap();
        (body, results)
    });
    assert_eq!(output, [vector(32, &[1_000_000 % 8192])]);
}

#[test]
fn large_values_are_dropped_but_not_those_still_needed() {
    let lanes = 10_000;
    let values: Vec<u128> = (0..u128::from(lanes)).collect();
    let output = run(&[vector(32, &values)], |program, p| {
        let ty = ValueType::word(32, lanes);
        let mut step = program.template("step", vec![ty]);
        let one = step.constant(vector(32, &vec![1; lanes as usize])).unwrap();
        let next = step.add(ValueId(0), one).unwrap();
        let twice = step.add(next, next).unwrap();
        let back = step.sub(twice, next).unwrap();
        let step = program.add(step, vec![back, next]).unwrap();
        let mut body = program.template("body", vec![ty]);
        let results = body.iterate(program, step, 3, p, &[], &[]).unwrap();
        let sum = body.segment_sum(results[1], lanes).unwrap();
        (body, vec![results[0], sum])
    });
    assert_eq!(output[0], vector(32, &(3..u128::from(lanes) + 3).collect::<Vec<_>>()));
    assert_eq!(output[1].limbs(), [0, 1, 2].map(|i: u64| (0..lanes).map(|v| v + i + 1).sum::<u64>()));
}

#[test]
fn netlists_see_bits_lane_by_lane() {
    // A full adder on two lanes of one bit and a third bit.
    let gates = vec![
        NetlistGate::Xor(0, 1),
        NetlistGate::Xor(3, 2),
        NetlistGate::And(0, 1),
        NetlistGate::And(3, 2),
        NetlistGate::Xor(5, 6),
        NetlistGate::Not(4),
        NetlistGate::Constant(true),
    ];
    for bits in 0..8u128 {
        let (ab, c) = (vector(1, &[bits & 1, bits >> 1 & 1]), vector(1, &[bits >> 2]));
        let output = run(&[ab, c], |program, p| {
            let netlist = Netlist { gates: gates.clone(), outputs: vec![vec![4, 7], vec![8, 9, 0]] };
            let types = vec![ValueType::word(1, 2), ValueType::word(1, 1)];
            let results = vec![ValueType::word(2, 1), ValueType::word(1, 3)];
            let adder = program.add_netlist("adder", types.clone(), results, netlist).unwrap();
            let mut body = program.template("body", types);
            let results = body.call(program, adder, p).unwrap();
            (body, results)
        });
        let sum = u128::from(bits.count_ones());
        assert_eq!(output, [vector(2, &[sum]), vector(1, &[1 - (sum & 1), 1, bits & 1])]);
    }
}

#[test]
fn fields_compute() {
    for field in [Field::Prime(vec![65537]), Field::Prime(vec![u64::MAX, (1 << 63) - 1]), Field::Gf256] {
        let output = run(&[], |program, _| {
            let field = program.field(field.clone());
            let ty = ValueType { ty: Type::Field(field), lanes: 6 };
            let mut body = program.template("body", vec![]);
            let (a, b, c) = (body.random(ty).unwrap(), body.random(ty).unwrap(), body.random(ty).unwrap());
            // (a + b) c = a c + b c; c / c = c⁻¹ c; a - a = b + -b; sums and products of matrices agree.
            let sum = body.add(a, b).unwrap();
            let left = body.mul(sum, c).unwrap();
            let (ac, bc) = (body.mul(a, c).unwrap(), body.mul(b, c).unwrap());
            let right = body.add(ac, bc).unwrap();
            let distributes = body.eq(left, right).unwrap();
            let inverse = body.push(program, Op::Unary(UnaryOp::Invert, c)).unwrap()[0];
            let one = body.mul(inverse, c).unwrap();
            let again = body.mul(one, c).unwrap();
            let inverts = body.eq(again, c).unwrap();
            let minus = body.neg(b).unwrap();
            let (zero, other) = (body.sub(a, a).unwrap(), body.add(b, minus).unwrap());
            let cancels = body.eq(zero, other).unwrap();
            let products = body.matrix_product(a, c, 2, 1, 3, 1).unwrap();
            let sums = body.segment_sum(ac, 3).unwrap();
            let agrees = body.eq(products, sums).unwrap();
            (body, vec![distributes, inverts, cancels, agrees])
        });
        for words in output {
            assert!((0..words.lanes()).all(|lane| words.bit(lane, 0)), "{field:?}");
        }
    }
}

#[test]
fn inputs_that_do_not_fit_are_errors() {
    let mut program = Builder::new("inputs");
    let role = program.role("A");
    let port = program.input("x", role, Shape::Integer { bits: 8, signed: false }).unwrap();
    let mut main = program.template("main", vec![]);
    main.input(&program, port).unwrap();
    let program = program.finish(main).unwrap();
    let error = |inputs: &[Vec<Words>]| interpret(&program, inputs, || 0).unwrap_err().to_string();
    assert_eq!(error(&[]), "the list of inputs has 0 values where the program takes 1");
    assert_eq!(error(&[vec![]]), "input `x` has 0 values where the program takes 1");
    let wide = error(&[vec![Words::zero(9, 1)]]);
    assert_eq!(wide, "column 0 of input `x` is w9x1 where the program takes w8x1");
}

/// A program with templates nested `depth` deep, including `main`.
fn nested(depth: u32) -> Result<Program, crate::BuildError> {
    let mut program = Builder::new("nested");
    let leaf = program.template("leaf", vec![]);
    let mut inner = program.add(leaf, vec![])?;
    for _ in 2..depth {
        let mut outer = program.template("outer", vec![]);
        outer.call(&program, inner, &[])?;
        inner = program.add(outer, vec![])?;
    }
    let mut main = program.template("main", vec![]);
    main.call(&program, inner, &[])?;
    program.finish(main)
}

#[test]
fn templates_nest_to_a_limit() {
    let program = nested(crate::MAX_TEMPLATE_DEPTH).unwrap();
    assert_eq!(interpret(&program, &[], || 0), Ok(vec![]));
    let error = nested(crate::MAX_TEMPLATE_DEPTH + 1).unwrap_err().to_string();
    assert!(error.contains("more than 256 deep"), "{error}");
}
