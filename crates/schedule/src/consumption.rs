//! The material that setup makes for kernels.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of material from setup, with its shape. Each setting decides how to make it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Consumed {
    /// A group of ANDs of shared bits with a common operand.
    Ands {
        /// ANDs of the group.
        size: u32,
    },
    /// An AND of shared bits of more than two operands.
    NaryAnd {
        /// The number of operands.
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
    /// A word that is converted from shares of bits to a share of a sum.
    Word {
        /// Width of the sum.
        bits: u32,
    },
    /// A comparison of words shared by sum.
    Comparison {
        /// The width at which it compares.
        bits: u32,
    },
    /// A word shared by sum that is shifted to the right directly.
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
    /// A label for a share of a bit that enters a garbled circuit.
    Label,
    /// A label for a bit of a sum that enters a garbled circuit.
    SumLabel,
    /// A word that is encrypted or decrypted.
    Ciphertext,
}

impl Consumed {
    /// Whether it is a label, which needs an oblivious transfer.
    pub fn is_label(self) -> bool {
        matches!(self, Consumed::Label | Consumed::SumLabel)
    }

    /// The number of products of two words that it is equivalent to.
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
    /// The text after the number in a line of a plan.
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
    /// Its name in a line of a plan.
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
