//! Levels of statistical security.

use tacit_math::field::Field;

use crate::error::{RunError, UsageError};

/// Bits by which the order of a field, or of its extension, exceeds the statistical security of a verification in it: wrong shares pass with a probability of about 2^9 over the order, since
/// [`compression`](crate::product) draws a point for polynomials of degree below 2^6 a few times.
pub(crate) const VERIFICATION_BITS: usize = 10;

/// The minimum statistical security in bits, which is also the default.
pub const LEAST_STATISTICAL_BITS: usize = 40;

/// The maximum: the computational security.
const MOST_STATISTICAL_BITS: usize = 128;

/// Refuses statistical security that a computation in this field cannot provide.
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

/// Refuses fields in which a verification could accept wrong shares more often than statistical security allows.
///
/// Errors: the field, or its extension, has too few elements.
pub(crate) fn check_verifiable<F: Field>(field: &F, statistical_bits: usize) -> Result<(), RunError> {
    let (order, security) = (field.extension().order(), statistical_bits);
    let bits = 64 * order.len() - order.last().map_or(64, |top| top.leading_zeros()) as usize;
    let needed = security + VERIFICATION_BITS;
    match bits > needed {
        true => Ok(()),
        false => Err(UsageError::SmallToVerify { bits, needed: needed + 1, security }.into()),
    }
}
