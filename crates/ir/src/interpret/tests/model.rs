//! Every operation on words lane by lane against its definition in big integers.

use num_bigint::{BigInt, BigUint};

use super::*;
use crate::field::from_limbs;
use crate::{BinaryOp, CompareOp, Op, ScanOp, ShiftOp, UnaryOp};

pub(super) const LANES: u64 = 24;

pub(super) fn modulus(bits: u32) -> BigUint {
    BigUint::from(1u8) << bits
}

pub(super) fn unsigned(words: &Words) -> Vec<BigUint> {
    (0..words.lanes()).map(|lane| from_limbs(words.lane(lane))).collect()
}

pub(super) fn signed(bits: u32, value: &BigUint) -> BigInt {
    match value.bit(u64::from(bits) - 1) {
        true => BigInt::from(value.clone()) - BigInt::from(modulus(bits)),
        false => BigInt::from(value.clone()),
    }
}

/// A number modulo `2^bits`.
fn reduce(bits: u32, value: BigInt) -> BigUint {
    let modulus = BigInt::from(modulus(bits));
    (((value % &modulus) + &modulus) % &modulus).to_biguint().unwrap()
}

pub(super) fn words(bits: u32, lanes: &[BigUint]) -> Words {
    let mut words = Words::zero(bits, lanes.len() as u64);
    for (lane, value) in lanes.iter().enumerate() {
        assert!(value.bits() <= u64::from(bits));
        words
            .lane_mut(lane as u64)
            .iter_mut()
            .zip(value.iter_u64_digits())
            .for_each(|(limb, digit)| *limb = digit);
    }
    words
}

/// Words of which about half are extreme and the others random.
pub(super) fn sample(bits: u32, lanes: u64, draw: &mut impl FnMut() -> u64) -> Words {
    let extreme = [BigUint::ZERO, BigUint::from(1u8), modulus(bits) - 1u8, modulus(bits) >> 1u8];
    let mut lane = |_| {
        let limbs: Vec<_> = (0..bits.div_ceil(64)).map(|_| draw()).collect();
        match draw() % 12 {
            choice @ 0..4 => extreme[choice as usize].clone() % modulus(bits),
            4 => (modulus(bits) >> 1u8) - 1u8,
            5 => BigUint::from(draw() % 5) % modulus(bits),
            _ => from_limbs(&limbs) % modulus(bits),
        }
    };
    words(bits, &(0..lanes).map(&mut lane).collect::<Vec<_>>())
}

fn binary(op: BinaryOp, bits: u32, a: &BigUint, b: &BigUint) -> BigUint {
    let (x, y) = (signed(bits, a), signed(bits, b));
    let zero = *b == BigUint::ZERO;
    match op {
        BinaryOp::Add => reduce(bits, x + y),
        BinaryOp::Sub => reduce(bits, x - y),
        BinaryOp::Mul => reduce(bits, x * y),
        BinaryOp::DivU | BinaryOp::DivS if zero => modulus(bits) - 1u8,
        BinaryOp::RemU | BinaryOp::RemS if zero => a.clone(),
        BinaryOp::DivU => a / b,
        BinaryOp::RemU => a % b,
        BinaryOp::DivS => reduce(bits, x / y),
        BinaryOp::RemS => reduce(bits, x % y),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    }
}

fn shift(op: ShiftOp, bits: u32, a: &BigUint, amount: &BigUint) -> BigUint {
    let amount = u32::try_from(amount).unwrap_or(u32::MAX).min(bits);
    match op {
        ShiftOp::Left => (a << amount) % modulus(bits),
        ShiftOp::RightU => a >> amount,
        // Big integers shift towards minus infinity.
        ShiftOp::RightS => reduce(bits, signed(bits, a) >> amount),
    }
}

pub(super) fn scan(op: ScanOp, bits: u32, a: &BigUint, b: &BigUint) -> BigUint {
    let by_sign = |larger: bool| if (signed(bits, a) < signed(bits, b)) == larger { b } else { a }.clone();
    match op {
        ScanOp::Add => (a + b) % modulus(bits),
        ScanOp::Xor => a ^ b,
        ScanOp::And => a & b,
        ScanOp::Or => a | b,
        ScanOp::MinU => a.min(b).clone(),
        ScanOp::MaxU => a.max(b).clone(),
        ScanOp::MinS => by_sign(false),
        ScanOp::MaxS => by_sign(true),
    }
}

