//! What can be wrong with material that was stored between setup and the run.

use thiserror::Error;

/// Why stored bytes are not the material that they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StoredFault {
    /// There are more or fewer bytes than the run takes.
    #[error("it has {found} bytes, the run takes {expected}")]
    Length {
        /// How many there are.
        found: u64,
        /// How many there should be; the largest number where there is none for them.
        expected: u64,
    },
    /// The bytes end within something.
    #[error("it ends early: {left} bytes are left where {needed} are needed")]
    Short {
        /// How many more are needed; the largest number where there is none for them.
        needed: u64,
        /// How many more there are.
        left: u64,
    },
    /// There are bytes after the end.
    #[error("{bytes} bytes follow its end")]
    Trailing {
        /// How many.
        bytes: u64,
    },
    /// The first byte says that it is of another party or garbling scheme.
    #[error("it is of kind {found}, expected is kind {expected}")]
    Kind {
        /// The first byte.
        found: u8,
        /// What it should be.
        expected: u8,
    },
    /// A bit is set after the last of packed bits.
    #[error("a bit is set after its {bits} packed bits")]
    Padding {
        /// How many bits are packed.
        bits: u64,
    },
    /// The two labels of a wire would have the same colour.
    #[error("the lowest bit of its delta is not set")]
    Delta,
    /// The tables are not whole ones.
    #[error("its tables of {bytes} bytes are not a multiple of {table} bytes")]
    Tables {
        /// Bytes of all tables.
        bytes: u64,
        /// Bytes of one.
        table: u64,
    },
}

impl StoredFault {
    /// [`StoredFault::Short`], where `needed` is none if there is no number for it.
    pub(crate) fn short(needed: Option<usize>, left: usize) -> StoredFault {
        StoredFault::Short { needed: needed.map_or(u64::MAX, |needed| needed as u64), left: left as u64 }
    }
}
