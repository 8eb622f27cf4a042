//! Tests against the processor's own arithmetic, bit for bit.

use std::collections::HashMap;

use super::{Direction, FloatOp, Floats, Format, Relation, convert};
use crate::graph::tests::Evaluation;
use crate::graph::{Graph, Word};
use crate::int::Int;

/// Random operands, of which many are special, near powers of two, or close to one another.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn float(&mut self, exponent: u32, fraction: u32) -> u64 {
        let (any, kind) = (self.next(), self.next());
        let bias = (1u64 << (exponent - 1)) - 1;
        let field = match kind % 8 {
            0 => 0,
            1 => (1 << exponent) - 1,
            2 => bias + any % 5 - 2,
            3 => bias + u64::from(fraction) - 2 + any % 5,
            4 => 1 + any % 3,
            5 => (1 << exponent) - 2 - any % 3,
            _ => any % (1 << exponent),
        };
        let bits = match kind >> 8 & 7 {
            0 => 0,
            1 => 1 << (self.next() % u64::from(fraction)),
            2 => (1 << fraction) - 1,
            3 => (1 << fraction) - (1 << (self.next() % u64::from(fraction))),
            4 => (1 << (fraction - 1)) | (self.next() % 4),
            _ => self.next() % (1 << fraction),
        };
        let sign = self.next() & 1;
        (sign << exponent | field) << fraction | bits
    }
}

/// Operations on secret words, each built once, and the operands to try next.
struct Machine {
    graph: Graph,
    results: HashMap<String, Word>,
    operands: [Int; 2],
}

impl Default for Machine {
    fn default() -> Self {
        let operands = [Int::zero(1), Int::zero(1)];
        Machine { graph: Graph::default(), results: HashMap::new(), operands }
    }
}

impl Machine {
    /// The result of an operation, identified by `name`, on the operands.
    fn run(&mut self, name: String, compute: impl FnOnce(&mut Graph, Word, Word) -> Word) -> u64 {
        let [a, b] = [0, 1].map(|lane| {
            let bits = self.operands[lane as usize].bits();
            self.graph.input(bits, 0, lane, bits)
        });
        let word = *self.results.entry(name).or_insert_with(|| compute(&mut self.graph, a, b));
        let mut evaluation = Evaluation::new(&self.graph, &self.operands);
        evaluation.value(word).low_u128() as u64
    }

    fn set(&mut self, bits: u32, a: u64, b: u64) {
        self.operands = [Int::new(bits, a.into()), Int::new(bits, b.into())];
    }

    fn binary(&mut self, op: FloatOp, bits: u32, a: u64, b: u64) -> u64 {
        self.set(bits, a, b);
        self.run(format!("{op:?} {bits}"), |graph, a, b| {
            Floats::new(graph, Format::of_bits(bits).expect("a format")).binary(op, a, b)
        })
    }