/// Calls a test with every width and a seeded source of numbers.
pub(super) fn for_widths(mut test: impl FnMut(u32, &mut dyn FnMut() -> u64)) {
    for bits in WIDTHS {
        for seed in 0..4 {
            test(bits, &mut splitmix(u64::from(bits) << 8 | seed));
        }
    }
}

fn zip_lanes(a: &Words, b: &Words, f: impl Fn(&BigUint, &BigUint) -> BigUint) -> Vec<BigUint> {
    unsigned(a).iter().zip(&unsigned(b)).map(|(a, b)| f(a, b)).collect()
}

#[test]
fn operations_on_two_operands() {
    for_widths(|bits, mut draw| {
        let (a, b) = (sample(bits, LANES, &mut draw), sample(bits, LANES, &mut draw));
        let inputs = [a.clone(), b.clone()];
        let outputs = operations(&inputs, |body, p| {
            let op = |op: &BinaryOp| match op {
                BinaryOp::Add => TemplateBuilder::add,
                BinaryOp::Sub => TemplateBuilder::sub,
                BinaryOp::Mul => TemplateBuilder::mul,
                BinaryOp::DivU => TemplateBuilder::div_u,
                BinaryOp::DivS => TemplateBuilder::div_s,
                BinaryOp::RemU => TemplateBuilder::rem_u,
                BinaryOp::RemS => TemplateBuilder::rem_s,
                BinaryOp::And => TemplateBuilder::and,
                BinaryOp::Or => TemplateBuilder::or,
                BinaryOp::Xor => TemplateBuilder::xor,
            };
            BinaryOp::ALL.iter().map(|each| op(each)(body, p[0], p[1]).unwrap()).collect()
        });
        for (op, output) in BinaryOp::ALL.iter().zip(outputs) {
            assert_eq!(
                output,
                words(bits, &zip_lanes(&a, &b, |a, b| binary(*op, bits, a, b))),
                "{op:?} {bits}"
            );
        }
    });
}

#[test]
fn operations_on_one_operand() {
    for_widths(|bits, mut draw| {
        let a = sample(bits, LANES, &mut draw);
        let outputs = operations(std::slice::from_ref(&a), |body, p| {
            vec![body.neg(p[0]).unwrap(), body.not(p[0]).unwrap()]
        });
        let all = |f: &dyn Fn(BigUint) -> BigUint| {
            words(bits, &unsigned(&a).into_iter().map(f).collect::<Vec<_>>())
        };
        assert_eq!(outputs[0], all(&|a| reduce(bits, -BigInt::from(a))), "neg {bits}");
        assert_eq!(outputs[1], all(&|a| modulus(bits) - 1u8 - a), "not {bits}");
        assert_eq!(UnaryOp::ALL.len(), 3, "the third is of fields alone");
    });
}

#[test]
fn comparisons() {
    for_widths(|bits, mut draw| {
        let (a, b) = (sample(bits, LANES, &mut draw), sample(bits, LANES, &mut draw));
        let outputs = operations(&[a.clone(), b.clone()], |body, p| {
            let mut results = vec![];
            for (x, y) in [(p[0], p[1]), (p[0], p[0])] {
                results.push(body.eq(x, y).unwrap());
                results.push(body.lt_u(x, y).unwrap());
                results.push(body.lt_s(x, y).unwrap());
                results.push(body.ne(x, y).unwrap());
                results.push(body.le_u(x, y).unwrap());
                results.push(body.le_s(x, y).unwrap());
            }
            results
        });
        assert_eq!(CompareOp::ALL.len(), 3);
        for (outputs, second) in outputs.chunks(6).zip([&b, &a]) {
            let expect = |f: &dyn Fn(&BigUint, &BigUint) -> bool| {
                words(1, &zip_lanes(&a, second, |a, b| BigUint::from(u8::from(f(a, b)))))
            };
            assert_eq!(outputs[0], expect(&|a, b| a == b));
            assert_eq!(outputs[1], expect(&|a, b| a < b));
            assert_eq!(outputs[2], expect(&|a, b| signed(bits, a) < signed(bits, b)));
            assert_eq!(outputs[3], expect(&|a, b| a != b));
            assert_eq!(outputs[4], expect(&|a, b| a <= b));
            assert_eq!(outputs[5], expect(&|a, b| signed(bits, a) <= signed(bits, b)));
        }
    });
}

