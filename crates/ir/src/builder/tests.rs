use super::*;
use crate::{Op, Words};

fn integer(bits: u32) -> Shape {
    Shape::Integer { bits, signed: false }
}

#[test]
fn millionaires_is_a_program() {
    let mut program = Builder::new("millionaires");
    let (a, b) = (program.role("A"), program.role("B"));
    let mine = program.input("mil", a, integer(32)).unwrap();
    let yours = program.input("mil", b, integer(32)).unwrap();
    let richer = program.output("richer", vec![b, a, b], integer(1)).unwrap();
    let mut main = program.template("main", vec![]);
    let (x, y) = (main.input(&program, mine).unwrap()[0], main.input(&program, yours).unwrap()[0]);
    let less = main.lt_u(x, y).unwrap();
    main.output(&program, richer, &[less]).unwrap();
    let program = program.finish(main).unwrap();
    assert_eq!(program.outputs[0].roles, [a, b]);
    program.validate().unwrap();
}

#[test]
fn constants_are_reused() {
    let program = Builder::new("constants");
    let mut main = program.template("main", vec![]);
    let [a, b, c] = [(8, 7), (8, 263), (9, 7)].map(|(bits, value)| main.word(bits, value).unwrap());
    assert_eq!(a, b);
    assert_ne!(a, c);
    assert_eq!(main.len(), 2);
}

#[test]
fn a_column_left_out_or_used_twice_is_an_error() {
    for uses in [0, 2] {
        let mut program = Builder::new("ports");
        let role = program.role("A");
        let port = program.input("x", role, integer(8)).unwrap();
        let mut main = program.template("main", vec![]);
        for _ in 0..uses {
            main.input(&program, port).unwrap();
        }
        let error = program.finish(main).unwrap_err().to_string();
        assert_eq!(error, r#"program: input "x": a column does not occur exactly once in main"#);
    }
}

#[test]
fn names_are_unique_for_a_role() {
    let mut program = Builder::new("names");
    let (a, b) = (program.role("A"), program.role("B"));
    program.input("x", a, integer(8)).unwrap();
    program.input("x", b, integer(8)).unwrap();
    assert!(program.input("x", a, integer(8)).is_err());
    program.output("x", vec![a], integer(8)).unwrap();
    assert!(program.output("x", vec![a, b], integer(8)).is_err());
    assert!(program.output("y", vec![], integer(8)).is_err());
    assert!(program.input("z", RoleId(2), integer(8)).is_err());
}

#[test]
fn inputs_belong_in_main() {
    let mut program = Builder::new("inner");
    let role = program.role("A");
    let port = program.input("x", role, integer(8)).unwrap();
    let mut inner = program.template("inner", vec![]);
    inner.input(&program, port).unwrap();
    let error = program.add(inner, vec![]).unwrap_err().to_string();
    assert!(error.contains("belongs in main alone"), "{error}");
}

#[test]
fn types_that_do_not_fit_are_named() {
    let program = Builder::new("types");
    let mut main = program.template("main", vec![]);
    let (a, b) = (main.word(8, 1).unwrap(), main.word(9, 1).unwrap());
    assert_eq!(main.add(a, b).unwrap_err().to_string(), "add: %0 is w8x1 but %1 is w9x1");
    assert!(main.word(0, 1).is_err());
    assert!(main.zero_extend(b, 8).is_err());
    assert!(main.slice(a, 1, 8).is_err());
    assert_eq!(main.zero_extend(a, 8), Ok(a));
    assert!(main.select(a, b, b).is_err());
    assert!(main.lookup(a, ValueId(99)).is_err());
    assert!(main.push(&program, Op::Constant(Words::zero(0, 1))).is_err());
}

#[test]
fn a_million_operations_are_nothing() {
    let mut program = Builder::new("long");
    let mut body = program.template("body", vec![ValueType::word(32, 1)]);
    let (mut sum, start) = (ValueId(0), body.len());
    for number in 0..500_000 {
        let constant = body.word(32, number % 1000).unwrap();
        sum = body.add(sum, constant).unwrap();
    }
    assert_eq!(body.len() - start, 501_000);
    program.add(body, vec![sum]).unwrap();
}

#[test]
fn loops_multiply_out_to_bounded_work() {
    let mut program = Builder::new("loops");
    let word = ValueType::word(32, 1);
    let mut body = program.template("body", vec![word]);
    let doubled = body.add(ValueId(0), ValueId(0)).unwrap();
    let mut inner = program.add(body, vec![doubled]).unwrap();
    for depth in 0.. {
        let mut outer = program.template("outer", vec![word]);
        let results = outer.iterate(&program, inner, 1 << 20, &[ValueId(0)], &[], &[]).unwrap();
        match program.add(outer, results) {
            Ok(template) => inner = template,
            Err(error) => {
                assert!(error.to_string().contains("bit operations"), "{error}");
                assert_eq!(depth, 2);
                break;
            }
        }
    }
}
