//! Shared numbers and arrays, as Python computes with them.

use std::sync::Arc;

use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyList, PyTuple};
use tacit_nparty::dynamic::{AnyOperation, AnyPair, AnyValue, Numbers};
use tacit_nparty::protocol::divide::Fixed;
use tacit_nparty::protocol::order::Extreme;

use super::computation::Core;
use super::errors::{SecretError, ShapeError};
use super::index::seen;
use super::integers;
use super::kind::dims_of;
use super::numbers::{integer, numbers};
use crate::language::shape::{self, View};

/// A number, or an array of numbers, that is shared among the parties, or that all know or will know.
#[pyclass(module = "tacit", frozen)]
pub struct Share {
    pub value: AnyValue,
    pub shape: Vec<u64>,
    core: Arc<Core>,
}

impl Share {
    pub fn new(value: AnyValue, shape: Vec<u64>, core: &Arc<Core>) -> Share {
        Share { value, shape, core: core.clone() }
    }

    fn made(&self, py: Python<'_>, operation: AnyOperation<'_>, shape: Vec<u64>) -> PyResult<Share> {
        Ok(Share::new(self.core.value(py, operation)?, shape, &self.core))
    }

    /// The value repeated to a shape that this one broadcasts to, unless it is of that shape or of one element.
    fn spread(&self, py: Python<'_>, target: &[u64]) -> PyResult<AnyValue> {
        if self.shape == target || self.value.len() == 1 {
            return Ok(self.value.clone());
        }
        let view = View::whole(&self.shape).broadcast_to(target);
        self.core.value(py, AnyOperation::Gather(&self.value, positions(&view)))
    }

    /// An operation element by element.
    fn pair(&self, py: Python<'_>, other: &Share, operation: AnyPair) -> PyResult<Share> {
        if self.shape == other.shape {
            return self.made(
                py,
                AnyOperation::Pair(operation, &self.value, &other.value),
                self.shape.clone(),
            );
        }
        let shape = shape::broadcast(&self.shape, &other.shape)?;
        let (a, b) = (self.spread(py, &shape)?, other.spread(py, &shape)?);
        self.made(py, AnyOperation::Pair(operation, &a, &b), shape)
    }

    /// What another operand is: shared or public numbers.
    fn operand<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<PyRef<'py, Share>> {
        if let Ok(share) = other.extract::<PyRef<'_, Share>>() {
            return Ok(share);
        }
        let (numbers, dims) = numbers(other)?;
        let value = self.core.value(other.py(), AnyOperation::ConstantLike(&self.value, numbers))?;
        Ok(Bound::new(other.py(), Share::new(value, dims, &self.core))?.borrow())
    }

    fn binary(&self, other: &Bound<'_, PyAny>, operation: AnyPair) -> PyResult<Share> {
        if let Ok(share) = other.cast::<Share>() {
            return self.pair(other.py(), share.get(), operation);
        }
        self.pair(other.py(), &*self.operand(other)?, operation)
    }

    fn shifted(&self, py: Python<'_>, shift: i64) -> PyResult<Share> {
        self.made(py, AnyOperation::Shift(&self.value, Numbers::from(vec![shift])), self.shape.clone())
    }

    fn not(&self, py: Python<'_>) -> PyResult<Share> {
        self.__neg__(py)?.shifted(py, 1)
    }

    fn each(&self, py: Python<'_>, operation: AnyOperation<'_>) -> PyResult<Share> {
        self.made(py, operation, self.shape.clone())
    }
}

#[pymethods]
impl Share {
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    #[getter]
    fn size(&self) -> usize {
        self.value.len()
    }

    #[getter]
    fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// Whether all parties know it, or will.
    #[getter]
    fn public(&self) -> bool {
        self.value.is_public()
    }

    fn __len__(&self) -> PyResult<usize> {
        let first =
            self.shape.first().ok_or_else(|| PyTypeError::new_err("a single number has no length"))?;
        Ok(*first as usize)
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(SecretError::new_err(
            "a shared number in a condition: nobody knows it; open it, or choose with rt.where",
        ))
    }

