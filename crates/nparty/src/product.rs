//! Products of shared values: a party's computations before and after its messages.
//!
//! | parties | protocol | elements sent, all parties together | rounds |
//! |---|---|---|---|
//! | 3 | [`Replicated`]: each party passes a masked product on | 3 | 1 |
//! | more | [`King`]: one party opens masked products | 3t, and what double sharings take | 2 |
//!
//! A product is the local product of two shares, a share of degree 2t, or any sum of such products: an inner product costs as
//! much as one multiplication.

pub(crate) mod compression;
pub(crate) mod king;
pub(crate) mod matrices;
pub(crate) mod opening;
pub(crate) mod replicated;
pub(crate) mod vector;

pub use king::{King, king_of};
pub use replicated::Replicated;

use tacit_math::field::Field;

use crate::error::SharingError;
use crate::parties::PartyIndex;
use crate::scheme::Scheme;

/// How a party computes products.
pub(crate) enum Products<F: Field> {
    Replicated(Replicated<F>),
    /// By king.
    Kings(Vec<King<F>>),
}

impl<F: Field> Products<F> {
    /// The part of party `me`.
    ///
    /// Errors: the party does not take part.
    pub(crate) fn new(scheme: &Scheme<F>, me: PartyIndex) -> Result<Self, SharingError> {
        match scheme.parties() {
            3 => Ok(Products::Replicated(Replicated::new(scheme, me)?)),
            n => Ok(Products::Kings((0..n).map(|king| King::new(scheme, king)).collect::<Result<_, _>>()?)),
        }
    }
}
