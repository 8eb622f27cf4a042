//! Reactive sessions in Python: an end of a link, and the session that runs on it.

use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tacit_engine::live::{
    LiveOptions, MemoryEnd, Script, WorkKind, memory_pair, recipients, run_live_blocking, side_of,
};
use tacit_engine::{CancelFlag, Report, RunError, RunOptions, SessionTerms};
use tacit_ir::{Words, data};
use tacit_net::Options;
use tacit_net::session::SessionFile;
use tacit_plan::Side;

use super::array::Array;
use super::frames::{Files, Frames};
use super::graph::Graph;
use super::inbox::{Happened, Inbox};
use super::kind::{PyKind, dims_of};
use super::live_runs::LiveWork;
use super::running_task::RunningTask;
use super::shared_tracer::{LiveTasks, PyLivePath, SharedTracer, Writer};
use crate::errors::{AbortError, InputError, UsageError, failure, run_error};
use crate::language::kind::Kind;
use crate::language::tracer::{Tracer, port_shape};
use crate::lock::lock;
use crate::options::{keywords, refused, with};
use crate::plans::Planner;
use crate::program::Program;
use crate::session::{Listener, SecretKey, Session};
use crate::terms::of_two;

/// The origin of a reactive session.
enum Origin {
    Session(Box<SessionTerms>),
    Memory(MemoryEnd),
}

/// One end of a link, on which a reactive session may be started.
#[pyclass(module = "tacit", frozen)]
pub struct LiveEnd {
    origin: Mutex<Option<Origin>>,
    script: Script,
    planner: Arc<Planner>,
}