    fn __repr__(&self) -> String {
        let kind = if self.value.is_public() { "public" } else { "shared" };
        format!("<{kind} numbers of shape {}>", shape::text(&self.shape))
    }

    fn __add__(&self, other: &Bound<'_, PyAny>) -> PyResult<Share> {
        match integer(other)? {
            Some(number) => self.each(other.py(), AnyOperation::Shift(&self.value, number)),
            None => self.binary(other, AnyPair::Add),
        }
    }

    fn __radd__(&self, other: &Bound<'_, PyAny>) -> PyResult<Share> {
        self.__add__(other)
    }

    fn __sub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Share> {
        self.binary(other, AnyPair::Sub)
    }

    fn __rsub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Share> {
        self.__neg__(other.py())?.__add__(other)
    }

    fn __neg__(&self, py: Python<'_>) -> PyResult<Share> {
        self.each(py, AnyOperation::Negate(&self.value))
    }

    fn __mul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Share> {
        if let Ok(share) = other.cast::<Share>() {
            return self.pair(other.py(), share.get(), AnyPair::Mul);
        }
        match integer(other)? {
            Some(number) => self.each(other.py(), AnyOperation::Scale(&self.value, number)),
            None => self.binary(other, AnyPair::Mul),
        }
    }

    fn __rmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Share> {
        self.__mul__(other)
    }

    fn __xor__(&self, other: &Bound<'_, PyAny>) -> PyResult<Share> {
        self.binary(other, AnyPair::Xor)
    }

    fn __rxor__(&self, other: &Bound<'_, PyAny>) -> PyResult<Share> {
        self.__xor__(other)
    }

    fn __and__(&self, other: &Bound<'_, PyAny>) -> PyResult<Share> {
        self.__mul__(other)
    }

    fn __rand__(&self, other: &Bound<'_, PyAny>) -> PyResult<Share> {
        self.__and__(other)
    }

    fn __or__(&self, other: &Bound<'_, PyAny>) -> PyResult<Share> {
        let (py, other) = (other.py(), self.operand(other)?);
        let both = self.pair(py, &other, AnyPair::Mul)?;
        self.pair(py, &other, AnyPair::Add)?.pair(py, &both, AnyPair::Sub)
    }

    fn __ror__(&self, other: &Bound<'_, PyAny>) -> PyResult<Share> {
        self.__or__(other)
    }

    fn __invert__(&self, py: Python<'_>) -> PyResult<Share> {
        self.not(py)
    }

    fn __pow__(&self, exponent: &Bound<'_, PyAny>, modulo: &Bound<'_, PyAny>) -> PyResult<Share> {
        if !modulo.is_none() {
            return Err(PyTypeError::new_err("powers are taken in the field; there is no other modulus"));
        }
        let positive = || PyTypeError::new_err("an exponent is a public number from 0 up; see inverse()");
        let exponent = integers::integer(exponent).ok().and_then(|exponent| exponent.to_biguint());
        let exponent = exponent.ok_or_else(positive)?;
        self.each(modulo.py(), AnyOperation::Pow(&self.value, exponent.to_u64_digits()))
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, compared: CompareOp) -> PyResult<Share> {
        let (py, other) = (other.py(), self.operand(other)?);
        match compared {
            CompareOp::Lt => self.pair(py, &other, AnyPair::Less),
            CompareOp::Gt => other.pair(py, self, AnyPair::Less),
            CompareOp::Ge => self.pair(py, &other, AnyPair::Less)?.not(py),
            CompareOp::Le => other.pair(py, self, AnyPair::Less)?.not(py),
            CompareOp::Eq => self.pair(py, &other, AnyPair::Equal),
            CompareOp::Ne => self.pair(py, &other, AnyPair::Equal)?.not(py),
        }
    }

