//! Floating-point arithmetic: each operation is a template, with the circuit of the C front end, applied element by element.

use tacit_cfront::{FixedFormat, FloatFormat, FloatOperation};
use tacit_ir::{BinaryOp, CompareOp, Op, TemplateId, Words};

use super::error::{Traced, kind};
use super::kind::{Kind, Number};
use super::literal::Literal;
use super::reduce::Axes;
use super::shape;
use super::tracer::Tracer;
use super::value::Value;

impl Tracer {
    /// An operation of two floats, whose result is of their kind.
    pub(super) fn float_binary(&mut self, operation: FloatOperation, a: &Value, b: &Value) -> Traced<Value> {
        self.float_operation(operation, a.kind.bits(), &[a, b], a.kind.clone())
    }

    /// A comparison of two floats.
    pub(super) fn float_compare(&mut self, operation: FloatOperation, a: &Value, b: &Value) -> Traced<Value> {
        self.float_operation(operation, a.kind.bits(), &[a, b], Kind::Bool)
    }

    /// The square root of floats.
    pub(super) fn float_sqrt(&mut self, a: &Value) -> Traced<Value> {
        self.float_operation(FloatOperation::SquareRoot, a.kind.bits(), &[a], a.kind.clone())
    }

    /// The floats with inverted signs.
    pub(super) fn float_neg(&mut self, a: &Value) -> Traced<Value> {
        let bits = a.kind.bits();
        let (id, sign) = (self.id(a)?, self.word(bits, 1 << (bits - 1), a.lanes())?);
        let id = self.binary(BinaryOp::Xor, id, sign)?;
        Ok(self.like(a, id, a.shape.clone()))
    }

    /// The floats without their signs.
    pub(super) fn float_abs(&mut self, a: &Value) -> Traced<Value> {
        let bits = a.kind.bits();
        let id = self.float_magnitude(a)?;
        let id = self.resize(id, bits - 1, false, bits)?;
        Ok(self.like(a, id, a.shape.clone()))
    }

    fn float_magnitude(&mut self, a: &Value) -> Traced<tacit_ir::ValueId> {
        let id = self.id(a)?;
        self.slice(id, 0, a.kind.bits() - 1)
    }

    /// The number 1, in the shape of another array.
    pub(super) fn float_one(&mut self, like: &Value) -> Traced<Value> {
        let one = Literal::integer_of(1).words(&like.kind)?;
        self.float_constant(one, like)
    }

    fn float_constant(&mut self, word: Words, like: &Value) -> Traced<Value> {
        let id = self.words(word)?;
        let one = self.value(id, like.kind.clone(), vec![]);
        self.broadcast_to(&one, like.shape.clone())
    }

    /// The sum of floats, by a tree: the halves of the remaining numbers are added until one number is left.
    pub(super) fn float_sum(&mut self, value: &Value, axes: Axes<'_>) -> Traced<Value> {
        let zero = |tracer: &mut Tracer, like: &Value| {
            tracer.float_constant(Words::scalar(like.kind.bits(), 0), like)
        };
        self.tree(value, axes, zero, Tracer::add)
    }

    /// Floats as another kind. Conversion to integers takes the integer part, as in C and NumPy; numbers with
    /// a binary point are rounded to the nearest. Values out of range become the nearest number in range, a
    /// NaN becomes 0.
    pub(super) fn converted_from_float(&mut self, a: &Value, to: &Kind) -> Traced<Value> {
        match (to, to.number()) {
            (Kind::Bool, _) => {
                let (magnitude, zero) =
                    (self.float_magnitude(a)?, self.word(a.kind.bits() - 1, 0, a.lanes())?);
                let equal = self.emit(Op::Compare(CompareOp::Eq, magnitude, zero))?;
                let id = self.not(equal)?;
                Ok(self.value(id, Kind::Bool, a.shape.clone()))
            }
            (Kind::Float(_), _) => {
                self.float_operation(FloatOperation::OtherFormat, a.kind.bits(), &[a], to.clone())
            }
            (_, Some(number)) => {
                let operation = FloatOperation::To(fixed_format(number, to, &a.kind)?);
                self.float_operation(operation, a.kind.bits(), &[a], to.clone())
            }
            _ => kind(format!("{} does not convert to {to}; convert it to an integer first", a.kind)),
        }
    }

    /// Numbers as floats, rounded to the nearest.
    pub(super) fn converted_to_float(&mut self, a: &Value, bits: u32) -> Traced<Value> {
        let to = Kind::Float(bits);
        let Some(number) = a.kind.number() else {
            return kind(format!("{} does not convert to {to}; convert it to an integer first", a.kind));
        };
        let operation = FloatOperation::From(fixed_format(number, &a.kind, &to)?);
        self.float_operation(operation, bits, &[a], to)
    }

    /// An operation of the format with this number of bits, element by element.
    fn float_operation(
        &mut self,
        operation: FloatOperation,
        bits: u32,
        operands: &[&Value],
        kind: Kind,
    ) -> Traced<Value> {
        let mut dims = Vec::new();
        for operand in operands {
            dims = shape::broadcast(&dims, &operand.shape)?;
        }
        let mut arguments = Vec::with_capacity(operands.len());
        for operand in operands {
            arguments.push(self.spread(operand, &dims)?);
        }
        let template = self.float_template(operation, bits)?;
        let id = self.emit(match shape::size(&dims) {
            1 => Op::Call { template, arguments },
            lanes => Op::Map { template, lanes, arguments },
        })?;
        Ok(self.value(id, kind, dims))
    }

    fn float_template(&mut self, operation: FloatOperation, bits: u32) -> Traced<TemplateId> {
        let key = format!("{operation:?} of float{bits}");
        if let Some(known) = self.templates.get(&key) {
            return Ok(*known);
        }
        let Some(format) = FloatFormat::of_bits(bits) else {
            return kind(format!("floats have 32 or 64 bits, not {bits}"));
        };
        let template = self.program_template(&operation.program(format)?, &format!("float{bits}"))?;
        self.templates.insert(key, template);
        Ok(template)
    }
}

/// Whether two operands are floats.
///
/// Errors: only one of them is, or they have different widths.
pub(super) fn is_float(operation: &str, a: &Value, b: &Value) -> Traced<bool> {
    match (&a.kind, &b.kind) {
        (Kind::Float(bits), Kind::Float(other)) if bits == other => Ok(true),
        (float @ Kind::Float(_), other) | (other, float @ Kind::Float(_)) => kind(format!(
            "{operation} of {} and {}; convert {other} with x.astype(t.{float}), or {float} with x.astype(t.{other})",
            a.kind, b.kind
        )),
        _ => Ok(false),
    }
}

/// The format of a number that converts from or to floats.
fn fixed_format(number: Number, own: &Kind, float: &Kind) -> Traced<FixedFormat> {
    let Number { bits, signed, point } = number;
    match FixedFormat::new(bits, signed, point.unwrap_or(0)) {
        Some(format) => Ok(format),
        None => kind(format!(
            "{own} has {bits} bits, and conversions from and to {float} take at most {}; narrow it with x.astype(…) or \
             x.within(bits)",
            FixedFormat::MAX_BITS
        )),
    }
}