#[pymethods]
impl LiveEnd {
    /// A party of a session of two.
    #[staticmethod]
    #[pyo3(signature = (session, party, key, *, listener = None, shares = None, **options))]
    fn of_session(
        session: &Session,
        party: String,
        key: &SecretKey,
        listener: Option<&Listener>,
        shares: Option<PathBuf>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<LiveEnd> {
        let (options, terms) = of_two(session, (party, None), key, &keywords(options)?, listener, shares)?;
        let live = LiveOptions::of(&options.plan).map_err(refused)?;
        let script = Script::with_options(side_of(&terms.party, &terms.peer), live);
        let planner = Arc::new(Planner::new(session.file.clone(), options, terms.party.clone()));
        Ok(LiveEnd { origin: Mutex::new(Some(Origin::Session(Box::new(terms)))), script, planner })
    }

    /// Both ends of a link in memory.
    #[staticmethod]
    #[pyo3(signature = (first, second, *, timeout_s = None, **given))]
    fn pair(
        first: &str,
        second: &str,
        timeout_s: Option<f64>,
        given: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<(LiveEnd, LiveEnd)> {
        let chosen = with(&RunOptions::default(), &keywords(given)?)?;
        let live = chosen.without_a_link("in one process").and_then(LiveOptions::of).map_err(refused)?;
        let file = session_of([first, second])?;
        let mut options = Options::default();
        if let Some(seconds) = timeout_s {
            options.timeout = Duration::try_from_secs_f64(seconds)
                .map_err(|_| UsageError::new_err(format!("{seconds} s is not a valid time limit")))?;
        }
        let [one, other] = memory_pair(first, second, &options).map_err(|error| run_error(error, None))?;
        let end = |party: &str, end: MemoryEnd| {
            let script = end.script_with(live.clone());
            let planner = Arc::new(Planner::new(file.clone(), chosen.clone(), party.to_owned()));
            LiveEnd { origin: Mutex::new(Some(Origin::Memory(end))), script, planner }
        };
        Ok((end(first, one), end(second, other)))
    }

    /// Starts the session on its own thread. The events with the numbers `ready` and `ended` report that the
    /// peer was met, and the end. `ask` returns the running task; it is called when `current` returns another
    /// object than before. `wake` is called when something was written since the last [`Live::submit`].
    /// `front` lists the folders of the library's own files.
    #[pyo3(signature = (ready, ended, *, current, ask, wake, front))]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn start(
        &self,
        py: Python<'_>,
        ready: u64,
        ended: u64,
        current: Py<PyAny>,
        ask: Py<PyAny>,
        wake: Py<PyAny>,
        front: Vec<String>,
    ) -> PyResult<Live> {
        let origin = lock(&self.origin).take();
        let origin = origin.ok_or_else(|| UsageError::new_err("the session was started before"))?;
        let tasks = LiveTasks {
            running: RunningTask::new(current, ask),
            frames: Frames::new(py, Files::Outside(front))?,
            wake,
            woken: AtomicBool::new(false),
        };
        let live = Live {
            graph: SharedTracer::new(Tracer::live(self.script.clone()), Writer::Tasks(tasks)),
            script: self.script.clone(),
            planner: self.planner.clone(),
            cancel: CancelFlag::new(),
            inbox: Arc::new(Inbox::new()?),
        };
        let (script, cancel, inbox) = (live.script.clone(), live.cancel.clone(), live.inbox.clone());
        let run = move || {
            let result = run(origin, &script, &cancel, || inbox.put(ready, Ok(None)));
            let report = result.map(|report| serde_json::to_string(&report).ok());
            inbox.put(ended, report);
        };
        match thread::Builder::new().name("tacit".to_owned()).spawn(run) {
            Ok(_) => Ok(live),
            Err(error) => Err(PyRuntimeError::new_err(format!("cannot start a thread: {error}"))),
        }
    }
}

/// A session of two parties in one process, each of which speaks for the role of its name.
fn session_of(names: [&str; 2]) -> PyResult<SessionFile> {
    let table = |name: &str| format!("[party.{}]\naddress = \"memory:1\"\n", serde_json::json!(name));
    let text = format!("{}{}[link]\ntransport = \"tcp\"\n", table(names[0]), table(names[1]));
    let file = SessionFile::parse(&text, Path::new("a session in one process"));
    file.map_err(|error| UsageError::new_err(error.to_string()))
}

fn run(
    origin: Origin,
    script: &Script,
    cancel: &CancelFlag,
    ready: impl FnOnce(),
) -> Result<Report, Arc<RunError>> {
    match origin {
        Origin::Session(terms) => run_live_blocking(*terms, script, cancel, ready),
        Origin::Memory(end) => end.run_blocking(script, cancel, ready),
    }
}

/// A reactive session in progress.
#[pyclass(module = "tacit", frozen)]
pub struct Live {
    graph: SharedTracer,
    script: Script,
    planner: Arc<Planner>,
    cancel: CancelFlag,
    inbox: Arc<Inbox<Happened>>,
}

impl Drop for Live {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

#[pymethods]
impl Live {
    #[getter]
    fn graph(&self) -> Graph {
        Graph(self.graph.clone())
    }

    /// Whether this party garbles.
    #[getter]
    fn garbles(&self) -> bool {
        self.script.side() == Side::Garbler
    }

    fn path(&self, name: &str) -> PyResult<PyLivePath> {
        let path = self.script.path(name);
        path.map(PyLivePath).map_err(|error| UsageError::new_err(error.to_string()))
    }

    fn end_path(&self, path: &PyLivePath) -> PyResult<()> {
        self.submit()?;
        self.script.end(path.0);
        Ok(())
    }

    /// An input of one of this party's roles, as JSON, or of another party's role.
    #[pyo3(signature = (role, name, kind, shape, text = None))]
    fn input(
        &self,
        role: &str,
        name: &str,
        kind: &PyKind,
        shape: &Bound<'_, PyAny>,
        text: Option<&str>,
    ) -> PyResult<Array> {
        self.alive()?;
        let (kind, dims) = (kind.0.clone(), dims_of(shape)?);
        let words = text.map(|text| decoded(text, &kind, &dims, role, name)).transpose()?;
        let me = self.script.side();
        let giver = if words.is_some() { me } else { me.peer() };
        let value = self.graph.lock().live_input(giver, &format!("{role}.{name}"), (kind, dims), words)?;
        Ok(self.graph.array(value))
    }

