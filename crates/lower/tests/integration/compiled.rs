//! Circuits that keep the names of their variables: wire maps beside Bristol Fashion, and netlists.

use std::collections::BTreeMap;

use crate::plain_evaluator::Netlist;
use proptest::prelude::*;
use serde_json::{Value, json};
use tacit_arbitrary as arbitrary;
use tacit_circuit::formats::netlist;
use tacit_ir::{Builder, Index, Program, RoleId, Shape, Words, data, interpret};
use tacit_lower::{CompiledCircuit, CompiledError, flatten};

fn compiled(program: &Program) -> Option<CompiledCircuit> {
    let circuit = flatten(program, 1 << 22).ok()?;
    Some(CompiledCircuit::new(program, circuit).expect("the program's own circuit"))
}

/// The scalar at a path like `[3].x`.
fn at<'a>(mut value: &'a Value, path: &str) -> &'a Value {
    let mut rest = path;
    while !rest.is_empty() {
        (value, rest) = if let Some(after) = rest.strip_prefix('[') {
            let (index, after) = after.split_once(']').expect("an index in brackets");
            (&value[index.parse::<usize>().expect("an index")], after)
        } else {
            let name = &rest[1..];
            let end = name.find(['[', '.']).unwrap_or(name.len());
            (&value[&name[..end]], &name[end..])
        };
    }
    value
}

/// A scalar of a type like `u8`, `i16` or `f32`.
fn scalar(ty: &Value) -> Shape {
    let ty = ty.as_str().expect("a text");
    let bits = ty[1..].parse().expect("a width");
    match &ty[..1] {
        "f" => Shape::Float { bits },
        kind => Shape::Integer { bits, signed: kind == "i" },
    }
}

/// The bits of a scalar, least significant first.
fn bits_of(value: &Value, shape: &Shape) -> Vec<bool> {
    let columns = data::decode(shape, value).expect("a value of this type");
    (0..columns[0].bits()).map(|bit| columns[0].bit(0, bit)).collect()
}

