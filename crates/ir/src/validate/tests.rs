use crate::*;

/// `y = step(step(x))` with `step` an iteration over a netlist's results.
fn program() -> Program {
    let text = r#"tacit 1 "p"
role "A"
role "B"
field gf256
input "x" of "A" : [2] u8
output "y" to "A", "B" : [2] u8

netlist @0 "not" (w1x1) -> (w1x1) {
  1 = not 0
  return [1]
}

template @1 "step" (w8x2) -> (w8x2) {
  %1 = add %0, %0 : w8x2 ; line 3
  return %1
}

main @2 "main" () -> () {
  %0 = input 0.0 : w8x2
  %1 = iterate @1, 3, carried [%0], invariant [], sliced [] : w8x2 ; line 9
  output 0.0, %1 ; line 10
  return
}
"#;
    Program::parse_text(text).unwrap()
}

fn operations(program: &mut Program, template: usize) -> &mut Vec<Operation> {
    match &mut program.templates[template].body {
        Body::Operations { operations, .. } => operations,
        Body::Netlist(_) => panic!("a netlist"),
    }
}

/// The error of validation after a change.
fn after(change: impl FnOnce(&mut Program)) -> String {
    let mut program = program();
    change(&mut program);
    program.validate().unwrap_err().to_string()
}

#[test]
fn errors_name_template_operation_and_line() {
    let error = after(|p| operations(p, 1)[0].op = Op::Binary(BinaryOp::Add, ValueId(0), ValueId(1)));
    assert_eq!(error, r#"template "step", operation 0 `add`, line 3: %1 is not defined before it"#);
    let error = after(|p| operations(p, 2)[2].op = Op::Open(ValueId(7)));
    assert!(error.contains("does not occur exactly once in main"), "{error}");
    let error = after(|p| {
        operations(p, 1)[0] = Operation { op: Op::Unary(UnaryOp::Invert, ValueId(0)), line: 0 };
    });
    assert_eq!(error, r#"template "step", operation 0 `invert`: %0 is w8x2, not of a field"#);
}

#[test]
fn templates_apply_only_those_before_them() {
    for template in [1, 2, 3] {
        let call = Op::Call { template: TemplateId(template), arguments: vec![ValueId(0)] };
        let error = after(|p| operations(p, 1)[0].op = call);
        assert!(error.contains("is not a template before this one"), "{error}");
    }
}

#[test]
fn repetitions_are_at_least_one() {
    let none = |p: &mut Program, op| operations(p, 2).push(Operation { op, line: 0 });
    let template = TemplateId(1);
    let [carried, invariant, sliced] = [vec![ValueId(0)], vec![], vec![]];
    let iterate = Op::Iterate { template, count: 0, carried, invariant, sliced };
    assert!(after(|p| none(p, iterate)).contains("no iterations"));
    let map = Op::Map { template, lanes: 0, arguments: vec![ValueId(0)] };
    assert!(after(|p| none(p, map)).contains("no instances"));
}

#[test]
fn declarations_fit_together() {
    let long = "x".repeat(MAX_NAME + 1);
    type Change = fn(&mut Program);
    let changes: [(&str, Change); 12] = [
        ("is not the last template", |p| p.main = TemplateId(1)),
        ("is not the last template", |p| p.templates.clear()),
        ("has parameters or results", |p| p.templates[2].results.push(ValueType::word(1, 1))),
        ("role \"A\": occurs twice", |p| p.roles[1] = "A".into()),
        ("role \"\": the name is empty", |p| p.roles[1].clear()),
        ("ascending", |p| p.outputs[0].roles.reverse()),
        ("ascending", |p| p.outputs[0].roles.clear()),
        ("role 2 is not declared", |p| p.inputs[0].role = RoleId(2)),
        ("occurs twice for \"A\"", |p| p.inputs.push(p.inputs[0].clone())),
        ("an array has no elements", |p| {
            p.inputs[0].shape = Shape::Array { length: 0, element: Box::new(Shape::Struct(vec![])) };
        }),
        ("not a prime", |p| p.fields[0] = Field::Prime(vec![9])),
        ("result %1 is w8x2, declared as w8x3", |p| p.templates[1].results[0].lanes = 3),
    ];
    for (wanted, change) in changes {
        let error = after(change);
        assert!(error.contains(wanted), "{error} without {wanted}");
    }
    assert!(after(|p| p.name = long.clone()).contains("longer than"));
    assert!(after(|p| p.templates[0].name = long).contains("longer than"));
}

#[test]
fn netlists_use_driven_wires() {
    let netlist = |change: fn(&mut Netlist)| {
        after(|p| match &mut p.templates[0].body {
            Body::Netlist(netlist) => change(netlist),
            Body::Operations { .. } => panic!("operations"),
        })
    };
    assert!(netlist(|n| n.gates[0] = NetlistGate::Not(1)).contains("uses wire 1, which is not driven"));
    assert!(netlist(|n| n.outputs[0][0] = 2).contains("wire 2, which does not exist"));
    assert!(netlist(|n| n.outputs[0].push(0)).contains("2 wires for a result of type w1x1"));
    assert!(netlist(|n| n.outputs.clear()).contains("0 outputs for 1 results"));
}

#[test]
fn sizes_stay_within_64_bits() {
    let huge = |lanes, bits| {
        after(|p| {
            let op = Op::Random(ValueType::word(bits, lanes));
            operations(p, 2).push(Operation { op, line: 0 });
        })
    };
    for (lanes, bits) in [(u64::MAX, 1), (1, u32::MAX), (u64::MAX, u32::MAX), (0, 1), (1, 0), (1 << 32, 64)] {
        assert!(huge(lanes, bits).contains("`random`"));
    }
    let error = after(|p| {
        let op = Op::Iterate {
            template: TemplateId(1),
            count: u64::MAX,
            carried: vec![ValueId(0)],
            invariant: vec![],
            sliced: vec![],
        };
        operations(p, 2)[1].op = op;
    });
    assert!(error.contains("bit operations"), "{error}");
}