    /// A value that earlier runs have kept, as of the beginning of the session.
    fn kept(&self, name: &str, kind: &PyKind, shape: &Bound<'_, PyAny>) -> PyResult<Array> {
        self.alive()?;
        let (kind, dims) = (kind.0.clone(), dims_of(shape)?);
        let form = port_shape(&kind, &dims)?;
        let value = self.graph.lock().live_stored(name, &form, (kind, dims))?;
        Ok(self.graph.array(value))
    }

    /// Keeps an array under a name when the session ends.
    fn keep(&self, name: &str, array: &Bound<'_, Array>) -> PyResult<()> {
        self.alive()?;
        let value = array.get().of(&self.graph)?;
        let form = port_shape(&value.kind, &value.shape)?;
        self.graph.lock().live_keep(name, &form, &value)?;
        Ok(())
    }

    /// Opens an array to this party, the peer or both; an event with this number reports the value as JSON.
    fn open(&self, array: &Bound<'_, Array>, to_me: bool, to_peer: bool, number: u64) -> PyResult<()> {
        self.alive()?;
        let value = array.get().of(&self.graph)?;
        let garbles = self.garbles();
        let learn = recipients(if garbles { to_me } else { to_peer }, if garbles { to_peer } else { to_me });
        let learn = learn
            .ok_or_else(|| UsageError::new_err("name at least one party to which the value is opened"))?;
        let (form, inbox) = (port_shape(&value.kind, &value.shape)?, self.inbox.clone());
        let opening = move |opened: Result<Option<Words>, Arc<RunError>>| {
            let text = |words| data::encode(&form, &[words]).to_string();
            inbox.put(number, opened.map(|words| words.map(text)));
        };
        self.graph.lock().live_open(&value, learn, Box::new(opening))?;
        Ok(())
    }

    /// Appends a run of a program; if `prepared`, a prepared run from the store is spent. With a count, this
    /// number of runs is prepared instead.
    #[pyo3(signature = (program, *, prepared = false, count = None))]
    fn work(&self, program: &Bound<'_, Program>, prepared: bool, count: Option<u64>) -> PyResult<LiveWork> {
        self.alive()?;
        let kind = match (count, prepared) {
            (Some(count), _) => WorkKind::Prepare(count),
            (None, true) => WorkKind::Spend,
            (None, false) => WorkKind::Run,
        };
        let pending = self.graph.lock().live_work(kind, &program.get().ir)?;
        let work = (kind, program.clone().unbind());
        Ok(LiveWork::new(work, self.planner.clone(), self.inbox.clone(), pending))
    }

    /// Submits everything that was written.
    fn submit(&self) -> PyResult<()> {
        self.graph.sleep();
        self.graph.lock_anywhere().submit()?;
        self.script.submit();
        Ok(())
    }

    /// Ends this party's program.
    fn close(&self) -> PyResult<()> {
        self.graph.lock_anywhere().submit()?;
        self.script.close();
        Ok(())
    }

    /// Aborts.
    fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Becomes readable when there are events.
    fn fileno(&self) -> i32 {
        self.inbox.as_raw_fd()
    }

    /// The events: numbers, each with text or an exception.
    fn events(&self) -> Vec<(u64, Option<String>, Option<PyErr>)> {
        let told = |(number, event): (u64, Happened)| match event {
            Ok(text) => (number, text, None),
            Err(error) => (number, None, Some(failure(&error))),
        };
        self.inbox.take().into_iter().map(told).collect()
    }

    /// The number of steps that have not run.
    #[getter]
    fn pending(&self) -> usize {
        self.script.pending()
    }
}

impl Live {
    fn alive(&self) -> PyResult<()> {
        match self.script.failure() {
            None if self.cancel.is_cancelled() => Err(AbortError::new_err("the session was cancelled")),
            None => Ok(()),
            Some(error) => Err(failure(&error)),
        }
    }
}

fn decoded(text: &str, kind: &Kind, dims: &[u64], role: &str, name: &str) -> PyResult<Words> {
    let failed = |error: &dyn std::fmt::Display| InputError::new_err(format!("{role}.{name}: {error}"));
    let form = port_shape(kind, dims)?;
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| failed(&error))?;
    let columns = data::decode(&form, &value).map_err(|error| failed(&error))?;
    columns.into_iter().next().ok_or_else(|| failed(&"no value"))
}
