//! How a party is found to have departed from the protocol.

use thiserror::Error;

/// What a verification has found. Its text follows the party's name, or “some party”.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerificationError {
    /// A product is not that of its factors.
    #[error("has sent something wrong for a product")]
    Products,
    /// Shares of inputs or of products are not shares of anything.
    #[error("has sent shares of an input or a product that do not fit together")]
    Sharings,
    /// Shares of a value that is opened are not shares of anything.
    #[error("has sent a wrong share of an opened value")]
    Opening,
    /// Parties do not verify the same.
    #[error("was told to verify something else than this party")]
    OtherBatch,
    /// Parties were not told the same of coins.
    #[error("was told something else than this party about the coins of a verification")]
    OtherCoins,
    /// A seed is not the one that was bound.
    #[error("has sent another seed for a verification than it was bound to")]
    Seed,
    /// Keys that parties have in common differ.
    #[error("has another key for random sharings than this party, where both have the same")]
    Keys,
    /// A message has another length.
    #[error("has sent {length} bytes in a verification where {expected} were due")]
    Length {
        /// How long it is.
        length: usize,
        /// How long it must be.
        expected: usize,
    },
    /// Bytes stand for no element of the field.
    #[error("has sent a number in a verification that is not in the field")]
    NotInField,
}
