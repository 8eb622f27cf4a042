use serde::{Deserialize, Serialize};
use tacit_ir::Domain;

use crate::Named;

/// How values are shared that the program pins to no domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DomainChoice {
    /// By labels, in garbled circuits.
    #[default]
    Yao,
    /// By bits, each the exclusive or of two shares.
    Bool,
    /// By sums, as far as operations on them are arithmetic.
    Arith,
    /// As is predicted to be fastest.
    Auto,
}

impl Named for DomainChoice {
    const ALL: &'static [DomainChoice] =
        &[DomainChoice::Yao, DomainChoice::Bool, DomainChoice::Arith, DomainChoice::Auto];

    fn name(self) -> &'static str {
        match self {
            DomainChoice::Yao => "yao",
            DomainChoice::Bool => "bool",
            DomainChoice::Arith => "arith",
            DomainChoice::Auto => "auto",
        }
    }
}

impl DomainChoice {
    /// The domains to be tried.
    pub(crate) fn candidates(self) -> &'static [Domain] {
        match self {
            DomainChoice::Yao => &[Domain::Yao],
            DomainChoice::Bool => &[Domain::Bool],
            DomainChoice::Arith => &[Domain::Arith],
            DomainChoice::Auto => &[Domain::Yao, Domain::Arith, Domain::Bool],
        }
    }
}
