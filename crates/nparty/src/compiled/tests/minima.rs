//! Minima of many values, by pairs or on words among three parties.

use tacit_arbitrary as arbitrary;
use tacit_ir::{Builder, Domain, Program, Shape, index_bits, interpret};
use tacit_lower::Options;
use tacit_math::field::Gf256;

use super::words::{agrees_in, wider};
use super::{computed_against, ways};
use crate::compiled::Compiled;
use crate::protocol::minimum::shape::Shape as Runs;
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

/// In each segment, the least square of a difference of two words, and its place; or the least difference, as words with signs. Another product may be wider.
fn nearest((bits, signed): (u32, bool), (length, segments): (u64, u64), product: u32) -> Program {
    let lanes = length * segments;
    let shape = |bits: u32, length: u64| Shape::Array {
        length: length as u32,
        element: Box::new(Shape::Integer { bits, signed: false }),
    };
    let mut builder = Builder::new("nearest");
    let roles = [builder.role("A"), builder.role("B")];
    let ports = roles.map(|role| builder.input("x", role, shape(bits, lanes)).unwrap());
    let wide = 2 * bits + 2;
    let least = builder.output("least", roles.to_vec(), shape(wide, segments)).unwrap();
    let place = builder.output("place", roles.to_vec(), shape(index_bits(length), segments)).unwrap();
    let other = builder.output("other", roles.to_vec(), shape(product, lanes)).unwrap();
    let mut main = builder.template("main", vec![]);
    let given = ports.map(|port| main.input(&builder, port).unwrap()[0]);
    let [x, y] = given.map(|value| main.zero_extend(value, wide).unwrap());
    let difference = main.sub(x, y).unwrap();
    let of = if signed { difference } else { main.mul(difference, difference).unwrap() };
    let found = main.arg_min(of, length, signed).unwrap();
    main.output(&builder, least, &[found.0]).unwrap();
    main.output(&builder, place, &[found.1]).unwrap();
    let [x, y] = given.map(|value| main.zero_extend(value, product).unwrap());
    let both = main.mul(x, y).unwrap();
    main.output(&builder, other, &[both]).unwrap();
    builder.finish(main).unwrap()
}

fn on_words(way: Options) -> Options {
    Options { domain: Domain::Arith, direct_minima: true, ..way }
}

#[test]
fn minima_of_words_agree_with_the_interpreter_and_take_few_rounds() {
    for (seed, (bits, length, segments)) in
        (0..).zip([(8, 2, 1), (8, 512, 1), (4, 40, 3), (30, 33, 2), (1, 7, 90), (15, 100, 1)])
    {
        for signed in [false, true] {
            let program = nearest((bits, signed), (length, segments), 2 * bits);
            let inputs = arbitrary::inputs(&program, seed);
            let options = on_words(ways()[seed as usize % 3]);
            agrees_in(&Gf256, &program, &options, &inputs, ((3, 1), seed));
            let rounds = |options: &Options| {
                let compiled = Compiled::lowered(&program, options, &[0, 1]).unwrap();
                compiled.prediction(3, 1).unwrap().rounds
            };
            let shape = Runs { length: length as usize, runs: segments as usize, bits: 2 };
            // Squares, the search and the opening; and inputs, unless the parties that need them first have them.
            let most = 1 + u64::from(!signed) + 2 * shape.levels().len() as u64 + 1 + 1;
            let found = rounds(&options);
            assert!((most - 1..=most).contains(&found), "{bits} bits, {length} words: {found} rounds");
            assert!(rounds(&Options { direct_minima: false, ..options }) > found);
        }
    }
}

#[test]
fn words_without_a_bit_to_spare_and_wider_ones_are_compared_on_bits() {
    let direct = |bits: u32, product: u32| {
        let program = nearest((bits, false), (9, 1), product);
        let compiled = Compiled::lowered(&program, &on_words(ways()[0]), &[0, 1]).unwrap();
        (compiled.schedule().and_count() == 0, program)
    };
    assert!(direct(30, 60).0 && direct(31, 64).0);
    assert!(!direct(32, 64).0, "a difference of 66 bits");
    let (is_direct, program) = direct(8, 65);
    assert!(!is_direct, "a product in the prime field");
    let inputs = arbitrary::inputs(&program, 3);
    agrees_in(&wider()[1], &program, &on_words(ways()[0]), &inputs, ((3, 1), 3));
}
