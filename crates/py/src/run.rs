//! A party's part of a run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tacit_engine::{
    CancelFlag, Job, Outcome, OutsideOutcome, Progress, ProgressSink, ProgressTraffic, RunError, RunOptions,
};
use tacit_ir::{Program as Ir, RoleId, STORED_ROLE, Words, data};
use tacit_net::session::SessionFile;
use tacit_plan::PlanOptions;

use crate::errors::{UsageError, run_error};
use crate::interruptible::cancellable;
use crate::lock::lock;
use crate::options::keywords;
use crate::program::Program;
use crate::session::{Listener, SecretKey, Session};
use crate::stores::share_store;
use crate::terms::meeting;

/// The JSON outputs of the roles of a party by role, and its report as JSON.
pub type Results = (BTreeMap<String, String>, String);

/// A request to end a run early, which any thread may make.
#[pyclass(module = "tacit", frozen)]
pub struct Cancel(pub CancelFlag);

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Cancel {
        Cancel(CancelFlag::new())
    }

    fn cancel(&self) {
        self.0.cancel();
    }
}

/// Takes part in a run, until it ends, is cancelled or a signal handler raises.
#[pyfunction]
#[pyo3(signature = (program, session, party, key, inputs, *, listener = None, progress = None, traffic = None, cancel = None, shares = None, **options))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn run(
    py: Python<'_>,
    program: &Program,
    session: &Session,
    party: String,
    key: &SecretKey,
    inputs: BTreeMap<String, String>,
    listener: Option<&Listener>,
    progress: Option<Py<PyAny>>,
    traffic: Option<Py<PyAny>>,
    cancel: Option<&Cancel>,
    shares: Option<PathBuf>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Results> {
    let roles = roles_of(&program.ir, &session.file, &party)?;
    let inputs = program.decode_inputs(&inputs, roles.iter().copied())?;
    let (options, config) = meeting(session, &keywords(options)?, listener)?;
    let options = plan_for(&options, program, &session.file)?;

    let listeners = Listeners { progress, traffic };
    let latest = Arc::new(Mutex::new(None));
    let (ir, compiler) = (program.ir.clone(), program.compiler.clone());
    let store = share_store(shares, key)?;
    let (key, sink) = (key.0.clone(), sink(&latest));
    let cancel = cancel.map_or_else(CancelFlag::new, |cancel| cancel.0.clone());
    let flag = cancel.clone();
    let (planned, watch) = (ir.clone(), sink.clone());
    let plan = move || tacit_engine::plan_watched(&planned, &options, &watch);
    let plan = cancellable(py, plan, || (), |py| listeners.tell(py, &latest))?;
    let plan = Arc::new(plan.map_err(|error| program.error(error.into()))?);
    // On a thread of its own: the system gives a new one an idle processor, where parties that have planned at the same time may share one.
    let work = move || -> Result<Ended, RunError> {
        let computes = plan.parties().side_of(&party).is_some();
        let job = Job {
            program: ir,
            plan,
            compiler,
            party,
            session: config,
            key: Some(key),
            inputs,
            progress: Some(sink),
        };
        match computes {
            true => {
                tacit_engine::block_on(tacit_engine::run(&job, store, &flag)).map(Box::new).map(Ended::Party)
            }
            false => {
                tacit_engine::block_on(tacit_engine::take_part(&job, &flag)).map(Box::new).map(Ended::Outside)
            }
        }
    };
    let ended = cancellable(py, work, || cancel.cancel(), |py| listeners.tell(py, &latest))?;
    listeners.tell(py, &latest)?;
    match ended.map_err(|error| program.error(error))? {
        Ended::Party(outcome) => results(program, &roles, &outcome),
        Ended::Outside(outcome) => {
            let OutsideOutcome { outputs, report } = *outcome;
            let report = serde_json::to_string(&report);
            let report = report.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
            Ok((outputs_of(&program.ir, &roles, &outputs), report))
        }
    }
}

/// The result of a run for a party that computes, or for one that does not.
enum Ended {
    Party(Box<Outcome>),
    Outside(Box<OutsideOutcome>),
}

/// The roles that a party speaks for.
pub fn roles_of(ir: &Ir, session: &SessionFile, party: &str) -> PyResult<Vec<RoleId>> {
    let mut roles = Vec::new();
    for (index, role) in ir.roles.iter().enumerate().filter(|(_, role)| *role != STORED_ROLE) {
        let named = session.party_of_role(role).map_err(|error| UsageError::new_err(error.to_string()))?;
        if named == party {
            roles.push(RoleId(index as u32));
        }
    }
    Ok(roles)
}

/// The plan options of a program in a session.
pub fn plan_for(options: &RunOptions, program: &Program, file: &SessionFile) -> PyResult<PlanOptions> {
    options.plan_for(&program.ir, file).map_err(|error| run_error(error.into(), None))
}

/// Keeps the latest progress for the thread that Python runs on.
pub fn sink(latest: &Arc<Mutex<Option<Progress>>>) -> ProgressSink {
    let latest = latest.clone();
    ProgressSink::new(move |progress| {
        *lock(&latest) = Some(progress);
    })
}

/// The Python functions that receive the progress of a run.
pub struct Listeners {
    /// Called with the phase, the amount done, and the total.
    pub progress: Option<Py<PyAny>>,
    /// Called with the phase, the bytes sent and received, and the bytes that both parties are predicted to
    /// send.
    pub traffic: Option<Py<PyAny>>,
}

impl Listeners {
    /// Whether there is any listener.
    pub fn any(&self) -> bool {
        self.progress.is_some() || self.traffic.is_some()
    }

    /// Calls the listeners with the latest progress, if it is new.
    pub fn tell(&self, py: Python<'_>, latest: &Mutex<Option<Progress>>) -> PyResult<()> {
        let Some(Progress { phase, done, total, traffic }) = lock(latest).take() else { return Ok(()) };
        if let Some(listener) = &self.progress {
            listener.call1(py, (phase.name(), done, total))?;
        }
        if let Some(listener) = &self.traffic {
            let ProgressTraffic { bytes_sent, bytes_received, bytes_predicted } = traffic;
            listener.call1(py, (phase.name(), bytes_sent, bytes_received, bytes_predicted))?;
        }
        Ok(())
    }
}

pub fn results(program: &Program, roles: &[RoleId], outcome: &Outcome) -> PyResult<Results> {
    Ok((outputs_of(&program.ir, roles, &outcome.outputs), program.report(&outcome.report)?))
}

/// The JSON outputs of roles.
pub fn outputs_of(ir: &Ir, roles: &[RoleId], outputs: &[Vec<Words>]) -> BTreeMap<String, String> {
    let output = |role: &RoleId| {
        let value = data::encode_outputs(ir, *role, outputs);
        (ir.roles[role.index()].clone(), value.to_string())
    };
    roles.iter().map(output).collect()
}
