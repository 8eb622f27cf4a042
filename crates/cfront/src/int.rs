//! Constants: unsigned integers of any fixed width, with the arithmetic of machine words.

use num_bigint::{BigInt, BigUint, Sign};
use tacit_ir::Words;

/// An integer of `bits` bits; all arithmetic is modulo `2^bits`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Int {
    bits: u32,
    value: Value,
}

/// Up to 128 bits the value itself, beyond that a big integer; always reduced.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Value {
    Small(u128),
    Large(Box<BigUint>),
}

/// Operations that [`Int::binary`] computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IntOp {
    Add,
    Sub,
    Mul,
    DivU,
    DivS,
    RemU,
    RemS,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRightU,
    ShiftRightS,
}

impl Int {
    pub(crate) fn new(bits: u32, value: u128) -> Self {
        if bits <= 128 {
            Int { bits, value: Value::Small(value & mask(bits)) }
        } else {
            Int::big(bits, value.into())
        }
    }

    pub(crate) fn signed(bits: u32, value: i128) -> Self {
        if bits <= 128 { Int::new(bits, value as u128) } else { Int::from_big(bits, &value.into()) }
    }

    pub(crate) fn zero(bits: u32) -> Self {
        Int::new(bits, 0)
    }

    pub(crate) fn ones(bits: u32) -> Self {
        Int::zero(bits).not()
    }

    pub(crate) fn flag(value: bool) -> Self {
        Int::new(1, u128::from(value))
    }

    /// Reads decimal digits with an optional minus sign.
    pub(crate) fn parse(bits: u32, text: &str) -> Option<Self> {
        match text.parse::<i128>() {
            Ok(value) => Some(Int::signed(bits, value)),
            Err(_) => Some(Int::from_big(bits, &text.parse::<BigInt>().ok()?)),
        }
    }

    pub(crate) fn bits(&self) -> u32 {
        self.bits
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.low_u128() == 0 && matches!(self.value, Value::Small(_)) || self.to_big() == BigUint::ZERO
    }

    pub(crate) fn is_ones(&self) -> bool {
        self.not().is_zero()
    }

    /// The low 128 bits.
    pub(crate) fn low_u128(&self) -> u128 {
        match &self.value {
            Value::Small(value) => *value,
            Value::Large(value) => value
                .iter_u64_digits()
                .take(2)
                .zip([0, 64])
                .fold(0, |sum, (digit, at)| sum | u128::from(digit) << at),
        }
    }

    /// The value if it fits in 64 bits, unsigned.
    pub(crate) fn to_u64(&self) -> Option<u64> {
        match &self.value {
            Value::Small(value) => u64::try_from(*value).ok(),
            Value::Large(value) => u64::try_from(value.as_ref()).ok(),
        }
    }

    /// The value as two's complement, if it fits in 128 bits.
    pub(crate) fn to_i128(&self) -> Option<i128> {
        match &self.value {
            Value::Small(value) => Some(sign_extend(*value, self.bits)),
            Value::Large(_) => i128::try_from(&self.to_signed()).ok(),
        }
    }

    /// The exponent if the value is a power of two.
    pub(crate) fn log2(&self) -> Option<u32> {
        let value = self.to_big();
        let low = value.trailing_zeros()?;
        (value.bits() == low + 1).then_some(low as u32)
    }

    pub(crate) fn not(&self) -> Self {
        match &self.value {
            Value::Small(value) => Int::new(self.bits, !value),
            Value::Large(value) => {
                Int::big(self.bits, ((BigUint::from(1u8) << self.bits) - 1u8) ^ value.as_ref())
            }
        }
    }

    pub(crate) fn shifted_left(&self, amount: u32) -> Self {
        self.binary(IntOp::ShiftLeft, &Int::new(self.bits, amount.into()))
    }

    pub(crate) fn neg(&self) -> Self {
        Int::zero(self.bits).binary(IntOp::Sub, self)
    }

    /// Applies a total operation; results that C leaves undefined are those of `tacit_ir`.
    pub(crate) fn binary(&self, op: IntOp, other: &Int) -> Self {
        match (&self.value, &other.value) {
            (Value::Small(a), Value::Small(b)) => small_binary(op, self.bits, *a, *b),
            _ => large_binary(op, self, other),
        }
    }

