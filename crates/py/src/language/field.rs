//! Arithmetic modulo a prime, on words: elements stay below it.

use tacit_ir::{BinaryOp, CompareOp, Op, ValueId, Words};

use super::error::{Traced, kind};
use super::kind::Kind;
use super::shape;
use super::tracer::Tracer;
use super::value::Value;

impl Tracer {
    /// A modulus as a word of `bits` bits in each lane.
    fn modulus(&mut self, field: &Kind, bits: u32, lanes: u64) -> Traced<ValueId> {
        let Kind::Field(modulus) = field else { return kind(format!("{field} is not a field")) };
        let mut limbs: Vec<u64> = modulus.iter_u64_digits().collect();
        limbs.resize(bits.div_ceil(64) as usize, 0);
        let Some(words) = Words::from_limbs(bits, 1, limbs) else {
            return kind(format!("{field} is too large"));
        };
        let one = self.words(words)?;
        self.view(one, 1, &shape::View::whole(&[]).broadcast_to(&[lanes]))
    }

    fn wide(&mut self, a: &Value, b: &Value, bits: u32) -> Traced<(ValueId, ValueId, Vec<u64>)> {
        let dims = shape::broadcast(&a.shape, &b.shape)?;
        let (x, y) = (self.spread(a, &dims)?, self.spread(b, &dims)?);
        let own = a.kind.bits();
        Ok((self.resize(x, own, false, bits)?, self.resize(y, own, false, bits)?, dims))
    }

    pub(super) fn field_add(&mut self, a: &Value, b: &Value, field: &Kind) -> Traced<Value> {
        let bits = field.bits() + 1;
        let (x, y, dims) = self.wide(a, b, bits)?;
        let modulus = self.modulus(field, bits, shape::size(&dims))?;
        let sum = self.binary(BinaryOp::Add, x, y)?;
        let reduced = self.binary(BinaryOp::Sub, sum, modulus)?;
        let small = self.emit(Op::Compare(CompareOp::LtU, sum, modulus))?;
        let id = self.emit(Op::Select(small, sum, reduced))?;
        let id = self.slice(id, 0, bits - 1)?;
        Ok(self.value(id, field.clone(), dims))
    }

    pub(super) fn field_sub(&mut self, a: &Value, b: &Value, field: &Kind) -> Traced<Value> {
        let bits = field.bits() + 1;
        let (x, y, dims) = self.wide(a, b, bits)?;
        let lanes = shape::size(&dims);
        let (modulus, zero) = (self.modulus(field, bits, lanes)?, self.word(bits, 0, lanes)?);
        let difference = self.binary(BinaryOp::Sub, x, y)?;
        let negative = self.slice(difference, bits - 1, 1)?;
        let correction = self.emit(Op::Select(negative, modulus, zero))?;
        let id = self.binary(BinaryOp::Add, difference, correction)?;
        let id = self.slice(id, 0, bits - 1)?;
        Ok(self.value(id, field.clone(), dims))
    }

    pub(super) fn field_mul(&mut self, a: &Value, b: &Value, field: &Kind) -> Traced<Value> {
        let bits = 2 * field.bits();
        let (x, y, dims) = self.wide(a, b, bits)?;
        let product = self.binary(BinaryOp::Mul, x, y)?;
        let id = self.reduce(product, bits, shape::size(&dims), field)?;
        Ok(self.value(id, field.clone(), dims))
    }

    /// An unsigned word modulo the prime.
    fn reduce(&mut self, id: ValueId, bits: u32, lanes: u64, field: &Kind) -> Traced<ValueId> {
        let own = field.bits();
        let wide = self.resize(id, bits, false, bits.max(own))?;
        let modulus = self.modulus(field, bits.max(own), lanes)?;
        let rest = self.binary(BinaryOp::RemU, wide, modulus)?;
        self.resize(rest, bits.max(own), false, own)
    }

    /// Integers as elements of a field.
    pub(super) fn as_field(&mut self, a: &Value, field: &Kind) -> Traced<Value> {
        let number = a.integer(".astype")?;
        let magnitude =
            if number.signed { self.abs(&Value { wrapping: true, ..a.clone() })? } else { a.clone() };
        let id = self.id(&magnitude)?;
        let id = self.reduce(id, number.bits, a.lanes(), field)?;
        let value = self.value(id, field.clone(), a.shape.clone());
        if !number.signed {
            return Ok(value);
        }
        let negated = self.neg(&value)?;
        let id = self.id(a)?;
        let sign = self.slice(id, number.bits - 1, 1)?;
        let sign = self.value(sign, Kind::Bool, a.shape.clone());
        self.select(&sign, &negated, &value)
    }

    /// Elements of a field as integers.
    pub(super) fn as_integers(&mut self, a: &Value) -> Traced<Value> {
        self.astype(a, &Kind::Uint(a.kind.bits()))
    }
}
