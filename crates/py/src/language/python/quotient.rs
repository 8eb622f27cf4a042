//! `//` and `%` of integers that parties share, with Python's meaning: quotients are rounded down, and
//! remainders have the sign of the divisor; and `/` of fixed-point numbers.

use num_bigint::BigInt;
use pyo3::prelude::*;
use tacit_nparty::dynamic::{AnyOperation, AnyPair, Numbers};

use super::errors::KindError;
use super::numbers::gathered;
use super::ranged::{integer, kinds, number, of_one, of_two};
use super::share::Share;
use crate::language::division::{DivisionPart, quotient, remainder};
use crate::language::kind::{Kind, Number};

impl Share {
    /// `a // b`, or `a % b`. For a secret zero divisor all bits of the quotient are set, and the remainder is
    /// 0.
    ///
    /// Cost: a division of numbers one bit longer than the longer operand, and a comparison with zero; for
    /// signed operands two more comparisons.
    pub fn divided(&self, py: Python<'_>, other: &Share, part: DivisionPart) -> PyResult<Share> {
        let name = if part == DivisionPart::Quotient { "//" } else { "%" };
        let Some((a, b)) = kinds(name, self, other)? else {
            return Err(KindError::new_err(format!(
                "{name} of elements of the field, whose range is not known: promise it with x.within(bits)"
            )));
        };
        let (n, m) = (integer(a, name)?, integer(b, name)?);
        let result = if part == DivisionPart::Quotient { quotient(n, m) } else { remainder(n, m) };
        let room = self.core.room()?;
        let kind = room.kind(|| of_two(name, a, b), result)?;
        // The dividend may be as large as both magnitudes together; during the division numbers are two bits
        // longer.
        let bits = n.abs().bits.max(m.abs().bits) + u32::from(n.signed || m.signed);
        room.masked(|| of_two(name, a, b), bits + 2)?;
        let zero = other.compared(py, &other.public(py, 0)?, true)?;
        let negative = if m.signed { Some(other.is_below_zero(py, m.bits)?) } else { None };
        let dividend = self.turned(py, negative.as_ref())?;
        let divisor = other.turned(py, negative.as_ref())?.pair(py, &zero, AnyPair::Add)?;
        let signed = (n.signed || m.signed).then(|| n.to_signed().bits + 1);
        let (whole, rest) = dividend.rounded_down(py, &divisor, signed, bits as usize)?;
        let found = match part {
            DivisionPart::Quotient => zero.select(py, &self.all_bits_set(py, result)?, &whole)?,
            DivisionPart::Remainder => rest.turned(py, negative.as_ref())?,
        };
        Ok(found.of(Some(kind)))
    }

    /// `a // 2^power` or `a % 2^power`.
    pub fn divided_by_power(
        &self,
        py: Python<'_>,
        kind: &Kind,
        power: u32,
        part: DivisionPart,
    ) -> PyResult<Share> {
        integer(kind, if part == DivisionPart::Quotient { "//" } else { "%" })?;
        let whole = self.shifted(py, kind, power, false)?;
        match part {
            DivisionPart::Quotient => Ok(whole),
            DivisionPart::Remainder => {
                let rest = self.pair(py, &whole.by_power(py, power)?, AnyPair::Sub)?;
                rest.grown(|| of_one("%", kind), Number::uint(power.max(1)))
            }
        }
    }

