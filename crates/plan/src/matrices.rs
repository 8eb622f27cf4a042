use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tacit_schedule::Consumed;

use crate::Named;

/// How matrices are multiplied: who makes the triples of their products and, where there are many, those of
/// products and squares of words; or without triples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MatrixChoice {
    /// For each shape and width, whichever makes triples sooner over the [`crate::Link`]. Products chosen for
    /// lattices are made online if that is better for the plan's objective.
    #[default]
    Auto,
    /// Oblivious transfers.
    Ot,
    /// Lattice encryption: for all supported shapes of matrices with words of up to 64 bits, and for products
    /// and squares of words where it sends less.
    Lattice,
    /// As `Lattice`, but matrices are multiplied online as they are shared: setup makes no triples for them,
    /// and no factors are opened online. Stored runs use triples.
    Online,
}

/// The products that lattices compute.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Lattices {
    /// Products whose triples lattices make: of matrices, of words, and squares.
    pub triples: BTreeSet<Consumed>,
    /// Products of matrices that lattices make online, without triples. Stored runs use triples for these,
    /// too.
    pub online: BTreeSet<Consumed>,
}

impl Lattices {
    /// All of them.
    pub fn all(&self) -> BTreeSet<Consumed> {
        self.triples.union(&self.online).copied().collect()
    }

    /// The same with products of matrices online.
    pub(crate) fn with_matrices_online(&self) -> Lattices {
        let is_matrix = |kind: &Consumed| matches!(kind, Consumed::Matrix { .. });
        let (online, triples) = self.all().into_iter().partition(is_matrix);
        Lattices { triples, online }
    }
}

impl Named for MatrixChoice {
    const ALL: &'static [MatrixChoice] =
        &[MatrixChoice::Auto, MatrixChoice::Ot, MatrixChoice::Lattice, MatrixChoice::Online];

    fn name(self) -> &'static str {
        match self {
            MatrixChoice::Auto => "auto",
            MatrixChoice::Ot => "ot",
            MatrixChoice::Lattice => "lattice",
            MatrixChoice::Online => "online",
        }
    }
}
