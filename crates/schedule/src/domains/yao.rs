//! Labels of garbled circuits.

use super::rules::{Circuits, Combined, DomainRules, Elements};

pub(super) const RULES: DomainRules = DomainRules {
    elements: Elements::Bits,
    circuits: Some(Circuits::Garbled),
    combined: Combined::ExclusiveOr,
    boundary: None,
};
