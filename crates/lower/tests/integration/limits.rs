//! Programs that cannot be lowered are refused with their line, before memory is allocated.

use tacit_ir::{Builder, Field, Program, Shape, TemplateBuilder, Type, ValueId, ValueType, Words};
use tacit_lower::{LowerError, Options, flatten, lower};
use tacit_schedule::{Action, Body, BundleId, Schedule, ScheduleError, evaluate_clear};

fn integer(bits: u32) -> Shape {
    Shape::Integer { bits, signed: false }
}

/// A program of one input and one output.
fn program(shape: Shape, result: Shape, body: impl Fn(&mut TemplateBuilder, ValueId) -> ValueId) -> Program {
    let mut builder = Builder::new("test");
    let role = builder.role("A");
    let input = builder.input("x", role, shape).expect("an input");
    let output = builder.output("y", vec![role], result).expect("an output");
    let mut main = builder.template("main", Vec::new());
    let value = main.input(&builder, input).expect("a value")[0];
    let result = body(&mut main, value);
    main.output(&builder, output, &[result]).expect("an output");
    builder.finish(main).expect("a good program")
}

fn product(bits: u32) -> Program {
    program(integer(bits), integer(bits), |main, x| {
        main.set_line(3);
        let sum = main.add(x, x).expect("a sum");
        main.set_line(41);
        main.mul(x, sum).expect("a product")
    })
}

#[test]
fn one_operation_beyond_the_limit_is_refused_before_it_is_written() {
    // 2^40 gates.
    let error = lower(&product(1 << 20), &Options::default()).expect_err("too large");
    assert_eq!(
        error.to_string(),
        "template \"main\", line 41: the circuit grew beyond 134217728 gates at `mul`"
    );
    assert!(matches!(flatten(&product(1 << 20), 1 << 27), Err(LowerError::TooLarge { line: 41, .. })));
}

#[test]
fn many_operations_stop_at_the_limit() {
    let long = program(integer(32), integer(32), |main, x| {
        (0..200).fold(x, |value, line| {
            main.set_line(line + 1);
            main.mul(value, x).expect("a product")
        })
    });
    let options = Options { max_gates: 100_000, ..Options::default() };
    match lower(&long, &options) {
        Err(LowerError::TooLarge { line, limit: 100_000, operation: "mul", .. }) => {
            assert!((20..60).contains(&line))
        }
        other => panic!("{other:?}"),
    }
    assert!(lower(&long, &Options::default()).is_ok());
}

#[test]
fn values_too_wide_for_a_circuit_are_refused() {
    let wide = Shape::Array { length: 1 << 23, element: Box::new(integer(64)) };
    let sums = program(wide, integer(64), |main, x| main.segment_sum(x, 1 << 23).expect("a sum"));
    assert!(matches!(flatten(&sums, 1 << 20), Err(LowerError::TooLarge { operation: "input", .. })));
}

#[test]
fn fields_have_no_circuits() {
    let mut builder = Builder::new("test");
    let role = builder.role("A");
    let field = builder.field(Field::Prime(vec![101]));
    let output = builder.output("y", vec![role], integer(1)).expect("an output");
    let mut main = builder.template("main", Vec::new());
    main.set_line(7);
    let element = main.random(ValueType { ty: Type::Field(field), lanes: 1 }).expect("an element");
    main.add(element, element).expect("a sum");
    let bit = main.word(1, 1).expect("a bit");
    main.output(&builder, output, &[bit]).expect("an output");
    let error =
        lower(&builder.finish(main).expect("a good program"), &Options::default()).expect_err("a field");
    assert_eq!(error.to_string(), "template \"main\", line 7: `random` on a field has no Boolean circuit");
}

#[test]
fn random_values_can_not_be_flattened() {
    let masked = program(integer(8), integer(8), |main, x| {
        let mask = main.random(ValueType::word(8, 1)).expect("random bits");
        let hidden = main.xor(x, mask).expect("a sum");
        main.xor(hidden, mask).expect("a sum")
    });
    assert!(matches!(flatten(&masked, 1 << 20), Err(LowerError::Unsupported { operation: "random", .. })));
    let schedule = lower(&masked, &Options::default()).expect("lowers");
    let run = evaluate_clear(&schedule, &[vec![Words::scalar(8, 77)]], || 0x5a5a_1234);
    assert_eq!(run, Ok(vec![vec![Words::scalar(8, 77)]]));
}

/// Makes the first input wider.
fn widen_input(main: &mut Body) {
    main.bundles[0].bits = 9;
    for step in &mut main.steps {
        if let Action::Input { bits, target: BundleId(0), .. } = &mut step.action {
            *bits = 9;
        }
    }
}

#[test]
fn broken_schedules_are_noticed() {
    let good = lower(&product(8), &Options::default()).expect("lowers");
    assert_eq!(good.validate(), Ok(()));
    let broken = |change: &dyn Fn(&mut Schedule)| {
        let mut schedule = good.clone();
        change(&mut schedule);
        let ScheduleError { reason, .. } = schedule.validate().expect_err("a broken schedule");
        assert!(evaluate_clear(&schedule, &[vec![Words::scalar(8, 1)]], || 0).is_err());
        reason
    };
    assert_eq!(broken(&|s| s.bodies[0].and_count += 1), "the body has another number of ANDs");
    assert_eq!(broken(&|s| s.bodies[0].steps[1].and_base += 1), "ANDs are numbered from another base");
    assert_eq!(broken(&|s| drop(s.bodies[0].steps.remove(0))), "a bundle is read before it is written");
    assert_eq!(broken(&|s| s.bodies[0].steps[1] = s.bodies[0].steps[0].clone()), "a bundle is written twice");
    assert_eq!(broken(&|s| s.bodies[0].bundles[0].bits = 9), "an input has another type");
    assert_eq!(broken(&|s| widen_input(&mut s.bodies[0])), "a circuit has other inputs");
    assert_eq!(broken(&|s| s.bodies[0].bundles[1].lanes = 0), "a bundle has no bits, no lanes or too many");
    assert_eq!(broken(&|s| drop(s.circuits.pop())), "there is no such circuit");
    assert_eq!(broken(&|s| s.main = 1), "only main has inputs and outputs");
    assert_eq!(
        broken(&|s| {
            let target = tacit_schedule::BundleId(0);
            let words = Words::scalar(7, 0);
            s.bodies[0].steps[0].action = Action::Constant { words, target };
        }),
        "a constant has another type"
    );
}