#[test]
fn shifts() {
    for_widths(|bits, mut draw| {
        let a = sample(bits, LANES, &mut draw);
        for amount_bits in [1, 5, 8, 70] {
            let amounts = sample(amount_bits, LANES, &mut draw);
            let outputs = operations(&[a.clone(), amounts.clone()], |body, p| {
                ShiftOp::ALL.iter().map(|op| body.shift(*op, p[0], p[1]).unwrap()).collect()
            });
            for (op, output) in ShiftOp::ALL.iter().zip(outputs) {
                let expected = zip_lanes(&a, &amounts, |a, amount| shift(*op, bits, a, amount));
                assert_eq!(output, words(bits, &expected), "{op:?} {bits}");
            }
        }
        for amount in [0, 1, 63, 64, 65, bits - 1, bits, bits + 1, u32::MAX] {
            for op in ShiftOp::ALL {
                let output = operations(std::slice::from_ref(&a), |body, p| {
                    vec![body.shift_by(*op, p[0], amount).unwrap()]
                });
                let expected: Vec<_> =
                    unsigned(&a).iter().map(|a| shift(*op, bits, a, &BigUint::from(amount))).collect();
                assert_eq!(output[0], words(bits, &expected), "{op:?} {bits} {amount}");
            }
        }
    });
}

#[test]
fn select_takes_the_first_where_the_condition_is_one() {
    for_widths(|bits, mut draw| {
        let [a, b] = [0; 2].map(|_| sample(bits, LANES, &mut draw));
        let condition = sample(1, LANES, &mut draw);
        let output = operations(&[condition.clone(), a.clone(), b.clone()], |body, p| {
            vec![body.select(p[0], p[1], p[2]).unwrap()]
        });
        for lane in 0..LANES {
            let expected = if condition.bit(lane, 0) { &a } else { &b };
            assert_eq!(output[0].lane(lane), expected.lane(lane));
        }
    });
}

#[test]
fn widths_change() {
    for_widths(|bits, mut draw| {
        let a = sample(bits, LANES, &mut draw);
        let values = unsigned(&a);
        for to in WIDTHS.into_iter().filter(|to| *to > bits) {
            let outputs = operations(std::slice::from_ref(&a), |body, p| {
                vec![body.zero_extend(p[0], to).unwrap(), body.sign_extend(p[0], to).unwrap()]
            });
            let extended: Vec<_> = values.iter().map(|a| reduce(to, signed(bits, a))).collect();
            assert_eq!(outputs, [words(to, &values), words(to, &extended)]);
        }
        for (low, length) in [(0, bits), (0, 1), (bits - 1, 1), (bits / 3, bits / 2)] {
            if length > 0 && length < bits {
                let output = operations(std::slice::from_ref(&a), |body, p| {
                    vec![body.slice(p[0], low, length).unwrap()]
                });
                let expected: Vec<_> = values.iter().map(|a| (a >> low) % modulus(length)).collect();
                assert_eq!(output[0], words(length, &expected));
            }
        }
    });
}

#[test]
fn concat_puts_the_first_lowest() {
    for_widths(|bits, mut draw| {
        let parts = [bits, 3, 64, bits].map(|bits| sample(bits, LANES, &mut draw));
        let output = operations(&parts, |body, p| vec![body.concat(p).unwrap()]);
        let expected: Vec<BigUint> = (0..LANES as usize)
            .map(|lane| {
                parts
                    .iter()
                    .rev()
                    .fold(BigUint::ZERO, |high, part| high << part.bits() | &unsigned(part)[lane])
            })
            .collect();
        assert_eq!(output[0], words(2 * bits + 67, &expected));
    });
}

#[test]
fn random_words_stay_within_their_width() {
    for bits in WIDTHS {
        let output = operations(&[], |body, _| {
            let random = body.random(ValueType::word(bits, LANES)).unwrap();
            vec![body.open(random).unwrap()]
        });
        assert_eq!(words(bits, &unsigned(&output[0])), output[0]);
        let any = unsigned(&output[0]).iter().fold(BigUint::ZERO, |any, lane| any | lane);
        assert_eq!(any, modulus(bits) - 1u8, "every bit is drawn in some lane");
    }
}

#[test]
fn constants_come_back() {
    for_widths(|bits, mut draw| {
        let constant = sample(bits, LANES, &mut draw);
        let output = run(&[], |program, _| {
            let mut body = program.template("body", vec![]);
            let value = body.push(program, Op::Constant(constant.clone())).unwrap();
            (body, value)
        });
        assert_eq!(output[0], constant);
    });
}
