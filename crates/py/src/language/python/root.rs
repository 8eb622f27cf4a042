//! Square roots of numbers that parties share.

use num_bigint::BigInt;
use pyo3::prelude::*;
use tacit_nparty::dynamic::{AnyOperation, AnyPair};

use super::ranged::{number, of_one};
use super::share::Share;
use crate::language::kind::{Kind, Number};

impl Share {
    /// The square root of numbers with a kind, rounded down, and 0 for negative numbers.
    ///
    /// Cost: a comparison and two products for each bit of the result, sequentially.
    pub fn rounded_root(&self, py: Python<'_>, kind: &Kind) -> PyResult<Share> {
        let number = number(kind, "sqrt")?;
        let fraction = number.point.unwrap_or(0);
        let bits = (number.bits - u32::from(number.signed)).max(1) + fraction;
        let digits = bits.div_ceil(2);
        let result = match number.point {
            None => Number::uint(digits),
            Some(_) => Number { bits: digits.max(fraction) + 1, signed: true, point: number.point },
        };
        let width = self.core.room()?.masked(|| of_one("sqrt", kind), 2 * digits + 2)?;
        let target = self.by_power(py, fraction)?.of(None);
        let (mut root, mut square) = (target.public(py, 0)?, target.public(py, 0)?);
        for digit in (0..digits).rev() {
            let more = root.by_power(py, digit + 1)?.plus(py, BigInt::from(1u8) << (2 * digit))?;
            let grown = square.pair(py, &more, AnyPair::Add)?;
            let (a, b, shape) = target.together(py, &grown)?;
            let fits = target.made(py, AnyOperation::LessWithin(&a, &b, width), shape)?.not(py)?;
            square = square.pair(py, &fits.pair(py, &more, AnyPair::Mul)?, AnyPair::Add)?;
            root = root.pair(py, &fits.by_power(py, digit)?, AnyPair::Add)?;
        }
        root.grown(|| of_one("sqrt", kind), result)
    }
}
