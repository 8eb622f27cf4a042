//! Security of a computation against dishonest parties.

use std::fmt;

/// What dishonest parties may do.
///
/// With either, any t of n parties may be dishonest together, where t is below half of n, and a party that stops ends the
/// computation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Security {
    /// They follow the protocol, and may examine everything that they have seen.
    #[default]
    Passive,
    /// They may send anything at any time. Everything is verified before it is opened, and if anything was wrong the computation ends:
    /// see [`verification`](crate::runtime).
    Active,
}

impl Security {
    /// All of them, in the order of documentation.
    pub const ALL: [Security; 2] = [Security::Passive, Security::Active];

    /// The one with this name, if any.
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
