use serde::{Deserialize, Serialize};

use crate::Named;

/// Who makes the triples of matrix products, and where there are many, of products and squares of words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MatrixChoice {
    /// For each shape and width whichever makes its triples sooner over the [`crate::Link`].
    #[default]
    Auto,
    /// Oblivious transfers.
    Ot,
    /// Lattice encryption, for all shapes of matrices that it takes, words of up to 64 bits, and for products and squares of words
    /// where it sends less.
    Lattice,
}

impl Named for MatrixChoice {
    const ALL: &'static [MatrixChoice] = &[MatrixChoice::Auto, MatrixChoice::Ot, MatrixChoice::Lattice];

    fn name(self) -> &'static str {
        match self {
            MatrixChoice::Auto => "auto",
            MatrixChoice::Ot => "ot",
            MatrixChoice::Lattice => "lattice",
        }
    }
}
