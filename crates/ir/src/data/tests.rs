use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{Builder, Program, Shape, ValueType, Words};

fn integer(bits: u32, signed: bool) -> Shape {
    Shape::Integer { bits, signed }
}

fn list(length: u32, element: Shape) -> Shape {
    Shape::Array { length, element: Box::new(element) }
}

fn error(shape: &Shape, value: Value) -> String {
    decode(shape, &value).unwrap_err().to_string()
}

#[test]
fn columns_are_row_major_and_in_order_of_declaration() {
    let inner =
        Shape::Struct(vec![("x".into(), integer(8, false)), ("y".into(), list(3, integer(16, true)))]);
    let shape = list(2, inner);
    let value = json!([{"x": 1, "y": [-1, 2, 3]}, {"x": 2, "y": [4, 5, -32768]}]);
    let columns = decode(&shape, &value).unwrap();
    assert_eq!(columns[0], Words::from_u128s(8, &[1, 2]));
    assert_eq!(columns[1], Words::from_u128s(16, &[0xffff, 2, 3, 4, 5, 0x8000]));
    assert_eq!(encode(&shape, &columns), value);
}

#[test]
fn integers_are_bounded_by_their_type() {
    let fits = |shape: &Shape, text: &str| decode(shape, &serde_json::from_str(text).unwrap()).is_ok();
    for (bits, signed, good, bad) in [
        (1, false, vec!["0", "1", "-0"], vec!["2", "-1"]),
        (1, true, vec!["0", "-1"], vec!["1", "-2"]),
        (8, false, vec!["255"], vec!["256", "-1", "1000000000000000000000000000"]),
        (8, true, vec!["127", "-128"], vec!["128", "-129"]),
        (64, false, vec!["18446744073709551615"], vec!["18446744073709551616"]),
        (64, true, vec!["-9223372036854775808"], vec!["9223372036854775808"]),
        (
            128,
            false,
            vec!["340282366920938463463374607431768211455"],
            vec!["340282366920938463463374607431768211456"],
        ),
        (
            130,
            true,
            vec!["-680564733841876926926749214863536422912"],
            vec!["680564733841876926926749214863536422912"],
        ),
    ] {
        good.iter().for_each(|text| assert!(fits(&integer(bits, signed), text), "{text} in {bits}"));
        bad.iter().for_each(|text| assert!(!fits(&integer(bits, signed), text), "{text} in {bits}"));
    }
}

#[test]
fn errors_name_the_path_and_what_is_wrong() {
    let record = Shape::Struct(vec![("x".into(), integer(8, false)), ("flag".into(), integer(1, false))]);
    let shape = list(2, record);
    let with = |x: Value| json!([{"x": 1, "flag": true}, {"x": x, "flag": false}]);
    assert!(decode(&shape, &with(json!(7))).is_ok());
    assert_eq!(error(&shape, with(json!(300))), "[1].x: 300 does not fit in 8 bits unsigned");
    assert_eq!(error(&shape, with(json!(-1))), "[1].x: -1 does not fit in 8 bits unsigned");
    let fraction = "[1].x: 1.5 where an integer without fraction or exponent is expected";
    assert_eq!(error(&shape, with(json!(1.5))), fraction);
    assert!(error(&shape, with(serde_json::from_str("1e3").unwrap())).contains("exponent"));
    assert_eq!(
        error(&shape, with(json!("7"))),
        "[1].x: the text \"7\" where an integer of 8 bits is expected"
    );
    assert_eq!(error(&shape, with(json!(true))), "[1].x: true where an integer of 8 bits is expected");
    assert_eq!(error(&shape, with(json!(null))), "[1].x: null where an integer of 8 bits is expected");
    assert_eq!(error(&shape, with(json!([1]))), "[1].x: a list where an integer of 8 bits is expected");
    assert_eq!(error(&shape, json!([])), "0 elements where 2 are expected");
    assert_eq!(error(&shape, json!([{"x": 1, "flag": 0}, 5])), "[1]: 5 where an object is expected");
    assert_eq!(error(&shape, json!([{"x": 1}, 5])), "[0].flag is missing");
    let unknown = json!([{"x": 1, "flag": 0, "z": 1}, 5]);
    assert_eq!(error(&shape, unknown), "[0].z is unknown; expected x, flag");
    let long = serde_json::from_str(&"9".repeat(5000)).unwrap();
    assert_eq!(error(&integer(8, true), long), format!("{}… does not fit in 8 bits signed", "9".repeat(40)));
}

