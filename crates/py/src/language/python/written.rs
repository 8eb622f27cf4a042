//! Values of a traced program, which is run later or grows while it runs.

use pyo3::prelude::*;

use super::array::{Array, Written};
use super::errors::KindError;
use super::operand::{Operand, beside, public_divisor};
use super::operations::Binary;
use crate::language::division::DivisionPart;
use crate::language::error::Traced;
use crate::language::kind::Kind;
use crate::language::tracer::Tracer;
use crate::language::value::Value;

impl Written {
    pub fn made(&self, value: Traced<Value>) -> PyResult<Array> {
        Ok(self.graph.array(value?))
    }

    /// Traces an operation on this value.
    pub fn write(&self, operation: impl FnOnce(&mut Tracer, &Value) -> Traced<Value>) -> PyResult<Array> {
        let value = operation(&mut self.graph.lock(), &self.value);
        self.made(value)
    }

    /// The operand, if it can be combined with this value.
    pub fn operand(&self, other: &Bound<'_, PyAny>) -> PyResult<Option<Operand>> {
        Operand::of(other, &self.graph)
    }

    /// Traces an operation on this value and another operand; none if the other is not an operand.
    fn write_with(
        &self,
        other: &Bound<'_, PyAny>,
        compares: bool,
        operation: impl FnOnce(&mut Tracer, &Value, &Value) -> Traced<Value>,
    ) -> PyResult<Option<Array>> {
        let Some(operand) = self.operand(other)? else { return Ok(None) };
        let value = {
            let tracer = &mut *self.graph.lock();
            let other = beside(tracer, &self.value, operand, compares)?;
            operation(tracer, &self.value, &other)
        };
        self.made(value).map(Some)
    }

    /// An operation with this value and another operand; if reflected, the other comes first.
    pub fn binary(
        &self,
        other: &Bound<'_, PyAny>,
        reflected: bool,
        operation: &Binary,
    ) -> PyResult<Option<Array>> {
        self.write_with(other, operation.compares, |tracer, own, other| {
            let (a, b) = if reflected { (other, own) } else { (own, other) };
            (operation.written)(tracer, a, b)
        })
    }

    /// The same numbers, promised by the program to be of this kind: values with more bits lose the high
    /// ones.
    pub fn promised(&self, kind: &Kind) -> PyResult<Array> {
        let own = self.value.kind.number();
        match own.is_some() && own.map(|own| own.point) == kind.number().map(|number| number.point) {
            true => self.write(|tracer, value| tracer.astype(value, kind)),
            false => Err(KindError::new_err(format!(
                "{} cannot be promised to be {kind}, which has its binary point elsewhere; convert it with \
                 x.astype(kind)",
                self.described()
            ))),
        }
    }

    pub fn true_divide(&self, other: &Bound<'_, PyAny>, reflected: bool) -> PyResult<Option<Array>> {
        // A float divided by zero gives an infinity or a NaN.
        let is_float = matches!(self.value.kind, Kind::Float(_));
        if !reflected
            && !is_float
            && let Some(Operand::Public(literal)) = self.operand(other)?
        {
            public_divisor(&literal)?;
        }
        self.write_with(other, false, |tracer, own, other| {
            let (a, b) = if reflected { (other, own) } else { (own, other) };
            tracer.true_divide(a, b)
        })
    }

    pub fn divide(
        &self,
        other: &Bound<'_, PyAny>,
        reflected: bool,
        part: DivisionPart,
    ) -> PyResult<Option<Array>> {
        if !reflected && let Some(Operand::Public(literal)) = self.operand(other)? {
            let power = public_divisor(&literal)?.filter(|_| !self.value.wrapping);
            if let (Some(power), Some(None)) = (power, self.value.kind.number().map(|number| number.point)) {
                return self.write(|tracer, value| tracer.divide_by_power(value, power, part)).map(Some);
            }
        }
        self.write_with(other, false, |tracer, own, other| {
            let (a, b) = if reflected { (other, own) } else { (own, other) };
            tracer.divide(a, b, part)
        })
    }

    pub fn shifted(&self, other: &Bound<'_, PyAny>, left: bool) -> PyResult<Option<Array>> {
        let amount = match self.operand(other)? {
            None => return Ok(None),
            Some(Operand::Secret(amount)) => {
                return self.write(|tracer, value| tracer.shift(value, &amount, left)).map(Some);
            }
            Some(Operand::Public(literal)) => {
                literal.integer().and_then(|integer| u32::try_from(integer).ok())
            }
        };
        let amount = amount.ok_or_else(|| {
            KindError::new_err(
                "the amount of a shift must be a public \
            integer from 0 up",
            )
        })?;
        let shift = if left { Tracer::shift_left } else { Tracer::shift_right };
        self.write(|tracer, value| shift(tracer, value, amount)).map(Some)
    }

    /// A public number shifted by this secret amount.
    pub fn shift_of(&self, other: &Bound<'_, PyAny>, left: bool) -> PyResult<Option<Array>> {
        let Some(Operand::Public(literal)) = self.operand(other)? else { return Ok(None) };
        self.write(|tracer, value| {
            let public = tracer.literal(&literal, literal.own_kind()?)?;
            tracer.shift(&public, value, left)
        })
        .map(Some)
    }

    /// `x` where this array of bool is true, else `y`.
    pub fn select(&self, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<Array> {
        let (Some(x), Some(y)) = (self.operand(x)?, self.operand(y)?) else {
            return Err(KindError::new_err("where takes numbers or arrays of numbers"));
        };
        let value = {
            let tracer = &mut *self.graph.lock();
            let (a, b) = match (x, y) {
                (Operand::Secret(a), y) => {
                    let b = beside(tracer, &a, y, false)?;
                    (a, b)
                }
                (x, Operand::Secret(b)) => (beside(tracer, &b, x, false)?, b),
                (Operand::Public(a), Operand::Public(b)) => {
                    let (kind_a, kind_b) = (a.own_kind()?, b.own_kind()?);
                    (tracer.literal(&a, kind_a)?, tracer.literal(&b, kind_b)?)
                }
            };
            tracer.select(&self.value, &a, &b)
        };
        self.made(value)
    }

    /// This table with the entry at a secret position replaced.
    pub fn updated(&self, position: &Value, entry: &Bound<'_, PyAny>) -> PyResult<Array> {
        let written =
            self.write_with(entry, false, |tracer, table, entry| tracer.update(table, position, entry))?;
        written.ok_or_else(|| KindError::new_err("update takes a number or an array of numbers"))
    }
}
