//! Against whom a computation is protected.

use std::fmt;

/// What a party that is not honest may do.
///
/// With either, any t of n parties may be dishonest together, t is below half of n, and a party that stops ends the computation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Security {
    /// It follows the protocol, and may then examine all that it has seen.
    #[default]
    Passive,
    /// It may send anything at any time. All that is opened is verified before, and where anything was wrong the computation ends: see
    /// [`verification`](crate::runtime).
    Active,
}

impl Security {
    /// All, in the order in which people read of them.
    pub const ALL: [Security; 2] = [Security::Passive, Security::Active];

    /// The one of this name, if there is one.
    pub fn named(name: &str) -> Option<Security> {
        Security::ALL.into_iter().find(|security| security.name() == name)
    }

    /// Its name in options and greetings.
    pub fn name(self) -> &'static str {
        match self {
            Security::Passive => "passive",
            Security::Active => "active",
        }
    }
}

impl fmt::Display for Security {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
