use serde::{Deserialize, Serialize};

use crate::Named;

/// What a plan is to have little of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Objective {
    /// Time of setup and online together.
    #[default]
    Total,
    /// Time from inputs to outputs; where that is equal, of setup too.
    Online,
    /// Bytes of both parties; where these are equal, time.
    Bytes,
}

impl Named for Objective {
    const ALL: &'static [Objective] = &[Objective::Total, Objective::Online, Objective::Bytes];

    fn name(self) -> &'static str {
        match self {
            Objective::Total => "total",
            Objective::Online => "online",
            Objective::Bytes => "bytes",
        }
    }
}