    /// `a / b` with a binary point, rounded down to the finer of both fractions. For a secret zero divisor it
    /// is -1 in the last place.
    ///
    /// Cost: as [`Share::divided`], for numbers extended by the fraction.
    pub fn true_divided(&self, py: Python<'_>, other: &Share) -> PyResult<Share> {
        let Some((a, b)) = kinds("/", self, other)? else {
            return Err(KindError::new_err(
                "/ of elements of the field, whose range is not known: promise it with x.within(kind); a quotient in \
                 the field is x * y.inverse()",
            ));
        };
        let (x, y) = (number(a, "/")?, number(b, "/")?);
        let Some(point) = x.point.max(y.point) else {
            return Err(KindError::new_err(format!(
                "{a} / {b} has a fraction; write // for the whole part, or .astype(t.fixed(i, f)) first"
            )));
        };
        // Without their points both are integers; shifted `a` has as many fraction bits as `b` and the result
        // together.
        let shift = point + y.point.unwrap_or(0) - x.point.unwrap_or(0);
        let result = Number { bits: x.to_signed().bits + shift + 1, signed: true, point: Some(point) };
        let kind = self.core.room()?.kind(|| of_two("/", a, b), result)?;
        let integer = |number: Number| Kind::of(Number { point: None, ..number });
        let dividend = self.by_power(py, shift)?.of(Some(integer(x.shifted_left(shift))?));
        let divisor = other.clone().of(Some(integer(y)?));
        Ok(dividend.divided(py, &divisor, DivisionPart::Quotient)?.of(Some(kind)))
    }

    /// `a / 2^power` of fixed-point numbers, rounded down.
    pub fn true_divided_by_power(&self, py: Python<'_>, kind: &Kind, power: u32) -> PyResult<Share> {
        let number = number(kind, "/")?;
        let result = Number { bits: number.bits + 1, ..number };
        self.shifted(py, kind, power, false)?.grown(|| of_one("/", kind), result)
    }

    /// The quotient, rounded down, and the remainder, by a division of nonnegative numbers; `signed` gives
    /// the bits of a dividend that may be negative.
    fn rounded_down(
        &self,
        py: Python<'_>,
        divisor: &Share,
        signed: Option<u32>,
        bits: usize,
    ) -> PyResult<(Share, Share)> {
        let Some(length) = signed else { return self.quotient_and_rest(py, divisor, bits) };
        let below = self.is_below_zero(py, length)?;
        // A negative dividend, -a, gives -⌈a/b⌉ = -⌊(a + b - 1)/b⌋.
        let more = divisor.each(py, |value| AnyOperation::Shift(value, Numbers::from(vec![-1])))?;
        let size =
            self.turned(py, Some(&below))?.pair(py, &below.pair(py, &more, AnyPair::Mul)?, AnyPair::Add)?;
        let whole = size.quotient_and_rest(py, divisor, bits)?.0.turned(py, Some(&below))?;
        let rest = self.pair(py, &whole.pair(py, divisor, AnyPair::Mul)?, AnyPair::Sub)?;
        Ok((whole, rest))
    }

    /// Quotient and remainder of nonnegative words.
    pub fn quotient_and_rest(
        &self,
        py: Python<'_>,
        divisor: &Share,
        bits: usize,
    ) -> PyResult<(Share, Share)> {
        let (a, b, shape) = self.together(py, divisor)?;
        let made = self.core.apply(py, AnyOperation::Divide(&a, &b, bits))?;
        let mut made = made.into_iter().map(|value| Share::new(value, shape.clone(), &self.core));
        let both = made.next().zip(made.next());
        both.ok_or_else(|| KindError::new_err("the division gave no result"))
    }

    /// Whether words of this many bits, including the sign, are negative.
    fn is_below_zero(&self, py: Python<'_>, bits: u32) -> PyResult<Share> {
        let zero = self.core.value(py, AnyOperation::ConstantLike(&self.value, Numbers::from(vec![0])))?;
        self.each(py, |value| AnyOperation::LessWithin(value, &zero, bits as usize))
    }

    /// The words with inverted signs where `bit` is 1.
    fn turned(&self, py: Python<'_>, bit: Option<&Share>) -> PyResult<Share> {
        let Some(bit) = bit else { return Ok(self.clone().of(None)) };
        let twice = bit.pair(py, self, AnyPair::Mul)?.by_power(py, 1)?;
        self.pair(py, &twice, AnyPair::Sub)
    }

    /// The public number whose bits are all set: -1 if signed.
    fn all_bits_set(&self, py: Python<'_>, number: Number) -> PyResult<Share> {
        let set = if number.signed { BigInt::from(-1) } else { number.bounds().1 };
        self.made(py, AnyOperation::ConstantLike(&self.value, gathered(vec![set])), vec![])
    }
}
