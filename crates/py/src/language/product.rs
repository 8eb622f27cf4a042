//! Inner products and products of matrices.

use tacit_ir::Op;

use super::arithmetic::kept;
use super::error::{Traced, kind, shape as bad_shape};
use super::kind::{Kind, Number};
use super::shape;
use super::tracer::Tracer;
use super::value::Value;

impl Tracer {
    /// `a @ b` as NumPy defines it: vectors, matrices, and batches of matrices that broadcast.
    pub fn matmul(&mut self, a: &Value, b: &Value) -> Traced<Value> {
        let (rank_a, rank_b) = (a.shape.len(), b.shape.len());
        let mismatch = || {
            bad_shape(format!(
                "shapes {} and {} do not match in a matrix product",
                shape::text(&a.shape),
                shape::text(&b.shape)
            ))
        };
        if rank_a == 0 || rank_b == 0 {
            return mismatch();
        }
        let (mut left, mut right) = (a.clone(), b.clone());
        if rank_a == 1 {
            left.shape.insert(0, 1);
        }
        if rank_b == 1 {
            right.shape.push(1);
        }
        let (batch_a, matrix_a) = left.shape.split_at(left.shape.len() - 2);
        let (batch_b, matrix_b) = right.shape.split_at(right.shape.len() - 2);
        let (rows, inner, columns) = (matrix_a[0], matrix_a[1], matrix_b[1]);
        if inner != matrix_b[0] {
            return mismatch();
        }
        let batch = shape::broadcast(batch_a, batch_b)?;
        let is_vector = rows == 1 || columns == 1;
        let are_floats = matches!(a.kind, Kind::Float(_));
        let are_numbers = a.kind.number().is_some() && b.kind.number().is_some();
        let product = if rows == 1 && columns == 1 || are_floats || is_vector && !are_numbers {
            let rows_of = [batch_a, &[rows, 1, inner]].concat();
            let mut columns_of = self.move_axis(&right, right.shape.len() - 1, right.shape.len() - 2)?;
            left.shape = rows_of;
            columns_of.shape.insert(columns_of.shape.len() - 2, 1);
            self.sum_of_products(&left, &columns_of)?
        } else if shape::size(batch_b) == 1 {
            // The same matrix for all of the left operand, whose batches become rows of one matrix.
            let rows = shape::size(batch_a).saturating_mul(rows);
            self.matrix_product(&left, &right, (1, rows, inner, columns))?
        } else {
            let full = |m: u64, n: u64| [batch.as_slice(), &[m, n]].concat();
            let left = self.broadcast_to(&left, full(rows, inner))?;
            let right = self.broadcast_to(&right, full(inner, columns))?;
            self.matrix_product(&left, &right, (shape::size(&batch), rows, inner, columns))?
        };
        let mut dims = batch;
        dims.extend((rank_a > 1).then_some(rows));
        dims.extend((rank_b > 1).then_some(columns));
        Ok(Value { shape: dims, ..product })
    }

    /// Multiplies element by element and sums along the last axis; rounds only once, at the end.
    fn sum_of_products(&mut self, a: &Value, b: &Value) -> Traced<Value> {
        let rank = a.shape.len().max(b.shape.len()) as i64;
        let (Some(x), Some(y)) = (a.kind.number(), b.kind.number()) else {
            let product = self.mul(a, b)?;
            return self.sum(&product, Some(&[rank - 1]));
        };
        let (whole_a, whole_b) = (self.without_point(a, x)?, self.without_point(b, y)?);
        let product = self.mul(&whole_a, &whole_b)?;
        let sum = self.sum(&product, Some(&[rank - 1]))?;
        self.with_point(&sum, a, b)
    }

    fn matrix_product(
        &mut self,
        a: &Value,
        b: &Value,
        (batch, rows, inner, columns): (u64, u64, u64, u64),
    ) -> Traced<Value> {
        let (Some(x), Some(y)) = (a.kind.number(), b.kind.number()) else {
            if a.kind != b.kind {
                return kind(format!(
                    "{} and {} cannot be combined; convert one of them with \
                    x.astype(kind)",
                    a.kind, b.kind
                ));
            }
            let (left, right) = (self.as_integers(a)?, self.as_integers(b)?);
            let product = self.matrix_product(&left, &right, (batch, rows, inner, columns))?;
            return self.as_field(&product, &a.kind);
        };
        let (whole_a, whole_b) = (self.without_point(a, x)?, self.without_point(b, y)?);
        let exact = Number { point: None, ..x }.product(Number { point: None, ..y }).sum_of(inner);
        let wrapping = whole_a.wrapping || whole_b.wrapping;
        let number = kept(&whole_a, &whole_b).unwrap_or(exact);
        let kind = Kind::of(number)?;
        let (left, right) = (self.id(a)?, self.id(b)?);
        let left = self.resize(left, x.bits, x.signed, number.bits)?;
        let right = self.resize(right, y.bits, y.signed, number.bits)?;
        let id = match inner {
            0 => self.word(number.bits, 0, batch * rows * columns)?,
            _ => self.emit(Op::MatrixProduct { left, right, batch, rows, inner, columns })?,
        };
        let product = Value { wrapping, ..self.value(id, kind, vec![batch, rows, columns]) };
        self.with_point(&product, a, b)
    }

    /// The same words as integers, no longer modulo a power of two, since rescaling shifts higher bits down.
    fn without_point(&self, value: &Value, number: Number) -> Traced<Value> {
        match value.kind {
            Kind::Fixed { .. } => {
                let kind = Kind::of(Number { point: None, ..number })?;
                Ok(Value { kind, wrapping: false, ..value.clone() })
            }
            _ => Ok(value.clone()),
        }
    }

    /// Sums of products of the words of two numbers, with the fraction of the finer one.
    fn with_point(&mut self, value: &Value, a: &Value, b: &Value) -> Traced<Value> {
        let (x, y) = (a.number("a product")?, b.number("a product")?);
        let Some(point) = x.point.max(y.point) else { return Ok(value.clone()) };
        let exact = x.point.unwrap_or(0) + y.point.unwrap_or(0);
        let from = Number { bits: value.kind.bits(), signed: true, point: Some(exact) };
        let grown = Number { bits: from.bits - (exact - point), point: Some(point), ..from };
        let to = kept(a, b).unwrap_or(grown);
        let (kind, id) = (Kind::of(to)?, self.id(value)?);
        let id = self.round(id, from, to)?;
        Ok(Value { wrapping: a.wrapping || b.wrapping, ..self.value(id, kind, value.shape.clone()) })
    }
}
