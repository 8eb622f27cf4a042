use std::iter;

use serde::{Deserialize, Serialize};
use tacit_ir::Domain;

use crate::Named;

/// How values are shared that the program does not pin to a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DomainChoice {
    /// In one domain, where it supports their operations.
    In(Domain),
    /// In whichever way is predicted to be fastest.
    Auto,
}

impl Default for DomainChoice {
    fn default() -> DomainChoice {
        DomainChoice::In(Domain::default())
    }
}

impl Named for DomainChoice {
    const ALL: &'static [DomainChoice] = &{
        const DOMAINS: &[Domain] = Domain::UNPINNED;
        // The last domain is the usual one, so it comes first.
        let mut all = [DomainChoice::Auto; DOMAINS.len() + 1];
        let mut number = 0;
        while number < DOMAINS.len() {
            all[number] = DomainChoice::In(DOMAINS[DOMAINS.len() - 1 - number]);
            number += 1;
        }
        all
    };

    fn name(self) -> &'static str {
        match self {
            DomainChoice::In(domain) => domain.name(),
            DomainChoice::Auto => "auto",
        }
    }
}

impl DomainChoice {
    /// The domains to try.
    pub(crate) fn candidates(self) -> Vec<Domain> {
        match self {
            DomainChoice::In(domain) => vec![domain],
            DomainChoice::Auto => {
                let others = Domain::UNPINNED.iter().copied().filter(|domain| *domain != Domain::default());
                iter::once(Domain::default()).chain(others).collect()
            }
        }
    }
}
