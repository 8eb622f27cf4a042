//! Arrays: selections and orders of elements, sums, inner and matrix products.

use std::sync::Arc;

use tacit_math::field::Field;

use crate::error::{RunError, UsageError};
use crate::product::matrices::MatrixSizes;
use crate::program::{Task, Value, mixed};

impl<F: Field> Task<F> {
    /// The elements of `a` at some positions, in their order.
    ///
    /// Errors: a position is out of range, or the computation has ended.
    pub fn gather(&self, a: &Value<F>, positions: Arc<[usize]>) -> Result<Value<F>, RunError> {
        if let Some(position) = positions.iter().find(|position| **position >= a.len()) {
            return Err(UsageError::NoElement { position: *position, length: a.len() }.into());
        }
        let hash = positions.iter().fold(0x67, |hash, position| mixed(hash, *position as u64));
        self.local(positions.len(), a.is_public(), hash, &[a], move |_, given| {
            positions.iter().map(|position| given[0][*position]).collect()
        })
    }

    /// Concatenates values.
    ///
    /// Errors: the computation has ended.
    pub fn concat(&self, parts: &[&Value<F>]) -> Result<Value<F>, RunError> {
        let length = parts.iter().map(|part| part.len()).sum();
        let public = parts.iter().all(|part| part.is_public());
        self.local(length, public, 0x63, parts, |_, given| given.concat())
    }

    /// Sums of each `run` consecutive elements.
    ///
    /// Errors: the length is not a multiple of `run`, or the computation has ended.
    pub fn sum_runs(&self, a: &Value<F>, run: usize) -> Result<Value<F>, RunError> {
        if run == 0 || !a.len().is_multiple_of(run) {
            return Err(UsageError::Parts { length: a.len(), part: run }.into());
        }
        let field = self.field().clone();
        let sum =
            move |run: &[F::Element]| run.iter().fold(F::Element::default(), |sum, a| field.add(sum, *a));
        self.local(a.len() / run, a.is_public(), mixed(0x73, run as u64), &[a], move |_, given| {
            given[0].chunks(run).map(sum).collect()
        })
    }

    /// The product of an `m`×`k` and a `k`×`n` matrix, both by rows.
    ///
    /// Cost: as `m·n` products, whatever `k` is.
    ///
    /// Errors: the lengths do not fit, or the computation has ended.
    pub fn matmul(
        &self,
        a: &Value<F>,
        b: &Value<F>,
        (m, k, n): (usize, usize, usize),
    ) -> Result<Value<F>, RunError> {
        if m.checked_mul(k) != Some(a.len()) || k.checked_mul(n) != Some(b.len()) {
            let (left, right) = (a.len(), b.len());
            return Err(UsageError::Matrices { left, right, rows: m, inner: k, columns: n }.into());
        }
        let (field, sizes) = (self.field().clone(), MatrixSizes { rows: m, inner: k, columns: n });
        let hash = [m, k, n].iter().fold(0x6d, |hash, size| mixed(hash, *size as u64));
        match a.is_public() || b.is_public() {
            true => self.local(m * n, a.is_public() && b.is_public(), hash, &[a, b], move |_, given| {
                sizes.product(&field, given[0], given[1])
            }),
            false => self.matrices(hash, (a, b), sizes),
        }
    }

    /// The inner product.
    ///
    /// Cost: as one product.
    ///
    /// Errors: the lengths differ, or the computation has ended.
    pub fn dot(&self, a: &Value<F>, b: &Value<F>) -> Result<Value<F>, RunError> {
        self.matmul(a, b, (1, a.len(), 1))
    }

    /// `a` where `condition` is 1, and `b` where it is 0.
    ///
    /// Cost: one product for each element, one round.
    ///
    /// Errors: the lengths do not fit, or the computation has ended.
    pub fn select(&self, condition: &Value<F>, a: &Value<F>, b: &Value<F>) -> Result<Value<F>, RunError> {
        self.add(&self.mul(condition, &self.sub(a, b)?)?, b)
    }

    /// Exclusive or of bits.
    ///
    /// Cost: nothing in GF(2^8), else one product.
    ///
    /// Errors: the lengths do not fit, or the computation has ended.
    pub fn xor(&self, a: &Value<F>, b: &Value<F>) -> Result<Value<F>, RunError> {
        let two = self.field().add(self.field().one(), self.field().one());
        if two == F::Element::default() {
            return self.add(a, b);
        }
        let sum = self.add(a, b)?;
        self.sub(&sum, &self.scale(&self.mul(a, b)?, two)?)
    }
}