/// Two inputs of A, one of B; `x` differs by role, `sum` goes to both.
fn program() -> Program {
    let mut program = Builder::new("ports");
    let roles = [program.role("A"), program.role("B")];
    let byte = integer(8, true);
    let inputs = [("x", 0), ("db", 0), ("x", 1)].map(|(name, role)| {
        let shape = if name == "db" { list(2, byte.clone()) } else { byte.clone() };
        program.input(name, roles[role], shape).unwrap()
    });
    let outputs = [("x", vec![roles[0]]), ("x", vec![roles[1]]), ("sum", roles.to_vec())]
        .map(|(name, roles)| program.output(name, roles, byte.clone()).unwrap());
    let mut main = program.template("main", vec![]);
    let values = inputs.map(|port| main.input(&program, port).unwrap()[0]);
    let sum = main.add(values[0], values[2]).unwrap();
    for (port, value) in outputs.into_iter().zip([values[0], values[2], sum]) {
        main.output(&program, port, &[value]).unwrap();
    }
    program.finish(main).unwrap()
}

#[test]
fn roles_give_and_receive_their_own() {
    let program = program();
    let (a, b) = (crate::RoleId(0), crate::RoleId(1));
    let mut inputs = vec![Vec::new(); 3];
    for (role, value) in [(a, json!({"db": [1, 2], "x": -3})), (b, json!({"x": 5}))] {
        for (port, columns) in decode_inputs(&program, role, &value).unwrap() {
            inputs[port.index()] = columns;
        }
    }
    let outputs = crate::interpret(&program, &inputs, || 0).unwrap();
    let objects = [(a, encode_outputs(&program, a, &outputs)), (b, encode_outputs(&program, b, &outputs))];
    assert_eq!(objects[0].1, json!({"x": -3, "sum": 2}));
    assert_eq!(objects[1].1, json!({"x": 5, "sum": 2}));
    let merged = json!({"A.x": -3, "B.x": 5, "sum": 2});
    assert_eq!(merge_outputs(&program, &objects).unwrap(), merged);
    assert_eq!(encode_all_outputs(&program, &outputs), merged);
}

#[test]
fn variables_unknown_missing_or_in_dispute_are_errors() {
    let program = program();
    let (a, b) = (crate::RoleId(0), crate::RoleId(1));
    let inputs = |value| decode_inputs(&program, a, &value).unwrap_err().to_string();
    assert_eq!(inputs(json!({"x": 1})), "db is missing");
    assert_eq!(inputs(json!({"x": 1, "db": [1, 2], "y": 1})), "y is unknown; expected x, db");
    assert_eq!(inputs(json!({"x": 1, "db": [1, 200]})), "db[1]: 200 does not fit in 8 bits signed");
    assert_eq!(inputs(json!([1])), "a list where an object is expected");
    let merge =
        |a_says, b_says| merge_outputs(&program, &[(a, a_says), (b, b_says)]).unwrap_err().to_string();
    assert_eq!(
        merge(json!({"x": 1, "sum": 1}), json!({"x": 1, "sum": 2})),
        "the roles disagree on the output sum"
    );
    assert_eq!(merge(json!({"x": 1}), json!({"x": 1})), "sum is missing");
}

proptest! {
    #[test]
    fn what_is_encoded_decodes_to_the_same(
        bits in 1u32..140, signed: bool, rows in 1u32..4, values in prop::collection::vec(any::<[u64; 3]>(), 12),
    ) {
        let member = |name: &str, shape| (name.to_owned(), shape);
        let shape = list(rows, Shape::Struct(vec![
            member("one", integer(bits, signed)),
            member("some", list(3, integer(bits, !signed))),
        ]));
        let columns: Vec<_> = [1, 3].map(|lanes| {
            let mut words = Words::zero(bits, u64::from(rows) * lanes);
            for lane in 0..words.lanes() {
                let limbs = &values[lane as usize % values.len()];
                words.lane_mut(lane).iter_mut().zip(limbs).for_each(|(limb, value)| *limb = *value);
            }
            words.mask();
            words
        }).into();
        let text = encode(&shape, &columns).to_string();
        let decoded = decode(&shape, &serde_json::from_str(&text).unwrap()).unwrap();
        prop_assert_eq!(decoded[0].value_type(), ValueType::word(bits, u64::from(rows)));
        prop_assert_eq!(decoded, columns);
    }
}
