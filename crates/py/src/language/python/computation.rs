use std::sync::Arc;

use pyo3::prelude::*;
use tacit_nparty::dynamic::{AnyOperation, AnyTask, AnyValue};

use super::call_sites::CallSites;
use super::errors::failure;

/// A computation that operations are written into, in the task that runs.
pub struct Core {
    call_sites: CallSites,
}

impl Core {
    pub fn new(call_sites: CallSites) -> Core {
        Core { call_sites }
    }

    /// The task that runs.
    pub fn running(&self, py: Python<'_>) -> PyResult<Arc<dyn AnyTask>> {
        self.call_sites.task(py)
    }

    /// The task that runs, where it is in the source.
    pub fn task(&self, py: Python<'_>) -> PyResult<Arc<dyn AnyTask>> {
        let task = self.running(py)?;
        task.at(self.call_sites.call_site(py, &*task)?);
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