    /// The product of matrices, of a matrix and a vector, or the inner product of vectors, after NumPy.
    fn __matmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Share> {
        let py = other.py();
        let other = self.operand(other)?;
        let wrong = || {
            let (a, b) = (shape::text(&self.shape), shape::text(&other.shape));
            ShapeError::new_err(format!("no matrix product of shapes {a} and {b}"))
        };
        let (m, k, mut dims) = match self.shape[..] {
            [k] => (1, k, vec![]),
            [m, k] => (m, k, vec![m]),
            _ => return Err(wrong()),
        };
        let (inner, n) = match other.shape[..] {
            [k] => (k, 1),
            [k, n] => {
                dims.push(n);
                (k, n)
            }
            _ => return Err(wrong()),
        };
        if inner != k {
            return Err(wrong());
        }
        let sizes = (m as usize, k as usize, n as usize);
        self.made(py, AnyOperation::Matmul(&self.value, &other.value, sizes), dims)
    }

    fn __rmatmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Share> {
        let left = self.operand(other)?;
        left.__matmul__(
            Bound::new(other.py(), Share::new(self.value.clone(), self.shape.clone(), &self.core))?.as_any(),
        )
    }

    fn __getitem__(&self, index: &Bound<'_, PyAny>) -> PyResult<Share> {
        let (view, chosen) = seen(&self.shape, index)?;
        let mut places = positions(&view);
        if let Some(chosen) = chosen {
            // The chosen axis comes first, then back where it was.
            let shape = view.shape();
            let (outer, inner) = (
                shape[..chosen.axis].iter().product::<u64>() as usize,
                shape[chosen.axis + 1..].iter().product::<u64>() as usize,
            );
            let length = shape[chosen.axis] as usize;
            let all = places;
            let picked = (0..outer).flat_map(|outer| {
                chosen.positions.iter().flat_map(move |place| {
                    let start = (outer * length + *place as usize) * inner;
                    start..start + inner
                })
            });
            places = picked.map(|place| all[place]).collect();
            let mut dims = shape[..chosen.axis].to_vec();
            dims.extend(&chosen.shape);
            dims.extend(&shape[chosen.axis + 1..]);
            return self.made(index.py(), AnyOperation::Gather(&self.value, places), dims);
        }
        let dims = view.shape();
        self.made(index.py(), AnyOperation::Gather(&self.value, places), dims)
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let length = slf.get().__len__()?;
        let items: Vec<_> = (0..length).map(|i| slf.get_item(i)).collect::<PyResult<_>>()?;
        Ok(PyList::new(slf.py(), items)?.as_any().try_iter()?.into_any())
    }

    fn reshape(&self, dims: &Bound<'_, PyAny>) -> PyResult<Share> {
        let dims = dims_of(dims)?;
        if shape::size(&dims) != self.value.len() as u64 {
            let (from, to) = (shape::text(&self.shape), shape::text(&dims));
            return Err(ShapeError::new_err(format!("shape {from} has not as many elements as {to}")));
        }
        Ok(Share::new(self.value.clone(), dims, &self.core))
    }

    /// With the axes in the opposite order.
    #[getter(T)]
    fn transposed(&self, py: Python<'_>) -> PyResult<Share> {
        let order: Vec<_> = (0..self.shape.len()).rev().collect();
        let view = View::whole(&self.shape).permuted(&order);
        self.made(py, AnyOperation::Gather(&self.value, positions(&view)), view.shape())
    }

    /// The sum of all elements, or along an axis.
    #[pyo3(signature = (axis = None))]
    fn sum(&self, py: Python<'_>, axis: Option<i64>) -> PyResult<Share> {
        let Some(axis) = axis else {
            return self.made(py, AnyOperation::SumRuns(&self.value, self.value.len()), vec![]);
        };
        let axis = shape::axis(axis, self.shape.len())?;
        let mut order: Vec<_> = (0..self.shape.len()).filter(|other| *other != axis).collect();
        let dims = order.iter().map(|axis| self.shape[*axis]).collect();
        order.push(axis);
        let view = View::whole(&self.shape).permuted(&order);
        let last = self.core.value(py, AnyOperation::Gather(&self.value, positions(&view)))?;
        self.made(py, AnyOperation::SumRuns(&last, self.shape[axis] as usize), dims)
    }

