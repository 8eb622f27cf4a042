//! Chooses how an array's operation is computed: written into a program, or on numbers that parties share.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use tacit_nparty::dynamic::{AnyOperation, AnyValue};

use super::array::{Array, Elements, Written, only_written};
use super::bitwise;
use super::errors::{KindError, ShapeError, secret};
use super::operations::{Binary, Reduction, Unary};
use super::share::Share;
use crate::language::division::DivisionPart;
use crate::language::error::Traced;
use crate::language::kind::Kind;
use crate::language::shape::{self, View};
use crate::language::tracer::Tracer;
use crate::language::value::Value;

/// The result of an operator: an array, or that it does not know the other operand.
pub type Operated = PyResult<Py<PyAny>>;

impl Array {
    /// An operation on this array alone: written into a program, which may be one of its own, or on elements of the field.
    pub fn alone(
        &self,
        py: Python<'_>,
        written: impl FnOnce(&Written) -> PyResult<Array>,
        shared: impl FnOnce(&Share) -> PyResult<Share>,
    ) -> PyResult<Array> {
        match &self.0 {
            Elements::Written(array) => written(array),
            Elements::Shared(share) if share.is_bitwise() => bitwise::of_one(py, share, written),
            Elements::Shared(share) => Ok(shared(share)?.into()),
        }
    }

