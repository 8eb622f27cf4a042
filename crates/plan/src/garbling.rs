use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Named;

/// How AND gates are garbled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Garbling {
    /// 32 bytes for each AND.
    #[default]
    HalfGates,
    /// 24.625 bytes for each AND, for half as much computation again: for narrow links.
    ThreeHalves,
}

impl Named for Garbling {
    const ALL: &'static [Garbling] = &[Garbling::HalfGates, Garbling::ThreeHalves];

    fn name(self) -> &'static str {
        match self {
            Garbling::HalfGates => "half-gates",
            Garbling::ThreeHalves => "three-halves",
        }
    }
}

impl fmt::Display for Garbling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
