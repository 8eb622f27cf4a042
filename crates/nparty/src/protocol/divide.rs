//! Division of integers, and fixed-point numbers.

use tacit_math::field::Field;
use tacit_math::zeros;

use crate::error::{RunError, UsageError};
use crate::program::{Task, Value, mixed};
use crate::protocol::bits::power_of_two;

/// A fixed-point format: how many bits are after the point, and how many bits operands have in all, the sign
/// included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// Bits after the point.
    pub fraction: usize,
    /// All bits.
    pub bits: usize,
}

impl<F: Field> Task<F> {
    /// Quotient and remainder of numbers from 0 to 2^`bits` - 1. For a divisor of 0, the quotient is 2^`bits` - 1 and the remainder is the
    /// dividend.
    ///
    /// Cost: the bits of the dividend, and a comparison and a product for each of them, sequentially.
    ///
    /// Errors: the field has room for fewer than `bits` + 2 bits, the lengths do not fit, or the computation has ended.
    pub fn divide(&self, a: &Value<F>, b: &Value<F>, bits: usize) -> Result<(Value<F>, Value<F>), RunError> {
        if bits + 2 > self.number_bits() {
            let most = self.number_bits();
            return Err(UsageError::Division { bits, needed: bits + 2, most }.into());
        }
        let (field, lanes, digits) = (self.field().clone(), a.len(), self.bits(a, bits)?);
        let two = field.element(2);
        let zeros = self.constant(zeros(lanes.max(b.len())))?;
        let (mut quotient, mut rest) = (self.scale(&zeros, two)?, zeros);
        for digit in (0..bits).rev() {
            let hash = mixed(0x64_69, digit as u64);
            let next = self.local(lanes, false, hash, &[&digits], move |_, given| {
                given[0].iter().skip(digit).step_by(bits).copied().collect()
            })?;
            rest = self.add(&self.scale(&rest, two)?, &next)?;
            let less = self.is_negative_within(&self.sub(&rest, b)?, bits + 2)?;
            let taken = self.sub(&self.constant(vec![field.one()])?, &less)?;
            rest = self.sub(&rest, &self.mul(&taken, b)?)?;
            quotient = self.add(&self.scale(&quotient, two)?, &taken)?;
        }
        Ok((quotient, rest))
    }

    /// The product of fixed-point numbers, rounded down: for any two operands of `bits` bits, although the result has
    /// more.
    ///
    /// Security: as [`Task::remainder`] for numbers of 2 · `bits` - 1 bits, however large the product is.
    /// Cost: a product and a truncation.
    ///
    /// Errors: the field has no room for a mask of products, which have 2 · `bits` - 1 bits; the lengths do not fit, or the computation has ended.
    pub fn fixed_mul(&self, a: &Value<F>, b: &Value<F>, at: Fixed) -> Result<Value<F>, RunError> {
        // Products are from -2^(2 · bits - 2) + 2^(bits - 1) to 2^(2 · bits - 2). With the offset of a truncation the largest, which is the square of the smallest
        // number, is 2^(2 · bits - 1). It leaves the same room for a mask, and is hidden as well as smaller ones.
        let product = (2 * at.bits).saturating_sub(1);
        let most = self.number_bits();
        if product > most {
            let (bits, security) = (at.bits, self.statistical_bits());
            return Err(UsageError::FixedPoint { bits, product, most, security }.into());
        }
        self.truncate(&self.mul(a, b)?, at.fraction, product)
    }

    /// The quotient of fixed-point numbers, rounded towards zero. Division by 0 yields the largest quotient.
    ///
    /// Cost: three comparisons, and a division.
    ///
    /// Errors: as [`Task::divide`] of numbers with `fraction` more bits.
    pub fn fixed_divide(&self, a: &Value<F>, b: &Value<F>, at: Fixed) -> Result<Value<F>, RunError> {
        let (a_sign, a) = self.sign_and_size(a, at.bits)?;
        let (b_sign, b) = self.sign_and_size(b, at.bits)?;
        let a = self.scale(&a, power_of_two(self.field(), at.fraction))?;
        let (quotient, _) = self.divide(&a, &b, at.bits + at.fraction)?;
        self.mul(&self.mul(&a_sign, &b_sign)?, &quotient)
    }

    /// The sign, 1 or -1, and the number times its sign, which is not negative.
    fn sign_and_size(&self, a: &Value<F>, bits: usize) -> Result<(Value<F>, Value<F>), RunError> {
        let field = self.field().clone();
        let double = self.scale(&self.is_negative_within(a, bits)?, field.neg(field.element(2)))?;
        let sign = self.shift(&double, field.one())?;
        let size = self.mul(&sign, a)?;
        Ok((sign, size))
    }
}