    pub(crate) fn less_unsigned(&self, other: &Int) -> bool {
        match (&self.value, &other.value) {
            (Value::Small(a), Value::Small(b)) => a < b,
            _ => self.to_big() < other.to_big(),
        }
    }

    pub(crate) fn less_signed(&self, other: &Int) -> bool {
        match (&self.value, &other.value) {
            (Value::Small(a), Value::Small(b)) => sign_extend(*a, self.bits) < sign_extend(*b, other.bits),
            _ => self.to_signed() < other.to_signed(),
        }
    }

    pub(crate) fn extend(&self, bits: u32, signed: bool) -> Self {
        match (&self.value, signed) {
            (Value::Small(value), true) if bits <= 128 => {
                Int::new(bits, sign_extend(*value, self.bits) as u128)
            }
            (Value::Small(value), false) if bits <= 128 => Int::new(bits, *value),
            (_, true) => Int::from_big(bits, &self.to_signed()),
            (_, false) => Int::big(bits, self.to_big()),
        }
    }

    pub(crate) fn slice(&self, low: u32, bits: u32) -> Self {
        match &self.value {
            Value::Small(value) => Int::new(bits, value.checked_shr(low).unwrap_or(0)),
            Value::Large(value) => Int::big(bits, value.as_ref() >> low),
        }
    }

    /// `self` in the low bits, `high` above.
    pub(crate) fn concat(&self, high: &Int) -> Self {
        let bits = self.bits + high.bits;
        if bits <= 128 {
            return Int::new(bits, self.low_u128() | high.low_u128() << self.bits);
        }
        Int::big(bits, self.to_big() | high.to_big() << self.bits)
    }

    pub(crate) fn bit(&self, index: u32) -> bool {
        match &self.value {
            Value::Small(value) => value.checked_shr(index).unwrap_or(0) & 1 == 1,
            Value::Large(value) => value.bit(u64::from(index)),
        }
    }

    pub(crate) fn count_ones(&self) -> u32 {
        match &self.value {
            Value::Small(value) => value.count_ones(),
            Value::Large(value) => value.count_ones() as u32,
        }
    }

    /// Several constants of one width as the lanes of one value.
    pub(crate) fn to_words<'a>(bits: u32, lanes: impl ExactSizeIterator<Item = &'a Int>) -> Words {
        let mut words = Words::zero(bits, lanes.len() as u64);
        for (lane, value) in lanes.enumerate() {
            for (limb, digit) in words.lane_mut(lane as u64).iter_mut().zip(value.to_big().iter_u64_digits())
            {
                *limb = digit;
            }
        }
        words
    }

    fn big(bits: u32, value: BigUint) -> Self {
        let value = if value.bits() > u64::from(bits) { value % (BigUint::from(1u8) << bits) } else { value };
        if bits <= 128 {
            let digits = value.iter_u64_digits().zip([0, 64]);
            return Int::new(bits, digits.fold(0, |sum, (digit, at)| sum | u128::from(digit) << at));
        }
        Int { bits, value: Value::Large(Box::new(value)) }
    }

    fn from_big(bits: u32, value: &BigInt) -> Self {
        let magnitude = Int::big(bits, value.magnitude().clone());
        if value.sign() == Sign::Minus { magnitude.neg() } else { magnitude }
    }

    fn to_big(&self) -> BigUint {
        match &self.value {
            Value::Small(value) => BigUint::from(*value),
            Value::Large(value) => value.as_ref().clone(),
        }
    }

    fn to_signed(&self) -> BigInt {
        let value = BigInt::from(self.to_big());
        if self.bit(self.bits - 1) { value - (BigInt::from(1) << self.bits) } else { value }
    }
}

pub(crate) fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

pub(crate) fn sign_extend(value: u128, bits: u32) -> i128 {
    let unused = 128 - bits;
    (value << unused) as i128 >> unused
}

