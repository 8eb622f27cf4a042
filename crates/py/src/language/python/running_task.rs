//! Which task of a program runs.

use std::sync::Mutex;

use pyo3::PyClass;
use pyo3::prelude::*;

use crate::lock::lock;

thread_local! {
    /// Its address tells threads apart.
    static HERE: u8 = const { 0 };
}

/// Finds the task that runs. It is asked for every operation.
pub struct RunningTask<T> {
    /// Gives the same object as long as the same task runs.
    current: Py<PyAny>,
    /// Tells the task, where another object was given than before.
    ask: Py<PyAny>,
    last: Mutex<Option<Seen<T>>>,
}

/// A task, with the thread and what `current` gave while it ran.
struct Seen<T> {
    thread: usize,
    given: Py<PyAny>,
    task: Py<T>,
}

impl<T: PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Sync> RunningTask<T> {
    /// `current` gives the same object as long as the same task runs; `ask` tells the task.
    pub fn new(current: Py<PyAny>, ask: Py<PyAny>) -> RunningTask<T> {
        RunningTask { current, ask, last: Mutex::new(None) }
    }

    pub fn find(&self, py: Python<'_>) -> PyResult<Py<T>> {
        let (thread, given) = (HERE.with(|here| &raw const *here as usize), self.current.call0(py).ok());
        if let (Some(seen), Some(given)) = (&*lock(&self.last), &given)
            && seen.given.is(given)
            && seen.thread == thread
        {
            return Ok(seen.task.clone_ref(py));
        }
        let task = self.ask.bind(py).call0()?.cast_into::<T>()?.unbind();
        *lock(&self.last) = given.map(|given| Seen { thread, given, task: task.clone_ref(py) });
        Ok(task)
    }
}
