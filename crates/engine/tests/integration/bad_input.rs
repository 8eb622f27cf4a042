//! Impossible programs: each is an error with a reason, in every domain, and never a wrong result.

use tacit_engine::{RunError, in_process};
use tacit_ir::{Builder, Domain, Program, Shape, Words};
use tacit_plan::{DomainChoice, PlanOptions};

fn word(bits: u32) -> Shape {
    Shape::Integer { bits, signed: false }
}

fn array(bits: u32, length: u32) -> Shape {
    Shape::Array { length, element: word(bits).into() }
}

/// `x` of A pinned to a domain, times `y` of B, for both.
fn product(bits: u32, domain: Domain) -> Program {
    let mut builder = Builder::new("product");
    let roles = ["A", "B"].map(|name| builder.role(name));
    let inputs = roles.map(|role| builder.input("x", role, word(bits)).unwrap());
    let output = builder.output("z", roles.to_vec(), word(bits)).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
    let x = main.pin(domain, x).unwrap();
    let z = main.mul(x, y).unwrap();
    main.output(&builder, output, &[z]).unwrap();
    builder.finish(main).unwrap()
}

#[test]
fn sums_of_more_than_128_bits_are_refused_and_bits_are_not() {
    let inputs = [vec![Words::scalar(129, 3)], vec![Words::scalar(129, 5)]];
    let error = in_process(&product(129, Domain::Arith), &inputs, &PlanOptions::default()).unwrap_err();
    assert!(matches!(error, RunError::Plan(_)), "{error}");
    assert!(error.to_string().contains("at most 128 bits"), "{error}");
    for domain in [Domain::Yao, Domain::Bool] {
        let both = in_process(&product(129, domain), &inputs, &PlanOptions::default()).unwrap();
        assert_eq!(both.outputs(), [[Words::scalar(129, 15)]]);
    }
    // Unpinned values are refused for their width.
    let options = PlanOptions { domain: DomainChoice::In(Domain::Arith), ..PlanOptions::default() };
    let both = in_process(&product(129, Domain::Yao), &inputs, &options).unwrap();
    assert_eq!(both.outputs(), [[Words::scalar(129, 15)]]);
}

#[test]
fn widths_and_lanes_are_never_mixed_without_a_word() {
    for domain in Domain::ALL {
        let mut builder = Builder::new("mixed");
        let (a, b) = (builder.role("A"), builder.role("B"));
        let inputs = [
            builder.input("x", a, word(8)).unwrap(),
            builder.input("y", b, word(9)).unwrap(),
            builder.input("z", b, array(8, 2)).unwrap(),
        ];
        let mut main = builder.template("main", vec![]);
        let [x, y, z] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
        let [x, y, z] = [x, y, z].map(|value| main.pin(*domain, value).unwrap());
        for error in [
            main.add(x, y).unwrap_err(),
            main.mul(y, x).unwrap_err(),
            main.lt_u(x, y).unwrap_err(),
            main.sub(x, z).unwrap_err(),
        ] {
            assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn nothing_has_no_lanes() {
    let mut builder = Builder::new("nothing");
    let (a, b) = (builder.role("A"), builder.role("B"));
    let declared = builder.input("x", a, array(8, 0)).and_then(|port| {
        let output = builder.output("y", vec![b], array(8, 0))?;
        let mut main = builder.template("main", vec![]);
        let value = main.input(&builder, port)?;
        main.output(&builder, output, &value)?;
        builder.finish(main)
    });
    assert!(declared.is_err());
}
