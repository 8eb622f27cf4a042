//! Words shared by sum, modulo 2^bits.

mod operation;

pub(crate) use operation::widened;
pub use operation::{ArithOp, Relation};

use super::rules::{Combined, DomainRules, Elements};

/// Widest words that can be shared by sum.
pub const MAX_ARITH_BITS: u32 = 128;

pub(super) const RULES: DomainRules = DomainRules {
    elements: Elements::Words(MAX_ARITH_BITS),
    circuits: None,
    combined: Combined::Sum,
    boundary: None,
};
