//! Open sessions and stores of prepared runs, as Python sees them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use serde_json::json;
use tacit_engine::store::PoolStatus;
use tacit_engine::{
    BlockingSession, CancelFlag, KeptStore, Outcome, Prepared, RunError, StoreError, Task, Terms,
};
use tacit_ir::Program as Ir;
use tacit_net::session::SessionFile;
use tacit_plan::Plan;

use crate::errors::{AbortError, UsageError, run_error};
use crate::interruptible::{cancellable, interruptible};
use crate::program::Program;
use crate::run::{Results, plan_options, results, roles_of, shape, sink, tell};
use crate::session::{Listener, SecretKey, Session, security_of};

/// Plans that a session keeps, so that a program is planned once.
const KEPT_PLANS: usize = 8;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn store_error(error: StoreError) -> PyErr {
    UsageError::new_err(error.to_string())
}

/// Prepared runs on disk.
#[pyclass(module = "tacit", frozen)]
pub struct Store(Arc<Mutex<tacit_engine::Store>>);

impl Store {
    fn new(store: tacit_engine::Store) -> Store {
        Store(Arc::new(Mutex::new(store)))
    }
}

#[pymethods]
impl Store {
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, key: &SecretKey) -> PyResult<Store> {
        let key = key.0.clone();
        let store = interruptible(py, move || tacit_engine::Store::open(&path, &key))?;
        store.map(Store::new).map_err(store_error)
    }

    #[staticmethod]
    fn inspect(py: Python<'_>, path: PathBuf) -> PyResult<Store> {
        let store = interruptible(py, move || tacit_engine::Store::inspect(&path))?;
        store.map(Store::new).map_err(store_error)
    }

    fn list(&self) -> String {
        let pools: Vec<_> = lock(&self.0).list().iter().map(describe).collect();
        json!(pools).to_string()
    }

    fn verify(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let store = self.0.clone();
        let damage = interruptible(py, move || lock(&store).verify())?.map_err(store_error)?;
        Ok(damage.iter().map(|damage| damage.error.to_string()).collect())
    }

    #[pyo3(signature = (*, everything = false))]
    fn prune(&self, py: Python<'_>, everything: bool) -> PyResult<u64> {
        let store = self.0.clone();
        interruptible(py, move || lock(&store).prune(everything))?.map_err(store_error)
    }
}

/// What the entries are for, and how many there are.
fn describe(pool: &PoolStatus) -> serde_json::Value {
    let mut row = json!({ "kind": pool.binding.kind });
    let counts = json!({
        "ready": pool.ready,
        "spent": pool.spent,
        "next": pool.next,
        "segments": pool.segments,
        "bytes": pool.bytes,
    });
    // What another release described in other words is left out of what is shown.
    let description = serde_json::from_str(&pool.binding.description).unwrap_or_default();
    for part in [description, counts] {
        let serde_json::Value::Object(part) = part else { continue };
        part.into_iter().for_each(|(name, value)| row[name] = value);
    }
    row
}

/// A connection to a peer that serves many runs.
#[pyclass(module = "tacit", frozen)]
pub struct OpenSession {
    file: SessionFile,
    party: String,
    session: Arc<Mutex<Option<BlockingSession>>>,
    plans: Mutex<Vec<Planned>>,
}

/// A plan that was made, for which program object in which mode.
struct Planned {
    program: Arc<Ir>,
    mode: Option<String>,
    plan: Arc<Plan>,
}

#[pymethods]
impl OpenSession {
    #[staticmethod]
    #[pyo3(signature = (session, party, key, *, peer = None, net = None, listener = None, shares = None))]
    #[expect(clippy::too_many_arguments, reason = "the keyword arguments of a Python function")]
    fn open(
        py: Python<'_>,
        session: &Session,
        party: String,
        key: &SecretKey,
        peer: Option<String>,
        net: Option<&str>,
        listener: Option<&Listener>,
        shares: Option<PathBuf>,
    ) -> PyResult<OpenSession> {
        let file = session.0.clone();
        let mut config = file.config();
        shape(&mut config, net)?;
        config.listener = listener.map(|listener| listener.0.clone());
        let peer = peer.map_or_else(|| only_peer(&file, &party), Ok)?;
        let security = security_of(&file)?;
        let shares = kept_store(shares, key)?;
        let terms =
            Terms { party: party.clone(), peer, session: config, key: Some(key.0.clone()), security, shares };
        let cancel = CancelFlag::new();
        let flag = cancel.clone();
        let opened =
            cancellable(py, move || BlockingSession::open(terms, &flag), || cancel.cancel(), |_| Ok(()))?;
        let session = Arc::new(Mutex::new(Some(opened.map_err(|error| run_error(error, None))?)));
        Ok(OpenSession { file, party, session, plans: Mutex::default() })
    }

