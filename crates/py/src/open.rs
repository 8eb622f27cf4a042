//! Open sessions in Python.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tacit_engine::{BlockingSession, CancelFlag, Outcome, Prepared, RunError, RunTask};

use crate::errors::{AbortError, run_error};
use crate::interruptible::cancellable;
use crate::lock::lock;
use crate::options::keywords;
use crate::plans::Planner;
use crate::program::Program;
use crate::run::{Cancel, Listeners, Results, results, sink};
use crate::session::{Listener, SecretKey, Session};
use crate::stores::Store;
use crate::terms::of_two;

/// A connection to a peer that serves many runs.
#[pyclass(module = "tacit", frozen)]
pub struct OpenSession {
    session: Arc<Mutex<Option<BlockingSession>>>,
    planner: Planner,
    /// Ends whatever is in progress, and so the session.
    cancel: CancelFlag,
}

/// The request for a run of a session.
struct Asked<'a> {
    program: &'a Program,
    /// Whether its setup is kept in the store, or comes from there.
    prepared: bool,
    options: Option<&'a Bound<'a, PyDict>>,
    listeners: Listeners,
}

#[pymethods]
impl OpenSession {
    #[staticmethod]
    #[pyo3(signature = (session, party, key, *, peer = None, listener = None, shares = None, cancel = None, **options))]
    #[expect(clippy::too_many_arguments, reason = "the keyword arguments of a Python function")]
    fn open(
        py: Python<'_>,
        session: &Session,
        party: String,
        key: &SecretKey,
        peer: Option<String>,
        listener: Option<&Listener>,
        shares: Option<PathBuf>,
        cancel: Option<&Cancel>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<OpenSession> {
        let (options, terms) =
            of_two(session, (party.clone(), peer), key, &keywords(options)?, listener, shares)?;
        let cancel = cancel.map_or_else(CancelFlag::new, |cancel| cancel.0.clone());
        let flag = cancel.clone();
        let opened =
            cancellable(py, move || BlockingSession::open(terms, &flag), || cancel.cancel(), |_| Ok(()))?;
        let planner = Planner::new(session.file.clone(), options, party);
        let session = Arc::new(Mutex::new(Some(opened.map_err(|error| run_error(error, None))?)));
        Ok(OpenSession { session, planner, cancel })
    }

    #[pyo3(signature = (program, inputs, *, progress = None, traffic = None, **options))]
    fn run(
        &self,
        py: Python<'_>,
        program: &Program,
        inputs: BTreeMap<String, String>,
        progress: Option<Py<PyAny>>,
        traffic: Option<Py<PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Results> {
        let roles = self.planner.roles(program)?;
        let inputs = program.decode_inputs(&inputs, roles.iter().copied())?;
        let work = move |session: &mut BlockingSession, task: &RunTask, cancel: &CancelFlag| {
            session.run(task, &inputs, cancel)
        };
        let asked = Asked { program, prepared: false, options, listeners: Listeners { progress, traffic } };
        let outcome: Outcome = self.work(py, asked, work)?;
        results(program, &roles, &outcome)
    }

    #[pyo3(signature = (program, store, count, *, progress = None, traffic = None, **options))]
    #[expect(clippy::too_many_arguments, reason = "the keyword arguments of a Python function")]
    fn prepare(
        &self,
        py: Python<'_>,
        program: &Program,
        store: &Store,
        count: u64,
        progress: Option<Py<PyAny>>,
        traffic: Option<Py<PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<(u64, String)> {
        let store = store.shared();
        let work = move |session: &mut BlockingSession, task: &RunTask, cancel: &CancelFlag| {
            session.prepare(task, &mut lock(&store), count, cancel)
        };
        let asked = Asked { program, prepared: true, options, listeners: Listeners { progress, traffic } };
        let Prepared { ready, report } = self.work(py, asked, work)?;
        Ok((ready, program.report(&report)?))
    }

    #[pyo3(signature = (program, inputs, store, *, progress = None, traffic = None, **options))]
    #[expect(clippy::too_many_arguments, reason = "the keyword arguments of a Python function")]
    fn run_prepared(
        &self,
        py: Python<'_>,
        program: &Program,
        inputs: BTreeMap<String, String>,
        store: &Store,
        progress: Option<Py<PyAny>>,
        traffic: Option<Py<PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Results> {
        let roles = self.planner.roles(program)?;
        let inputs = program.decode_inputs(&inputs, roles.iter().copied())?;
        let store = store.shared();
        let work = move |session: &mut BlockingSession, task: &RunTask, cancel: &CancelFlag| {
            session.run_prepared(task, &inputs, &mut lock(&store), cancel)
        };
        let asked = Asked { program, prepared: true, options, listeners: Listeners { progress, traffic } };
        let outcome: Outcome = self.work(py, asked, work)?;
        results(program, &roles, &outcome)
    }

    #[pyo3(signature = (store = None))]
    fn close(&self, py: Python<'_>, store: Option<&Store>) -> PyResult<()> {
        let (shared, store) = (self.session.clone(), store.map(Store::shared));
        let cancel = CancelFlag::new();
        let flag = cancel.clone();
        let work = move || {
            let Some(session) = lock(&shared).take() else { return Ok(()) };
            match store {
                Some(store) => session.close(Some(&mut lock(&store)), &flag),
                None => session.close(None, &flag),
            }
        };
        cancellable(py, work, || cancel.cancel(), |_| Ok(()))?.map_err(|error| run_error(error, None))
    }
}

impl OpenSession {
    /// Runs `work` in the session, until it ends or a signal handler raises.
    fn work<T: Send + 'static>(
        &self,
        py: Python<'_>,
        asked: Asked<'_>,
        work: impl FnOnce(&mut BlockingSession, &RunTask, &CancelFlag) -> Result<T, RunError> + Send + 'static,
    ) -> PyResult<T> {
        let latest = Arc::new(Mutex::new(None));
        let Asked { program, prepared, options, listeners } = asked;
        let plan = self.planner.plan(py, program, prepared, keywords(options)?)?;
        let task = RunTask {
            program: program.ir.clone(),
            plan,
            compiler: program.compiler.clone(),
            progress: listeners.any().then(|| sink(&latest)),
        };
        let (shared, flag) = (self.session.clone(), self.cancel.clone());
        let run = move || lock(&shared).as_mut().map(|session| work(session, &task, &flag));
        let result = cancellable(py, run, || self.cancel.cancel(), |py| listeners.tell(py, &latest))?;
        listeners.tell(py, &latest)?;
        result
            .ok_or_else(|| AbortError::new_err("the session was closed"))?
            .map_err(|error| program.error(error))
    }
}
