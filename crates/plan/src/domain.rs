use std::iter;

use serde::{Deserialize, Serialize};
use tacit_ir::Domain;
use tacit_schedule::rules;

use crate::Named;

/// How values are shared that the program pins to no domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DomainChoice {
    /// In one domain, as far as it takes their operations.
    In(Domain),
    /// As is predicted to be fastest.
    Auto,
}

impl Default for DomainChoice {
    fn default() -> DomainChoice {
        DomainChoice::In(Domain::default())
    }
}

impl Named for DomainChoice {
    const ALL: &'static [DomainChoice] = &{
        // The usual domain is named first, and then those before it from the last on.
        let mut all = [DomainChoice::Auto; Domain::ALL.len() + 1];
        let (mut number, mut placed, mut usual) = (Domain::ALL.len(), 0, true);
        while placed < Domain::ALL.len() {
            if number == 0 {
                (number, usual) = (Domain::ALL.len(), false);
            }
            number -= 1;
            if matches!(Domain::ALL[number], Domain::USUAL) == usual {
                all[placed] = DomainChoice::In(Domain::ALL[number]);
                placed += 1;
            }
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
    /// The domains to be tried.
    pub(crate) fn candidates(self) -> Vec<Domain> {
        match self {
            DomainChoice::In(domain) => vec![domain],
            DomainChoice::Auto => {
                // What comes by another domain starts there at least as fast.
                let others = Domain::ALL.iter().copied().filter(|domain| rules(*domain).boundary.is_none());
                let others = others.filter(|domain| *domain != Domain::default());
                iter::once(Domain::default()).chain(others).collect()
            }
        }
    }
}
