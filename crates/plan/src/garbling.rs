use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How AND gates are garbled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Garbling {
    /// 32 bytes an AND.
    #[default]
    HalfGates,
    /// 24.625 bytes an AND, for half as much computation again: for narrow links.
    ThreeHalves,
}

impl Garbling {
    /// All of them.
    pub const ALL: [Garbling; 2] = [Garbling::HalfGates, Garbling::ThreeHalves];

    /// The name in session files, reports and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Garbling::HalfGates => "half-gates",
            Garbling::ThreeHalves => "three-halves",
        }
    }
}

/// There is no garbling scheme of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no garbling \"{0}\": \"half-gates\" or \"three-halves\"")]
pub struct UnknownGarbling(String);

impl FromStr for Garbling {
    type Err = UnknownGarbling;

    fn from_str(name: &str) -> Result<Garbling, UnknownGarbling> {
        let found = Garbling::ALL.into_iter().find(|garbling| garbling.name() == name);
        found.ok_or_else(|| UnknownGarbling(name.to_owned()))
    }
}

impl fmt::Display for Garbling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for garbling in Garbling::ALL {
            assert_eq!(garbling.name().parse(), Ok(garbling));
            assert_eq!(garbling.to_string(), garbling.name());
        }
        assert!("yao".parse::<Garbling>().unwrap_err().to_string().contains("three-halves"));
    }
}
