//! Call sites: the task that runs, and the line of the source that it is at.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use pyo3::intern;
use pyo3::prelude::*;
use tacit_nparty::dynamic::AnyTask;
use tacit_nparty::runtime::CallSite;

use crate::lock::lock;

/// One of a program's tasks.
#[pyclass(module = "tacit", frozen)]
pub struct PartyTask(pub Arc<dyn AnyTask>);

/// A task, and what `current` gave while it ran.
type Seen = (Py<PyAny>, Arc<dyn AnyTask>);

/// A code object by its address, and an instruction of it.
type Spot = (usize, i64);

/// A code object, which so stays where it is, and its file's name, unless it is the front's.
type Code = (Py<PyAny>, Option<String>);

/// Finds the call sites of operations: the task that runs, and where in the source it is. It is asked for every operation.
pub struct CallSites {
    /// What gives the same object as long as the same task runs, and who is asked about another one.
    current: Py<PyAny>,
    ask: Py<PyAny>,
    last: Mutex<Option<Seen>>,
    innermost: Py<PyAny>,
    /// The file through which programs call: its own lines are nobody's mistake.
    front: String,
    spots: Mutex<Spots>,
}

/// Places that have been named.
#[derive(Default)]
struct Spots {
    /// The newest, which loops come back to.
    newest: Option<(Spot, CallSite)>,
    call_sites: HashMap<Spot, CallSite>,
    /// By the code's address.
    codes: HashMap<usize, Code>,
}

impl CallSites {
    /// `current` gives the same object as long as the same task runs; `ask` tells the task.
    pub fn new(py: Python<'_>, (current, ask): (Py<PyAny>, Py<PyAny>), front: String) -> PyResult<Self> {
        let innermost = py.import("sys")?.getattr("_getframe")?.unbind();
        let (last, spots) = (Mutex::default(), Mutex::default());
        Ok(CallSites { current, ask, last, innermost, front, spots })
    }

    /// The task that runs.
    pub fn task(&self, py: Python<'_>) -> PyResult<Arc<dyn AnyTask>> {
        let now = self.current.call0(py).ok();
        if let (Some((known, task)), Some(now)) = (&*lock(&self.last), &now)
            && known.is(now)
        {
            return Ok(task.clone());
        }
        let found = self.ask.call0(py)?;
        let task = found.bind(py).cast::<PartyTask>()?.get().0.clone();
        *lock(&self.last) = now.map(|now| (now, task.clone()));
        Ok(task)
    }

    /// The innermost line outside of the front.
    pub fn call_site(&self, py: Python<'_>, task: &dyn AnyTask) -> PyResult<CallSite> {
        let mut frame = self.innermost.bind(py).call0()?;
        loop {
            let code = frame.getattr(intern!(py, "f_code"))?;
            let instruction = frame.getattr(intern!(py, "f_lasti"))?.extract()?;
            let spot = (code.as_ptr() as usize, instruction);
            if let Some(call_site) = lock(&self.spots).known(spot) {
                return Ok(call_site);
            }
            if let Some(file) = self.file(&code)? {
                let line: u32 = frame.getattr(intern!(py, "f_lineno"))?.extract()?;
                let call_site = task.call_site(format!("{file}:{line}"));
                lock(&self.spots).call_sites.insert(spot, call_site);
                return Ok(call_site);
            }
            frame = frame.getattr(intern!(py, "f_back"))?;
            if frame.is_none() {
                return Ok(CallSite::default());
            }
        }
    }

    /// The name of a code's file, unless it is the front's.
    fn file(&self, code: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        if let Some((_, file)) = lock(&self.spots).codes.get(&(code.as_ptr() as usize)) {
            return Ok(file.clone());
        }
        let path: String = code.getattr(intern!(code.py(), "co_filename"))?.extract()?;
        let name = Path::new(&path).file_name().map(|name| name.to_string_lossy().into_owned());
        let file = (path != self.front).then_some(name.unwrap_or(path));
        lock(&self.spots).codes.insert(code.as_ptr() as usize, (code.clone().unbind(), file.clone()));
        Ok(file)
    }
}

impl Spots {
    fn known(&mut self, spot: Spot) -> Option<CallSite> {
        if let Some((newest, call_site)) = self.newest
            && newest == spot
        {
            return Some(call_site);
        }
        let call_site = *self.call_sites.get(&spot)?;
        self.newest = Some((spot, call_site));
        Some(call_site)
    }
}
