//! Words under encryption: one party holds ciphertexts under the other's key.
//!
//! A ciphertext encrypts an integer whose low bits are the word. Operations keep the integer exact and let it
//! grow; [`crate::Bound`] bounds it. Values are reduced only when they leave the domain. Differences stay
//! positive because a power of two that vanishes modulo the word's range is added.

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
