//! The domains that there are: how each has its values in memory, and what it does with circuits.
//!
//! What a domain does stands in a file or folder of its own. Everything else asks here.

pub mod arith;
mod bool;
pub mod he;
mod rules;
mod yao;

pub use rules::{Circuits, Combined, DomainRules, Elements};

use tacit_ir::Domain;

/// What is known of a domain.
pub fn rules(domain: Domain) -> DomainRules {
    match domain {
        Domain::Arith => arith::RULES,
        Domain::Bool => bool::RULES,
        Domain::He => he::RULES,
        Domain::Yao => yao::RULES,
    }
}
