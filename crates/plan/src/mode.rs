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
    /// Precomputed where the tables take at most [`AUTO_TABLE_BYTES`] and streaming them is not better by 5 %,
    /// else streamed.
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
    /// The usual mode for a program of `and_count` ANDs, and another if that may be chosen.
    pub(crate) fn modes(self, and_count: u64) -> (Mode, Option<Mode>) {
        match self {
            ModeChoice::Precomputed => (Mode::Precomputed, None),
            ModeChoice::Auto if (1..=AUTO_TABLE_BYTES / TABLE_BYTES).contains(&and_count) => {
                (Mode::Precomputed, Some(Mode::Streamed))
            }
            ModeChoice::Auto if and_count == 0 => (Mode::Precomputed, None),
            ModeChoice::Auto | ModeChoice::Streamed => (Mode::Streamed, None),
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
    fn auto_may_store_what_fits() {
        let most = AUTO_TABLE_BYTES / TABLE_BYTES;
        let of = |choice: ModeChoice| [0, 1, most, most + 1].map(|ands| choice.modes(ands));
        let either = (Mode::Precomputed, Some(Mode::Streamed));
        let [precomputed, streamed] = [Mode::Precomputed, Mode::Streamed].map(|mode| (mode, None));
        assert_eq!(of(ModeChoice::Auto), [precomputed, either, either, streamed]);
        assert_eq!(of(ModeChoice::Streamed), [streamed; 4]);
        assert_eq!(of(ModeChoice::Precomputed), [precomputed; 4]);
    }
}
