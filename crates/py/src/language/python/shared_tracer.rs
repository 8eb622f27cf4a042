//! The program that arrays write, shared by all of them.

use std::sync::{Arc, Mutex, MutexGuard};

use pyo3::prelude::*;
use tacit_engine::live::{LivePath, SourcePlace};

use super::lines::Lines;
use crate::language::tracer::Tracer;
use crate::lock::lock;

/// A path of a reactive program: what one of its tasks appends.
#[pyclass(module = "tacit", name = "LivePath", frozen)]
pub struct PyLivePath(pub LivePath);

/// A program being written, shared by the arrays that write it.
#[derive(Clone)]
pub struct SharedTracer {
    tracer: Arc<Mutex<Tracer>>,
    /// In a program that grows while it runs: tells which task writes, and where.
    here: Option<Arc<Py<PyAny>>>,
    /// Where operations come from, if that is known.
    lines: Option<Arc<Lines>>,
}

impl SharedTracer {
    /// `lines` tells where operations come from, if that is known.
    pub fn new(tracer: Tracer, lines: Option<Lines>) -> SharedTracer {
        SharedTracer { tracer: Arc::new(Mutex::new(tracer)), here: None, lines: lines.map(Arc::new) }
    }

    /// A program that grows while it runs; `here` tells which task writes, and where.
    pub fn live(tracer: Tracer, here: Py<PyAny>) -> SharedTracer {
        SharedTracer { here: Some(Arc::new(here)), ..SharedTracer::new(tracer, None) }
    }

    /// The program, to be written on by whoever computes, at the line that Python is at.
    pub fn lock(&self) -> MutexGuard<'_, Tracer> {
        if let Some(lines) = &self.lines {
            let line = Python::attach(|py| lines.current(py));
            let mut tracer = self.lock_anywhere();
            tracer.set_line(line);
            return tracer;
        }
        let Some(here) = &self.here else { return self.lock_anywhere() };
        let position = Python::attach(|py| position(here.bind(py)).map_err(|error| said(py, &error)));
        let mut tracer = self.lock_anywhere();
        tracer.at(position);
        tracer
    }

    /// The program, for nobody in particular.
    pub fn lock_anywhere(&self) -> MutexGuard<'_, Tracer> {
        lock(&self.tracer)
    }

    pub fn same(&self, other: &SharedTracer) -> bool {
        Arc::ptr_eq(&self.tracer, &other.tracer)
    }
}

/// Which task computes, and where in the source it is.
fn position(here: &Bound<'_, PyAny>) -> PyResult<(LivePath, SourcePlace)> {
    let (path, file, line): (PyRef<'_, PyLivePath>, String, u32) = here.call0()?.extract()?;
    Ok((path.0, SourcePlace { file: file.into(), line }))
}

/// An exception's own words.
fn said(py: Python<'_>, error: &PyErr) -> String {
    error.value(py).to_string()
}
