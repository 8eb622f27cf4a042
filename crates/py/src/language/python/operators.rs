//! The interface of arrays in Python: operators, and methods with NumPy's names.

use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use tacit_ir::Domain;
use tacit_nparty::dynamic::AnyOperation;
use tacit_nparty::protocol::divide::Fixed;

use super::array::{Array, Elements, Written, only_written};
use super::bitwise;
use super::dispatch::{Operated, operated, reshaped, width};
use super::errors::{KindError, ShapeError, secret};
use super::index::indexed;
use super::integers;
use super::kind::{PyKind, dims_of};
use super::operand::literal;
use super::operations;
use super::ranged;
use super::share::Share;
use crate::errors::UsageError;
use crate::language::division::DivisionPart;
use crate::language::error::Traced;
use crate::language::kind::Kind;
use crate::language::shape::{self, View};
use crate::language::tracer::Tracer;
use crate::language::value::Value;

#[pymethods]
impl Array {
    /// Makes NumPy leave operators to this class.
    #[classattr]
    #[pyo3(name = "__array_ufunc__")]
    const ARRAY_UFUNC: Option<bool> = None;

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.dims())
    }

    #[getter]
    fn kind(&self) -> PyResult<PyKind> {
        match self.ranged() {
            Some((_, kind)) => Ok(PyKind(kind.clone())),
            None => Ok(PyKind(self.written("the kind")?.value.kind.clone())),
        }
    }

    /// Whether elements have a kind, rather than being elements of the parties' field.
    #[getter]
    fn has_kind(&self) -> bool {
        !matches!(&self.0, Elements::Shared(Share { kind: None, .. }))
    }

    #[getter]
    fn dtype(&self) -> PyResult<PyKind> {
        self.kind()
    }

    #[getter]
    fn ndim(&self) -> usize {
        self.dims().len()
    }

    #[getter]
    fn size(&self) -> u64 {
        shape::size(self.dims())
    }

    #[getter]
    fn is_wrapping(&self) -> bool {
        matches!(&self.0, Elements::Written(written) if written.value.wrapping)
    }

    /// The domain that it is pinned to, if it is the result of a pin.
    #[getter]
    fn domain(&self) -> Option<&'static str> {
        match &self.0 {
            Elements::Written(written) => written.value.pinned.map(Domain::name),
            Elements::Shared(_) => None,
        }
    }

    /// Whether all parties know it, or will know it.
    #[getter]
    fn public(&self) -> bool {
        matches!(&self.0, Elements::Shared(share) if share.value.is_public())
    }

    #[getter(T)]
    fn reversed_axes(&self, py: Python<'_>) -> PyResult<Array> {
        self.transpose(py, None)
    }

    fn __add__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.binary(other, &operations::ADD)
    }

    fn __radd__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.reflected(other, &operations::ADD)
    }

    fn __sub__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.binary(other, &operations::SUB)
    }

    fn __rsub__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.reflected(other, &operations::SUB)
    }

    fn __mul__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.binary(other, &operations::MUL)
    }

    fn __rmul__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.reflected(other, &operations::MUL)
    }

    fn __matmul__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.binary(other, &operations::MATMUL)
    }

    fn __rmatmul__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.reflected(other, &operations::MATMUL)
    }

    fn __truediv__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.true_quotient(other, false)
    }

    fn __rtruediv__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.true_quotient(other, true)
    }

    fn __floordiv__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.quotient(other, false, DivisionPart::Quotient)
    }

    fn __rfloordiv__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.quotient(other, true, DivisionPart::Quotient)
    }

    fn __mod__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.quotient(other, false, DivisionPart::Remainder)
    }

    fn __rmod__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.quotient(other, true, DivisionPart::Remainder)
    }

    fn __divmod__(&self, other: &Bound<'_, PyAny>) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        Ok((self.__floordiv__(other)?, self.__mod__(other)?))
    }

    fn __rdivmod__(&self, other: &Bound<'_, PyAny>) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        Ok((self.__rfloordiv__(other)?, self.__rmod__(other)?))
    }

    fn __pow__(&self, exponent: &Bound<'_, PyAny>, modulus: &Bound<'_, PyAny>) -> PyResult<Array> {
        if !modulus.is_none() {
            return Err(KindError::new_err(
                "powers with a modulus are not supported; write (x ** n) % m, or \
                use t.field(p)",
            ));
        }
        if exponent.is_instance_of::<Array>() {
            return Err(secret("the exponent is secret", "exponents are public integers from 0 up"));
        }
        let wrong = || KindError::new_err("an exponent is an integer from 0 up");
        match &self.0 {
            Elements::Written(written) => {
                let exponent = exponent.extract::<u32>().map_err(|_| wrong())?;
                written.write(|tracer, value| tracer.pow(value, exponent))
            }
            Elements::Shared(share) if share.is_bitwise() => {
                let exponent = exponent.extract::<u32>().map_err(|_| wrong())?;
                bitwise::of_one(modulus.py(), share, |x| x.write(|tracer, value| tracer.pow(value, exponent)))
            }
            Elements::Shared(share @ Share { kind: Some(kind), .. }) => {
                let exponent = exponent.extract::<u32>().map_err(|_| wrong())?;
                Ok(share.power(modulus.py(), kind, exponent)?.into())
            }
            Elements::Shared(share) => {
                let exponent = integers::integer(exponent).ok().and_then(|exponent| exponent.to_biguint());
                let digits = exponent.ok_or_else(wrong)?.to_u64_digits();
                Ok(share.each(modulus.py(), |value| AnyOperation::Pow(value, digits))?.into())
            }
        }
    }

    fn __rpow__(&self, _base: &Bound<'_, PyAny>, _modulus: &Bound<'_, PyAny>) -> PyResult<Array> {
        Err(secret("the exponent is secret", "exponents are public; for powers of two write 1 << x"))
    }

    fn __lshift__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.shifted(other, true)
    }

    fn __rlshift__(&self, other: &Bound<'_, PyAny>) -> Operated {
        operated(other, self.written("<<")?.shift_of(other, true)?)
    }

    fn __rshift__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.shifted(other, false)
    }

    fn __rrshift__(&self, other: &Bound<'_, PyAny>) -> Operated {
        operated(other, self.written(">>")?.shift_of(other, false)?)
    }

    fn __and__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.binary(other, &operations::AND)
    }

    fn __rand__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.__and__(other)
    }

    fn __or__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.binary(other, &operations::OR)
    }

    fn __ror__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.__or__(other)
    }

    fn __xor__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.binary(other, &operations::XOR)
    }

    fn __rxor__(&self, other: &Bound<'_, PyAny>) -> Operated {
        self.__xor__(other)
    }

    fn __neg__(&self, py: Python<'_>) -> PyResult<Array> {
        self.unary(py, &operations::NEG)
    }

    fn __pos__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __abs__(&self, py: Python<'_>) -> PyResult<Array> {
        self.alone(
            py,
            |array| array.write(Tracer::abs),
            |share| match &share.kind {
                Some(kind) => share.magnitude(py, kind),
                None => Err(only_written("abs")),
            },
        )
    }

    fn __invert__(&self, py: Python<'_>) -> PyResult<Array> {
        self.unary(py, &operations::INVERT)
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> Operated {
        let operation = match op {
            CompareOp::Eq => &operations::EQUAL,
            CompareOp::Ne => &operations::NOT_EQUAL,
            CompareOp::Lt => &operations::LESS,
            CompareOp::Ge => &operations::NOT_LESS,
            CompareOp::Gt => &operations::GREATER,
            CompareOp::Le => &operations::NOT_GREATER,
        };
        self.binary(other, operation)
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(match &self.0 {
            Elements::Written(_) => secret(
                &format!("{} cannot control Python code", self.described()),
                "in place of if, write t.where(condition, a, b); of while, t.fori or t.scan; of and, or, \
                 not: &, |, ~",
            ),
            Elements::Shared(_) => secret(
                &format!("{} cannot be a condition: no party knows it", self.described()),
                "open it, or choose with t.where(condition, a, b)",
            ),
        })
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
            &format!("{} cannot be an index, a length or a count, which must be public", self.described()),
            "to read a table at a secret position, write t.lookup(table, position); to write it, t.update",
        ))
    }

    fn __contains__(&self, _item: &Bound<'_, PyAny>) -> PyResult<bool> {
        Err(secret(&format!("`in` cannot look into {}", self.described()), "write t.any(x == item)"))
    }

    fn __len__(&self) -> PyResult<usize> {
        match self.dims().first() {
            Some(length) => Ok(*length as usize),
            None => Err(ShapeError::new_err(format!("{} has no length", self.described()))),
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut rows = Vec::new();
        for row in 0..self.__len__()? as u64 {
            let mut view = View::whole(self.dims());
            view.pick(0, row);
            rows.push(self.viewed(py, &view)?);
        }
        Ok(PyList::new(py, rows)?.try_iter()?.into_any())
    }

    fn __getitem__(&self, index: &Bound<'_, PyAny>) -> PyResult<Array> {
        self.alone(
            index.py(),
            |Written { graph, value }| Ok(graph.array(indexed(graph, value, index)?)),
            |share| share.indexed(index),
        )
    }

    fn __setitem__(&self, _index: &Bound<'_, PyAny>, _item: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(KindError::new_err(
            "elements of secret arrays cannot be assigned; build a new array with t.where, t.concatenate, \
             t.stack or t.update",
        ))
    }

    fn __repr__(&self) -> String {
        match &self.0 {
            Elements::Written(Written { value, .. }) if value.shape.is_empty() => {
                format!("<secret {}>", value.kind)
            }
            Elements::Written(Written { value, .. }) => {
                let dims: Vec<_> = value.shape.iter().map(u64::to_string).collect();
                format!("<secret {}[{}]>", value.kind, dims.join(", "))
            }
            Elements::Shared(share) => format!("<{}>", share.described()),
        }
    }

    #[pyo3(signature = (axis = None, keepdims = false))]
    fn sum(&self, py: Python<'_>, axis: Option<&Bound<'_, PyAny>>, keepdims: bool) -> PyResult<Array> {
        self.reduced(axis, keepdims, py, &operations::SUM)
    }

    #[pyo3(signature = (axis = None, keepdims = false))]
    fn prod(&self, py: Python<'_>, axis: Option<&Bound<'_, PyAny>>, keepdims: bool) -> PyResult<Array> {
        self.reduced(axis, keepdims, py, &operations::PROD)
    }

    #[pyo3(signature = (axis = None, keepdims = false))]
    fn any(&self, py: Python<'_>, axis: Option<&Bound<'_, PyAny>>, keepdims: bool) -> PyResult<Array> {
        self.reduced(axis, keepdims, py, &operations::ANY)
    }

    #[pyo3(signature = (axis = None, keepdims = false))]
    fn all(&self, py: Python<'_>, axis: Option<&Bound<'_, PyAny>>, keepdims: bool) -> PyResult<Array> {
        self.reduced(axis, keepdims, py, &operations::ALL)
    }

    #[pyo3(signature = (axis = None, keepdims = false))]
    fn min(&self, py: Python<'_>, axis: Option<&Bound<'_, PyAny>>, keepdims: bool) -> PyResult<Array> {
        self.reduced(axis, keepdims, py, &operations::MIN)
    }

    #[pyo3(signature = (axis = None, keepdims = false))]
    fn max(&self, py: Python<'_>, axis: Option<&Bound<'_, PyAny>>, keepdims: bool) -> PyResult<Array> {
        self.reduced(axis, keepdims, py, &operations::MAX)
    }

    #[pyo3(signature = (axis = None, keepdims = false))]
    fn argmin(&self, py: Python<'_>, axis: Option<&Bound<'_, PyAny>>, keepdims: bool) -> PyResult<Array> {
        self.reduced(axis, keepdims, py, &operations::ARGMIN)
    }

    #[pyo3(signature = (axis = None, keepdims = false))]
    fn argmax(&self, py: Python<'_>, axis: Option<&Bound<'_, PyAny>>, keepdims: bool) -> PyResult<Array> {
        self.reduced(axis, keepdims, py, &operations::ARGMAX)
    }

    #[pyo3(signature = (axis = -1))]
    fn sort(&self, py: Python<'_>, axis: i64) -> PyResult<Array> {
        self.alone(
            py,
            |array| array.write(|tracer, value| tracer.sort(value, axis)),
            |share| share.ordered(py, shape::axis(axis, share.shape.len())?),
        )
    }

    #[pyo3(signature = (axis = -1))]
    fn argsort(&self, py: Python<'_>, axis: i64) -> PyResult<Array> {
        self.alone(
            py,
            |array| array.write(|tracer, value| tracer.argsort(value, axis)),
            |share| share.order(py, shape::axis(axis, share.shape.len())?),
        )
    }

    #[pyo3(signature = (axis = None))]
    fn cumsum(&self, py: Python<'_>, axis: Option<i64>) -> PyResult<Array> {
        self.alone(
            py,
            |array| array.write(|tracer, value| tracer.cumsum(value, axis)),
            |share| {
                let axis = axis.map(|axis| shape::axis(axis, share.shape.len())).transpose()?;
                share.running_sum(py, axis)
            },
        )
    }

    fn dot(&self, other: &Bound<'_, PyAny>) -> Operated {
        let scalar = match other.cast::<Array>() {
            Ok(array) => array.get().dims().is_empty(),
            Err(_) => literal(other)?
                .ok_or_else(|| KindError::new_err("dot takes a number or an array of numbers"))?
                .shape
                .is_empty(),
        };
        match scalar || self.dims().is_empty() {
            true => self.__mul__(other),
            false => self.__matmul__(other),
        }
    }

    /// `x` where this array of bool is true, else `y`.
    fn select(&self, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<Array> {
        match &self.0 {
            Elements::Written(written) => written.select(x, y),
            Elements::Shared(share) => {
                let chosen = bitwise::computed(
                    x.py(),
                    share,
                    [x, y],
                    |share, [x, y]| share.select(x, y).map(Some),
                    |share, [x, y]| Ok(share.choose(x, y)?.into()),
                )?;
                chosen.ok_or_else(|| KindError::new_err("where takes numbers or arrays of numbers"))
            }
        }
    }

    /// The smaller of this and another operand, element by element; with `largest` the larger one.
    #[pyo3(signature = (other, largest = false))]
    fn pick(&self, other: &Bound<'_, PyAny>, largest: bool) -> Operated {
        let picked = self.binary(other, if largest { &operations::LARGER } else { &operations::SMALLER })?;
        match picked.is(other.py().NotImplemented()) {
            true => Err(KindError::new_err("minimum and maximum take numbers or arrays of numbers")),
            false => Ok(picked),
        }
    }

    fn pinned(&self, domain: &str) -> PyResult<Array> {
        let named = Domain::ALL.iter().find(|known| known.name() == domain);
        let unknown = || UsageError::new_err(format!("there is no domain {domain}"));
        let domain = *named.ok_or_else(unknown)?;
        self.write("a domain", |tracer, value| tracer.pinned(value, domain))
    }

    fn sqrt(&self, py: Python<'_>) -> PyResult<Array> {
        self.unary(py, &operations::SQRT)
    }

    /// The bits of every element along a new last axis; for shared numbers, this many.
    #[pyo3(signature = (bits = None))]
    fn bits(&self, py: Python<'_>, bits: Option<usize>) -> PyResult<Array> {
        match (&self.0, bits) {
            (Elements::Written(written), None) => written.write(Tracer::bits),
            (Elements::Shared(share), None) if share.is_bitwise() => {
                bitwise::of_one(py, share, |x| x.write(Tracer::bits))
            }
            (Elements::Shared(share @ Share { kind: Some(kind), .. }), None) => {
                Ok(share.all_bits(py, kind)?.into())
            }
            (Elements::Shared(share @ Share { kind: None, .. }), Some(bits)) => {
                Ok(share.bits(py, bits)?.into())
            }
            (_, Some(_)) => {
                Err(PyTypeError::new_err("the kind of an array determines its bits; write x.bits()"))
            }
            (Elements::Shared(_), None) => {
                Err(PyTypeError::new_err("give the number of bits of shared numbers: x.bits(32)"))
            }
        }
    }

    fn bit(&self, position: i64) -> PyResult<Array> {
        self.write("a bit", |tracer, value| tracer.bit(value, position))
    }

    #[pyo3(name = "from_bits")]
    fn joined_bits(&self, py: Python<'_>) -> PyResult<Array> {
        self.unary(py, &operations::FROM_BITS)
    }

    fn lookup(&self, position: &Bound<'_, Array>) -> PyResult<Array> {
        match &self.0 {
            Elements::Written(table) => {
                let position = position.get().of(&table.graph)?;
                table.write(|tracer, value| tracer.lookup(value, &position))
            }
            Elements::Shared(table) => {
                let (py, position) = (position.py(), position.get().shared("a lookup")?);
                if table.is_float() || table.is_bitwise() && position.is_bitwise() {
                    let parts = [table, position];
                    return Ok(bitwise::of_many(py, &parts, |t, of| t.lookup(&of[0], &of[1]))?.into());
                }
                Ok(table.in_field(py)?.entries(py, &position.in_field(py)?)?.into())
            }
        }
    }

    fn update(&self, position: &Bound<'_, Array>, entry: &Bound<'_, PyAny>) -> PyResult<Array> {
        match &self.0 {
            Elements::Written(table) => table.updated(&position.get().of(&table.graph)?, entry),
            Elements::Shared(table) => {
                let (py, position) = (entry.py(), position.as_any());
                let updated = bitwise::computed(
                    py,
                    table,
                    [position, entry],
                    |table, [position, entry]| {
                        let position = position.cast::<Array>()?.get().of(&table.graph)?;
                        table.updated(&position, entry).map(Some)
                    },
                    |table, [position, entry]| {
                        let position = position.cast::<Array>()?.get().shared("an update")?;
                        table.with(entry, |entry| Ok(table.with_entry(py, position, entry)?.into()))
                    },
                )?;
                updated.ok_or_else(|| KindError::new_err("update takes a number or an array of numbers"))
            }
        }
    }

    pub fn astype(&self, py: Python<'_>, kind: &PyKind) -> PyResult<Array> {
        match &self.0 {
            Elements::Written(written) => written.write(|tracer, value| tracer.astype(value, &kind.0)),
            Elements::Shared(share) if share.converts_bitwise(&kind.0) => {
                bitwise::of_one(py, share, |x| x.write(|tracer, value| tracer.astype(value, &kind.0)))
            }
            Elements::Shared(share) => Ok(share.in_field(py)?.astype(py, &kind.0)?.into()),
        }
    }

    /// The same numbers, promised by the program to have at most this many bits, or to be of a kind.
    fn within(&self, bits: &Bound<'_, PyAny>) -> PyResult<Array> {
        let promised = match (bits.cast::<PyKind>(), &self.0) {
            (Ok(kind), _) => kind.get().0.clone(),
            (_, Elements::Written(written)) => Kind::of(ranged::within(&written.value.kind, width(bits)?)?)?,
            (_, Elements::Shared(share)) => share.kind_within(width(bits)?)?,
        };
        let kind = promised.clone();
        self.alone(bits.py(), |array| array.promised(&promised), |share| share.promised(bits.py(), kind))
    }

    #[pyo3(signature = (on = true))]
    fn wrapping(&self, on: bool) -> PyResult<Array> {
        let Written { graph, value } = self.written("wrapping")?;
        match value.kind {
            Kind::Field(_) | Kind::Float(_) => {
                Err(KindError::new_err(format!("wrapping of {}: its numbers never grow", value.kind)))
            }
            _ => Ok(graph.array(Value { wrapping: on, ..value.clone() })),
        }
    }

    #[pyo3(signature = (*dims))]
    fn reshape(&self, dims: &Bound<'_, PyTuple>) -> PyResult<Array> {
        let given: Vec<i64> = match dims.get_item(0).ok().filter(|_| dims.len() == 1) {
            Some(only) if only.extract::<i64>().is_err() => only.extract()?,
            _ => dims.extract::<Vec<i64>>()?,
        };
        Ok(self.in_shape(reshaped(&given, self.size())?))
    }

    fn flatten(&self) -> Array {
        self.in_shape(vec![self.size()])
    }

    fn ravel(&self) -> Array {
        self.flatten()
    }

    #[pyo3(signature = (axes = None))]
    fn transpose(&self, py: Python<'_>, axes: Option<Vec<i64>>) -> PyResult<Array> {
        let rank = self.dims().len();
        let order: Vec<usize> = match axes {
            None => (0..rank).rev().collect(),
            Some(axes) => axes.into_iter().map(|axis| shape::axis(axis, rank)).collect::<Traced<_>>()?,
        };
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if sorted != (0..rank).collect::<Vec<_>>() {
            return Err(ShapeError::new_err("transpose must name every axis once"));
        }
        self.viewed(py, &View::whole(self.dims()).permuted(&order))
    }

    fn broadcast_to(&self, py: Python<'_>, dims: &Bound<'_, PyAny>) -> PyResult<Array> {
        let dims = dims_of(dims)?;
        let to = dims.clone();
        self.alone(
            py,
            |array| array.write(|tracer, value| tracer.broadcast_to(value, to)),
            |share| share.broadcast_to(py, &dims),
        )
    }

    /// `1 / x` in the field, for numbers that are not zero.
    fn inverse(&self, py: Python<'_>) -> PyResult<Array> {
        self.each(py, "an inverse", |value| AnyOperation::Inverse(value))
    }

    /// The last bit of nonnegative numbers.
    fn parity(&self, py: Python<'_>) -> PyResult<Array> {
        self.each(py, "the parity", |value| AnyOperation::Parity(value))
    }

    /// Bits in GF(2^8).
    fn to_gf256(&self, py: Python<'_>) -> PyResult<Array> {
        self.each(py, "shares in GF(2^8)", |value| AnyOperation::ToBytes(value))
    }

    /// Bits of GF(2^8) in the field of the computation.
    #[pyo3(name = "from_gf256")]
    fn number_of_gf256(&self, py: Python<'_>) -> PyResult<Array> {
        self.each(py, "shares in GF(2^8)", |value| AnyOperation::FromBytes(value))
    }

    /// `x / 2^dropped`, rounded down, of numbers of `bits` bits, including the sign.
    fn truncate(&self, py: Python<'_>, dropped: usize, bits: usize) -> PyResult<Array> {
        self.each(py, "truncation", |value| AnyOperation::Truncate(value, dropped, bits))
    }

    /// As `truncate`, rounded down or up at random; it rounds up with a probability equal to the dropped
    /// fraction.
    fn truncate_probably(&self, py: Python<'_>, dropped: usize, bits: usize) -> PyResult<Array> {
        self.each(py, "truncation", |value| AnyOperation::TruncateProbably(value, dropped, bits))
    }

    /// The remainder modulo `2^low` of nonnegative numbers of `bits` bits.
    fn remainder(&self, py: Python<'_>, low: usize, bits: usize) -> PyResult<Array> {
        self.each(py, "the remainder", |value| AnyOperation::Remainder(value, low, bits))
    }

    /// 1 if `x < y`, for numbers whose difference has `bits` bits, including the sign.
    fn less_within(&self, other: &Bound<'_, PyAny>, bits: usize) -> PyResult<Array> {
        self.shared("less_within")?.two(other, |a, b| AnyOperation::LessWithin(a, b, bits))
    }

    /// 1 if `x = y`, for numbers as in `less_within`.
    fn equal_within(&self, other: &Bound<'_, PyAny>, bits: usize) -> PyResult<Array> {
        self.shared("equal_within")?.two(other, |a, b| AnyOperation::EqualWithin(a, b, bits))
    }

    /// The product of numbers with `fraction` bits after the point, and `bits` in total.
    fn fixed_mul(&self, other: &Bound<'_, PyAny>, fraction: usize, bits: usize) -> PyResult<Array> {
        let fixed = Fixed { fraction, bits };
        self.shared("fixed_mul")?.two(other, |a, b| AnyOperation::FixedMul(a, b, fixed))
    }

    /// The quotient of numbers as in `fixed_mul`.
    fn fixed_divide(&self, other: &Bound<'_, PyAny>, fraction: usize, bits: usize) -> PyResult<Array> {
        let fixed = Fixed { fraction, bits };
        self.shared("fixed_divide")?.two(other, |a, b| AnyOperation::FixedDivide(a, b, fixed))
    }

    /// 1 if `x >= y`, for nonnegative numbers of `bits` bits, by Toft's comparison.
    fn greater_equal_toft(&self, other: &Bound<'_, PyAny>, bits: usize) -> PyResult<Array> {
        let share = self.shared("greater_equal_toft")?;
        share.two(other, |a, b| AnyOperation::GreaterThanEqualToft(a, b, bits))
    }

    /// As `greater_equal_toft`, with the result in GF(2^8).
    fn greater_equal_gf256(&self, other: &Bound<'_, PyAny>, bits: usize) -> PyResult<Array> {
        let share = self.shared("greater_equal_gf256")?;
        share.two(other, |a, b| AnyOperation::GreaterThanEqualInBytes(a, b, bits))
    }

    /// Quotient and remainder of nonnegative numbers of `bits` bits.
    fn divide(&self, other: &Bound<'_, PyAny>, bits: usize) -> PyResult<(Array, Array)> {
        self.shared("divide")?.divide(other, bits)
    }
}
