//! What the methods of arrays have in common.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyZeroDivisionError;
use pyo3::prelude::*;

use super::array::Array;
use super::errors::{KindError, ShapeError, secret};
use super::operand::{ArrayOperand, beside};
use crate::language::division::DivisionPart;
use crate::language::error::Traced;
use crate::language::reduce::Axes;
use crate::language::shape::{self, View};
use crate::language::tracer::Tracer;
use crate::language::value::Value;

/// An operation on two arrays.
type Binary = fn(&mut Tracer, &Value, &Value) -> Traced<Value>;

impl Array {
    pub fn unary(&self, operation: fn(&mut Tracer, &Value) -> Traced<Value>) -> PyResult<Array> {
        let value = operation(&mut self.graph.lock(), &self.value);
        self.made(value)
    }

    /// The operand, if it is one that may stand beside this array.
    pub fn operand<'a, 'py>(&self, other: &'a Bound<'py, PyAny>) -> PyResult<Option<ArrayOperand<'a, 'py>>> {
        let operand = ArrayOperand::of(other)?;
        if let Some(ArrayOperand::Secret(array)) = &operand {
            array.get().of(&self.graph).map(drop)?;
        }
        Ok(operand)
    }

    /// An operation with this array and another operand; reflected, the other comes first.
    pub fn binary(
        &self,
        other: &Bound<'_, PyAny>,
        reflected: bool,
        operation: Binary,
    ) -> PyResult<Py<PyAny>> {
        let Some(operand) = self.operand(other)? else { return Ok(other.py().NotImplemented()) };
        let value = {
            let tracer = &mut *self.graph.lock();
            match operand {
                ArrayOperand::Secret(array) => operation(tracer, &self.value, &array.get().value),
                operand => {
                    let public = beside(tracer, &self.value, &operand, false)?;
                    let (a, b) = if reflected { (&public, &self.value) } else { (&self.value, &public) };
                    operation(tracer, a, b)
                }
            }
        };
        self.made(value)?.into_py_any(other.py())
    }

    pub fn divide(
        &self,
        other: &Bound<'_, PyAny>,
        reflected: bool,
        part: DivisionPart,
    ) -> PyResult<Py<PyAny>> {
        if !reflected && let Some(ArrayOperand::Public(literal)) = self.operand(other)? {
            if literal.has_zero() {
                return Err(PyZeroDivisionError::new_err("division by zero"));
            }
            let power =
                literal.integer().filter(|_| !self.value.wrapping).and_then(|integer| power_of_two(&integer));
            if let (Some(power), Some(None)) = (power, self.value.kind.number().map(|number| number.point)) {
                let value = self.graph.lock().divide_by_power(&self.value, power, part);
                return self.made(value)?.into_py_any(other.py());
            }
        }
        match part {
            DivisionPart::Quotient => {
                self.binary(other, reflected, |t, a, b| t.divide(a, b, DivisionPart::Quotient))
            }
            DivisionPart::Remainder => {
                self.binary(other, reflected, |t, a, b| t.divide(a, b, DivisionPart::Remainder))
            }
        }
    }

    pub fn shifted(&self, other: &Bound<'_, PyAny>, left: bool) -> PyResult<Py<PyAny>> {
        let py = other.py();
        match self.operand(other)? {
            None => Ok(py.NotImplemented()),
            Some(ArrayOperand::Secret(array)) => {
                let value = self.graph.lock().shift(&self.value, &array.get().value, left);
                self.made(value)?.into_py_any(py)
            }
            Some(ArrayOperand::Public(literal)) => {
                let amount = literal.integer().and_then(|integer| u32::try_from(integer).ok());
                let Some(amount) = amount else {
                    return Err(KindError::new_err("a shift is by an integer from 0 up"));
                };
                let mut tracer = self.graph.lock();
                let value = match left {
                    true => tracer.shift_left(&self.value, amount),
                    false => tracer.shift_right(&self.value, amount),
                };
                drop(tracer);
                self.made(value)?.into_py_any(py)
            }
        }
    }

    /// A public number shifted by this secret amount.
    pub fn shift_of(&self, other: &Bound<'_, PyAny>, left: bool) -> PyResult<Py<PyAny>> {
        let Some(ArrayOperand::Public(literal)) = self.operand(other)? else {
            return Ok(other.py().NotImplemented());
        };
        let value = {
            let tracer = &mut *self.graph.lock();
            let public = tracer.literal(&literal, literal.own_kind()?)?;
            tracer.shift(&public, &self.value, left)
        };
        self.made(value)?.into_py_any(other.py())
    }

    /// A reduction over axes; with `keep` they stay with length 1.
    pub fn reduced(
        &self,
        axis: Option<&Bound<'_, PyAny>>,
        keep: bool,
        operation: fn(&mut Tracer, &Value, Axes<'_>) -> Traced<Value>,
    ) -> PyResult<Array> {
        let axes = axes(axis)?;
        let mut value = operation(&mut self.graph.lock(), &self.value, axes.as_deref())?;
        if keep {
            let rank = self.value.shape.len();
            let gone: Vec<usize> = match &axes {
                None => (0..rank).collect(),
                Some(axes) => axes.iter().map(|axis| shape::axis(*axis, rank)).collect::<Traced<_>>()?,
            };
            let dim = |(axis, dim): (usize, &u64)| if gone.contains(&axis) { 1 } else { *dim };
            value.shape = self.value.shape.iter().enumerate().map(dim).collect();
        }
        Ok(self.graph.array(value))
    }

    pub fn described(&self) -> String {
        match self.value.shape[..] {
            [] => format!("a secret {}", self.value.kind),
            _ => format!("a secret array of {}", self.value.kind),
        }
    }

    pub fn viewed(&self, view: &View) -> PyResult<Array> {
        let value = self.graph.lock().seen(&self.value, view);
        self.made(value)
    }
}

/// The power of two that an integer is.
fn power_of_two(integer: &num_bigint::BigInt) -> Option<u32> {
    let magnitude = integer.to_biguint()?;
    let power = magnitude.trailing_zeros()?;
    (magnitude.bits() == power + 1).then(|| u32::try_from(power).ok()).flatten()
}

/// The axes that Python names.
fn axes(axis: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<i64>>> {
    let Some(axis) = axis else { return Ok(None) };
    if let Ok(one) = axis.extract::<i64>() {
        return Ok(Some(vec![one]));
    }
    let many = axis.extract::<Vec<i64>>();
    many.map(Some).map_err(|_| ShapeError::new_err("an axis is a public integer or a tuple of them"))
}

impl Array {
    pub fn no_number(&self) -> PyErr {
        secret(
            &format!("{} is no number while the program is written", self.described()),
            "to learn it, give it to a role with role.output(name, x); to convert it, write x.astype(kind)",
        )
    }
}

/// A shape of so many elements in which one dimension may be left open as -1.
pub fn reshaped(given: &[i64], lanes: u64) -> PyResult<Vec<u64>> {
    let wrong = || ShapeError::new_err(format!("{lanes} elements do not make an array of shape {given:?}"));
    let known: i64 = given.iter().filter(|dim| **dim != -1).product();
    let known = u64::try_from(known).map_err(|_| wrong())?;
    let open = given.iter().filter(|dim| **dim == -1).count();
    let fill = match (open, known) {
        (0, _) if known == lanes => 1,
        (1, 1..) if lanes.is_multiple_of(known) => lanes / known,
        _ => return Err(wrong()),
    };
    given
        .iter()
        .map(|dim| if *dim == -1 { Ok(fill) } else { u64::try_from(*dim).map_err(|_| wrong()) })
        .collect()
}
