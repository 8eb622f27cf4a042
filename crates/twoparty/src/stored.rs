//! Faults of material that was stored between setup and the run.

use thiserror::Error;

/// Why stored bytes are invalid material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StoredFault {
    /// There are more or fewer bytes than the run needs.
    #[error("it has {found} bytes, but the run needs {expected}")]
    Length {
        /// The number of bytes.
        found: u64,
        /// The expected number; the largest number if it overflows.
        expected: u64,
    },
    /// The bytes end too early.
    #[error("it ends early: {left} bytes are left where {needed} are needed")]
    Short {
        /// How many more are needed; the largest number if it overflows.
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
    /// The first byte is that of another party or garbling scheme.
    #[error("it has kind {found}, but kind {expected} is expected")]
    Kind {
        /// The first byte.
        found: u8,
        /// The expected one.
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
    /// The tables' bytes are not a multiple of a table's.
    #[error("its tables of {bytes} bytes are not a multiple of {table} bytes")]
    Tables {
        /// Bytes of all tables.
        bytes: u64,
        /// Bytes of one table.
        table: u64,
    },
}

impl StoredFault {
    /// [`StoredFault::Short`], where `needed` is `None` if the number overflows.
    pub(crate) fn short(needed: Option<usize>, left: usize) -> StoredFault {
        StoredFault::Short { needed: needed.map_or(u64::MAX, |needed| needed as u64), left: left as u64 }
    }
}
