//! Secret arrays: a value of a program that is being written.

use pyo3::prelude::*;

use super::shared_tracer::SharedTracer;
use crate::errors::ProgramError;
use crate::language::error::Traced;
use crate::language::value::Value;

/// A secret array. Operations on it write a program; its elements are nobody's to see.
#[pyclass(module = "tacit", frozen)]
pub struct Array {
    pub graph: SharedTracer,
    pub value: Value,
}

impl Array {
    /// The value, for a program that is its own.
    pub fn of(&self, graph: &SharedTracer) -> PyResult<Value> {
        match self.graph.same(graph) {
            true => Ok(self.value.clone()),
            false => Err(ProgramError::new_err("a secret value of another program; programs do not mix")),
        }
    }

    pub fn made(&self, value: Traced<Value>) -> PyResult<Array> {
        Ok(self.graph.array(value?))
    }
}

impl SharedTracer {
    /// An array of this program.
    pub fn array(&self, value: Value) -> Array {
        Array { graph: self.clone(), value }
    }
}
