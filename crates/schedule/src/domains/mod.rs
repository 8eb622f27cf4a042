//! The domains: how each stores its values in memory, and how it runs circuits.
//!
//! Each domain has a file or folder here. All other code asks [`rules`].

pub mod arith;
mod bool;
pub mod he;
mod rules;
mod yao;

pub use rules::{Circuits, Combined, DomainRules, Elements};

use tacit_ir::Domain;

/// The rules of a domain.
pub fn rules(domain: Domain) -> DomainRules {
    match domain {
        Domain::Arith => arith::RULES,
        Domain::Bool => bool::RULES,
        Domain::He => he::RULES,
        Domain::Yao => yao::RULES,
    }
}
