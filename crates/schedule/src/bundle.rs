use serde::{Deserialize, Serialize};
use tacit_ir::Domain;

use crate::domains::{self, DomainRules};

/// A vector of `lanes` words of `bits` bits; each bundle is written once, by one step or as a parameter.
///
/// In domains of bits each bit of a lane is a wire of its own. In domains of words a lane is one word; moves treat it as a single
/// wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bundle {
    /// Width of each lane.
    pub bits: u32,
    /// Number of lanes in one instance of the body.
    pub lanes: u64,
    /// How the words are shared.
    pub domain: Domain,
}

impl Bundle {
    /// The number of elements for one lane.
    pub fn wires(&self) -> u32 {
        if self.rules().is_of_words() { 1 } else { self.bits }
    }

    /// The rules of the domain.
    pub fn rules(&self) -> DomainRules {
        domains::rules(self.domain)
    }

    /// Whether both have words of the same width and sharing.
    pub(crate) fn is_like(self, other: Bundle) -> bool {
        (self.bits, self.domain) == (other.bits, other.domain)
    }
}
