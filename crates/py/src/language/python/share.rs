//! Numbers that parties share, with which they compute as operations are called.

use std::sync::Arc;

use pyo3::prelude::*;
use tacit_nparty::dynamic::{AnyOperation, AnyPair, AnyValue, Numbers};
use tacit_nparty::protocol::order::{Extreme, Rows};

use super::computation::Core;
use super::errors::ShapeError;
use crate::language::kind::Kind;
use crate::language::shape::{self, View};

/// A number, or an array of numbers, that the parties share, or that all parties know or will know.
#[derive(Clone)]
pub struct Share {
    pub value: AnyValue,
    pub shape: Vec<u64>,
    pub core: Arc<Core>,
    /// The kind of an element, if its range is known; none for an element of the field.
    pub kind: Option<Kind>,
}

impl Share {
    pub fn new(value: AnyValue, shape: Vec<u64>, core: &Arc<Core>) -> Share {
        Share { value, shape, core: core.clone(), kind: None }
    }

    pub fn made(&self, py: Python<'_>, operation: AnyOperation<'_>, shape: Vec<u64>) -> PyResult<Share> {
        Ok(Share::new(self.core.value(py, operation)?, shape, &self.core))
    }

    /// The same numbers in another shape of the same size.
    pub fn in_shape(&self, shape: Vec<u64>) -> Share {
        Share { shape, ..self.clone() }
    }

    /// An operation on each element.
    pub fn each<'a>(
        &'a self,
        py: Python<'_>,
        operation: impl FnOnce(&'a AnyValue) -> AnyOperation<'a>,
    ) -> PyResult<Share> {
        self.made(py, operation(&self.value), self.shape.clone())
    }

    pub fn described(&self) -> String {
        let known = if self.value.is_public() { "public" } else { "shared" };
        match (&self.shape[..], &self.kind) {
            ([], None) => format!("a {known} number"),
            ([], Some(kind)) => format!("a {known} {kind}"),
            (_, None) => format!("{known} numbers of shape {}", shape::text(&self.shape)),
            (_, Some(kind)) => format!("{known} numbers of {kind}, of shape {}", shape::text(&self.shape)),
        }
    }

    /// The value repeated to a shape that this one broadcasts to, unless it already has that shape or only
    /// one element.
    fn spread(&self, py: Python<'_>, target: &[u64]) -> PyResult<AnyValue> {
        if self.shape == target || (self.value.len() == 1 && shape::size(target) > 0) {
            return Ok(self.value.clone());
        }
        let view = View::whole(&self.shape).broadcast_to(target);
        self.core.value(py, AnyOperation::Gather(&self.value, positions(&view)))
    }

    /// Two arrays repeated to one shape, unless one has a single element for all.
    pub fn together(&self, py: Python<'_>, other: &Share) -> PyResult<(AnyValue, AnyValue, Vec<u64>)> {
        let shape = shape::broadcast(&self.shape, &other.shape)?;
        Ok((self.spread(py, &shape)?, other.spread(py, &shape)?, shape))
    }

    /// An operation on two arrays, element by element.
    pub fn pair(&self, py: Python<'_>, other: &Share, operation: AnyPair) -> PyResult<Share> {
        if self.shape == other.shape {
            return self.each(py, |value| AnyOperation::Pair(operation, value, &other.value));
        }
        let (a, b, shape) = self.together(py, other)?;
        self.made(py, AnyOperation::Pair(operation, &a, &b), shape)
    }

    pub fn negated(&self, py: Python<'_>) -> PyResult<Share> {
        self.each(py, AnyOperation::Negate)
    }

    /// 1 where this is 0, and 0 where it is 1.
    pub fn not(&self, py: Python<'_>) -> PyResult<Share> {
        self.negated(py)?.each(py, |value| AnyOperation::Shift(value, Numbers::from(vec![1])))
    }

    pub fn or(&self, py: Python<'_>, other: &Share) -> PyResult<Share> {
        let both = self.pair(py, other, AnyPair::Mul)?;
        self.pair(py, other, AnyPair::Add)?.pair(py, &both, AnyPair::Sub)
    }