    /// The least element.
    fn min(&self, py: Python<'_>) -> PyResult<Share> {
        self.extreme(py, Extreme::Least, 0)
    }

    /// The greatest element.
    fn max(&self, py: Python<'_>) -> PyResult<Share> {
        self.extreme(py, Extreme::Greatest, 0)
    }

    /// The position of the first least element.
    fn argmin(&self, py: Python<'_>) -> PyResult<Share> {
        self.extreme(py, Extreme::Least, 1)
    }

    /// The position of the first greatest element.
    fn argmax(&self, py: Python<'_>) -> PyResult<Share> {
        self.extreme(py, Extreme::Greatest, 1)
    }

    /// The elements of a vector in ascending order.
    fn sort(&self, py: Python<'_>) -> PyResult<Share> {
        match self.shape.len() {
            1 => self.each(py, AnyOperation::Sort(&self.value)),
            rank => {
                Err(ShapeError::new_err(format!("a vector is sorted, not an array of {rank} dimensions")))
            }
        }
    }

    /// `1 / x` in the field, of numbers that are not zero.
    fn inverse(&self, py: Python<'_>) -> PyResult<Share> {
        self.each(py, AnyOperation::Inverse(&self.value))
    }

    /// A square root in the field, of nonzero squares.
    fn sqrt(&self, py: Python<'_>) -> PyResult<Share> {
        self.each(py, AnyOperation::Sqrt(&self.value))
    }

    /// The last bit of numbers from 0 up.
    fn parity(&self, py: Python<'_>) -> PyResult<Share> {
        self.each(py, AnyOperation::Parity(&self.value))
    }

    /// The bits of numbers from 0 up, the last first, along a new last axis.
    fn bits(&self, py: Python<'_>, bits: usize) -> PyResult<Share> {
        let mut dims = self.shape.clone();
        dims.push(bits as u64);
        self.made(py, AnyOperation::Bits(&self.value, bits), dims)
    }

    /// `x / 2^dropped`, rounded down, of numbers of so many bits, the sign included.
    fn truncate(&self, py: Python<'_>, dropped: usize, bits: usize) -> PyResult<Share> {
        self.each(py, AnyOperation::Truncate(&self.value, dropped, bits))
    }

    /// As `truncate`, rounded down or up at random, up with the probability of what is lost.
    fn truncate_probably(&self, py: Python<'_>, dropped: usize, bits: usize) -> PyResult<Share> {
        self.each(py, AnyOperation::TruncateProbably(&self.value, dropped, bits))
    }

    /// The remainder modulo `2^low` of numbers from 0 up, of so many bits.
    fn remainder(&self, py: Python<'_>, low: usize, bits: usize) -> PyResult<Share> {
        self.each(py, AnyOperation::Remainder(&self.value, low, bits))
    }

    /// The numbers whose bits these are, along the last axis, the last bit first.
    #[pyo3(name = "from_bits")]
    fn number_of_bits(&self, py: Python<'_>) -> PyResult<Share> {
        let Some((bits, dims)) = self.shape.split_last() else {
            return Err(ShapeError::new_err("a single bit has no axis of bits"));
        };
        self.made(py, AnyOperation::FromBits(&self.value, *bits as usize), dims.to_vec())
    }

    /// 1 where `x < y`, of numbers whose difference has so many bits, the sign included.
    fn less_within(&self, other: &Bound<'_, PyAny>, bits: usize) -> PyResult<Share> {
        self.two(other, |a, b| AnyOperation::LessWithin(a, b, bits))
    }

    /// 1 where `x = y`, of numbers as in `less_within`.
    fn equal_within(&self, other: &Bound<'_, PyAny>, bits: usize) -> PyResult<Share> {
        self.two(other, |a, b| AnyOperation::EqualWithin(a, b, bits))
    }

