use std::sync::Arc;

use pyo3::prelude::*;
use tacit_nparty::dynamic::{AnyOperation, AnyTask, AnyValue};
use tacit_nparty::runtime::CallSite;

use super::errors::failure;
use super::frames::Frames;
use super::running_task::RunningTask;

/// One of a program's tasks.
#[pyclass(module = "tacit", frozen)]
pub struct PartyTask(pub Arc<dyn AnyTask>);

#[pymethods]
impl PartyTask {
    /// Whether it has opened values that were not compared since.
    #[getter]
    fn opened(&self) -> bool {
        self.0.has_opened()
    }
}

/// A computation that operations are written into, in the task that runs.
pub struct Core {
    tasks: RunningTask<PartyTask>,
    frames: Frames<CallSite>,
}

impl Core {
    pub fn new(tasks: RunningTask<PartyTask>, frames: Frames<CallSite>) -> Core {
        Core { tasks, frames }
    }

    /// The task that runs.
    pub fn running(&self, py: Python<'_>) -> PyResult<Arc<dyn AnyTask>> {
        Ok(self.tasks.find(py)?.get().0.clone())
    }

    /// The task that runs, where it is in the source.
    pub fn task(&self, py: Python<'_>) -> PyResult<Arc<dyn AnyTask>> {
        let task = self.running(py)?;
        let call_site = self.frames.line(py, |file, line| task.call_site(format!("{file}:{line}")))?;
        task.at(call_site.unwrap_or_default());
        Ok(task)
    }

    /// Writes an operation in the task that runs.
    pub fn apply(&self, py: Python<'_>, operation: AnyOperation<'_>) -> PyResult<Vec<AnyValue>> {
        self.task(py)?.apply(operation).map_err(|error| failure(&error))
    }

    /// As [`Core::apply`], of an operation with one result.
    pub fn value(&self, py: Python<'_>, operation: AnyOperation<'_>) -> PyResult<AnyValue> {
        self.task(py)?.value(operation).map_err(|error| failure(&error))
    }
}
