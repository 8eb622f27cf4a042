//! IEEE 754 arithmetic on words: binary32 and binary64, rounding to nearest even, with every special case.
//!
//! Source: IEEE 754-2019. What the standard leaves open follows x86's SSE: the result of an invalid operation
//! is the quiet NaN with its sign set and no other payload; with NaN operands, the first NaN is the result,
//! made quiet.

mod add;
mod classify;
mod convert;
mod divide;
mod fused;
mod integral;
mod multiply;
mod round;
mod square_root;
#[cfg(test)]
mod tests;

use crate::graph::{Graph, Word};
use crate::int::{Int, IntOp};

pub(crate) use classify::Relation;
pub(crate) use convert::convert;
pub(crate) use integral::Direction;

/// A binary format of IEEE 754.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bits of the exponent.
    exponent: u32,
    /// Bits of the fraction, without the leading one.
    fraction: u32,
}

impl Format {
    const SINGLE: Format = Format { exponent: 8, fraction: 23 };
    const DOUBLE: Format = Format { exponent: 11, fraction: 52 };

    /// The format of 32 or 64 bits.
    pub fn of_bits(bits: u32) -> Option<Self> {
        match bits {
            32 => Some(Format::SINGLE),
            64 => Some(Format::DOUBLE),
            _ => None,
        }
    }

    /// The other of the two formats.
    pub(crate) fn other(self) -> Self {
        if self == Format::SINGLE { Format::DOUBLE } else { Format::SINGLE }
    }

    pub(crate) fn bits(self) -> u32 {
        1 + self.exponent + self.fraction
    }

    fn bias(self) -> u32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The exponent field of infinities and NaNs.
    fn special(self) -> u32 {
        (1 << self.exponent) - 1
    }

    /// Bits of exponents in calculations, which are signed.
    fn wide(self) -> u32 {
        self.exponent + 3
    }
}

/// An operation of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// The first number with the sign of the second.
    CopySign,
    /// The smaller number; for a number and a NaN, the number; -0 is less than +0.
    Minimum,
    Maximum,
}

/// Arithmetic in one format.
pub(crate) struct Floats<'g> {
    graph: &'g mut Graph,
    format: Format,
}

/// The fields of a number.
#[derive(Clone, Copy)]
struct Parts {
    word: Word,
    sign: Word,
    exponent: Word,
    fraction: Word,
    /// Whether the exponent field is not zero: the leading bit of the significand.
    normal: Word,
    /// Whether it is an infinity or a NaN.
    special: Word,
    infinite: Word,
    nan: Word,
}

/// A significand between one and two, unless the number is zero, and its exponent field, signed.
#[derive(Clone, Copy)]
struct Normal {
    significand: Word,
    exponent: Word,
}

impl<'g> Floats<'g> {
    pub(crate) fn new(graph: &'g mut Graph, format: Format) -> Self {
        Floats { graph, format }
    }

    pub(crate) fn binary(&mut self, op: FloatOp, a: Word, b: Word) -> Word {
        match op {
            FloatOp::Add => self.add(a, b),
            FloatOp::Subtract => {
                // A NaN keeps its sign.
                let b = self.negated_number(b);
                self.add(a, b)
            }
            FloatOp::Multiply => self.multiply(a, b),
            FloatOp::Divide => self.divide(a, b),
            FloatOp::CopySign => {
                let (magnitude, sign) = (self.magnitude(a), self.sign(b));
                self.graph.concat(&[magnitude, sign])
            }
            FloatOp::Minimum => self.extreme(a, b, true),
            FloatOp::Maximum => self.extreme(a, b, false),
        }
    }

    /// The number without its sign.
    pub(crate) fn absolute(&mut self, a: Word) -> Word {
        let magnitude = self.magnitude(a);
        self.graph.extend(magnitude, self.format.bits(), false)
    }

    fn negated_number(&mut self, a: Word) -> Word {
        let nan = self.is_nan(a);
        let (magnitude, sign) = (self.magnitude(a), self.sign(a));
        let flip = self.graph.not(nan);
        let sign = self.graph.xor(sign, flip);
        self.graph.concat(&[magnitude, sign])
    }