fn small_binary(op: IntOp, bits: u32, a: u128, b: u128) -> Int {
    let (signed_a, signed_b) = (sign_extend(a, bits), sign_extend(b, bits));
    let amount = u32::try_from(b).unwrap_or(u32::MAX).min(bits);
    Int::new(
        bits,
        match op {
            IntOp::Add => a.wrapping_add(b),
            IntOp::Sub => a.wrapping_sub(b),
            IntOp::Mul => a.wrapping_mul(b),
            IntOp::DivU => a.checked_div(b).unwrap_or(u128::MAX),
            IntOp::RemU => a.checked_rem(b).unwrap_or(a),
            IntOp::DivS if b == 0 => u128::MAX,
            IntOp::DivS => signed_a.wrapping_div(signed_b) as u128,
            IntOp::RemS if b == 0 => a,
            IntOp::RemS => signed_a.wrapping_rem(signed_b) as u128,
            IntOp::And => a & b,
            IntOp::Or => a | b,
            IntOp::Xor => a ^ b,
            IntOp::ShiftLeft => a.checked_shl(amount).unwrap_or(0),
            IntOp::ShiftRightU => a.checked_shr(amount).unwrap_or(0),
            IntOp::ShiftRightS => (signed_a >> amount.min(127)) as u128,
        },
    )
}

fn large_binary(op: IntOp, left: &Int, right: &Int) -> Int {
    let bits = left.bits;
    let (a, b) = (left.to_big(), right.to_big());
    let by_zero = b == BigUint::ZERO;
    let amount = u32::try_from(&b).unwrap_or(u32::MAX).min(bits);
    match op {
        IntOp::Add => Int::big(bits, a + b),
        IntOp::Sub => Int::big(bits, a + (BigUint::from(1u8) << bits) - b),
        IntOp::Mul => Int::big(bits, a * b),
        IntOp::DivU | IntOp::DivS if by_zero => Int::ones(bits),
        IntOp::RemU | IntOp::RemS if by_zero => left.clone(),
        IntOp::DivU => Int::big(bits, a / b),
        IntOp::RemU => Int::big(bits, a % b),
        IntOp::DivS => Int::from_big(bits, &(left.to_signed() / right.to_signed())),
        IntOp::RemS => Int::from_big(bits, &(left.to_signed() % right.to_signed())),
        IntOp::And => Int::big(bits, a & b),
        IntOp::Or => Int::big(bits, a | b),
        IntOp::Xor => Int::big(bits, a ^ b),
        IntOp::ShiftLeft => Int::big(bits, a << amount),
        IntOp::ShiftRightU => Int::big(bits, a >> amount),
        IntOp::ShiftRightS => Int::from_big(bits, &(left.to_signed() >> amount)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: [IntOp; 13] = [
        IntOp::Add,
        IntOp::Sub,
        IntOp::Mul,
        IntOp::DivU,
        IntOp::DivS,
        IntOp::RemU,
        IntOp::RemS,
        IntOp::And,
        IntOp::Or,
        IntOp::Xor,
        IntOp::ShiftLeft,
        IntOp::ShiftRightU,
        IntOp::ShiftRightS,
    ];

    #[test]
    fn small_and_large_arithmetic_agree() {
        let samples = [0u128, 1, 2, 3, 7, 30, 31, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff, 12345];
        for bits in [32, 31, 8] {
            for (a, b) in samples.iter().flat_map(|a| samples.iter().map(move |b| (*a, *b))) {
                let (a, b) = (Int::new(bits, a), Int::new(bits, b));
                for op in OPS {
                    assert_eq!(a.binary(op, &b), large_binary(op, &a, &b), "{op:?} {a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn wide_values_keep_their_width() {
        let a = Int::parse(200, "-5").expect("digits");
        assert_eq!(a.to_i128(), Some(-5));
        assert_eq!(a.extend(300, true).slice(0, 64).to_u64(), Some(u64::MAX - 4));
        assert_eq!(a.slice(190, 10).concat(&Int::new(3, 5)), Int::new(13, 5 << 10 | 0x3ff));
        assert!(a.less_signed(&Int::zero(200)) && Int::zero(200).less_unsigned(&a));
        assert_eq!(Int::new(200, 64).log2(), Some(6));
    }
}