/// The scalar of these bits.
fn value_of(bits: &[bool], shape: &Shape) -> Value {
    let mut words = Words::zero(bits.len() as u32, 1);
    (0..).zip(bits).for_each(|(place, bit)| words.set_bit(0, place, *bit));
    data::encode(shape, &[words])
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn number(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

/// Runs a program's circuit file using only the map beside it.
fn assert_mapped(program: &Program, columns: &[Vec<Words>]) {
    let Some(compiled) = compiled(program) else { return };
    // In the form that users write, which has only one NaN.
    let given =
        program.inputs.iter().zip(columns).map(|(port, columns)| (port, data::encode(&port.shape, columns)));
    let columns: Vec<Vec<Words>> =
        given.map(|(port, value)| data::decode(&port.shape, &value).expect("what was written")).collect();
    let mut file = Vec::new();
    let map = compiled.write_bristol(&mut file).expect("memory takes it");
    let map: Value = serde_json::from_str(&serde_json::to_string(&map).expect("JSON")).expect("JSON");
    let netlist = Netlist::parse(std::str::from_utf8(&file).expect("text"));
    let role = |role: &RoleId| program.roles[role.index()].clone();
    let named = |roles: Value, name: &str| (roles.to_string(), name.to_owned());
    let given = program.inputs.iter().zip(&columns);
    let given: BTreeMap<(String, String), Value> = given
        .map(|(port, columns)| {
            (named(json!([role(&port.role)]), &port.name), data::encode(&port.shape, columns))
        })
        .collect();
    let mut inputs = BTreeMap::new();
    for variable in map["inputs"].as_array().expect("a list") {
        let (width, first) = (number(&variable["width"]), number(&variable["first_wire"]));
        let name = named(variable["roles"].clone(), &text(&variable["variable"]));
        let value = at(&given[&name], &text(&variable["path"]));
        let bits = bits_of(value, &scalar(&variable["type"]));
        assert_eq!(bits.len(), width);
        inputs.extend((first..).zip(bits));
    }
    let wires = netlist.evaluate(&inputs);
    let expected = interpret(program, &columns, || 0).expect("runs");
    let outputs = program.outputs.iter().zip(&expected);
    let expected: BTreeMap<(String, String), Value> = outputs
        .map(|(port, columns)| {
            let roles: Vec<String> = port.roles.iter().map(role).collect();
            (named(json!(roles), &port.name), data::encode(&port.shape, columns))
        })
        .collect();
    let mut read = 0;
    for variable in map["outputs"].as_array().expect("a list") {
        let (width, first) = (number(&variable["width"]), number(&variable["first_wire"]));
        let name = named(variable["roles"].clone(), &text(&variable["variable"]));
        let value = at(&expected[&name], &text(&variable["path"]));
        assert_eq!(value_of(&wires[first..first + width], &scalar(&variable["type"])), *value, "{variable}");
        read += width;
    }
    assert_eq!((inputs.len(), read), (netlist.inputs, netlist.outputs), "every wire has a name");
}

/// `struct { u8 x; i16 y[3]; } q[5]` and a number; the output is their sum for each element.
fn structs() -> Program {
    let integer = |bits, signed| Shape::Integer { bits, signed };
    let array = |length, element| Shape::Array { length, element: Box::new(element) };
    let record =
        Shape::Struct(vec![("x".into(), integer(8, false)), ("y".into(), array(3, integer(16, true)))]);
    let shape = array(5, record);
    let mut program = Builder::new("structs");
    let (a, b) = (program.role("A"), program.role("B"));
    let (q, n) = (program.input("q", a, shape.clone()), program.input("n", b, integer(16, true)));
    let sum = program.output("sum", vec![a, b], shape).expect("a name");
    let mut main = program.template("main", vec![]);
    let columns = main.input(&program, q.expect("a name")).expect("columns");
    let number = main.input(&program, n.expect("a name")).expect("columns")[0];
    let number = main.gather(number, Index::Range { start: 0, step: 0, count: 15 }).expect("a vector");
    let y = main.add(columns[1], number).expect("a sum");
    main.output(&program, sum, &[columns[0], y]).expect("columns");
    program.finish(main).expect("a program")
}

#[test]
fn maps_place_every_variable() {
    let program = structs();
    let record = |i: i64| json!({"x": i, "y": [i, -i, 7 * i]});
    let q = Value::from((0..5).map(record).collect::<Vec<_>>());
    let columns =
        vec![data::decode(&program.inputs[0].shape, &q).expect("fits"), vec![Words::scalar(16, 1000)]];
    assert_mapped(&program, &columns);
    let compiled = compiled(&program).expect("a circuit");
    let map = compiled.write_bristol(&mut Vec::new()).expect("memory takes it");
    let found: Vec<_> =
        map.inputs.iter().map(|one| (one.path.as_str(), one.ty.as_str(), one.first_wire)).collect();
    assert_eq!(
        found[..6],
        [
            ("[0].x", "u8", 0),
            ("[1].x", "u8", 8),
            ("[2].x", "u8", 16),
            ("[3].x", "u8", 24),
            ("[4].x", "u8", 32),
            ("[0].y[0]", "i16", 40),
        ]
    );
    assert_eq!(found[20], ("", "i16", 40 + 15 * 16));
    assert_eq!((map.outputs.len(), &map.outputs[0].roles[..]), (20, &["A".to_owned(), "B".to_owned()][..]));
}

#[test]
fn maps_of_random_programs_place_every_variable() {
    for seed in 0..150 {
        let program = arbitrary::program(seed, &arbitrary::Size::default());
        assert_mapped(&program, &arbitrary::inputs(&program, seed));
    }
}

#[test]
fn netlists_are_programs_of_the_same_inputs_and_outputs() {
    for seed in 0..100 {
        let program = arbitrary::program(seed, &arbitrary::Size::default());
        let Some(compiled) = compiled(&program) else { continue };
        let mut bytes = Vec::new();
        compiled.write_netlist(&mut bytes).expect("memory takes it");
        let back = CompiledCircuit::read_netlist(&bytes[..], 1 << 22).expect("what was written");
        assert_eq!(back, compiled);
        let again = back.program().expect("a program");
        assert_eq!(
            (&again.name, &again.roles, &again.inputs, &again.outputs),
            (&program.name, &program.roles, &program.inputs, &program.outputs)
        );
        let inputs = arbitrary::inputs(&program, seed);
        assert_eq!(interpret(&again, &inputs, || 0), interpret(&program, &inputs, || 0));
    }
}

#[test]
fn netlists_of_other_interfaces_are_refused() {
    let program = structs();
    let circuit = flatten(&program, 1 << 20).expect("a circuit");
    let mut other = program.clone();
    other.inputs[1].shape = Shape::Integer { bits: 17, signed: false };
    let refused = CompiledCircuit::new(&other, circuit.clone()).expect_err("another width");
    assert_eq!(refused.to_string(), "the netlist says that n has 17 bits, and its circuit has 16 there");
    other.inputs[1].shape = Shape::Struct(vec![
        (
            "a".into(),
            Shape::Array { length: u32::MAX, element: Box::new(Shape::Integer { bits: 0, signed: false }) },
        ),
        ("b".into(), Shape::Integer { bits: 16, signed: false }),
    ]);
    assert!(matches!(CompiledCircuit::new(&other, circuit.clone()), Err(CompiledError::Interface(_))));
    other = program.clone();
    other.roles.pop();
    assert!(matches!(CompiledCircuit::new(&other, circuit.clone()), Err(CompiledError::Interface(_))));
    other = program;
    other.outputs.clear();
    assert!(matches!(CompiledCircuit::new(&other, circuit), Err(CompiledError::Interface(_))));
}

proptest! {
    #[test]
    fn damaged_netlists_are_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let compiled = compiled(&structs()).expect("a circuit");
        let mut bytes = Vec::new();
        compiled.write_netlist(&mut bytes).expect("memory takes it");
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(read) = CompiledCircuit::read_netlist(&bytes[..], 1 << 16) {
            let _ = read.program();
        }
    }

    #[test]
    fn any_interface_is_read_or_refused(interface in proptest::collection::vec(any::<u8>(), 0..60)) {
        let circuit = flatten(&structs(), 1 << 20).expect("a circuit");
        let mut bytes = Vec::new();
        netlist::write(&circuit, &interface, &mut bytes).expect("memory takes it");
        let _ = CompiledCircuit::read_netlist(&bytes[..], 1 << 16);
    }
}
