//! How the parts of a session end, and what they have done till then.

use tacit_plan::Work;

use super::value::PathId;
use crate::Failure;
use crate::peer_fault::LiveFault;

/// Why a session's parts stop.
pub(super) enum Stop {
    Failed(Failure),
    /// The peer does what no peer does.
    Broken(LiveFault),
    /// The programs differ on this path.
    Differs(PathId),
    /// The peer says that the programs differ.
    Diverged,
}

impl<E: Into<Failure>> From<E> for Stop {
    fn from(error: E) -> Self {
        Stop::Failed(error.into())
    }
}

/// What a session has computed.
pub(crate) struct Counted {
    pub work: Work,
    pub segments: u64,
}

impl Counted {
    pub(super) fn new() -> Counted {
        Counted { work: Work::default(), segments: 0 }
    }
}