    fn sign(&mut self, a: Word) -> Word {
        self.graph.bit(a, self.format.bits() - 1)
    }

    fn magnitude(&mut self, a: Word) -> Word {
        self.graph.slice(a, 0, self.format.bits() - 1)
    }

    fn number(&mut self, bits: u32, value: u32) -> Word {
        self.graph.number(bits, value.into())
    }

    /// Whether any bit is set.
    fn any(&mut self, a: Word) -> Word {
        let none = self.none(a);
        self.graph.not(none)
    }

    fn none(&mut self, a: Word) -> Word {
        let zero = self.graph.number(self.graph.bits(a), 0);
        self.graph.equal(a, zero)
    }

    fn ones(&mut self, a: Word) -> Word {
        let ones = self.graph.constant(Int::ones(self.graph.bits(a)));
        self.graph.equal(a, ones)
    }

    /// The word if the flag is set, else zero.
    fn gated(&mut self, flag: Word, a: Word) -> Word {
        let spread = self.graph.extend(flag, self.graph.bits(a), true);
        self.graph.and(spread, a)
    }

    /// `a` with zeros above.
    fn widened(&mut self, a: Word, bits: u32) -> Word {
        self.graph.extend(a, bits, false)
    }

    /// `a + b`, or `a - b` if the flag is set; one adder.
    fn add_or_subtract(&mut self, a: Word, b: Word, subtract: Word) -> Word {
        let bits = self.graph.bits(a);
        let spread = self.graph.extend(subtract, bits, true);
        let flipped = self.graph.xor(b, spread);
        let (a, b) = (self.graph.concat(&[subtract, a]), self.graph.concat(&[subtract, flipped]));
        let sum = self.graph.add_words(a, b);
        self.graph.slice(sum, 1, bits)
    }

    fn parts(&mut self, word: Word) -> Parts {
        let Format { exponent: e, fraction: f } = self.format;
        let sign = self.sign(word);
        let (exponent, fraction) = (self.graph.slice(word, f, e), self.graph.slice(word, 0, f));
        let (normal, special) = (self.any(exponent), self.ones(exponent));
        let whole = self.none(fraction);
        let (infinite, broken) = (self.graph.and(special, whole), self.graph.not(whole));
        let nan = self.graph.and(special, broken);
        Parts { word, sign, exponent, fraction, normal, special, infinite, nan }
    }

    /// The significand with its leading bit, not yet normal for subnormal numbers.
    fn significand(&mut self, parts: &Parts) -> Word {
        self.graph.concat(&[parts.fraction, parts.normal])
    }

    /// The exponent field, 1 for subnormal numbers.
    fn effective_exponent(&mut self, parts: &Parts) -> Word {
        let e = self.format.exponent;
        let (low, high) = (self.graph.bit(parts.exponent, 0), self.graph.slice(parts.exponent, 1, e - 1));
        let subnormal = self.graph.not(parts.normal);
        let low = self.graph.or(low, subnormal);
        self.graph.concat(&[low, high])
    }

    /// Whether the number is zero, given that its exponent field is zero.
    fn is_zero(&mut self, parts: &Parts) -> Word {
        let magnitude = self.magnitude(parts.word);
        self.none(magnitude)
    }

    /// Moves the leading bit of a significand of any number to its place.
    fn normalised(&mut self, parts: &Parts) -> Normal {
        let (significand, exponent) = (self.significand(parts), self.effective_exponent(parts));
        let (significand, zeros) = self.left_aligned(significand);
        let wide = self.format.wide();
        let (exponent, zeros) = (self.widened(exponent, wide), self.widened(zeros, wide));
        Normal { significand, exponent: self.graph.sub(exponent, zeros) }
    }

