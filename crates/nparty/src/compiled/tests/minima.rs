//! Minima of many values, by pairs among three parties.

use tacit_arbitrary as arbitrary;
use tacit_ir::{Builder, Program, Shape, index_bits, interpret};

use super::computed_against;
use crate::compiled::Compiled;
use crate::security::Security;

/// The first minimum of each of `segments` segments of values.
fn minimum(bits: u32, length: u64, segments: u64, signed: bool) -> Program {
    let shape = |bits: u32, length: u64| Shape::Array {
        length: length as u32,
        element: Box::new(Shape::Integer { bits, signed: false }),
    };
    let mut builder = Builder::new("minimum");
    let roles = [builder.role("A"), builder.role("B")];
    let values = builder.input("x", roles[0], shape(bits, length * segments)).unwrap();
    let least = builder.output("least", roles.to_vec(), shape(bits, segments)).unwrap();
    let place = builder.output("place", roles.to_vec(), shape(index_bits(length), segments)).unwrap();
    let mut main = builder.template("main", vec![]);
    let values = main.input(&builder, values).unwrap()[0];
    let found = main.arg_min(values, length, signed).unwrap();
    main.output(&builder, least, &[found.0]).unwrap();
    main.output(&builder, place, &[found.1]).unwrap();
    builder.finish(main).unwrap()
}

#[test]
fn minima_agree_with_the_interpreter_and_cost_what_is_predicted() {
    for (number, (length, segments)) in
        [(32, 1), (33, 3), (100, 1), (100, 7), (512, 1)].into_iter().enumerate()
    {
        for (size, security) in
            [((3, 1), Security::Passive), ((3, 1), Security::Active), ((4, 1), Security::Passive)]
        {
            let (bits, signed) = if number % 2 == 0 { (4, true) } else { (18, false) };
            let program = minimum(bits, length, segments, signed);
            let inputs = arbitrary::inputs(&program, length);
            let expected = interpret(&program, &inputs, || 0).unwrap();
            let options = Compiled::usual_options(size, security);
            assert_eq!(options.paired_minima, size.0 == 3 && security == Security::Passive);
            let results = computed_against(security, &program, &options, &[0, 1], &inputs, (size, length));
            assert!(results[..2].iter().all(|result| *result == expected), "{length}, {segments}, {size:?}");
        }
    }
}
