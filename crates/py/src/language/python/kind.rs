use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use num_bigint::Sign;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::errors::KindError;
use super::integers::{integer, to_python};
use crate::language::kind::{Kind, MAX_BITS};
use crate::language::shape;

/// The kind of an array's elements. Subscripted with dimensions it is the type of an array.
#[pyclass(module = "tacit", name = "Kind", frozen, from_py_object)]
#[derive(Clone)]
pub struct PyKind(pub Kind);

/// The type of an array: the kind of its elements, and its shape.
#[pyclass(module = "tacit", frozen)]
pub struct ArrayType {
    kind: Kind,
    shape: Vec<u64>,
}

fn width(bits: u32) -> PyResult<u32> {
    match bits {
        1..=MAX_BITS => Ok(bits),
        _ => Err(KindError::new_err(format!("a width of {bits} bits; it may be 1 to {MAX_BITS}"))),
    }
}

#[pymethods]
impl PyKind {
    #[staticmethod]
    fn uint(bits: u32) -> PyResult<PyKind> {
        Ok(PyKind(Kind::Uint(width(bits)?)))
    }

    #[staticmethod]
    fn int(bits: u32) -> PyResult<PyKind> {
        Ok(PyKind(Kind::Int(width(bits)?)))
    }

    #[staticmethod]
    fn boolean() -> PyKind {
        PyKind(Kind::Bool)
    }

    #[staticmethod]
    fn fixed(integer: u32, fraction: u32) -> PyResult<PyKind> {
        width(integer)?;
        width(integer.saturating_add(fraction))?;
        Ok(PyKind(Kind::Fixed { integer, fraction }))
    }

    #[staticmethod]
    fn field(modulus: &Bound<'_, PyAny>) -> PyResult<PyKind> {
        let modulus = integer(modulus)?;
        match modulus.into_parts() {
            (Sign::Plus, modulus) => {
                width(modulus.bits() as u32)?;
                Ok(PyKind(Kind::Field(Arc::new(modulus))))
            }
            _ => Err(KindError::new_err("the modulus of a field must be a prime")),
        }
    }

    #[staticmethod]
    fn float(bits: u32) -> PyResult<PyKind> {
        match bits {
            32 | 64 => Ok(PyKind(Kind::Float(bits))),
            _ => Err(KindError::new_err(format!("floats have 32 or 64 bits, not {bits}"))),
        }
    }

    #[getter]
    fn bits(&self) -> u32 {
        self.0.bits()
    }

    #[getter]
    fn signed(&self) -> bool {
        self.0.signed()
    }

    #[getter]
    fn fraction(&self) -> Option<u32> {
        self.0.number().and_then(|number| number.point)
    }

    #[getter]
    fn modulus<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.0 {
            Kind::Field(modulus) => to_python(py, &modulus.as_ref().clone().into()).map(Some),
            _ => Ok(None),
        }
    }

    #[getter]
    fn is_float(&self) -> bool {
        matches!(self.0, Kind::Float(_))
    }

    #[getter]
    fn is_bool(&self) -> bool {
        self.0 == Kind::Bool
    }

    fn __getitem__(&self, dims: &Bound<'_, PyAny>) -> PyResult<ArrayType> {
        let shape = dims_of(dims)?;
        shape::check(&shape)?;
        Ok(ArrayType { kind: self.0.clone(), shape })
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyKind>().is_ok_and(|other| other.get().0 == self.0)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("tacit.{}", self.0)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }
}

#[pymethods]
impl ArrayType {
    #[getter]
    fn kind(&self) -> PyKind {
        PyKind(self.kind.clone())
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    fn __repr__(&self) -> String {
        let dims: Vec<_> = self.shape.iter().map(u64::to_string).collect();
        format!("tacit.{}[{}]", self.kind, dims.join(", "))
    }
}

/// A shape given as a number or a tuple of them.
pub fn dims_of(dims: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    if let Ok(one) = dims.extract::<u64>() {
        return Ok(vec![one]);
    }
    dims.extract::<Vec<u64>>().map_err(|_| {
        let shown = dims.repr().map_or_else(|_| "this".to_owned(), |text| text.to_string());
        super::errors::ShapeError::new_err(format!(
            "{shown} is not a shape; dimensions are public integers from 0 up"
        ))
    })
}
