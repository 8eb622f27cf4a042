//! Tables of shared numbers at secret positions.

use pyo3::prelude::*;
use tacit_ir::index_bits;
use tacit_nparty::dynamic::AnyPair;

use super::errors::{KindError, ShapeError};
use super::ranged::{kinds, number};
use super::share::{Share, concatenated};
use crate::language::shape::size;

impl Share {
    /// The entries of a table, along its first axis, at secret positions. Beyond the table they are 0.
    ///
    /// Cost: the bits of the positions, fewer than two products for each entry and position, and one for each
    /// number of the result.
    pub fn entries(&self, py: Python<'_>, position: &Share) -> PyResult<Share> {
        let (count, rest) = self.table()?;
        let chosen = position.in_shape(vec![size(&position.shape)]).chosen_of(py, "lookup", count)?;
        let found = chosen.matmul(py, &self.in_shape(vec![count, size(rest)]))?;
        let shape = [&position.shape, rest].concat();
        Ok(found.in_shape(shape).of(self.kind.clone()))
    }

    /// A table with the entry at a secret position replaced; unchanged if the position is beyond it.
    ///
    /// Cost: as [`Share::entries`], and a product for each number of the table.
    pub fn with_entry(&self, py: Python<'_>, position: &Share, entry: &Share) -> PyResult<Share> {
        let (count, rest) = self.table()?;
        if !position.shape.is_empty() {
            return Err(ShapeError::new_err("update takes one unsigned position"));
        }
        if let Some((table, entry)) = kinds("update", self, entry)?
            && table.join(entry)? != *table
        {
            return Err(KindError::new_err(format!("an entry of {entry} in a table of {table}")));
        }
        let chosen = position.in_shape(vec![1]).chosen_of(py, "update", count)?;
        let ones = std::iter::repeat_n(1, rest.len());
        let chosen = chosen.in_shape(std::iter::once(count).chain(ones).collect());
        let scaled = match (&self.kind, &entry.kind) {
            (Some(table), Some(own)) => entry.scaled(py, number(own, "update")?, number(table, "update")?)?,
            _ => entry.clone(),
        };
        let change = scaled.broadcast_to(py, rest)?.pair(py, self, AnyPair::Sub)?;
        let updated = self.pair(py, &chosen.pair(py, &change, AnyPair::Mul)?, AnyPair::Add)?;
        Ok(updated.of(self.kind.clone()))
    }

    /// The number of entries, and the shape of one.
    fn table(&self) -> PyResult<(u64, &[u64])> {
        let (count, rest) = self.shape.split_first().ok_or_else(|| {
            ShapeError::new_err(
                "a single value is not a table; use \
                an array",
            )
        })?;
        Ok((*count, rest))
    }

    /// For each position, a row that is 1 there and 0 elsewhere; all zeros for a position that is not below
    /// `count`.
    fn chosen_of(&self, py: Python<'_>, name: &str, count: u64) -> PyResult<Share> {
        let Some(kind) = &self.kind else {
            return Err(KindError::new_err(format!(
                "{name} at an element of the field, whose range is not known: promise it with x.within(t.uint(bits))"
            )));
        };
        if kind.fraction() > 0 || kind.signed() {
            return Err(KindError::new_err(format!("{name} at {kind}; a position is an integer from 0 up")));
        }
        let bits = self.all_bits(py, kind)?.of(None);
        let low = u64::from(index_bits(count)).min(u64::from(kind.bits()));
        let mut chosen = bits.columns(py, 0, low)?.unit_vectors(py)?;
        for high in low..u64::from(kind.bits()) {
            chosen = bits.columns(py, high, 1)?.not(py)?.pair(py, &chosen, AnyPair::Mul)?;
        }
        let known = 1 << low;
        if known >= count {
            return chosen.columns(py, 0, count);
        }
        let zero = chosen.public(py, 0)?.broadcast_to(py, &[self.shape[0], count - known])?;
        concatenated(py, &[&chosen, &zero], 1)
    }

    /// Rows of bits, the last one first, as rows that are 1 at the position which the bits represent.
    fn unit_vectors(&self, py: Python<'_>) -> PyResult<Share> {
        let (rows, bits) = (self.shape[0], self.shape[1]);
        if bits == 1 {
            return concatenated(py, &[&self.not(py)?, self], 1);
        }
        let half = bits / 2;
        let low = self.columns(py, 0, half)?.unit_vectors(py)?;
        let high = self.columns(py, half, bits - half)?.unit_vectors(py)?;
        let (few, many) =
            (low.in_shape(vec![rows, 1, 1 << half]), high.in_shape(vec![rows, 1 << (bits - half), 1]));
        Ok(many.pair(py, &few, AnyPair::Mul)?.in_shape(vec![rows, 1 << bits]))
    }
}
