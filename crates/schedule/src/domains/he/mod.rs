//! Words under encryption: one party holds ciphertexts under the other's key.
//!
//! A ciphertext is of an integer, of which the word is the low bits. Operations keep the integer exact and let it grow; [`crate::Bound`]
//! says how far. Only what leaves the domain is reduced. Differences stay positive by a power of two that the word does not see.

mod operation;

pub use operation::{HeOp, MAX_COMPARED_BITS};

use tacit_ir::Domain;

use super::arith::MAX_ARITH_BITS;
use super::rules::{Combined, DomainRules, Elements};

pub(super) const RULES: DomainRules = DomainRules {
    elements: Elements::Ciphertexts(MAX_ARITH_BITS),
    circuits: None,
    combined: Combined::Sum,
    boundary: Some(Domain::Arith),
};
