//! What arrays can do in Python: operators, and the methods that NumPy's have.

use pyo3::IntoPyObjectExt;
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyZeroDivisionError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use tacit_ir::{BinaryOp, Domain};

use super::array::Array;
use super::dispatch::reshaped;
use super::errors::{KindError, ShapeError, secret};
use super::index::indexed;
use super::kind::{PyKind, dims_of};
use super::operand::{ArrayOperand, beside};
use crate::errors::UsageError;
use crate::language::division::DivisionPart;
use crate::language::error::Traced;
use crate::language::kind::Kind;
use crate::language::shape::{self, View};
use crate::language::tracer::Tracer;
use crate::language::value::Value;

#[pymethods]
impl Array {
    /// NumPy leaves operators to this class.
    #[classattr]
    #[pyo3(name = "__array_ufunc__")]
    const ARRAY_UFUNC: Option<bool> = None;

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.value.shape)
    }

    #[getter]
    fn kind(&self) -> PyKind {
        PyKind(self.value.kind.clone())
    }

    #[getter]
    fn dtype(&self) -> PyKind {
        self.kind()
    }

    #[getter]
    fn ndim(&self) -> usize {
        self.value.shape.len()
    }

    #[getter]
    fn size(&self) -> u64 {
        self.value.lanes()
    }

    #[getter]
    fn is_wrapping(&self) -> bool {
        self.value.wrapping
    }

    #[getter(T)]
    fn reversed_axes(&self) -> PyResult<Array> {
        self.transpose(None)
    }

    fn __add__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(other, false, Tracer::add)
    }

    fn __radd__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(other, true, Tracer::add)
    }

    fn __sub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(other, false, Tracer::sub)
    }

    fn __rsub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(other, true, Tracer::sub)
    }

    fn __mul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(other, false, Tracer::mul)
    }

    fn __rmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(other, true, Tracer::mul)
    }

    fn __matmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(other, false, Tracer::matmul)
    }

    fn __rmatmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(other, true, Tracer::matmul)
    }

    fn __truediv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        if let Some(ArrayOperand::Public(literal)) = self.operand(other)?
            && literal.has_zero()
        {
            return Err(PyZeroDivisionError::new_err("division by zero"));
        }
        self.binary(other, false, Tracer::true_divide)
    }

    fn __rtruediv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(other, true, Tracer::true_divide)
    }

    fn __floordiv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.divide(other, false, DivisionPart::Quotient)
    }

    fn __rfloordiv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.divide(other, true, DivisionPart::Quotient)
    }

    fn __mod__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.divide(other, false, DivisionPart::Remainder)
    }

    fn __rmod__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.divide(other, true, DivisionPart::Remainder)
    }

    fn __divmod__(&self, other: &Bound<'_, PyAny>) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        Ok((self.__floordiv__(other)?, self.__mod__(other)?))
    }

    fn __rdivmod__(&self, other: &Bound<'_, PyAny>) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        Ok((self.__rfloordiv__(other)?, self.__rmod__(other)?))
    }

    fn __pow__(&self, exponent: &Bound<'_, PyAny>, modulus: &Bound<'_, PyAny>) -> PyResult<Array> {
        if !modulus.is_none() {
            return Err(KindError::new_err("a power with a modulus; write (x ** n) % m, or use t.field(p)"));
        }
        if exponent.is_instance_of::<Array>() {
            return Err(secret("a secret exponent", "exponents are public integers from 0 up"));
        }
        let exponent = exponent.extract::<u32>();
        let exponent = exponent.map_err(|_| KindError::new_err("an exponent is an integer from 0 up"))?;
        let value = self.graph.lock().pow(&self.value, exponent);
        self.made(value)
    }

    fn __rpow__(&self, _base: &Bound<'_, PyAny>, _modulus: &Bound<'_, PyAny>) -> PyResult<Array> {
        Err(secret("a secret exponent", "exponents are public; for powers of two write 1 << x"))
    }

    fn __lshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.shifted(other, true)
    }

    fn __rlshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.shift_of(other, true)
    }

    fn __rshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.shifted(other, false)
    }

    fn __rrshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.shift_of(other, false)
    }

    fn __and__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(other, false, |t, a, b| t.bitwise(BinaryOp::And, a, b))
    }

    fn __rand__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.__and__(other)
    }

    fn __or__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(other, false, |t, a, b| t.bitwise(BinaryOp::Or, a, b))
    }

    fn __ror__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.__or__(other)
    }

    fn __xor__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.binary(other, false, |t, a, b| t.bitwise(BinaryOp::Xor, a, b))
    }

    fn __rxor__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.__xor__(other)
    }

    fn __neg__(&self) -> PyResult<Array> {
        self.unary(Tracer::neg)
    }

    fn __pos__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __abs__(&self) -> PyResult<Array> {
        self.unary(Tracer::abs)
    }

    fn __invert__(&self) -> PyResult<Array> {
        self.unary(Tracer::invert)
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let Some(operand) = self.operand(other)? else { return Ok(py.NotImplemented()) };
        let value = {
            let tracer = &mut *self.graph.lock();
            let (a, b) = (&self.value, &beside(tracer, &self.value, &operand, true)?);
            let (value, negated) = match op {
                CompareOp::Eq => (tracer.compare(a, b, true)?, false),
                CompareOp::Ne => (tracer.compare(a, b, true)?, true),
                CompareOp::Lt => (tracer.compare(a, b, false)?, false),
                CompareOp::Ge => (tracer.compare(a, b, false)?, true),
                CompareOp::Gt => (tracer.compare(b, a, false)?, false),
                CompareOp::Le => (tracer.compare(b, a, false)?, true),
            };
            if negated { tracer.invert(&value) } else { Ok(value) }
        };
        self.made(value)?.into_py_any(py)
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(secret(
            &format!("{} decides nothing while the program is written", self.described()),
            "in place of if, write t.where(condition, a, b); of while, t.fori or t.scan; of and, or, not: &, |, ~",
        ))
    }

    fn __int__(&self) -> PyResult<i64> {
        Err(self.no_number())
    }

    fn __float__(&self) -> PyResult<f64> {
        Err(self.no_number())
    }

    fn __complex__(&self) -> PyResult<f64> {
        Err(self.no_number())
    }

    fn __round__(&self, _digits: &Bound<'_, PyAny>) -> PyResult<f64> {
        Err(self.no_number())
    }

    fn __index__(&self) -> PyResult<i64> {
        Err(secret(
            &format!("{} as an index, a length or a count, which are public", self.described()),
            "to read a table at a secret position, write t.lookup(table, position); to write it, t.update",
        ))
    }

    fn __contains__(&self, _item: &Bound<'_, PyAny>) -> PyResult<bool> {
        Err(secret(&format!("whether something is in {}", self.described()), "write t.any(x == item)"))
    }

    fn __len__(&self) -> PyResult<usize> {
        match self.value.shape.first() {
            Some(length) => Ok(*length as usize),
            None => Err(ShapeError::new_err(format!("{} has no length", self.described()))),
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut rows = Vec::new();
        for row in 0..self.__len__()? as u64 {
            let mut view = View::whole(&self.value.shape);
            view.pick(0, row);
            rows.push(self.viewed(&view)?);
        }
        Ok(PyList::new(py, rows)?.try_iter()?.into_any())
    }

    fn __getitem__(&self, index: &Bound<'_, PyAny>) -> PyResult<Array> {
        let value = indexed(&self.graph, &self.value, index)?;
        Ok(self.graph.array(value))
    }

    fn __setitem__(&self, _index: &Bound<'_, PyAny>, _item: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(KindError::new_err(
            "secret arrays do not change; build a new one with t.where, t.concatenate, t.stack or t.update",
        ))
    }

    fn __repr__(&self) -> String {
        let dims: Vec<_> = self.value.shape.iter().map(u64::to_string).collect();
        match dims.is_empty() {
            true => format!("<secret {}>", self.value.kind),
            false => format!("<secret {}[{}]>", self.value.kind, dims.join(", ")),
        }
    }

    #[pyo3(signature = (axis = None, keepdims = false))]
    fn sum(&self, axis: Option<&Bound<'_, PyAny>>, keepdims: bool) -> PyResult<Array> {
        self.reduced(axis, keepdims, Tracer::sum)
    }

    #[pyo3(signature = (axis = None, keepdims = false))]
    fn prod(&self, axis: Option<&Bound<'_, PyAny>>, keepdims: bool) -> PyResult<Array> {
        self.reduced(axis, keepdims, Tracer::prod)
    }

    #[pyo3(signature = (axis = None, keepdims = false))]
    fn any(&self, axis: Option<&Bound<'_, PyAny>>, keepdims: bool) -> PyResult<Array> {
        self.reduced(axis, keepdims, Tracer::any)
    }

    #[pyo3(signature = (axis = None, keepdims = false))]
    fn all(&self, axis: Option<&Bound<'_, PyAny>>, keepdims: bool) -> PyResult<Array> {
        self.reduced(axis, keepdims, Tracer::all)
    }

    #[pyo3(signature = (axis = None, keepdims = false))]
    fn min(&self, axis: Option<&Bound<'_, PyAny>>, keepdims: bool) -> PyResult<Array> {
        self.reduced(axis, keepdims, |t, value, axes| t.extremum(value, axes, false))
    }

    #[pyo3(signature = (axis = None, keepdims = false))]
    fn max(&self, axis: Option<&Bound<'_, PyAny>>, keepdims: bool) -> PyResult<Array> {
        self.reduced(axis, keepdims, |t, value, axes| t.extremum(value, axes, true))
    }

    #[pyo3(signature = (axis = None, keepdims = false))]
    fn argmin(&self, axis: Option<&Bound<'_, PyAny>>, keepdims: bool) -> PyResult<Array> {
        self.reduced(axis, keepdims, |t, value, axes| t.arg_extremum(value, axes, false))
    }

    #[pyo3(signature = (axis = None, keepdims = false))]
    fn argmax(&self, axis: Option<&Bound<'_, PyAny>>, keepdims: bool) -> PyResult<Array> {
        self.reduced(axis, keepdims, |t, value, axes| t.arg_extremum(value, axes, true))
    }

    #[pyo3(signature = (axis = -1))]
    fn sort(&self, axis: i64) -> PyResult<Array> {
        let value = self.graph.lock().sort(&self.value, axis);
        self.made(value)
    }

    #[pyo3(signature = (axis = -1))]
    fn argsort(&self, axis: i64) -> PyResult<Array> {
        let value = self.graph.lock().argsort(&self.value, axis);
        self.made(value)
    }

    #[pyo3(signature = (axis = None))]
    fn cumsum(&self, axis: Option<i64>) -> PyResult<Array> {
        let value = self.graph.lock().cumsum(&self.value, axis);
        self.made(value)
    }

    fn dot(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let scalar = match self.operand(other)? {
            Some(ArrayOperand::Secret(array)) => array.get().value.shape.is_empty(),
            Some(ArrayOperand::Public(literal)) => literal.shape.is_empty(),
            None => return Err(KindError::new_err("dot takes numbers or an array of them")),
        };
        match scalar || self.value.shape.is_empty() {
            true => self.__mul__(other),
            false => self.__matmul__(other),
        }
    }

    /// This where `condition` is an array of bool: `x` where it is true, else `y`.
    fn select(&self, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<Array> {
        let (Some(x), Some(y)) = (self.operand(x)?, self.operand(y)?) else {
            return Err(KindError::new_err("where takes numbers or arrays of them"));
        };
        let value = {
            let tracer = &mut *self.graph.lock();
            let (a, b) = match (&x, &y) {
                (ArrayOperand::Secret(a), y) => {
                    (a.get().value.clone(), beside(tracer, &a.get().value, y, false)?)
                }
                (x, ArrayOperand::Secret(b)) => {
                    (beside(tracer, &b.get().value, x, false)?, b.get().value.clone())
                }
                (ArrayOperand::Public(a), ArrayOperand::Public(b)) => {
                    let (kind_a, kind_b) = (a.own_kind()?, b.own_kind()?);
                    (tracer.literal(a, kind_a)?, tracer.literal(b, kind_b)?)
                }
            };
            tracer.select(&self.value, &a, &b)
        };
        self.made(value)
    }

    /// The smaller of this and another operand, element by element; with `largest` the larger.
    #[pyo3(signature = (other, largest = false))]
    fn pick(&self, other: &Bound<'_, PyAny>, largest: bool) -> PyResult<Array> {
        let Some(operand) = self.operand(other)? else {
            return Err(KindError::new_err("minimum and maximum take numbers or arrays of them"));
        };
        let value = {
            let tracer = &mut *self.graph.lock();
            let other = beside(tracer, &self.value, &operand, false)?;
            let less = tracer.compare(&other, &self.value, false)?;
            let (x, y) = if largest { (&self.value, &other) } else { (&other, &self.value) };
            tracer.select(&less, x, y)
        };
        self.made(value)
    }

    fn pinned(&self, domain: &str) -> PyResult<Array> {
        let named = Domain::ALL.iter().find(|known| known.name() == domain);
        let unknown = || UsageError::new_err(format!("there is no domain {domain}"));
        let value = self.graph.lock().pinned(&self.value, *named.ok_or_else(unknown)?);
        self.made(value)
    }

    fn sqrt(&self) -> PyResult<Array> {
        self.unary(Tracer::sqrt)
    }

    fn bits(&self) -> PyResult<Array> {
        self.unary(Tracer::bits)
    }

    fn bit(&self, position: i64) -> PyResult<Array> {
        let value = self.graph.lock().bit(&self.value, position);
        self.made(value)
    }

    #[pyo3(name = "from_bits")]
    fn joined_bits(&self) -> PyResult<Array> {
        self.unary(Tracer::joined_bits)
    }

    fn lookup(&self, position: &Bound<'_, Array>) -> PyResult<Array> {
        let position = position.get().of(&self.graph)?;
        let value = self.graph.lock().lookup(&self.value, &position);
        self.made(value)
    }

    fn update(&self, position: &Bound<'_, Array>, entry: &Bound<'_, PyAny>) -> PyResult<Array> {
        let position = position.get().of(&self.graph)?;
        let Some(operand) = self.operand(entry)? else {
            return Err(KindError::new_err("update takes a number or an array of them"));
        };
        let value = {
            let tracer = &mut *self.graph.lock();
            let entry = beside(tracer, &self.value, &operand, false)?;
            tracer.update(&self.value, &position, &entry)
        };
        self.made(value)
    }

    fn astype(&self, kind: &PyKind) -> PyResult<Array> {
        let value = self.graph.lock().astype(&self.value, &kind.0);
        self.made(value)
    }

    #[pyo3(signature = (on = true))]
    fn wrapping(&self, on: bool) -> PyResult<Array> {
        match self.value.kind {
            Kind::Field(_) => Err(KindError::new_err("elements of a field never grow")),
            _ => Ok(self.graph.array(Value { wrapping: on, ..self.value.clone() })),
        }
    }

    #[pyo3(signature = (*dims))]
    fn reshape(&self, dims: &Bound<'_, PyTuple>) -> PyResult<Array> {
        let given: Vec<i64> = match dims.get_item(0).ok().filter(|_| dims.len() == 1) {
            Some(only) if only.extract::<i64>().is_err() => only.extract()?,
            _ => dims.extract::<Vec<i64>>()?,
        };
        let shape = reshaped(&given, self.value.lanes())?;
        Ok(self.graph.array(Value { shape, ..self.value.clone() }))
    }

    fn flatten(&self) -> Array {
        self.graph.array(Value { shape: vec![self.value.lanes()], ..self.value.clone() })
    }

    fn ravel(&self) -> Array {
        self.flatten()
    }

    #[pyo3(signature = (axes = None))]
    fn transpose(&self, axes: Option<Vec<i64>>) -> PyResult<Array> {
        let rank = self.value.shape.len();
        let order: Vec<usize> = match axes {
            None => (0..rank).rev().collect(),
            Some(axes) => axes.into_iter().map(|axis| shape::axis(axis, rank)).collect::<Traced<_>>()?,
        };
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if sorted != (0..rank).collect::<Vec<_>>() {
            return Err(ShapeError::new_err("transpose takes every axis once"));
        }
        self.viewed(&View::whole(&self.value.shape).permuted(&order))
    }

    fn broadcast_to(&self, dims: &Bound<'_, PyAny>) -> PyResult<Array> {
        let value = self.graph.lock().broadcast_to(&self.value, dims_of(dims)?);
        self.made(value)
    }
}
