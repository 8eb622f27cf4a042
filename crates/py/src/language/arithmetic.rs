//! Sums, products and related operations, element by element.

use tacit_cfront::FloatOperation;
use tacit_ir::{BinaryOp, CompareOp, Op, ShiftOp, UnaryOp, ValueId};

use super::error::{Traced, kind};
use super::float::is_float;
use super::kind::{Kind, MAX_BITS, Number};
use super::shape;
use super::tracer::Tracer;
use super::value::Value;

impl Tracer {
    /// `a + b`.
    pub fn add(&mut self, a: &Value, b: &Value) -> Traced<Value> {
        if let Some(field) = common_field(a, b)? {
            return self.field_add(a, b, &field);
        }
        if is_float("+", a, b)? {
            return self.float_binary(FloatOperation::Add, a, b);
        }
        let (x, y) = (a.number("+")?, b.number("+")?);
        let grown = kept(a, b).unwrap_or_else(|| x.add(y));
        for (rounded, other) in [(a, b), (b, a)] {
            if let Some(sum) = self.before_rounding(BinaryOp::Add, (rounded, other), grown)? {
                return Ok(sum);
            }
        }
        self.alike(BinaryOp::Add, a, b, grown)
    }

    /// `a - b`.
    pub fn sub(&mut self, a: &Value, b: &Value) -> Traced<Value> {
        if let Some(field) = common_field(a, b)? {
            return self.field_sub(a, b, &field);
        }
        if is_float("-", a, b)? {
            return self.float_binary(FloatOperation::Subtract, a, b);
        }
        let (x, y) = (a.number("-")?, b.number("-")?);
        let grown = kept(a, b).unwrap_or_else(|| x.sub(y));
        if let Some(difference) = self.before_rounding(BinaryOp::Sub, (a, b), grown)? {
            return Ok(difference);
        }
        self.alike(BinaryOp::Sub, a, b, grown)
    }

    /// A sum, or a difference, of which the first operand was rounded down: computed before rounding, with the same result. So sums of products are
    /// rounded once, and words shared by sum stay words between a product and a sum. None if the first operand was not rounded, or the second has more
    /// bits after the point, or the exact result would take more words of 64 bits.
    fn before_rounding(
        &mut self,
        op: BinaryOp,
        (rounded, other): (&Value, &Value),
        number: Number,
    ) -> Traced<Option<Value>> {
        let Some(exact) = self.exact(rounded).filter(|exact| exact.to.point == number.point) else {
            return Ok(None);
        };
        let dropped = exact.from.point.unwrap_or(0) - number.point.unwrap_or(0);
        let wide = Number { bits: number.bits + dropped, point: exact.from.point, ..number };
        if wide.bits.div_ceil(64) > exact.from.bits.div_ceil(64) || other.wrapping {
            return Ok(None);
        }
        let kind = Kind::of(number)?;
        let whole = Value { id: exact.id, ..rounded.clone() };
        let dims = shape::broadcast(&rounded.shape, &other.shape)?;
        let (whole, added) = (self.spread(&whole, &dims)?, self.spread(other, &dims)?);
        let whole = self.fit(whole, exact.from, wide)?;
        let added = self.fit(added, other.number("this operation")?, wide)?;
        let result = self.binary(op, whole, added)?;
        let id = self.round(result, wide, number)?;
        Ok(Some(self.value(id, kind, dims)))
    }

    /// An operation on operands that are converted to the kind of the result.
    fn alike(&mut self, op: BinaryOp, a: &Value, b: &Value, number: Number) -> Traced<Value> {
        let kind = Kind::of(number)?;
        let (x, y, dims) = self.fitted(a, b, number)?;
        let id = self.binary(op, x, y)?;
        Ok(Value { wrapping: a.wrapping || b.wrapping, ..self.value(id, kind, dims) })
    }