    /// The same for an operation on this array and another operand.
    fn beside(
        &self,
        other: &Bound<'_, PyAny>,
        written: impl FnOnce(&Written, &Bound<'_, PyAny>) -> PyResult<Option<Array>>,
        shared: impl FnOnce(&Share, &Bound<'_, PyAny>) -> PyResult<Array>,
    ) -> Operated {
        let array = match &self.0 {
            Elements::Written(array) => written(array, other)?,
            Elements::Shared(share) => bitwise::computed(
                other.py(),
                share,
                [other],
                |array, [other]| written(array, other),
                |share, [other]| shared(share, other),
            )?,
        };
        operated(other, array)
    }

    pub fn unary(&self, py: Python<'_>, operation: &Unary) -> PyResult<Array> {
        self.alone(py, |array| array.write(operation.written), |share| (operation.shared)(py, share))
    }

    pub fn binary(&self, other: &Bound<'_, PyAny>, operation: &Binary) -> Operated {
        self.either(other, false, operation)
    }

    /// As [`Array::binary`], with the other operand first.
    pub fn reflected(&self, other: &Bound<'_, PyAny>, operation: &Binary) -> Operated {
        self.either(other, true, operation)
    }

    fn either(&self, other: &Bound<'_, PyAny>, reflected: bool, operation: &Binary) -> Operated {
        self.beside(
            other,
            |array, other| array.binary(other, reflected, operation),
            |share, other| share.binary(other, reflected, operation),
        )
    }

    pub fn quotient(&self, other: &Bound<'_, PyAny>, reflected: bool, part: DivisionPart) -> Operated {
        self.beside(
            other,
            |array, other| array.divide(other, reflected, part),
            |share, other| Ok(share.divided_by(other, reflected, part)?.into()),
        )
    }

    pub fn true_quotient(&self, other: &Bound<'_, PyAny>, reflected: bool) -> Operated {
        self.beside(
            other,
            |array, other| array.true_divide(other, reflected),
            |share, other| Ok(share.true_divided_by(other, reflected)?.into()),
        )
    }

    pub fn shifted(&self, other: &Bound<'_, PyAny>, left: bool) -> Operated {
        self.beside(
            other,
            |array, other| array.shifted(other, left),
            |share, other| match &share.kind {
                Some(kind) => Ok(share.shifted_by(other, kind, left)?.into()),
                None => Err(only_written(if left { "<<" } else { ">>" })),
            },
        )
    }

    /// A reduction over axes; with `keep` they remain with length 1.
    pub fn reduced(
        &self,
        axis: Option<&Bound<'_, PyAny>>,
        keep: bool,
        py: Python<'_>,
        operation: &Reduction,
    ) -> PyResult<Array> {
        let axes = axes(axis)?;
        let array = self.alone(
            py,
            |array| array.write(|t, value| (operation.written)(t, value, axes.as_deref())),
            |share| {
                let axis = match axes.as_deref() {
                    None => None,
                    Some([axis]) => Some(shape::axis(*axis, share.shape.len())?),
                    Some(_) => {
                        return Err(ShapeError::new_err(
                            "numbers shared among parties can only be reduced \
                            along one axis or along all",
                        ));
                    }
                };
                (operation.shared)(py, share, axis)
            },
        )?;
        if !keep {
            return Ok(array);
        }
        let rank = self.dims().len();
        let gone: Vec<usize> = match &axes {
            None => (0..rank).collect(),
            Some(axes) => axes.iter().map(|axis| shape::axis(*axis, rank)).collect::<Traced<_>>()?,
        };
        let dim = |(axis, dim): (usize, &u64)| if gone.contains(&axis) { 1 } else { *dim };
        Ok(array.in_shape(self.dims().iter().enumerate().map(dim).collect()))
    }

    /// The same elements in another shape of the same size.
    pub fn in_shape(&self, shape: Vec<u64>) -> Array {
        match &self.0 {
            Elements::Written(Written { graph, value }) => graph.array(Value { shape, ..value.clone() }),
            Elements::Shared(share) => share.in_shape(shape).into(),
        }
    }

    pub fn viewed(&self, py: Python<'_>, view: &View) -> PyResult<Array> {
        self.alone(py, |array| array.write(|t, value| t.seen(value, view)), |share| share.viewed(py, view))
    }

    /// Writes an operation that only traced programs have.
    pub fn write(
        &self,
        what: &str,
        operation: impl FnOnce(&mut Tracer, &Value) -> Traced<Value>,
    ) -> PyResult<Array> {
        self.written(what)?.write(operation)
    }

    /// An operation on each element that only numbers shared among parties have.
    pub fn each(
        &self,
        py: Python<'_>,
        what: &str,
        operation: impl for<'a> FnOnce(&'a AnyValue) -> AnyOperation<'a>,
    ) -> PyResult<Array> {
        Ok(self.shared(what)?.in_field(py)?.each(py, operation)?.into())
    }

    /// The shared numbers and their kind, if their range is known.
    pub fn ranged(&self) -> Option<(&Share, &Kind)> {
        match &self.0 {
            Elements::Shared(share @ Share { kind: Some(kind), .. }) => Some((share, kind)),
            _ => None,
        }
    }

    pub fn no_number(&self) -> PyErr {
        let instead = match &self.0 {
            Elements::Written(_) => {
                "to learn it, give it to a role with role.output(name, x); to convert it, write x.astype(kind)"
            }
            Elements::Shared(_) => "to learn it, write await s.open(x)",
        };
        secret(&format!("{} has no value while the program is traced", self.described()), instead)
    }
}

/// The result of an operator; `NotImplemented` for an unknown operand.
pub fn operated(other: &Bound<'_, PyAny>, array: Option<Array>) -> Operated {
    match array {
        Some(array) => array.into_py_any(other.py()),
        None => Ok(other.py().NotImplemented()),
    }
}

/// A number of bits given in Python.
pub fn width(bits: &Bound<'_, PyAny>) -> PyResult<u32> {
    bits.extract().map_err(|_| KindError::new_err("within takes a number of bits from 1 up, or a kind"))
}

/// Axes given in Python.
pub fn axes(axis: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<i64>>> {
    let Some(axis) = axis else { return Ok(None) };
    if let Ok(one) = axis.extract::<i64>() {
        return Ok(Some(vec![one]));
    }
    let many = axis.extract::<Vec<i64>>();
    many.map(Some)
        .map_err(|_| ShapeError::new_err("an axis must be a public integer or a tuple of public integers"))
}

/// A shape with this number of elements, in which one dimension may be given as -1.
pub fn reshaped(given: &[i64], lanes: u64) -> PyResult<Vec<u64>> {
    let wrong = || ShapeError::new_err(format!("{lanes} elements cannot be reshaped to {given:?}"));
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
