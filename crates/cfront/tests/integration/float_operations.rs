//! Operations on floats as programs, against the processor.

use tacit_cfront::{FixedFormat, FloatFormat, FloatOperation};
use tacit_ir::{Words, interpret};

const NUMBERS: [f32; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.1,
    3.0e38,
    -3.0e38,
    1.0e-40,
    -1.0e-45,
    255.5,
    -128.5,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

fn result(operation: FloatOperation, bits: u32, inputs: &[(u32, u64)]) -> u64 {
    let format = FloatFormat::of_bits(bits).expect("a format");
    let program = operation.program(format).expect("a program");
    let inputs: Vec<_> =
        inputs.iter().map(|(bits, word)| vec![Words::scalar(*bits, (*word).into())]).collect();
    interpret(&program, &inputs, || 0).expect("outputs")[0][0].low_u128(0) as u64
}

fn single(operation: FloatOperation, inputs: &[f32]) -> f32 {
    let inputs: Vec<_> = inputs.iter().map(|number| (32, number.to_bits().into())).collect();
    f32::from_bits(result(operation, 32, &inputs) as u32)
}

fn is_same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[test]
fn operations_of_two_numbers_are_the_processors() {
    type Operation = fn(f32, f32) -> f32;
    let operations: [(FloatOperation, Operation); 4] = [
        (FloatOperation::Add, |a, b| a + b),
        (FloatOperation::Subtract, |a, b| a - b),
        (FloatOperation::Multiply, |a, b| a * b),
        (FloatOperation::Divide, |a, b| a / b),
    ];
    for (operation, expected) in operations {
        for a in NUMBERS {
            for b in NUMBERS {
                let found = single(operation, &[a, b]);
                assert!(is_same(found, expected(a, b)), "{operation:?} of {a} and {b} gives {found}");
            }
        }
    }
}

#[test]
fn comparisons_with_a_nan_fail() {
    type Comparison = fn(&f32, &f32) -> bool;
    let comparisons: [(FloatOperation, Comparison); 3] = [
        (FloatOperation::Less, f32::lt),
        (FloatOperation::LessOrEqual, f32::le),
        (FloatOperation::Equal, f32::eq),
    ];
    for (operation, expected) in comparisons {
        for a in NUMBERS {
            for b in NUMBERS {
                let inputs = [(32, a.to_bits().into()), (32, b.to_bits().into())];
                assert_eq!(
                    result(operation, 32, &inputs) == 1,
                    expected(&a, &b),
                    "{operation:?} of {a} and {b}"
                );
            }
        }
    }
}

#[test]
fn a_nan_is_the_extreme_of_whatever_it_stands_beside() {
    for a in NUMBERS {
        let (least, greatest) =
            (single(FloatOperation::Minimum, &[a, 1.0]), single(FloatOperation::Maximum, &[a, 1.0]));
        let number = if a.is_nan() { f32::NAN } else { a };
        assert!(is_same(least, if number > 1.0 { 1.0 } else { number }), "{a}: {least}");
        assert!(is_same(greatest, if number < 1.0 { 1.0 } else { number }), "{a}: {greatest}");
    }
    assert!(is_same(single(FloatOperation::Minimum, &[0.0, -0.0]), -0.0));
    assert!(is_same(single(FloatOperation::Maximum, &[-0.0, 0.0]), 0.0));
}

#[test]
fn conversions_to_integers_saturate_as_rusts_do() {
    let to = |bits, signed| FloatOperation::To(FixedFormat::new(bits, signed, 0).expect("a format"));
    for number in NUMBERS {
        let input = [(32, number.to_bits().into())];
        assert_eq!(result(to(8, false), 32, &input), u64::from(number as u8), "{number}");
        assert_eq!(result(to(8, true), 32, &input), u64::from(number as i8 as u8), "{number}");
        assert_eq!(result(to(64, true), 32, &input), number as i64 as u64, "{number}");
        assert!(is_same(single(FloatOperation::SquareRoot, &[number]), number.sqrt()), "{number}");
        let wide = f64::from_bits(result(FloatOperation::OtherFormat, 32, &input));
        assert!(wide == f64::from(number) || number.is_nan() && wide.is_nan(), "{number}");
    }
}

#[test]
fn numbers_with_a_binary_point_are_rounded_to_the_nearest() {
    let fixed = FixedFormat::new(16, true, 8).expect("a format");
    for (number, word) in
        [(0.5f32, 128), (-1.0, 0xff00), (1.0 / 512.0, 0), (3.0 / 512.0, 2), (1e9, 0x7fff), (-1e9, 0x8000)]
    {
        let found = result(FloatOperation::To(fixed), 32, &[(32, number.to_bits().into())]);
        assert_eq!(found, word, "{number}");
    }
    for word in [0u16, 1, 128, 0xffff, 0x8000, 0x7fff] {
        let found = result(FloatOperation::From(fixed), 32, &[(16, word.into())]);
        assert_eq!(f32::from_bits(found as u32), f32::from(word as i16) / 256.0);
    }
}

#[test]
fn formats_have_at_least_one_bit_before_the_point() {
    assert!(FixedFormat::new(0, false, 0).is_none());
    assert!(FixedFormat::new(8, true, 8).is_none());
    assert!(FixedFormat::new(FixedFormat::MAX_BITS + 1, true, 0).is_none());
    assert!(FixedFormat::new(FixedFormat::MAX_BITS, true, FixedFormat::MAX_BITS - 1).is_some());
    assert_eq!([16, 31, 80].map(FloatFormat::of_bits), [None; 3]);
}