    /// Two arrays, converted to the same shape and number kind.
    pub(super) fn fitted(
        &mut self,
        a: &Value,
        b: &Value,
        number: Number,
    ) -> Traced<(ValueId, ValueId, Vec<u64>)> {
        let (from_a, from_b) = (a.number("this operation")?, b.number("this operation")?);
        let dims = if a.shape == b.shape { a.shape.clone() } else { shape::broadcast(&a.shape, &b.shape)? };
        let (x, y) = (self.spread(a, &dims)?, self.spread(b, &dims)?);
        Ok((self.fit(x, from_a, number)?, self.fit(y, from_b, number)?, dims))
    }

    /// `a * b`. With a binary point the result has as many bits after it as the finer factor, rounded down.
    pub fn mul(&mut self, a: &Value, b: &Value) -> Traced<Value> {
        if let Some(field) = common_field(a, b)? {
            return self.field_mul(a, b, &field);
        }
        if is_float("*", a, b)? {
            return self.float_binary(FloatOperation::Multiply, a, b);
        }
        let (x, y) = (a.number("*")?, b.number("*")?);
        let dims = shape::broadcast(&a.shape, &b.shape)?;
        let (left, right) = (self.spread(a, &dims)?, self.spread(b, &dims)?);
        let whole = a.kind.product(&b.kind).unwrap_or_else(|| x.product(y));
        self.rescaled_product((left, x), (right, y), whole, kept(a, b), dims)
    }

    /// The product of two values, computed as `whole` and then rounded to the fraction of the finer one.
    fn rescaled_product(
        &mut self,
        (left, x): (ValueId, Number),
        (right, y): (ValueId, Number),
        whole: Number,
        kept: Option<Number>,
        dims: Vec<u64>,
    ) -> Traced<Value> {
        let result = kept.unwrap_or_else(|| whole.rescaled(x, y));
        let kind = Kind::of(result)?;
        // Modulo 2^bits, higher bits of the factors do not matter, except those that rescaling shifts down.
        let dropped = whole.point.unwrap_or(0).saturating_sub(result.point.unwrap_or(0));
        let bits = whole.bits.min(result.bits + dropped);
        let left = self.resize(left, x.bits, x.signed, bits)?;
        let right = self.resize(right, y.bits, y.signed, bits)?;
        let product = self.binary(BinaryOp::Mul, left, right)?;
        let id = self.round(product, Number { bits, ..whole }, result)?;
        Ok(Value { wrapping: kept.is_some(), ..self.value(id, kind, dims) })
    }

    /// The square, which is never negative.
    fn square(&mut self, a: &Value) -> Traced<Value> {
        if a.wrapping || a.kind.number().is_none_or(|number| number.point.is_some()) {
            return self.mul(a, a);
        }
        let number = a.number("**")?;
        let square = number.square();
        let kind = Kind::of(square)?;
        let id = self.id(a)?;
        let wide = self.resize(id, number.bits, number.signed, square.bits.max(number.bits))?;
        let product = self.binary(BinaryOp::Mul, wide, wide)?;
        let id = self.resize(product, square.bits.max(number.bits), false, square.bits)?;
        Ok(self.value(id, kind, a.shape.clone()))
    }

    /// `a ** exponent`, for a public exponent.
    pub fn pow(&mut self, a: &Value, exponent: u32) -> Traced<Value> {
        match exponent {
            0 => {
                let (kind, number) = match &a.kind {
                    Kind::Bool => (Kind::Uint(1), 1),
                    Kind::Fixed { fraction, .. } => {
                        let kind = Kind::Fixed { integer: 2, fraction: *fraction };
                        return self.one(kind, *fraction, a);
                    }
                    Kind::Field(_) => (a.kind.clone(), 1),
                    Kind::Float(_) => return self.float_one(a),
                    _ if a.wrapping => (a.kind.clone(), 1),
                    _ => (Kind::Uint(1), 1),
                };
                let id = self.word(kind.bits(), number, a.lanes())?;
                Ok(Value { wrapping: a.wrapping, ..self.value(id, kind, a.shape.clone()) })
            }
            1 => match a.kind {
                Kind::Bool => self.astype(a, &Kind::Uint(1)),
                _ => Ok(a.clone()),
            },
            _ if exponent.is_multiple_of(2) => {
                let root = self.pow(a, exponent / 2)?;
                self.square(&root)
            }
            _ => {
                let even = self.pow(a, exponent - 1)?;
                self.mul(&even, a)
            }
        }
    }

