use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Named;

/// When the garbled tables travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Online, while the evaluator evaluates; memory does not grow with the number of gates.
    Streamed,
    /// In setup, masked until inputs are fixed; only labels travel online. The evaluator stores 32 bytes for
    /// each AND.
    Precomputed,
}

/// The mode that a user asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModeChoice {
    /// Precomputed where the tables take at most [`AUTO_TABLE_BYTES`], else streamed.
    #[default]
    Auto,
    /// [`Mode::Streamed`].
    Streamed,
    /// [`Mode::Precomputed`].
    Precomputed,
}

impl Named for ModeChoice {
    const ALL: &'static [ModeChoice] = &[ModeChoice::Auto, ModeChoice::Precomputed, ModeChoice::Streamed];

    fn name(self) -> &'static str {
        match self {
            ModeChoice::Auto => "auto",
            ModeChoice::Precomputed => "precomputed",
            ModeChoice::Streamed => "streamed",
        }
    }
}

/// Most bytes of tables that [`ModeChoice::Auto`] stores.
pub const AUTO_TABLE_BYTES: u64 = 64 << 20;

/// Bytes of one AND gate's table.
pub const TABLE_BYTES: u64 = 32;

impl ModeChoice {
    /// The mode for a program of `and_count` ANDs.
    pub fn resolve(self, and_count: u64) -> Mode {
        match self {
            ModeChoice::Streamed => Mode::Streamed,
            ModeChoice::Precomputed => Mode::Precomputed,
            ModeChoice::Auto if and_count <= AUTO_TABLE_BYTES / TABLE_BYTES => Mode::Precomputed,
            ModeChoice::Auto => Mode::Streamed,
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Streamed => "streamed",
            Mode::Precomputed => "precomputed",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_stores_what_fits() {
        let most = AUTO_TABLE_BYTES / TABLE_BYTES;
        assert_eq!(ModeChoice::Auto.resolve(0), Mode::Precomputed);
        assert_eq!(ModeChoice::Auto.resolve(most), Mode::Precomputed);
        assert_eq!(ModeChoice::Auto.resolve(most + 1), Mode::Streamed);
        assert_eq!(ModeChoice::Streamed.resolve(0), Mode::Streamed);
        assert_eq!(ModeChoice::Precomputed.resolve(u64::MAX), Mode::Precomputed);
    }
}
