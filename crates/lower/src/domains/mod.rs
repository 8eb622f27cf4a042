//! The domain in which every operation works, and the kernels of operations in domains of words.
//!
//! Each domain of words has a file here, which alone decides what it supports and how. Circuits are the same
//! for all domains of bits.

pub(crate) mod arith;
mod assignment;
mod he;
mod range;
mod word_domain;

pub(crate) use assignment::{Domains, Leaving};
pub(crate) use word_domain::{Made, Values, WordDomain};

use tacit_ir::Domain;

/// The domains of words, in order of preference.
const WORD_DOMAINS: &[&dyn WordDomain] = &[&arith::Arith, &he::He];

/// The domain of words of this name.
pub(crate) fn word_domain(domain: Domain) -> Option<&'static dyn WordDomain> {
    WORD_DOMAINS.iter().copied().find(|one| one.domain() == domain)
}