    /// The number 1 with a binary point.
    fn one(&mut self, kind: Kind, fraction: u32, like: &Value) -> Traced<Value> {
        let one = self.word(2, 1, like.lanes())?;
        let id =
            self.fit(one, Number { bits: 2, signed: true, point: Some(0) }, number_of(&kind, fraction))?;
        Ok(self.value(id, kind, like.shape.clone()))
    }

    /// `-a`.
    pub fn neg(&mut self, a: &Value) -> Traced<Value> {
        if let Kind::Field(_) = a.kind {
            let zero = self.word(a.kind.bits(), 0, a.lanes())?;
            let zero = self.like(a, zero, a.shape.clone());
            return self.sub(&zero, a);
        }
        if let Kind::Float(_) = a.kind {
            return self.float_neg(a);
        }
        let number = a.number("-")?;
        let grown = if a.wrapping { number } else { number.neg() };
        let (kind, id) = (Kind::of(grown)?, self.id(a)?);
        let wide = self.fit(id, number, grown)?;
        let id = self.emit(Op::Unary(UnaryOp::Neg, wide))?;
        Ok(Value { wrapping: a.wrapping, ..self.value(id, kind, a.shape.clone()) })
    }

    /// The magnitude.
    pub fn abs(&mut self, a: &Value) -> Traced<Value> {
        if let Kind::Float(_) = a.kind {
            return self.float_abs(a);
        }
        let number = a.number("abs")?;
        let grown = if a.wrapping { number } else { number.abs() };
        let kind = if a.kind == Kind::Bool { Kind::Uint(1) } else { Kind::of(grown)? };
        let id = self.id(a)?;
        let wide = self.fit(id, number, Number { signed: number.signed, ..grown })?;
        let id = if number.signed { self.magnitude(wide, grown.bits)? } else { wide };
        Ok(Value { wrapping: a.wrapping, ..self.value(id, kind, a.shape.clone()) })
    }

    /// The magnitude of a signed word, modulo `2^bits`.
    fn magnitude(&mut self, id: ValueId, bits: u32) -> Traced<ValueId> {
        if bits == 1 {
            return Ok(id);
        }
        let sign = self.emit(Op::ShiftBy(ShiftOp::RightS, id, bits - 1))?;
        let sum = self.binary(BinaryOp::Add, id, sign)?;
        self.binary(BinaryOp::Xor, sum, sign)
    }

    /// `a & b`, `a | b` or `a ^ b`.
    pub fn bitwise(&mut self, op: BinaryOp, a: &Value, b: &Value) -> Traced<Value> {
        let name = if op == BinaryOp::And {
            "&"
        } else if op == BinaryOp::Or {
            "|"
        } else {
            "^"
        };
        let (x, y) = (a.integer(name)?, b.integer(name)?);
        if let (Kind::Bool, Kind::Bool) = (&a.kind, &b.kind) {
            let dims = shape::broadcast(&a.shape, &b.shape)?;
            let (x, y) = (self.spread(a, &dims)?, self.spread(b, &dims)?);
            let id = self.binary(op, x, y)?;
            return Ok(self.value(id, Kind::Bool, dims));
        }
        self.alike(op, a, b, kept(a, b).unwrap_or_else(|| x.align(y)))
    }

    /// `~a`: the complement of every bit.
    pub fn invert(&mut self, a: &Value) -> Traced<Value> {
        a.integer("~")?;
        let id = self.id(a)?;
        let id = self.not(id)?;
        Ok(self.like(a, id, a.shape.clone()))
    }

