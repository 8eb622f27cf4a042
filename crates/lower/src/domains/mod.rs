//! In which domain every operation works, and the kernels that operations of domains of words become.
//!
//! A domain of words is a file here. What it takes, and how, is asked of it alone; circuits are for all domains of bits the same.

mod arith;
mod assignment;
mod he;
mod range;
mod word_domain;

pub(crate) use assignment::Domains;
pub(crate) use word_domain::{Made, Values, WordDomain};

use tacit_ir::Domain;

/// The domains of words, in the order in which they are asked.
const WORD_DOMAINS: &[&dyn WordDomain] = &[&arith::Arith, &he::He];

/// The domain of words of this name.
pub(crate) fn word_domain(domain: Domain) -> Option<&'static dyn WordDomain> {
    WORD_DOMAINS.iter().copied().find(|one| one.domain() == domain)
}
