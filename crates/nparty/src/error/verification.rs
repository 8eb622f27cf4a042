//! How a party was found to have departed from the protocol.

use thiserror::Error;

/// The finding of a verification. Its text follows the party's name, or “some party”.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerificationError {
    /// A product is not that of its factors.
    #[error("has sent a wrong message for a product")]
    Products,
    /// Shares of inputs or of products are inconsistent.
    #[error("has sent shares of an input or a product that do not fit together")]
    Sharings,
    /// Shares of an opened value are inconsistent.
    #[error("has sent a wrong share of an opened value")]
    Opening,
    /// Parties do not verify the same.
    #[error("was told to verify other values than this party")]
    OtherBatch,
    /// Parties were sent different coins.
    #[error("was sent other coins for a verification than this party")]
    OtherCoins,
    /// A seed does not match its commitment.
    #[error("has sent another seed for a verification than it had committed to")]
    Seed,
    /// Common keys of parties differ.
    #[error("has another key for random sharings than this party, though both must have the same")]
    Keys,
    /// A message has the wrong length.
    #[error("has sent {length} bytes in a verification where {expected} were due")]
    Length {
        /// Its length.
        length: usize,
        /// The expected length.
        expected: usize,
    },
    /// Bytes do not encode an element of the field.
    #[error("has sent a number in a verification that is not in the field")]
    NotInField,
}