    /// `a << amount`, for a public amount.
    pub fn shift_left(&mut self, a: &Value, amount: u32) -> Traced<Value> {
        let number = a.number("<<")?;
        let grown = number.shifted_left(if a.wrapping { 0 } else { amount });
        let (kind, id) = (Kind::of(grown)?, self.id(a)?);
        let wide = self.resize(id, number.bits, number.signed, grown.bits)?;
        let id = self.emit(Op::ShiftBy(ShiftOp::Left, wide, amount))?;
        Ok(Value { wrapping: a.wrapping, ..self.value(id, kind, a.shape.clone()) })
    }

    /// `a >> amount`, for a public amount; rounds down.
    pub fn shift_right(&mut self, a: &Value, amount: u32) -> Traced<Value> {
        let number = a.number(">>")?;
        let id = self.id(a)?;
        let op = if number.signed { ShiftOp::RightS } else { ShiftOp::RightU };
        let id = self.emit(Op::ShiftBy(op, id, amount))?;
        Ok(Value { wrapping: a.wrapping, ..self.value(id, Kind::of(number)?, a.shape.clone()) })
    }

    /// `a << amount` or `a >> amount`, for a secret amount.
    pub fn shift(&mut self, a: &Value, amount: &Value, left: bool) -> Traced<Value> {
        let name = if left { "<<" } else { ">>" };
        let (number, by) = (a.number(name)?, amount.integer(name)?);
        if by.signed {
            return kind(format!(
                "{name} by {}, which may be negative; make it unsigned with .astype(…)",
                amount.kind
            ));
        }
        let mut grown = number;
        if left && !a.wrapping {
            let most = 1u64.checked_shl(by.bits).filter(|most| *most <= u64::from(MAX_BITS));
            let Some(most) = most else {
                return kind(format!("<< by {} may make numbers wider than {MAX_BITS} bits", amount.kind));
            };
            grown.bits += most as u32 - 1;
        }
        let kind = Kind::of(grown)?;
        let dims = shape::broadcast(&a.shape, &amount.shape)?;
        let (x, by) = (self.spread(a, &dims)?, self.spread(amount, &dims)?);
        let x = self.resize(x, number.bits, number.signed, grown.bits)?;
        let op = match (left, number.signed) {
            (true, _) => ShiftOp::Left,
            (false, true) => ShiftOp::RightS,
            (false, false) => ShiftOp::RightU,
        };
        let id = self.emit(Op::Shift(op, x, by))?;
        Ok(Value { wrapping: a.wrapping, ..self.value(id, kind, dims) })
    }

    /// `a <= b`. For floats this is not the negation of `b < a`, since a NaN has no order.
    pub fn not_greater(&mut self, a: &Value, b: &Value) -> Traced<Value> {
        if is_float("a comparison", a, b)? {
            return self.float_compare(FloatOperation::LessOrEqual, a, b);
        }
        let greater = self.compare(b, a, false)?;
        self.invert(&greater)
    }

    /// The smaller or the larger of two; for floats a NaN if either is one.
    pub fn picked(&mut self, a: &Value, b: &Value, largest: bool) -> Traced<Value> {
        if is_float(if largest { "maximum" } else { "minimum" }, a, b)? {
            let operation = if largest { FloatOperation::Maximum } else { FloatOperation::Minimum };
            return self.float_binary(operation, a, b);
        }
        let less = self.compare(b, a, false)?;
        let (first, second) = if largest { (a, b) } else { (b, a) };
        self.select(&less, first, second)
    }

    /// A comparison: whether `a` is less than `b`, or equal to it.
    pub fn compare(&mut self, a: &Value, b: &Value, equal: bool) -> Traced<Value> {
        if is_float("a comparison", a, b)? {
            let operation = if equal { FloatOperation::Equal } else { FloatOperation::Less };
            return self.float_compare(operation, a, b);
        }
        let (x, y, dims, signed) = match common_field(a, b)? {
            Some(_) if equal => {
                let dims = shape::broadcast(&a.shape, &b.shape)?;
                (self.spread(a, &dims)?, self.spread(b, &dims)?, dims, false)
            }
            Some(_) => return kind(format!("elements of {} have no order", a.kind)),
            None => {
                let number = a.number("a comparison")?.align(b.number("a comparison")?);
                Kind::of(number)?;
                let (x, y, dims) = self.fitted(a, b, number)?;
                (x, y, dims, number.signed)
            }
        };
        let op = match (equal, signed) {
            (true, _) => CompareOp::Eq,
            (false, true) => CompareOp::LtS,
            (false, false) => CompareOp::LtU,
        };
        let id = self.emit(Op::Compare(op, x, y))?;
        Ok(self.value(id, Kind::Bool, dims))
    }

