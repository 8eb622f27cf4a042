//! Errors of shares.

use thiserror::Error;

/// Why shares cannot be made or opened.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SharingError {
    /// A threshold of 0 protects nothing, and products need 2t + 1 parties.
    #[error(
        "{parties} parties cannot compute with threshold {threshold}: it must be at least 1, and below half of them"
    )]
    Threshold {
        /// How many parties there are.
        parties: usize,
        /// The threshold t.
        threshold: usize,
    },
    /// The field has no distinct nonzero points for the parties.
    #[error(
        "a field of {order} elements is too small for {parties} parties: it needs more elements than there are parties"
    )]
    SmallField {
        /// How many parties there are.
        parties: usize,
        /// How many elements the field has.
        order: u64,
    },
    /// There are not enough shares, a party's share was repeated, or it is of a party that does not take
    /// part.
    #[error("{given} usable shares were given where shares of {needed} distinct parties are needed")]
    Shares {
        /// The number of usable shares.
        given: usize,
        /// How many are needed.
        needed: usize,
    },
    /// The shares of more parties than necessary contradict each other.
    #[error(
        "the shares of value {position} do not lie on a polynomial of degree {degree}: some party sent a wrong one"
    )]
    Inconsistent {
        /// The value's position, counted from 0.
        position: usize,
        /// The degree.
        degree: usize,
    },
    /// More parties than a computation takes.
    #[error("{parties} parties are too many: at most {limit} can compute together")]
    TooManyParties {
        /// How many there are.
        parties: usize,
        /// The limit.
        limit: usize,
    },
    /// Too many sets of parties for pseudorandom sharing.
    #[error(
        "pseudorandom sharing among {parties} parties with threshold {threshold} needs {sets} keys, more than {limit}; \
         choose a smaller threshold"
    )]
    TooManySets {
        /// How many parties there are.
        parties: usize,
        /// The threshold t.
        threshold: usize,
        /// How many sets there would be.
        sets: u64,
        /// The most allowed.
        limit: u64,
    },
    /// The number of a party's keys is not that of its sets.
    #[error("{given} keys were given to a party that is in {needed} sets and needs one for each")]
    Keys {
        /// How many there were.
        given: usize,
        /// How many are needed.
        needed: usize,
    },
}
