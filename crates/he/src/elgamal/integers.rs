//! Small integers as multiples of the base point, and back.

use std::collections::HashMap;

use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::Identity;

use super::element::Element;
use crate::{HeError, ParameterFault};

/// Entries of the largest table.
const MAX_ENTRIES: u64 = 1 << 20;

/// Maximum steps of a search.
const MAX_STEPS: u64 = 1 << 16;

/// Tables that find m of `m·G` for all |m| up to a bound: baby steps and giant steps.
///
/// Security: a search takes all its steps and encodes all of their points, whatever m is. Which entries of the table it
/// reads depends on m, so an observer of the owner's caches may learn about m.
/// Cost: 16 bytes per entry; a search encodes `2·bound / entries` points in a batch.
pub struct Integers {
    bound: u64,
    entries: u64,
    steps: u64,
    /// `entries · G`.
    stride: RistrettoPoint,
    baby: HashMap<u64, u32>,
}

impl core::fmt::Debug for Integers {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "Integers(up to {})", self.bound)
    }
}

/// The short hash that stands for a point in a table.
fn tag(encoding: &CompressedRistretto) -> u64 {
    encoding.as_bytes().iter().take(8).rev().fold(0, |tag, byte| tag << 8 | u64::from(*byte))
}

/// `m·G`, constant time.
pub(super) fn point(m: i64) -> RistrettoPoint {
    RistrettoPoint::mul_base(&scalar(m))
}

/// m modulo the order of the group, constant time.
pub(super) fn scalar(m: i64) -> Scalar {
    // Adding 2^63 and subtracting it again avoids a branch on the sign.
    Scalar::from(m as u64 ^ 1 << 63) - Scalar::from(1u64 << 63)
}

impl Integers {
    /// Tables for `-bound..=bound`.
    ///
    /// # Errors
    /// [`ParameterFault::Table`] for bounds above 2^35.
    pub fn new(bound: u64) -> Result<Integers, HeError> {
        let values = bound.saturating_mul(2).saturating_add(1);
        // As many entries as a search has steps, but not so few that a search's other costs dominate.
        let entries = values.isqrt().max(1 << 10).next_power_of_two().clamp(1, MAX_ENTRIES);
        let steps = values.div_ceil(entries);
        if bound > i64::MAX as u64 || steps > MAX_STEPS {
            return Err(ParameterFault::Table(values).into());
        }
        let mut multiple = RistrettoPoint::identity();
        let multiples: Vec<RistrettoPoint> = (0..entries)
            .map(|_| {
                let now = multiple;
                multiple += RISTRETTO_BASEPOINT_POINT;
                now
            })
            .collect();
        // The table holds doubled points, since these are encoded faster.
        let encodings = RistrettoPoint::double_and_compress_batch(&multiples);
        let baby = encodings.iter().map(tag).zip(0..).collect();
        Ok(Integers { bound, entries, steps, stride: multiple, baby })
    }

    /// m with `m·G` = `element`, if it is within the bound.
    pub(super) fn find(&self, element: &Element) -> Option<i64> {
        let target = element.full();
        let mut left = target + point(self.bound as i64);
        let steps: Vec<RistrettoPoint> = (0..self.steps)
            .map(|_| {
                let now = left;
                left -= self.stride;
                now
            })
            .collect();
        let mut found = None;
        for (encoding, step) in RistrettoPoint::double_and_compress_batch(&steps).iter().zip(0..) {
            if let Some(baby) = self.baby.get(&tag(encoding)) {
                found = found.or(Some(step * self.entries + u64::from(*baby)));
            }
        }
        let m = i64::try_from(found?).ok()?.checked_sub(self.bound as i64)?;
        (m.unsigned_abs() <= self.bound && point(m) == target).then_some(m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_integers_of_small_bounds_are_found() {
        for bound in [0, 1, 700, 2000] {
            let integers = Integers::new(bound).unwrap();
            let limit = bound as i64 + 3;
            for m in (-limit..=limit).step_by(1 + bound as usize / 40).chain([-limit, limit]) {
                let expected = (m.unsigned_abs() <= bound).then_some(m);
                let half = scalar(m) * Scalar::from(2u64).invert();
                let halved = Element::double_of(RistrettoPoint::mul_base(&half));
                assert_eq!(integers.find(&halved), expected, "{m} up to {bound}");
            }
        }
    }

    #[test]
    fn bounds_that_no_table_reaches_are_refused() {
        assert!(matches!(Integers::new(u64::MAX), Err(HeError::Parameters(ParameterFault::Table(_)))));
        assert!(matches!(Integers::new(1 << 36), Err(HeError::Parameters(ParameterFault::Table(_)))));
    }

    #[test]
    fn scalars_have_their_sign() {
        for m in [i64::MIN, -1, 0, 1, i64::MAX] {
            let expected = match m {
                0.. => Scalar::from(m as u64),
                _ => -Scalar::from(m.unsigned_abs()),
            };
            assert_eq!(scalar(m), expected);
        }
    }
}
