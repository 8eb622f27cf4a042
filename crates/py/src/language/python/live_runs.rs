//! Compiled programs that run within reactive sessions, in Python.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;
use tacit_engine::live::{PendingWork, SessionWork, WorkDone, WorkKind};
use tacit_engine::{RunError, RunTask};
use tacit_ir::{Program as Ir, RoleId};

use super::inbox::{Happened, Inbox};
use crate::errors::UsageError;
use crate::lock::lock;
use crate::options::keywords;
use crate::plans::Planner;
use crate::program::Program;
use crate::run::outputs_of;
use crate::stores::Store;

/// Appended work, which begins when it is planned.
#[pyclass(module = "tacit", frozen)]
pub struct LiveWork {
    kind: WorkKind,
    program: Py<Program>,
    planner: Arc<Planner>,
    inbox: Arc<Inbox<Happened>>,
    pending: Mutex<Option<PendingWork>>,
}

impl LiveWork {
    pub fn new(
        (kind, program): (WorkKind, Py<Program>),
        planner: Arc<Planner>,
        inbox: Arc<Inbox<Happened>>,
        pending: PendingWork,
    ) -> LiveWork {
        LiveWork { kind, program, planner, inbox, pending: Mutex::new(Some(pending)) }
    }
}

#[pymethods]
impl LiveWork {
    /// Plans the work and starts it; an event with this number reports the outputs by role as JSON, or the
    /// number of runs that can be spent. If it cannot be planned, nothing is run, and the peer is told.
    #[pyo3(signature = (number, inputs, store = None, **options))]
    fn begin(
        &self,
        py: Python<'_>,
        number: u64,
        inputs: BTreeMap<String, String>,
        store: Option<&Store>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let pending = lock(&self.pending).take();
        let pending = pending.ok_or_else(|| UsageError::new_err("the run was begun before"))?;
        let program = self.program.get();
        let roles = self.planner.roles(program)?;
        let inputs = match self.kind {
            WorkKind::Prepare(_) => Vec::new(),
            _ => program.decode_inputs(&inputs, roles.iter().copied())?,
        };
        let plan = self.planner.plan(py, program, self.kind != WorkKind::Run, keywords(options)?)?;
        let ir = program.ir.clone();
        let task = RunTask { program: ir.clone(), plan, compiler: program.compiler.clone(), progress: None };
        let stored = || {
            let missing = || UsageError::new_err("prepared runs need a store");
            store.map(Store::shared).ok_or_else(missing)
        };
        let work = match self.kind {
            WorkKind::Run => SessionWork::Run { task, inputs },
            WorkKind::Spend => SessionWork::Spend { task, inputs, store: stored()? },
            WorkKind::Prepare(count) => SessionWork::Prepare { task, store: stored()?, count },
        };
        let inbox = self.inbox.clone();
        let ended = move |done: Result<WorkDone, Arc<RunError>>| {
            inbox.put(number, done.map(|done| Some(told(&ir, &roles, done))));
        };
        pending.begin(work, Box::new(ended));
        Ok(())
    }

    /// Cancels the work and tells the peer, unless it has begun.
    fn drop(&self) {
        drop(lock(&self.pending).take());
    }
}

fn told(ir: &Ir, roles: &[RoleId], done: WorkDone) -> String {
    match done {
        WorkDone::Outcome(outcome) => json!(outputs_of(ir, roles, &outcome.outputs)).to_string(),
        WorkDone::Prepared(prepared) => json!(prepared.ready).to_string(),
    }
}