    #[pyo3(signature = (program, inputs, *, mode = None, progress = None))]
    fn run(
        &self,
        py: Python<'_>,
        program: &Program,
        inputs: BTreeMap<String, String>,
        mode: Option<&str>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Results> {
        let roles = roles_of(&program.ir, &self.file, &self.party)?;
        let inputs = program.decode_inputs(&inputs, roles.iter().copied())?;
        let work = move |session: &mut BlockingSession, task: &Task, cancel: &CancelFlag| {
            session.run(task, &inputs, cancel)
        };
        let outcome: Outcome = self.work(py, program, mode, progress, work)?;
        results(program, &roles, &outcome)
    }

    #[pyo3(signature = (program, store, count, *, progress = None))]
    fn prepare(
        &self,
        py: Python<'_>,
        program: &Program,
        store: &Store,
        count: u64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(u64, String)> {
        let store = store.0.clone();
        let work = move |session: &mut BlockingSession, task: &Task, cancel: &CancelFlag| {
            session.prepare(task, &mut lock(&store), count, cancel)
        };
        let Prepared { ready, report } = self.work(py, program, Some("precomputed"), progress, work)?;
        Ok((ready, program.report(&report)?))
    }

    #[pyo3(signature = (program, inputs, store, *, progress = None))]
    fn run_prepared(
        &self,
        py: Python<'_>,
        program: &Program,
        inputs: BTreeMap<String, String>,
        store: &Store,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Results> {
        let roles = roles_of(&program.ir, &self.file, &self.party)?;
        let inputs = program.decode_inputs(&inputs, roles.iter().copied())?;
        let store = store.0.clone();
        let work = move |session: &mut BlockingSession, task: &Task, cancel: &CancelFlag| {
            session.run_prepared(task, &inputs, &mut lock(&store), cancel)
        };
        let outcome: Outcome = self.work(py, program, Some("precomputed"), progress, work)?;
        results(program, &roles, &outcome)
    }

    #[pyo3(signature = (store = None))]
    fn close(&self, py: Python<'_>, store: Option<&Store>) -> PyResult<()> {
        let (shared, store) = (self.session.clone(), store.map(|store| store.0.clone()));
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
    /// Does `work` in the session, until it ends or a signal handler raises.
    fn work<T: Send + 'static>(
        &self,
        py: Python<'_>,
        program: &Program,
        mode: Option<&str>,
        progress: Option<Py<PyAny>>,
        work: impl FnOnce(&mut BlockingSession, &Task, &CancelFlag) -> Result<T, RunError> + Send + 'static,
    ) -> PyResult<T> {
        let latest = Arc::new(Mutex::new(None));
        let task = Task {
            program: program.ir.clone(),
            plan: self.plan(py, program, mode)?,
            compiler: program.compiler.clone(),
            progress: progress.is_some().then(|| sink(&latest)),
        };
        let (shared, cancel) = (self.session.clone(), CancelFlag::new());
        let flag = cancel.clone();
        let run = move || lock(&shared).as_mut().map(|session| work(session, &task, &flag));
        let result = cancellable(py, run, || cancel.cancel(), |py| tell(py, &latest, progress.as_ref()))?;
        result
            .ok_or_else(|| AbortError::new_err("the session was closed"))?
            .map_err(|error| program.error(error))
    }

    fn plan(&self, py: Python<'_>, program: &Program, mode: Option<&str>) -> PyResult<Arc<Plan>> {
        let fits = |planned: &&Planned| {
            Arc::ptr_eq(&planned.program, &program.ir) && planned.mode.as_deref() == mode
        };
        if let Some(planned) = lock(&self.plans).iter().find(fits) {
            return Ok(planned.plan.clone());
        }
        let options = plan_options(&program.ir, &self.file, mode, None, None, None)?;
        let ir = program.ir.clone();
        let plan = interruptible(py, move || tacit_engine::plan(&ir, &options))?;
        let plan = Arc::new(plan.map_err(|error| program.error(error.into()))?);
        let mut plans = lock(&self.plans);
        if plans.len() >= KEPT_PLANS {
            plans.remove(0);
        }
        plans.push(Planned {
            program: program.ir.clone(),
            mode: mode.map(str::to_owned),
            plan: plan.clone(),
        });
        Ok(plan)
    }
}

/// A party's store of what is kept between runs, if it names a folder for one.
pub fn kept_store(folder: Option<PathBuf>, key: &SecretKey) -> PyResult<Option<KeptStore>> {
    let open = |folder: PathBuf| KeptStore::open(&folder, &key.0);
    folder.map(open).transpose().map_err(|error| UsageError::new_err(error.to_string()))
}

/// The other party that computes, of a session in which two do.
pub fn only_peer(file: &SessionFile, party: &str) -> PyResult<String> {
    let computes = |name: &String| file.computing.contains(name);
    let mut others =
        file.parties.iter().map(|other| &other.name).filter(|name| *name != party && computes(name));
    match (others.next(), others.next()) {
        (Some(peer), None) => Ok(peer.clone()),
        _ => Err(UsageError::new_err(format!("the session names no single peer of {party}"))),
    }
}