    /// `x` where this is 1, `y` where it is 0.
    pub fn select(&self, py: Python<'_>, x: &Share, y: &Share) -> PyResult<Share> {
        let difference = x.pair(py, y, AnyPair::Sub)?;
        self.pair(py, &difference, AnyPair::Mul)?.pair(py, y, AnyPair::Add)
    }

    /// The product of matrices, of a matrix and a vector, or the inner product of vectors, as in NumPy.
    pub fn matmul(&self, py: Python<'_>, other: &Share) -> PyResult<Share> {
        let wrong = || {
            let (a, b) = (shape::text(&self.shape), shape::text(&other.shape));
            ShapeError::new_err(format!("shapes {a} and {b} do not match in a matrix product"))
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
        if k == 0 {
            return self.public(py, 0)?.broadcast_to(py, &dims);
        }
        let sizes = (m as usize, k as usize, n as usize);
        self.made(py, AnyOperation::Matmul(&self.value, &other.value, sizes), dims)
    }

    pub fn broadcast_to(&self, py: Python<'_>, dims: &[u64]) -> PyResult<Share> {
        if shape::broadcast(&self.shape, dims)? != dims {
            let (from, to) = (shape::text(&self.shape), shape::text(dims));
            return Err(ShapeError::new_err(format!("shape {from} does not broadcast to {to}")));
        }
        self.viewed(py, &View::whole(&self.shape).broadcast_to(dims))
    }

    /// The elements of a view.
    pub fn viewed(&self, py: Python<'_>, view: &View) -> PyResult<Share> {
        let seen = self.made(py, AnyOperation::Gather(&self.value, positions(view)), view.shape())?;
        Ok(Share { kind: self.kind.clone(), ..seen })
    }

    /// The elements that a reduction combines, of all elements or along an axis: as rows, along the last
    /// axis.
    pub fn in_rows(&self, py: Python<'_>, axis: Option<usize>) -> PyResult<Share> {
        let Some(axis) = axis else { return Ok(self.in_shape(vec![self.value.len() as u64])) };
        match axis + 1 == self.shape.len() {
            true => Ok(self.clone()),
            false => {
                let others = (0..self.shape.len()).filter(|other| *other != axis);
                self.viewed(py, &View::whole(&self.shape).permuted(&others.chain([axis]).collect::<Vec<_>>()))
            }
        }
    }

    /// Moves the last axis back to the place of the axis that [`Share::in_rows`] moved last.
    pub fn with_last_at(&self, py: Python<'_>, axis: usize) -> PyResult<Share> {
        let last = self.shape.len() - 1;
        let mut order: Vec<_> = (0..last).collect();
        order.insert(axis, last);
        if axis == last {
            Ok(self.clone())
        } else {
            self.viewed(py, &View::whole(&self.shape).permuted(&order))
        }
    }

    /// The last axis' length, and the shape without it.
    pub fn row(&self) -> (usize, &[u64]) {
        self.shape.split_last().map_or((1, &[]), |(length, others)| (*length as usize, others))
    }

    /// The sum, of all elements or along an axis.
    pub fn sum(&self, py: Python<'_>, axis: Option<usize>) -> PyResult<Share> {
        let rows = self.in_rows(py, axis)?;
        let (length, others) = rows.row();
        if length == 0 {
            return self.public(py, 0)?.broadcast_to(py, others);
        }
        rows.made(py, AnyOperation::SumRuns(&rows.value, length), others.to_vec())
    }

    /// The extreme element, of all or along an axis, or, as result 1, its position; `bits` is the number of
    /// bits of differences of elements, if known.
    pub fn extreme(
        &self,
        py: Python<'_>,
        axis: Option<usize>,
        (which, result): (Extreme, usize),
        bits: Option<usize>,
    ) -> PyResult<Share> {
        let rows = self.in_rows(py, axis)?;
        let (length, others) = rows.row();
        if length == 0 {
            return Err(ShapeError::new_err("min or max of no elements has no value"));
        }
        if rows.value.len() == 0 {
            return Ok(Share::new(rows.value.clone(), others.to_vec(), &self.core));
        }
        let operation = AnyOperation::Extremes(&rows.value, which, Rows { length, bits });
        let mut made = self.core.apply(py, operation)?;
        Ok(Share::new(made.swap_remove(result), others.to_vec(), &self.core))
    }

    /// The elements along an axis in ascending order, and those of other arrays of this shape in the same
    /// order; `bits` as in [`Share::extreme`].
    pub fn sort(
        &self,
        py: Python<'_>,
        axis: usize,
        carried: &[&Share],
        bits: Option<usize>,
    ) -> PyResult<Vec<Share>> {
        let rows = |share: &&Share| share.in_rows(py, Some(axis));
        let rows = std::iter::once(&self).chain(carried).map(rows).collect::<PyResult<Vec<_>>>()?;
        let (length, _) = rows[0].row();
        if self.value.len() == 0 {
            return Ok(std::iter::once(&self).chain(carried).map(|share| (*share).clone()).collect());
        }
        let values = rows.iter().map(|share| &share.value).collect();
        let made = self.core.apply(py, AnyOperation::SortRows(values, Rows { length, bits }))?;
        let sorted = made
            .into_iter()
            .map(|value| Share::new(value, rows[0].shape.clone(), &self.core).with_last_at(py, axis));
        sorted.collect()
    }

    /// The bits of nonnegative numbers, the last one first, along a new last axis.
    pub fn bits(&self, py: Python<'_>, bits: usize) -> PyResult<Share> {
        let dims = [&self.shape[..], &[bits as u64]].concat();
        self.made(py, AnyOperation::Bits(&self.value, bits), dims)
    }

    /// The numbers with these bits, along the last axis, the last bit first.
    pub fn joined_bits(&self, py: Python<'_>) -> PyResult<Share> {
        let Some((bits, dims)) = self.shape.split_last() else {
            return Err(ShapeError::new_err("a single bit has no axis of bits"));
        };
        self.made(py, AnyOperation::FromBits(&self.value, *bits as usize), dims.to_vec())
    }
}

/// Arrays one after the other along an axis.
pub fn concatenated(py: Python<'_>, parts: &[&Share], axis: i64) -> PyResult<Share> {
    let Some(first) = parts.first() else {
        return Err(ShapeError::new_err("give at least one array"));
    };
    let wrong = || {
        let shapes: Vec<_> = parts.iter().map(|part| shape::text(&part.shape)).collect();
        ShapeError::new_err(format!("arrays of shapes {} cannot be concatenated", shapes.join(", ")))
    };
    if first.shape.is_empty() {
        return Err(wrong());
    }
    let axis = shape::axis(axis, first.shape.len())?;
    let mut dims = first.shape.clone();
    dims[axis] = 0;
    for part in parts {
        let mut others = part.shape.clone();
        let length = others.get_mut(axis).map(std::mem::take).ok_or_else(wrong)?;
        let so_far = std::mem::take(&mut dims[axis]);
        if others != dims {
            return Err(wrong());
        }
        dims[axis] = so_far + length;
    }
    let values = parts.iter().map(|part| part.value.clone()).collect();
    let joined = first.core.value(py, AnyOperation::Concat(values))?;
    let (outer, _) = around(&dims, axis);
    if outer <= 1 {
        return Ok(Share::new(joined, dims, &first.core));
    }
    // Each part in turn contributes its share at each of the outer positions.
    let starts =
        parts.iter().scan(0, |start, part| Some(std::mem::replace(start, *start + part.value.len())));
    let parts: Vec<_> = starts.zip(parts).map(|(start, part)| (start, part.value.len() / outer)).collect();
    let places = (0..outer).flat_map(|outer| {
        parts.iter().flat_map(move |(start, length)| start + outer * length..start + (outer + 1) * length)
    });
    let value = first.core.value(py, AnyOperation::Gather(&joined, places.collect()))?;
    Ok(Share::new(value, dims, &first.core))
}

/// The number of elements before an axis, and after it.
pub fn around(shape: &[u64], axis: usize) -> (usize, usize) {
    let product = |dims: &[u64]| dims.iter().product::<u64>() as usize;
    (product(&shape[..axis]), product(&shape[axis + 1..]))
}

pub fn positions(view: &View) -> Arc<[usize]> {
    view.positions().into_iter().map(|position| position as usize).collect()
}
