//! Levels of statistical security.

use tacit_math::field::Field;

use crate::error::{RunError, UsageError};

/// The least statistical security in bits, and what is usual.
pub const LEAST_STATISTICAL_BITS: usize = 40;

/// The most: as much as is computational security.
const MOST_STATISTICAL_BITS: usize = 128;

/// Refuses what a computation in this field cannot keep.
///
/// Errors: fewer bits than [`LEAST_STATISTICAL_BITS`], or more than the field's random elements have.
pub(crate) fn check_statistical_bits<F: Field>(field: &F, statistical_bits: usize) -> Result<(), RunError> {
    let most = field.uniform_security().min(MOST_STATISTICAL_BITS);
    match (LEAST_STATISTICAL_BITS..=most).contains(&statistical_bits) {
        true => Ok(()),
        false => {
            let (bits, least, limit) = (statistical_bits, LEAST_STATISTICAL_BITS, MOST_STATISTICAL_BITS);
            Err(UsageError::StatisticalBits { bits, least, most, limit }.into())
        }
    }
}