    /// The product of numbers with so many bits behind the point, and so many in all.
    fn fixed_mul(&self, other: &Bound<'_, PyAny>, fraction: usize, bits: usize) -> PyResult<Share> {
        self.two(other, |a, b| AnyOperation::FixedMul(a, b, Fixed { fraction, bits }))
    }

    /// The quotient of numbers as in `fixed_mul`.
    fn fixed_divide(&self, other: &Bound<'_, PyAny>, fraction: usize, bits: usize) -> PyResult<Share> {
        self.two(other, |a, b| AnyOperation::FixedDivide(a, b, Fixed { fraction, bits }))
    }

    /// 1 where `x >= y`, of numbers from 0 up of so many bits, as Toft compares them.
    fn greater_equal_toft(&self, other: &Bound<'_, PyAny>, bits: usize) -> PyResult<Share> {
        self.two(other, |a, b| AnyOperation::GreaterThanEqualToft(a, b, bits))
    }

    /// As `greater_equal_toft`, with the result in GF(2^8).
    fn greater_equal_gf256(&self, other: &Bound<'_, PyAny>, bits: usize) -> PyResult<Share> {
        self.two(other, |a, b| AnyOperation::GreaterThanEqualInBytes(a, b, bits))
    }

    /// Bits in GF(2^8).
    fn to_gf256(&self, py: Python<'_>) -> PyResult<Share> {
        self.each(py, AnyOperation::ToBytes(&self.value))
    }

    /// Bits of GF(2^8) in the field of the computation.
    #[pyo3(name = "from_gf256")]
    fn number_of_gf256(&self, py: Python<'_>) -> PyResult<Share> {
        self.each(py, AnyOperation::FromBytes(&self.value))
    }

    /// Quotient and remainder of numbers from 0 up, of so many bits.
    fn divide(&self, other: &Bound<'_, PyAny>, bits: usize) -> PyResult<(Share, Share)> {
        let (py, other) = (other.py(), self.operand(other)?);
        let shape = shape::broadcast(&self.shape, &other.shape)?;
        let (a, b) = (self.spread(py, &shape)?, other.spread(py, &shape)?);
        let mut made = self.core.apply(py, AnyOperation::Divide(&a, &b, bits))?.into_iter();
        let mut next = || {
            let value = made.next().ok_or_else(|| PyTypeError::new_err("a division without a result"))?;
            Ok::<_, PyErr>(Share::new(value, shape.clone(), &self.core))
        };
        Ok((next()?, next()?))
    }

    /// `x` where this is 1, `y` where it is 0.
    fn choose(&self, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<Share> {
        let (py, x, y) = (x.py(), self.operand(x)?, self.operand(y)?);
        let difference = x.pair(py, &y, AnyPair::Sub)?;
        self.pair(py, &difference, AnyPair::Mul)?.pair(py, &y, AnyPair::Add)
    }
}

impl Share {
    /// An operation on two arrays, element by element.
    fn two(
        &self,
        other: &Bound<'_, PyAny>,
        operation: impl for<'b> Fn(&'b AnyValue, &'b AnyValue) -> AnyOperation<'b>,
    ) -> PyResult<Share> {
        let (py, other) = (other.py(), self.operand(other)?);
        let shape = shape::broadcast(&self.shape, &other.shape)?;
        let (a, b) = (self.spread(py, &shape)?, other.spread(py, &shape)?);
        self.made(py, operation(&a, &b), shape)
    }

    fn extreme(&self, py: Python<'_>, which: Extreme, result: usize) -> PyResult<Share> {
        let mut made = self.core.apply(py, AnyOperation::ExtremeOf(&self.value, which))?;
        Ok(Share::new(made.swap_remove(result), vec![], &self.core))
    }
}

fn positions(view: &View) -> Arc<[usize]> {
    view.positions().into_iter().map(|position| position as usize).collect()
}
