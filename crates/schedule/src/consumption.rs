//! What setup makes for kernels.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of what setup makes, with its shape. How it is made is for each setting to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Consumed {
    /// A group of ANDs of shared bits with a common operand.
    Ands {
        /// ANDs of the group.
        size: u32,
    },
    /// An AND of shared bits of more than two operands.
    NaryAnd {
        /// How many.
        operands: u32,
    },
    /// A product of two words.
    Product {
        /// Their width.
        bits: u32,
    },
    /// A square of a word.
    Square {
        /// Its width.
        bits: u32,
    },
    /// A word that goes from shares of bits to shares of a sum.
    Word {
        /// Width of the sum.
        bits: u32,
    },
    /// A comparison of words shared by sum.
    Comparison {
        /// The width that it takes.
        bits: u32,
    },
    /// A word shared by sum that is shifted to the right as it is.
    Shift {
        /// Its width.
        bits: u32,
    },
    /// A product of matrices of words.
    Matrix {
        /// Width of the words.
        bits: u32,
        /// Rows of the left matrix.
        rows: u64,
        /// Columns of the left, rows of the right matrix.
        inner: u64,
        /// Columns of the right matrix.
        columns: u64,
    },
    /// A label of a share of a bit that is garbled.
    Label,
    /// A label of a sum that is garbled.
    SumLabel,
    /// A word that is encrypted or decrypted.
    Ciphertext,
}

impl Consumed {
    /// Whether it is a label, which takes an oblivious transfer.
    pub fn is_label(self) -> bool {
        matches!(self, Consumed::Label | Consumed::SumLabel)
    }

    /// Products of two words that it amounts to.
    pub fn products(self) -> u64 {
        match self {
            Consumed::Product { .. } | Consumed::Square { .. } => 1,
            Consumed::Matrix { rows, inner, columns, .. } => {
                rows.saturating_mul(inner).saturating_mul(columns)
            }
            _ => 0,
        }
    }
}

impl fmt::Display for Consumed {
    /// As a line of a plan says it after the number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Consumed::Ands { size: 1 } => write!(f, "AND"),
            Consumed::Ands { size } => write!(f, "of {size} AND with a common operand"),
            Consumed::NaryAnd { operands } => write!(f, "AND of {operands} operands"),
            Consumed::Matrix { bits, rows, inner, columns } => {
                write!(f, "of {rows} x {inner} by {inner} x {columns}, {bits} bits")
            }
            Consumed::Product { bits }
            | Consumed::Square { bits }
            | Consumed::Word { bits }
            | Consumed::Comparison { bits }
            | Consumed::Shift { bits } => write!(f, "of {bits} bits"),
            Consumed::Label | Consumed::SumLabel => write!(f, "of a bit"),
            Consumed::Ciphertext => write!(f, "word encrypted or decrypted"),
        }
    }
}

impl Consumed {
    /// What a line of a plan calls it.
    pub fn title(self) -> &'static str {
        match self {
            Consumed::Ands { .. } | Consumed::NaryAnd { .. } => "triples",
            Consumed::Product { .. } => "products",
            Consumed::Square { .. } => "squares",
            Consumed::Word { .. } => "words",
            Consumed::Comparison { .. } => "compared",
            Consumed::Shift { .. } => "shifted",
            Consumed::Matrix { .. } => "matrices",
            Consumed::Label | Consumed::SumLabel => "labels",
            Consumed::Ciphertext => "encrypted",
        }
    }
}
