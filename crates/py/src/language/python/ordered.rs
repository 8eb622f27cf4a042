//! The order of numbers that parties share: extremes, sorting, positions.

use num_bigint::BigInt;
use pyo3::prelude::*;
use tacit_ir::index_bits;
use tacit_nparty::dynamic::{AnyOperation, AnyPair};
use tacit_nparty::protocol::order::Extreme;

use super::errors::KindError;
use super::numbers::gathered;
use super::ranged::{number, of_one};
use super::share::{Share, around};
use crate::language::kind::Number;

impl Share {
    /// The bits, including the sign, of differences of elements, if their range is known.
    fn difference_bits(&self, name: &str) -> PyResult<Option<usize>> {
        let Some(kind) = &self.kind else { return Ok(None) };
        let number = number(kind, name)?;
        Ok(Some(self.core.room()?.masked(|| of_one(name, kind), number.sub(number).bits)?))
    }

    /// The extreme element, of all or along an axis.
    pub fn extremum(&self, py: Python<'_>, axis: Option<usize>, which: Extreme) -> PyResult<Share> {
        let bits = self.difference_bits(if which == Extreme::Least { "min" } else { "max" })?;
        Ok(self.extreme(py, axis, (which, 0), bits)?.of(self.kind.clone()))
    }

    /// The position of the first extreme element, of all or along an axis.
    pub fn place_of_extremum(&self, py: Python<'_>, axis: Option<usize>, which: Extreme) -> PyResult<Share> {
        let bits = self.difference_bits(if which == Extreme::Least { "argmin" } else { "argmax" })?;
        let place = self.extreme(py, axis, (which, 1), bits)?;
        let length = axis.map_or(self.value.len() as u64, |axis| self.shape[axis]);
        match bits {
            None => Ok(place),
            Some(_) => place.grown(|| "a position".into(), Number::uint(index_bits(length))),
        }
    }

    /// The elements along an axis in ascending order.
    pub fn ordered(&self, py: Python<'_>, axis: usize) -> PyResult<Share> {
        let bits = self.difference_bits("sort")?;
        Ok(self.sort(py, axis, &[], bits)?.swap_remove(0).of(self.kind.clone()))
    }

    /// The positions of the elements in ascending order along an axis; those of equal elements ascend.
    pub fn order(&self, py: Python<'_>, axis: usize) -> PyResult<Share> {
        let Some(kind) = &self.kind else {
            return Err(KindError::new_err(
                "argsort of elements of the field, whose range is not known: promise it with x.within(bits)",
            ));
        };
        let own = number(kind, "argsort")?;
        let place = Number::uint(index_bits(self.shape[axis]));
        // With its position appended, no element equals another, so the order is unique.
        let key = Number { bits: own.bits + place.bits, point: None, ..own };
        let bits = self.core.room()?.masked(|| of_one("argsort", kind), key.sub(key).bits)?;
        let places = self.places(py, axis)?;
        let keys = self.by_power(py, place.bits)?.pair(py, &places, AnyPair::Add)?;
        keys.sort(py, axis, &[&places], Some(bits))?.swap_remove(1).grown(|| "a position".into(), place)
    }

    /// For each element, its position along an axis.
    fn places(&self, py: Python<'_>, axis: usize) -> PyResult<Share> {
        let (outer, inner) = around(&self.shape, axis);
        let row = (0..self.shape[axis]).flat_map(|place| std::iter::repeat_n(BigInt::from(place), inner));
        let numbers = gathered((0..outer).flat_map(|_| row.clone()).collect());
        self.each(py, |value| AnyOperation::ConstantLike(value, numbers))
    }
}
