//! The program that arrays trace, shared by all of them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use pyo3::prelude::*;
use tacit_engine::live::{LivePath, SourcePlace};

use super::frames::Frames;
use super::running_task::RunningTask;
use crate::language::tracer::Tracer;
use crate::lock::lock;

/// A path of a reactive program: the steps that one of its tasks appends.
#[pyclass(module = "tacit", name = "LivePath", frozen)]
pub struct PyLivePath(pub LivePath);

/// A program being traced, shared by its arrays.
#[derive(Clone)]
pub struct SharedTracer {
    tracer: Arc<Mutex<Tracer>>,
    writer: Arc<Writer>,
}

/// The origin of operations.
pub enum Writer {
    /// Unknown.
    Unknown,
    /// A function in one file.
    Function(Frames<u32>),
    /// The tasks of a program that grows while it runs.
    Tasks(LiveTasks),
}

/// The tasks of a program that grows while it runs.
pub struct LiveTasks {
    pub running: RunningTask<PyLivePath>,
    pub frames: Frames<SourcePlace>,
    /// Called when something is written, once until it is submitted.
    pub wake: Py<PyAny>,
    /// Whether it was called since.
    pub woken: AtomicBool,
}

impl SharedTracer {
    pub fn new(tracer: Tracer, writer: Writer) -> SharedTracer {
        SharedTracer { tracer: Arc::new(Mutex::new(tracer)), writer: Arc::new(writer) }
    }

    /// The program, for operations of the current task, at Python's current line.
    pub fn lock(&self) -> MutexGuard<'_, Tracer> {
        match &*self.writer {
            Writer::Unknown => self.lock_anywhere(),
            Writer::Function(frames) => {
                let line = Python::attach(|py| frames.line(py, |_, line| line).ok().flatten());
                let mut tracer = self.lock_anywhere();
                tracer.set_line(line.unwrap_or(0));
                tracer
            }
            Writer::Tasks(tasks) => {
                let position = Python::attach(|py| tasks.position(py).map_err(|error| said(py, &error)));
                let mut tracer = self.lock_anywhere();
                tracer.at(position);
                tracer
            }
        }
    }

    /// The program, without a task or line.
    pub fn lock_anywhere(&self) -> MutexGuard<'_, Tracer> {
        lock(&self.tracer)
    }

    /// From now on, newly written operations call `wake` again.
    pub fn sleep(&self) {
        if let Writer::Tasks(tasks) = &*self.writer {
            tasks.woken.store(false, Ordering::Relaxed);
        }
    }

    pub fn same(&self, other: &SharedTracer) -> bool {
        Arc::ptr_eq(&self.tracer, &other.tracer)
    }
}

impl LiveTasks {
    /// The computing task, and its position in the source.
    fn position(&self, py: Python<'_>) -> PyResult<(LivePath, SourcePlace)> {
        let path = self.running.find(py)?.get().0;
        if !self.woken.swap(true, Ordering::Relaxed) {
            self.wake.call0(py)?;
        }
        let place = self.frames.line(py, |file, line| SourcePlace { file: file.into(), line })?;
        Ok((path, place.unwrap_or_default()))
    }
}

/// The message of an exception.
fn said(py: Python<'_>, error: &PyErr) -> String {
    error.value(py).to_string()
}
