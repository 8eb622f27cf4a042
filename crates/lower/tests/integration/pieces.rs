//! Flattened operations that are too many for one circuit.

use tacit_ir::{Builder, Program, Shape, Words, interpret};
use tacit_lower::{Options, lower};
use tacit_schedule::evaluate_clear;

/// `(s + x) · s`, repeated, on a number of each role.
fn chain(times: usize) -> Program {
    let word = || Shape::Integer { bits: 32, signed: false };
    let mut builder = Builder::new("chain");
    let roles = [builder.role("A"), builder.role("B")];
    let inputs = roles.map(|role| builder.input("x", role, word()).unwrap());
    let output = builder.output("z", roles.to_vec(), word()).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, mut state] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
    for _ in 0..times {
        let sum = main.add(state, x).unwrap();
        state = main.mul(sum, state).unwrap();
    }
    main.output(&builder, output, &[state]).unwrap();
    builder.finish(main).unwrap()
}

#[test]
fn what_repeats_is_written_once() {
    let program = chain(500);
    let options = Options { flat_ands: 1 << 18, effort: 0, ..Options::default() };
    let cut = lower(&program, &options).unwrap();
    assert_eq!(cut.validate(), Ok(()));
    // The first and the last piece, those between them, and the same at another place of the chain.
    assert!(cut.circuits.len() <= 5, "{} circuits", cut.circuits.len());
    assert!(cut.bodies[cut.main].steps.len() > 100);
    let inputs = [3, 5].map(|value| vec![Words::scalar(32, value)]);
    let expected = interpret(&program, &inputs, || 0).unwrap();
    assert_eq!(evaluate_clear(&cut, &inputs, || 0).unwrap(), expected);
    let whole = lower(&program, &Options { flat_ands: u64::MAX, ..options }).unwrap();
    assert_eq!(whole.circuits.len(), 1);
    // Knowledge about bits does not cross pieces.
    let more = cut.and_count() - whole.and_count();
    assert!(more < whole.and_count() / 1000, "{more} more ANDs");
}

#[test]
fn programs_of_few_gates_are_not_cut() {
    assert_eq!(lower(&chain(20), &Options { effort: 0, ..Options::default() }).unwrap().circuits.len(), 1);
}
