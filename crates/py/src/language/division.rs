//! Quotients, remainders and roots.

use tacit_cfront::FloatOperation;
use tacit_ir::{BinaryOp, CompareOp, Op, ShiftOp, ValueId, ValueType};

use super::arithmetic::kept;
use super::error::{Traced, kind};
use super::float::is_float;
use super::kind::{Kind, Number};
use super::tracer::Tracer;
use super::value::Value;

/// Which result of a division is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DivisionPart {
    /// The quotient, rounded down.
    Quotient,
    /// The remainder, with the sign of the divisor.
    Remainder,
}

impl Tracer {
    /// `a // b` or `a % b` as Python defines them. For a secret zero divisor: all bits set, which is -1 if
    /// signed, and the low bits of `a`.
    pub fn divide(&mut self, a: &Value, b: &Value, part: DivisionPart) -> Traced<Value> {
        let (x, y) = (a.number("division")?, b.number("division")?);
        let fraction = x.point.max(y.point);
        let (n, m) = (level(x, fraction), level(y, fraction));
        let result = match part {
            DivisionPart::Quotient => Number { point: None, ..quotient(n, m) },
            DivisionPart::Remainder => Number { point: fraction, ..remainder(n, m) },
        };
        let same = kept(a, b);
        let (wrapping, result) =
            (same.is_some(), same.map_or(result, |number| Number { point: result.point, ..number }));
        let kind = Kind::of(result)?;
        let signed = n.signed || m.signed;
        let bits = match signed {
            true => n.to_signed().bits.max(m.to_signed().bits) + 1,
            false => n.bits.max(m.bits),
        };
        let (dividend, divisor, dims) = self.fitted(a, b, Number { bits, signed, point: fraction })?;
        let lanes = super::shape::size(&dims);
        let id = match signed {
            true => self.divide_signed(dividend, divisor, (bits, lanes), part)?,
            false => self.binary(part.unsigned(), dividend, divisor)?,
        };
        let id = self.resize(id, bits, signed, result.bits)?;
        Ok(Value { wrapping, ..self.value(id, kind, dims) })
    }

    /// A signed division that rounds down, of words wide enough for every quotient.
    fn divide_signed(
        &mut self,
        a: ValueId,
        b: ValueId,
        (bits, lanes): (u32, u64),
        part: DivisionPart,
    ) -> Traced<ValueId> {
        let remainder = self.binary(BinaryOp::RemS, a, b)?;
        let zero = self.word(bits, 0, lanes)?;
        let (exact, by_zero) = (self.equal(remainder, zero)?, self.equal(b, zero)?);
        let signs = self.binary(BinaryOp::Xor, remainder, b)?;
        let differ = self.slice(signs, bits - 1, 1)?;
        let neither = self.binary(BinaryOp::Or, exact, by_zero)?;
        let neither = self.not(neither)?;
        let down = self.binary(BinaryOp::And, differ, neither)?;
        match part {
            DivisionPart::Quotient => {
                let quotient = self.binary(BinaryOp::DivS, a, b)?;
                let one = self.resize(down, 1, false, bits)?;
                self.binary(BinaryOp::Sub, quotient, one)
            }
            DivisionPart::Remainder => {
                let correction = self.emit(Op::Select(down, b, zero))?;
                self.binary(BinaryOp::Add, remainder, correction)
            }
        }
    }

    pub(super) fn equal(&mut self, a: ValueId, b: ValueId) -> Traced<ValueId> {
        self.emit(Op::Compare(CompareOp::Eq, a, b))
    }

    /// `a // 2^power` or `a % 2^power`, for integers.
    pub fn divide_by_power(&mut self, a: &Value, power: u32, part: DivisionPart) -> Traced<Value> {
        let number = a.integer("division")?;
        match part {
            DivisionPart::Quotient => self.shift_right(a, power),
            DivisionPart::Remainder => {
                let bits = power.max(1);
                let id = self.id(a)?;
                let low = self.resize(id, number.bits, number.signed, bits.max(power))?;
                let id = if power == 0 { self.word(1, 0, a.lanes())? } else { low };
                Ok(self.value(id, Kind::of(Number::uint(bits))?, a.shape.clone()))
            }
        }
    }

    /// `a / b` with a binary point, rounded down to the finer of both fractions; for floats as defined by
    /// IEEE 754.
    pub fn true_divide(&mut self, a: &Value, b: &Value) -> Traced<Value> {
        if is_float("/", a, b)? {
            return self.float_binary(FloatOperation::Divide, a, b);
        }
        let (x, y) = (a.number("/")?, b.number("/")?);
        let (Some(point), (before, after)) =
            (x.point.max(y.point), (x.point.unwrap_or(0), y.point.unwrap_or(0)))
        else {
            return kind(format!(
                "{} / {} has a fraction; write // for the whole part, or .astype(t.fixed(i, f)) first",
                a.kind, b.kind
            ));
        };
        let (n, m) = (x.to_signed(), y.to_signed());
        let shift = point + after - before;
        let bits = (n.bits + shift).max(m.bits) + 1;
        let kind = Kind::of(Number { bits: n.bits + shift + 1, signed: true, point: Some(point) })?;
        // Without their points both are integers; shifted `a` has as many fraction bits as `b` and the result
        // together.
        let whole = |value: &Value, number: Number| {
            let integer = Kind::of(Number { point: None, ..number });
            integer.map(|kind| Value { kind, ..value.clone() })
        };
        let (a, b) = (whole(a, x)?, whole(b, y)?);
        let number = Number { bits, signed: true, point: None };
        let (dividend, divisor, dims) = self.fitted(&a, &b, number)?;
        let dividend = self.emit(Op::ShiftBy(ShiftOp::Left, dividend, shift))?;
        let lanes = super::shape::size(&dims);
        let id = self.divide_signed(dividend, divisor, (bits, lanes), DivisionPart::Quotient)?;
        let id = self.resize(id, bits, true, kind.bits())?;
        Ok(self.value(id, kind, dims))
    }

