//! Errors of protocols on shares.

use crate::stored::StoredFault;
use crate::yao::YaoError;
use tacit_compare::CompareError;
use tacit_he::HeError;
use tacit_net::NetError;
use tacit_ot::OtError;
use tacit_schedule::walk::WalkError;
use thiserror::Error;

/// Why a protocol on shares stopped.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ShareError {
    /// The channel to the peer failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// Oblivious transfer failed.
    #[error(transparent)]
    Ot(#[from] OtError),
    /// Garbling or evaluation failed.
    #[error(transparent)]
    Yao(#[from] YaoError),
    /// Homomorphic encryption failed, the peer sent an invalid ciphertext or key, or lattices do not support a
    /// product.
    #[error("homomorphic encryption: {0}")]
    He(#[from] HeError),
    /// Encrypted words could not be compared, or the peer sent invalid ciphertexts of bits.
    #[error("comparison of encrypted words: {0}")]
    Compare(Box<CompareError>),
    /// There are encrypted words, but this party lacks the key for its part.
    #[error(
        "there are encrypted words, but this party has no key for them; this is a mistake in the protocol's code, please report it"
    )]
    NoKey,
    /// A product of two ciphertexts without the key's owner.
    #[error(
        "two encrypted words cannot be multiplied without the key; this is a mistake in the translation, please report it"
    )]
    NotPublic,
    /// A walk over a schedule can't go on.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The peer set bits after the last one of a message, which no honest party does.
    #[error("the peer's message has bits set after its {count} {what}")]
    Padding {
        /// What the message consists of.
        what: &'static str,
        /// How many there are.
        count: u64,
    },
    /// Stored correlated randomness is invalid.
    #[error("the stored correlated randomness cannot be used: {0}; prepare the run again")]
    Stored(StoredFault),
    /// Two counts differ.
    #[error("{what}: {given} given, {expected} expected")]
    Shape {
        /// What was counted.
        what: &'static str,
        /// How many there were.
        given: u64,
        /// How many there should be.
        expected: u64,
    },
    /// Words shared by sum have 1 to 128 bits.
    #[error("words of {bits} bits cannot be shared arithmetically; words have 1 to 128 bits")]
    Width {
        /// The width.
        bits: u32,
    },
    /// An operation needs more than setup has made.
    #[error(
        "{asked} {what} are needed, but {left} are left of those that setup made; count all in its requirement"
    )]
    Exhausted {
        /// The material.
        what: &'static str,
        /// How much is needed.
        asked: u64,
        /// How much is left.
        left: u64,
    },
    /// A step of a protocol returned fewer results than the next one needs. Nothing stands in for missing
    /// ones.
    #[error(
        "{what}: fewer were made than are needed; this is a mistake in the protocol's code, please report it"
    )]
    Missing {
        /// What was counted.
        what: &'static str,
    },
}

impl From<CompareError> for ShareError {
    fn from(error: CompareError) -> ShareError {
        match error {
            CompareError::Net(error) => error.into(),
            CompareError::He(error) => error.into(),
            other => ShareError::Compare(Box::new(other)),
        }
    }
}

/// The value, or an error that names what is missing.
pub(crate) fn found<T>(what: &'static str, found: Option<T>) -> Result<T, ShareError> {
    found.ok_or(ShareError::Missing { what })
}

/// An error unless both counts are equal.
pub(crate) fn expect(what: &'static str, given: usize, expected: usize) -> Result<(), ShareError> {
    match given == expected {
        true => Ok(()),
        false => Err(ShareError::Shape { what, given: given as u64, expected: expected as u64 }),
    }
}