    fn unary(
        &mut self,
        name: String,
        bits: u32,
        a: u64,
        compute: impl FnOnce(&mut Floats<'_>, Word) -> Word,
    ) -> u64 {
        self.set(bits, a, 0);
        self.run(format!("{name} {bits}"), |graph, a, _| {
            compute(&mut Floats::new(graph, Format::of_bits(bits).expect("a format")), a)
        })
    }
}

/// SSE's results for NaNs, which the processor that runs the test may not share: the first operand that is a
/// NaN, or the NaN of an invalid operation.
macro_rules! native {
    ($float:ty, $a:expr, $b:expr, $result:expr) => {{
        let (a, b) = (<$float>::from_bits($a), <$float>::from_bits($b));
        let quiet = 1 << (<$float>::MANTISSA_DIGITS - 2);
        let result: $float = $result(a, b);
        if a.is_nan() {
            $a | quiet
        } else if b.is_nan() {
            $b | quiet
        } else if result.is_nan() {
            (<$float>::INFINITY.to_bits() | quiet) | (-0.0 as $float).to_bits()
        } else {
            result.to_bits()
        }
    }};
}

macro_rules! format_tests {
    ($float:ty, $int:ty, $bits:expr, $exponent:expr, $fraction:expr, $trials:expr) => {{
        let (mut random, mut machine) = (Random(11), Machine::default());
        for _ in 0..$trials {
            let a = random.float($exponent, $fraction) as $int;
            let near = a.wrapping_add((random.next() % 9) as $int).wrapping_sub(4);
            let b = match random.next() % 6 {
                0 => near,
                1 => near ^ (1 << ($bits - 1)),
                _ => random.float($exponent, $fraction) as $int,
            };
            let cases: [(FloatOp, fn($float, $float) -> $float); 4] = [
                (FloatOp::Add, |a, b| a + b),
                (FloatOp::Subtract, |a, b| a - b),
                (FloatOp::Multiply, |a, b| a * b),
                (FloatOp::Divide, |a, b| a / b),
            ];
            for (op, compute) in cases {
                let expected = native!($float, a, b, compute);
                let ours = machine.binary(op, $bits, a.into(), b.into());
                assert_eq!(ours, u64::from(expected), "{op:?} {a:x} {b:x}");
            }
            let root = native!($float, a, a, |a: $float, _| a.sqrt());
            let ours = machine.unary("root".into(), $bits, a.into(), |floats, a| floats.square_root(a));
            assert_eq!(ours, u64::from(root), "root {a:x}");
            let integral: [(Direction, fn($float) -> $float); 5] = [
                (Direction::Down, <$float>::floor),
                (Direction::Up, <$float>::ceil),
                (Direction::ToZero, <$float>::trunc),
                (Direction::Nearest, <$float>::round_ties_even),
                (Direction::NearestAway, <$float>::round),
            ];
            for (direction, compute) in integral {
                let expected = native!($float, a, a, |a, _| compute(a));
                let name = format!("{direction:?}");
                let ours = machine.unary(name, $bits, a.into(), |floats, a| floats.integral(a, direction));
                assert_eq!(ours, u64::from(expected), "{direction:?} {a:x}");
            }
            let (x, y) = (<$float>::from_bits(a), <$float>::from_bits(b));
            for mask in 0..16u32 {
                let flag = |bit: u32| mask >> bit & 1 == 1;
                let relation =
                    Relation { less: flag(0), equal: flag(1), greater: flag(2), unordered: flag(3) };
                let expected = match x.partial_cmp(&y) {
                    Some(std::cmp::Ordering::Less) => flag(0),
                    Some(std::cmp::Ordering::Equal) => flag(1),
                    Some(std::cmp::Ordering::Greater) => flag(2),
                    None => flag(3),
                };
                machine.set($bits, a.into(), b.into());
                let ours = machine.run(format!("{relation:?} {}", $bits), |graph, a, b| {
                    Floats::new(graph, Format::of_bits($bits).expect("a format")).compare(relation, a, b)
                });
                assert_eq!(ours == 1, expected, "{relation:?} {a:x} {b:x}");
            }
            conversions(&mut random, &mut machine, $bits, a.into());
        }
    }};
}

fn conversions(random: &mut Random, machine: &mut Machine, bits: u32, a: u64) {
    let (float, double) = (f32::from_bits(a as u32), f64::from_bits(a));
    for width in [8u32, 16, 32, 64] {
        // Only inside the range; elsewhere C leaves the result undefined.
        let whole = if bits == 32 { f64::from(float).trunc() } else { double.trunc() };
        let limit = 2f64.powi(width as i32 - 1);
        if whole.abs() < limit {
            let mask = u64::MAX >> (64 - width);
            let ours = machine.unary(format!("to {width}"), bits, a, |floats, a| floats.integer_of(a, width));
            assert_eq!(ours, whole as i64 as u64 & mask, "{a:x} to {width} bits");
        }
        if (0.0..2.0 * limit).contains(&whole) {
            let ours = machine.unary(format!("to {width}"), bits, a, |floats, a| floats.integer_of(a, width));
            assert_eq!(ours, whole as u64, "{a:x} to {width} bits, unsigned");
        }
        let value = random.next() >> (random.next() % 64);
        let value = if random.next().is_multiple_of(2) { value } else { value.wrapping_neg() };
        for signed in [true, false] {
            let narrow = Int::new(width, value.into());
            let number = if signed { narrow.to_i128() } else { Some(narrow.low_u128() as i128) };
            let number = number.expect("a small number");
            let expected = match bits {
                32 => u64::from((number as f32).to_bits()),
                _ => (number as f64).to_bits(),
            };
            machine.operands = [narrow, Int::new(width, 0)];
            let ours = machine.run(format!("from {width} {signed} to {bits}"), |graph, a, _| {
                Floats::new(graph, Format::of_bits(bits).expect("a format")).number_of(a, signed)
            });
            assert_eq!(ours, expected, "{value:x} of {width} bits, signed: {signed}");
        }
    }
    let (from, to) =
        (Format::of_bits(bits).expect("a format"), Format::of_bits(96 - bits).expect("a format"));
    machine.set(bits, a, 0);
    let ours = machine.run(format!("convert {bits}"), |graph, a, _| convert(graph, a, from, to));
    let expected = match bits {
        32 if float.is_nan() => {
            let a = a as u32;
            u64::from(a & 0x8000_0000) << 32 | 0x7ff8 << 48 | u64::from(a & 0x7f_ffff) << 29
        }
        32 => f64::from(float).to_bits(),
        _ if double.is_nan() => {
            let payload = (a >> 29) as u32 & 0x7f_ffff;
            u64::from((a >> 32) as u32 & 0x8000_0000 | 0x7fc0_0000 | payload)
        }
        _ => u64::from((double as f32).to_bits()),
    };
    assert_eq!(ours, expected, "{a:x} from {bits} bits");
}

fn all(trials: u32) {
    format_tests!(f32, u32, 32, 8, 23, trials);
    format_tests!(f64, u64, 64, 11, 52, trials);
}

#[test]
fn results_are_those_of_the_processor() {
    all(200);
}

#[test]
#[ignore = "takes minutes"]
fn millions_of_results_are_those_of_the_processor() {
    all(20_000);
}

#[test]
fn the_lesser_number_is_found_beside_nans_and_zeros() {
    let mut machine = Machine::default();
    let cases: [(f32, f32, f32, f32); 5] = [
        (1.0, 2.0, 1.0, 2.0),
        (-1.0, -2.0, -2.0, -1.0),
        (0.0, -0.0, -0.0, 0.0),
        (f32::NAN, 3.0, 3.0, 3.0),
        (3.0, f32::NAN, 3.0, 3.0),
    ];
    for (a, b, least, greatest) in cases {
        for (op, expected) in [(FloatOp::Minimum, least), (FloatOp::Maximum, greatest)] {
            let ours = machine.binary(op, 32, a.to_bits().into(), b.to_bits().into());
            assert_eq!(ours, u64::from(expected.to_bits()), "{op:?} {a} {b}");
        }
    }
}

#[test]
fn kinds_are_told_apart() {
    let mut machine = Machine::default();
    let numbers = [f32::NEG_INFINITY, -1.0, -1e-40, -0.0, 0.0, 1e-40, 1.0, f32::INFINITY];
    for (index, number) in numbers.iter().enumerate() {
        for bit in 0..10u32 {
            let name = format!("class {bit}");
            let ours =
                machine.unary(name, 32, number.to_bits().into(), |floats, a| floats.is_class(a, 1 << bit));
            assert_eq!(ours == 1, bit as usize == index + 2, "{number} {bit}");
        }
    }
    for (mask, number) in [(1, 0x7f80_0001), (2, 0x7fc0_0001)] {
        let ours = machine.unary(format!("mask {mask}"), 32, number, |floats, a| floats.is_class(a, mask));
        assert_eq!(ours, 1);
    }
}

macro_rules! fused_tests {
    ($float:ty, $int:ty, $bits:expr, $exponent:expr, $fraction:expr, $trials:expr) => {{
        let mut random = Random(5);
        let mut graph = Graph::default();
        let [a, b, c] = [0, 1, 2].map(|lane| graph.input(0, 0, lane, $bits));
        let format = Format::of_bits($bits).expect("a format");
        let word = Floats::new(&mut graph, format).fused(a, b, c);
        for _ in 0..$trials {
            let [x, y, other] = [(); 3].map(|()| random.float($exponent, $fraction) as $int);
            let (a, b) = (<$float>::from_bits(x), <$float>::from_bits(y));
            // Many sums that nearly cancel.
            let z = match random.next() % 3 {
                0 => (-(a * b)).to_bits().wrapping_add((random.next() % 5) as $int).wrapping_sub(2),
                1 => (a * b).to_bits() ^ (1 << (random.next() % $bits)),
                _ => other,
            };
            let c = <$float>::from_bits(z);
            let (quiet, result) = (1 << ($fraction - 1), a.mul_add(b, c));
            let expected = match [a, b, c].iter().find(|operand| operand.is_nan()) {
                Some(nan) => nan.to_bits() | quiet,
                None if result.is_nan() => {
                    (<$float>::INFINITY.to_bits() | quiet) | (-0.0 as $float).to_bits()
                }
                None => result.to_bits(),
            };
            let operands = [x, y, z].map(|value| Int::new($bits, value.into()));
            let ours = Evaluation::new(&graph, &operands).value(word).low_u128() as $int;
            assert_eq!(ours, expected, "{x:x} * {y:x} + {z:x}");
        }
    }};
}

fn all_fused(trials: u32) {
    fused_tests!(f32, u32, 32, 8, 23, trials);
    fused_tests!(f64, u64, 64, 11, 52, trials);
}

#[test]
fn products_and_sums_are_rounded_once() {
    all_fused(3000);
}

#[test]
#[ignore = "takes minutes"]
fn a_million_products_and_sums_are_rounded_once() {
    all_fused(500_000);
}
