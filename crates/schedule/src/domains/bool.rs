//! Shares of bits by exclusive or.

use super::rules::{Circuits, Combined, DomainRules, Elements};

pub(super) const RULES: DomainRules = DomainRules {
    elements: Elements::Bits,
    circuits: Some(Circuits::Layered),
    combined: Combined::ExclusiveOr,
    boundary: None,
};
