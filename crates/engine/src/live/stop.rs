//! How the parts of a session end, and what they have done by then.

use std::sync::Arc;
use std::time::Duration;

use tacit_net::Counts;
use tacit_plan::Work;

use super::value::PathId;
use crate::peer_fault::LiveFault;
use crate::{Failure, RunError};

/// Why a session's parts stop.
pub(super) enum Stop {
    Failed(Failure),
    /// The peer violated the protocol.
    Broken(LiveFault),
    /// The programs differ on this path.
    Differs(PathId),
    /// The peer says that the programs differ.
    Diverged,
    /// A run has failed, and the session with it.
    Over(Arc<RunError>),
}

impl<E: Into<Failure>> From<E> for Stop {
    fn from(error: E) -> Self {
        Stop::Failed(error.into())
    }
}

/// Why a program has ended, with both sides' descriptions if they differ.
pub(super) enum Fatal {
    Failed(Failure),
    /// A run has failed, and the session with it.
    Run(Arc<RunError>),
}

impl<E: Into<Failure>> From<E> for Fatal {
    fn from(error: E) -> Self {
        Fatal::Failed(error.into())
    }
}

/// What a program has computed.
pub(crate) struct Counted {
    pub work: Work,
    pub segments: u64,
    /// What its runs have sent and received, which is counted separately.
    pub others: [Counts; 3],
    /// How long they took.
    pub time: Duration,
}

impl Counted {
    pub(super) fn new() -> Counted {
        Counted { work: Work::default(), segments: 0, others: Default::default(), time: Duration::ZERO }
    }
}