    /// `a` if `condition`, else `b`.
    pub fn select(&mut self, condition: &Value, a: &Value, b: &Value) -> Traced<Value> {
        condition.truth("where")?;
        let kind = a.kind.join(&b.kind)?;
        let dims = shape::broadcast(&condition.shape, &shape::broadcast(&a.shape, &b.shape)?)?;
        let (a, b) = (self.astype(a, &kind)?, self.astype(b, &kind)?);
        let condition = self.spread(condition, &dims)?;
        let (x, y) = (self.spread(&a, &dims)?, self.spread(&b, &dims)?);
        let id = self.emit(Op::Select(condition, x, y))?;
        Ok(Value { wrapping: a.wrapping || b.wrapping, ..self.value(id, kind, dims) })
    }

    /// The elements as another kind: values that do not fit lose their high bits, fractions are rounded down,
    /// and as bool everything except zero is true. Conversions from floats saturate instead.
    pub fn astype(&mut self, a: &Value, to: &Kind) -> Traced<Value> {
        if a.kind == *to {
            return Ok(a.clone());
        }
        let id = match (to, a.kind.number(), to.number()) {
            _ if matches!(a.kind, Kind::Float(_)) => return self.converted_from_float(a, to),
            (Kind::Float(bits), ..) => return self.converted_to_float(a, *bits),
            (Kind::Bool, ..) => {
                let (id, zero) = (self.id(a)?, self.word(a.kind.bits(), 0, a.lanes())?);
                let equal = self.emit(Op::Compare(CompareOp::Eq, id, zero))?;
                self.not(equal)?
            }
            (Kind::Field(_), Some(Number { point: None, .. }), _) => return self.as_field(a, to),
            (_, Some(from), Some(into)) => {
                Kind::of(into)?;
                let id = self.id(a)?;
                self.fit(id, from, into)?
            }
            (_, None, Some(into @ Number { point: None, .. })) => {
                let id = self.id(a)?;
                self.resize(id, a.kind.bits(), false, into.bits)?
            }
            _ => return kind(format!("{} does not convert to {to}", a.kind)),
        };
        Ok(Value { wrapping: a.wrapping, ..self.value(id, to.clone(), a.shape.clone()) })
    }
}

/// The number kind of a result modulo a power of two: that of the wrapping operand, or one that holds both.
pub(super) fn kept(a: &Value, b: &Value) -> Option<Number> {
    let (x, y) = (a.kind.number()?, b.kind.number()?);
    match (a.wrapping, b.wrapping) {
        (false, false) => None,
        (true, false) if x.point >= y.point => Some(x),
        (false, true) if y.point >= x.point => Some(y),
        _ => Some(x.align(y)),
    }
}

/// The field of both operands, if one of them is a field element.
pub(super) fn common_field(a: &Value, b: &Value) -> Traced<Option<Kind>> {
    match (&a.kind, &b.kind) {
        (Kind::Field(_), _) if a.kind == b.kind => Ok(Some(a.kind.clone())),
        (Kind::Field(_), _) | (_, Kind::Field(_)) => kind(format!(
            "{} and {} cannot be combined; convert one of them with x.astype(kind)",
            a.kind, b.kind
        )),
        _ => Ok(None),
    }
}

fn number_of(kind: &Kind, fraction: u32) -> Number {
    Number { bits: kind.bits(), signed: true, point: Some(fraction) }
}
