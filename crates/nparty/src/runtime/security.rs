//! Levels of statistical security.

use tacit_math::field::Field;

use crate::error::RunError;

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
        false => Err(RunError::Usage(format!(
            "statistical security of {} bits: it must be from {LEAST_STATISTICAL_BITS} to {most} with this modulus, whose random elements offer no more; a larger modulus, such as 2^255 - 19, offers up to {MOST_STATISTICAL_BITS}",
            statistical_bits
        ))),
    }
}
