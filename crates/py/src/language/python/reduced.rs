//! Products of many shared numbers, and tests whether any or all of them are not zero.

use num_bigint::BigInt;
use pyo3::prelude::*;
use tacit_nparty::dynamic::{AnyOperation, AnyPair};

use super::numbers::gathered;
use super::ranged::{number, of_one, of_one_kind};
use super::share::{Share, concatenated};
use crate::language::kind::Kind;
use crate::language::shape::{View, size};

impl Share {
    /// The product, of all elements or along an axis, by a tree.
    pub fn product(&self, py: Python<'_>, axis: Option<usize>) -> PyResult<Share> {
        let mut rest = self.in_rows(py, axis)?;
        let (length, others) = rest.row();
        let (mut length, others) = (length as u64, others.to_vec());
        rest = rest.in_shape(vec![size(&others), length]);
        if let Some(Kind::Bool) = rest.kind {
            rest = rest.astype(py, &Kind::Uint(1))?;
        }
        if length == 0 {
            let ones = rest.public(py, 1)?;
            return ones.broadcast_to(py, &others);
        }
        while length > 1 {
            let half = length / 2;
            let joined = rest.columns(py, 0, half)?.times(py, &rest.columns(py, half, half)?)?;
            rest = match length % 2 {
                0 => joined,
                _ => beside(py, &joined, &rest.columns(py, length - 1, 1)?)?,
            };
            length = length.div_ceil(2);
        }
        Ok(rest.in_shape(others))
    }

    /// The running sum along an axis; without one, over all elements in row-major order. It sends nothing.
    pub fn running_sum(&self, py: Python<'_>, axis: Option<usize>) -> PyResult<Share> {
        let Some(axis) = axis else {
            return self.in_shape(vec![size(&self.shape)]).running_sum(py, Some(0));
        };
        let rows = self.in_rows(py, Some(axis))?;
        let (length, others) = rows.row();
        let length = length as u64;
        let mut sums = rows.in_shape(vec![size(others), length]).of(None);
        let mut apart = 1;
        while apart < length {
            let later = sums.columns(py, apart, length - apart)?;
            let later = later.pair(py, &sums.columns(py, 0, length - apart)?, AnyPair::Add)?;
            sums = concatenated(py, &[&sums.columns(py, 0, apart)?, &later], 1)?;
            apart *= 2;
        }
        let sums = sums.in_shape(rows.shape.clone()).with_last_at(py, axis)?;
        match &self.kind {
            None => Ok(sums),
            Some(kind) => sums.grown(|| of_one("cumsum", kind), number(kind, "cumsum")?.sum_of(length)),
        }
    }

    /// Columns of a matrix.
    pub fn columns(&self, py: Python<'_>, start: u64, count: u64) -> PyResult<Share> {
        let mut view = View::whole(&self.shape);
        view.slice(1, start, 1, count);
        self.viewed(py, &view)
    }

    /// Whether any element is not zero.
    pub fn any(&self, py: Python<'_>, axis: Option<usize>) -> PyResult<Share> {
        let count = self.truths(py, axis)?;
        count.compared(py, &count.public(py, 0)?, true)?.inverted(py)
    }

    /// Whether no element is zero.
    pub fn all(&self, py: Python<'_>, axis: Option<usize>) -> PyResult<Share> {
        let length = axis.map_or(self.value.len() as u64, |axis| self.shape[axis]);
        let count = self.truths(py, axis)?;
        count.compared(py, &count.public(py, length)?, true)
    }

    /// The number of elements that are not zero.
    fn truths(&self, py: Python<'_>, axis: Option<usize>) -> PyResult<Share> {
        let truths = match &self.kind {
            Some(_) => self.astype(py, &Kind::Bool)?,
            None => self.compared(py, &self.public(py, 0)?, true)?.inverted(py)?,
        };
        truths.total(py, axis)
    }

    /// A public number, to combine with these.
    pub fn public(&self, py: Python<'_>, number: u64) -> PyResult<Share> {
        let bits = (u64::BITS - number.leading_zeros()).max(1);
        let numbers = gathered(vec![BigInt::from(number)]);
        let public = self.made(py, AnyOperation::ConstantLike(&self.value, numbers), vec![])?;
        Ok(public.of(self.kind.as_ref().map(|_| Kind::Uint(bits))))
    }
}

/// Columns next to others, in a kind that holds the elements of both.
fn beside(py: Python<'_>, columns: &Share, more: &Share) -> PyResult<Share> {
    match of_one_kind(py, &[columns, more], "prod")? {
        None => concatenated(py, &[columns, more], 1),
        Some((parts, kind)) => Ok(concatenated(py, &parts.iter().collect::<Vec<_>>(), 1)?.of(Some(kind))),
    }
}