    /// The square root, rounded down, and 0 for negative numbers; for floats as defined by IEEE 754.
    pub fn sqrt(&mut self, a: &Value) -> Traced<Value> {
        if let Kind::Float(_) = a.kind {
            return self.float_sqrt(a);
        }
        let number = a.number("sqrt")?;
        let fraction = number.point.unwrap_or(0);
        let mut id = self.id(a)?;
        let mut bits = number.bits;
        if number.signed {
            let negative = self.slice(id, bits - 1, 1)?;
            let zero = self.word(bits, 0, a.lanes())?;
            id = self.emit(Op::Select(negative, zero, id))?;
            // The rest has no sign, so the sign bit is free; a word has at least one bit.
            id = self.resize(id, bits, false, (bits - 1).max(1))?;
            bits = (bits - 1).max(1);
        }
        if fraction > 0 {
            id = self.resize(id, bits, false, bits + fraction)?;
            id = self.emit(Op::ShiftBy(ShiftOp::Left, id, fraction))?;
            bits += fraction;
        }
        let template = self.root_template(bits)?;
        let arguments = vec![id];
        let root = self.emit(match a.lanes() {
            1 => Op::Call { template, arguments },
            lanes => Op::Map { template, lanes, arguments },
        })?;
        let half = bits.div_ceil(2);
        let result = match number.point {
            None => Number::uint(half),
            Some(_) => Number { bits: (half + 1).max(fraction + 1), signed: true, point: number.point },
        };
        let id = self.resize(root, half, false, result.bits)?;
        Ok(self.value(id, Kind::of(result)?, a.shape.clone()))
    }

    /// The template of the square root of words of `bits` bits, digit by digit: the remainder is extended by
    /// two bits at a time, and four times the current root plus one is subtracted if possible.
    fn root_template(&mut self, bits: u32) -> Traced<tacit_ir::TemplateId> {
        let name = format!("square root of {bits} bits");
        if let Some(known) = self.templates.get(&name) {
            return Ok(*known);
        }
        let digits = bits.div_ceil(2);
        let mut body = self.builder.template(&name, vec![ValueType::word(bits, 1)]);
        let number = body.parameters()[0];
        let number = body.zero_extend(number, 2 * digits)?;
        let (one, zero) = (body.word(1, 1)?, body.word(1, 0)?);
        let mut root = None;
        let mut rest = None;
        for digit in 0..digits {
            let two = body.slice(number, 2 * (digits - 1 - digit), 2)?;
            let taken = match rest {
                None => two,
                Some(rest) => body.concat(&[two, rest])?,
            };
            // The remainder never exceeds twice the root, so digit + 3 bits hold it after it was extended by
            // two bits.
            let width = digit + 3;
            let taken = resized(&mut body, taken, width)?;
            let trial = match root {
                None => body.zero_extend(one, width)?,
                Some(root) => {
                    let trial = body.concat(&[one, zero, root])?;
                    resized(&mut body, trial, width)?
                }
            };
            let less = body.lt_u(taken, trial)?;
            let lessened = body.sub(taken, trial)?;
            rest = Some(body.select(less, taken, lessened)?);
            let bit = body.not(less)?;
            root = Some(match root {
                None => bit,
                Some(root) => body.concat(&[bit, root])?,
            });
        }
        let template = self.builder.add(body, root.into_iter().collect())?;
        self.templates.insert(name, template);
        Ok(template)
    }
}

fn resized(body: &mut tacit_ir::TemplateBuilder, value: ValueId, bits: u32) -> Traced<ValueId> {
    match body.value_type(value).ty {
        tacit_ir::Type::Word(from) if from > bits => Ok(body.truncate(value, bits)?),
        _ => Ok(body.zero_extend(value, bits)?),
    }
}

impl DivisionPart {
    fn unsigned(self) -> BinaryOp {
        match self {
            DivisionPart::Quotient => BinaryOp::DivU,
            DivisionPart::Remainder => BinaryOp::RemU,
        }
    }
}

/// A number rescaled to this fraction, as an integer.
fn level(number: Number, fraction: Option<u32>) -> Number {
    match fraction {
        None => number,
        Some(fraction) => {
            let signed = number.to_signed();
            Number { bits: signed.bits + fraction - number.point.unwrap_or(0), signed: true, point: None }
        }
    }
}

/// The number kind of a quotient, rounded down.
pub fn quotient(a: Number, b: Number) -> Number {
    match (a.signed, b.signed) {
        (_, false) => a,
        (_, true) => Number { bits: a.bits + 1, signed: true, point: None },
    }
}

/// The number kind of a remainder with the sign of the divisor.
pub fn remainder(a: Number, b: Number) -> Number {
    match (a.signed, b.signed) {
        (false, false) => Number::uint(a.bits.min(b.bits)),
        _ => b,
    }
}
