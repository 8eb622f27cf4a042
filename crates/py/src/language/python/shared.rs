//! Shared numbers combined with operands from Python.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use tacit_nparty::dynamic::{AnyOperation, AnyValue};

use super::array::{Array, Elements};
use super::bitwise::constant;
use super::errors::KindError;
use super::index::seen;
use super::numbers::{integer, numbers};
use super::operand::{literal, public_divisor};
use super::operations::Binary;
use super::share::{Share, around, positions};
use crate::errors::ProgramError;
use crate::language::division::DivisionPart;
use crate::language::kind::Kind;

impl Share {
    /// As [`Share::pair`], with an operand from Python.
    pub fn two(
        &self,
        other: &Bound<'_, PyAny>,
        operation: impl for<'b> Fn(&'b AnyValue, &'b AnyValue) -> AnyOperation<'b>,
    ) -> PyResult<Array> {
        let py = other.py();
        let own = self.in_field(py)?;
        own.with(other, |other| {
            let (a, b, shape) = own.together(py, &other.in_field(py)?)?;
            Ok(own.made(py, operation(&a, &b), shape)?.into())
        })
    }

    /// Calls `work` with another operand: shared or public numbers.
    pub fn with<T>(&self, other: &Bound<'_, PyAny>, work: impl FnOnce(&Share) -> PyResult<T>) -> PyResult<T> {
        if let Ok(array) = other.cast::<Array>() {
            return match &array.get().0 {
                Elements::Shared(share) => work(share),
                Elements::Written(_) => Err(ProgramError::new_err(
                    "a value of a traced program cannot be combined with a number shared among parties",
                )),
            };
        }
        if let Some(kind) = &self.kind {
            let literal = literal(other)?.ok_or_else(|| {
                PyTypeError::new_err(format!(
                    "{other} is not a number or an array of numbers to combine with {kind}"
                ))
            })?;
            return work(&match kind {
                Kind::Float(_) => constant(other.py(), &self.core, &literal, kind.clone())?,
                _ => self.literal(other.py(), &literal, literal.kind_beside(kind)?)?,
            });
        }
        let (numbers, dims) = numbers(other)?;
        let value = self.core.value(other.py(), AnyOperation::ConstantLike(&self.value, numbers))?;
        work(&Share::new(value, dims, &self.core))
    }

    /// An operation with this array and another operand; if reflected, the other comes first.
    pub fn binary(&self, other: &Bound<'_, PyAny>, reflected: bool, operation: &Binary) -> PyResult<Array> {
        let py = other.py();
        if let Ok(array) = other.cast::<Array>()
            && let Elements::Shared(other) = &array.get().0
        {
            return Ok((operation.shared)(py, self, other)?.into());
        }
        if self.kind.is_none()
            && let Some(with_number) = operation.with_number
            && let Some(number) = integer(other)?
        {
            return Ok(self.each(py, |value| with_number(value, number))?.into());
        }
        self.with(other, |other| {
            let (a, b) = if reflected { (other, self) } else { (self, other) };
            Ok((operation.shared)(py, a, b)?.into())
        })
    }

    /// `x` where this is 1, `y` where it is 0; a public operand takes a kind that fits the other.
    pub fn choose(&self, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<Share> {
        let py = x.py();
        let known = |object: &Bound<'_, PyAny>| match object.cast::<Array>() {
            Ok(array) => array.get().shared("where").map(|share| Some(share.clone())),
            Err(_) => Ok(None),
        };
        match (known(x)?, known(y)?) {
            (Some(x), _) => x.with(y, |y| self.chosen(py, &x, y)),
            (None, Some(y)) => y.with(x, |x| self.chosen(py, x, &y)),
            (None, None) => self.with(x, |x| self.with(y, |y| self.chosen(py, x, y))),
        }
    }

    /// `a // b` or `a % b`, with an operand from Python; if reflected, the operand is `a`.
    pub fn divided_by(
        &self,
        other: &Bound<'_, PyAny>,
        reflected: bool,
        part: DivisionPart,
    ) -> PyResult<Share> {
        let py = other.py();
        let public = if other.is_instance_of::<Array>() { None } else { literal(other)? };
        let power = public.as_ref().filter(|_| !reflected).map(public_divisor).transpose()?.flatten();
        if let (Some(kind), Some(power)) = (&self.kind, power) {
            return self.divided_by_power(py, kind, power, part);
        }
        self.with(other, |other| {
            let (a, b) = if reflected { (other, self) } else { (self, other) };
            a.divided(py, b, part)
        })
    }

    /// `a / b`, with an operand from Python; if reflected, the operand is `a`.
    pub fn true_divided_by(&self, other: &Bound<'_, PyAny>, reflected: bool) -> PyResult<Share> {
        let py = other.py();
        let public = if reflected || other.is_instance_of::<Array>() { None } else { literal(other)? };
        let power = public.as_ref().map(public_divisor).transpose()?.flatten();
        if let (Some(kind), Some(power)) = (&self.kind, power)
            && kind.fraction() > 0
        {
            return self.true_divided_by_power(py, kind, power);
        }
        self.with(other, |other| {
            let (a, b) = if reflected { (other, self) } else { (self, other) };
            a.true_divided(py, b)
        })
    }

    /// `a << amount` or `a >> amount`, for a public amount.
    pub fn shifted_by(&self, amount: &Bound<'_, PyAny>, kind: &Kind, left: bool) -> PyResult<Share> {
        let by = amount.extract::<u32>().map_err(|_| {
            KindError::new_err(
                "numbers shared among parties can only be shifted by a public integer from 0 up",
            )
        })?;
        self.shifted(amount.py(), kind, by, left)
    }

    /// The part that an index selects.
    pub fn indexed(&self, index: &Bound<'_, PyAny>) -> PyResult<Share> {
        let (view, chosen) = seen(&self.shape, index)?;
        let Some(chosen) = chosen else { return self.viewed(index.py(), &view) };
        let (all, shape) = (positions(&view), view.shape());
        let (outer, inner) = around(&shape, chosen.axis);
        let length = shape[chosen.axis] as usize;
        let picked = (0..outer).flat_map(|outer| {
            chosen.positions.iter().flat_map(move |place| {
                let start = (outer * length + *place as usize) * inner;
                start..start + inner
            })
        });
        let places = picked.map(|place| all[place]).collect();
        let dims = [&shape[..chosen.axis], &chosen.shape, &shape[chosen.axis + 1..]].concat();
        let seen = self.made(index.py(), AnyOperation::Gather(&self.value, places), dims)?;
        Ok(seen.of(self.kind.clone()))
    }

    /// Quotient and remainder of nonnegative numbers of `bits` bits.
    pub fn divide(&self, other: &Bound<'_, PyAny>, bits: usize) -> PyResult<(Array, Array)> {
        let py = other.py();
        self.with(other, |other| {
            let (quotient, rest) = self.quotient_and_rest(py, other, bits)?;
            Ok((quotient.into(), rest.into()))
        })
    }
}