    /// The word shifted left until its highest bit is set, and the amount; for zero, any values.
    fn left_aligned(&mut self, a: Word) -> (Word, Word) {
        let bits = self.graph.bits(a);
        let (mut value, mut digits) = (a, Vec::new());
        for step in (0..u32::BITS - (bits - 1).leading_zeros()).rev() {
            let distance = 1 << step;
            let high = self.graph.slice(value, bits - distance, distance);
            let skip = self.none(high);
            let (low, zeros) = (self.graph.slice(value, 0, bits - distance), self.number(distance, 0));
            let moved = self.graph.concat(&[zeros, low]);
            value = self.graph.select(skip, moved, value);
            digits.push(skip);
        }
        digits.reverse();
        (value, self.graph.concat(&digits))
    }

    /// The word shifted right by an amount; the lowest bit of the result is set if any bit was shifted out.
    /// An amount beyond the width counts as the width.
    fn shift_right_sticky(&mut self, a: Word, amount: Word) -> Word {
        let bits = self.graph.bits(a);
        let steps = u32::BITS - bits.leading_zeros();
        let amount_bits = self.graph.bits(amount);
        let mut far = self.graph.flag(false);
        if amount_bits > steps {
            let high = self.graph.slice(amount, steps, amount_bits - steps);
            far = self.any(high);
        }
        let (mut value, mut sticky) = (a, self.graph.flag(false));
        for step in 0..steps.min(amount_bits) {
            let digit = self.graph.bit(amount, step);
            let digit = self.graph.or(digit, far);
            let distance = (1 << step).min(bits);
            let lost = self.graph.slice(value, 0, distance);
            let lost = self.any(lost);
            let lost = self.graph.and(lost, digit);
            sticky = self.graph.or(sticky, lost);
            let moved = match bits - distance {
                0 => self.number(bits, 0),
                rest => {
                    let high = self.graph.slice(value, distance, rest);
                    self.widened(high, bits)
                }
            };
            value = self.graph.select(digit, moved, value);
        }
        let sticky = self.widened(sticky, bits);
        self.graph.or(value, sticky)
    }

    /// The word shifted right by an amount of any size.
    fn shift_right(&mut self, a: Word, amount: Word) -> Word {
        let bits = self.graph.bits(a);
        let mut value = a;
        for step in 0..self.graph.bits(amount) {
            let digit = self.graph.bit(amount, step);
            let moved = match bits.checked_sub(1 << step) {
                None | Some(0) => self.number(bits, 0),
                Some(rest) => {
                    let high = self.graph.slice(value, bits - rest, rest);
                    self.widened(high, bits)
                }
            };
            value = self.graph.select(digit, moved, value);
        }
        value
    }

    /// The NaN that an operation of two numbers gives: the first operand that is a NaN, made quiet, or the
    /// NaN of an invalid operation.
    fn nan_of(&mut self, a: &Parts, b: &Parts) -> Word {
        let either = self.graph.or(a.nan, b.nan);
        let default = self.invalid();
        let operand = self.graph.select(a.nan, a.word, b.word);
        let quiet = self.quiet(operand);
        self.graph.select(either, quiet, default)
    }

    fn quiet(&mut self, a: Word) -> Word {
        let bit = self.graph.number(self.format.bits(), 1 << (self.format.fraction - 1));
        self.graph.or(a, bit)
    }

    /// The result of an invalid operation.
    fn invalid(&mut self) -> Word {
        let Format { exponent, fraction } = self.format;
        let ones = Int::ones(exponent + 2).extend(self.format.bits(), false).shifted_left(fraction - 1);
        self.graph.constant(ones)
    }

    /// An infinity of this sign.
    fn infinity(&mut self, sign: Word) -> Word {
        let Format { exponent, fraction } = self.format;
        let zeros = self.graph.number(fraction, 0);
        let ones = self.graph.constant(Int::ones(exponent));
        self.graph.concat(&[zeros, ones, sign])
    }

    fn is_nan(&mut self, a: Word) -> Word {
        let magnitude = self.magnitude(a);
        let infinity = Int::ones(self.format.exponent).extend(self.format.bits() - 1, false);
        let infinity = self.graph.constant(infinity.shifted_left(self.format.fraction));
        self.graph.compare(tacit_ir::CompareOp::LtU, infinity, magnitude)
    }

    fn multiply_words(&mut self, a: Word, b: Word) -> Word {
        self.graph.binary(IntOp::Mul, a, b)
    }
}
