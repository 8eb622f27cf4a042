//! What a session does with the peer as one step of a reactive program.

use std::fmt;
use std::sync::{Arc, Mutex};

use tacit_ir::{PortId, Words};

use crate::open::{Prepared, RunTask};
use crate::store::Store;
use crate::{Outcome, RunError};

/// Something that a session does with the peer, as one step of a reactive program. `Debug` shows nothing of inputs.
pub enum SessionWork {
    /// See [`crate::OpenSession::run`].
    Run {
        /// What is run.
        task: RunTask,
        /// The columns of every input port of this party's roles. Secret.
        inputs: Vec<(PortId, Vec<Words>)>,
    },
    /// See [`crate::OpenSession::run_prepared`].
    Spend {
        /// What is run.
        task: RunTask,
        /// The columns of every input port of this party's roles. Secret.
        inputs: Vec<(PortId, Vec<Words>)>,
        /// Where its setup is.
        store: Arc<Mutex<Store>>,
    },
    /// See [`crate::OpenSession::prepare`].
    Prepare {
        /// What is prepared.
        task: RunTask,
        /// Where to.
        store: Arc<Mutex<Store>>,
        /// How often.
        count: u64,
    },
}

/// What came of it.
#[derive(Clone, Debug)]
pub enum WorkDone {
    /// A run.
    Outcome(Box<Outcome>),
    /// A preparation.
    Prepared(Box<Prepared>),
}

/// What kind of work a step is, of which both parties' programs say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkKind {
    /// [`SessionWork::Run`].
    Run,
    /// [`SessionWork::Spend`].
    Spend,
    /// [`SessionWork::Prepare`], with its count.
    Prepare(u64),
}

/// Is told what came of work, or why nothing did.
pub type WorkEnded = Box<dyn FnOnce(Result<WorkDone, Arc<RunError>>) + Send>;

impl SessionWork {
    /// What is run or prepared.
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

    /// The store that it fills or spends from.
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

/// What there is to do for a step.
pub(super) enum Given {
    /// It is not known yet: the program is being planned.
    Awaited,
    Work(SessionWork),
    /// Nothing: the program could not be planned.
    Nothing,
}
