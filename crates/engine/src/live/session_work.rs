//! Work that a session does together with the peer, as one step of a reactive program.

use std::fmt;
use std::sync::{Arc, Mutex};

use tacit_ir::{PortId, Words};

use crate::open::{Prepared, RunTask};
use crate::store::Store;
use crate::{Outcome, RunError};

/// Work that a session does together with the peer, as one step of a reactive program. `Debug` does not show
/// inputs.
pub enum SessionWork {
    /// See [`crate::OpenSession::run`].
    Run {
        /// The task to run.
        task: RunTask,
        /// The columns of every input port of this party's roles. Secret.
        inputs: Vec<(PortId, Vec<Words>)>,
    },
    /// See [`crate::OpenSession::run_prepared`].
    Spend {
        /// The task to run.
        task: RunTask,
        /// The columns of every input port of this party's roles. Secret.
        inputs: Vec<(PortId, Vec<Words>)>,
        /// The store that holds its setup.
        store: Arc<Mutex<Store>>,
    },
    /// See [`crate::OpenSession::prepare`].
    Prepare {
        /// The task to prepare.
        task: RunTask,
        /// The store to fill.
        store: Arc<Mutex<Store>>,
        /// The number of runs to prepare.
        count: u64,
    },
}

/// The result of work.
#[derive(Clone, Debug)]
pub enum WorkDone {
    /// A run.
    Outcome(Box<Outcome>),
    /// A preparation.
    Prepared(Box<Prepared>),
}

/// The kind of a step's work, the same in both parties' programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkKind {
    /// [`SessionWork::Run`].
    Run,
    /// [`SessionWork::Spend`].
    Spend,
    /// [`SessionWork::Prepare`], with its count.
    Prepare(u64),
}

/// Receives the result of work, or the reason why there is none.
pub type WorkEnded = Box<dyn FnOnce(Result<WorkDone, Arc<RunError>>) + Send>;

impl SessionWork {
    /// The task that is run or prepared.
    pub(super) fn task(&self) -> &RunTask {
        match self {
            SessionWork::Run { task, .. }
            | SessionWork::Spend { task, .. }
            | SessionWork::Prepare { task, .. } => task,
        }
    }

    /// The inputs of a run.
    pub(super) fn inputs(&self) -> Option<&[(PortId, Vec<Words>)]> {
        match self {
            SessionWork::Run { inputs, .. } | SessionWork::Spend { inputs, .. } => Some(inputs),
            SessionWork::Prepare { .. } => None,
        }
    }

    /// The store that it fills or takes from.
    pub(super) fn store(&self) -> Option<&Arc<Mutex<Store>>> {
        match self {
            SessionWork::Run { .. } => None,
            SessionWork::Spend { store, .. } | SessionWork::Prepare { store, .. } => Some(store),
        }
    }
}

impl fmt::Debug for SessionWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            SessionWork::Run { .. } => "Run",
            SessionWork::Spend { .. } => "Spend",
            SessionWork::Prepare { .. } => "Prepare",
        };
        f.debug_struct(kind).field("program", &self.task().program.name).finish_non_exhaustive()
    }
}

impl WorkKind {
    /// Its name in errors.
    pub(super) fn name(self) -> &'static str {
        match self {
            WorkKind::Run => "run",
            WorkKind::Spend => "prepared run",
            WorkKind::Prepare(_) => "prepare",
        }
    }
}

/// The work of a step.
pub(super) enum Given {
    /// Not known yet: the program is being planned.
    Awaited,
    Work(SessionWork),
    /// None: the program could not be planned.
    Nothing,
}
