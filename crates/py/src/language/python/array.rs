//! Secret arrays, independent of what computes with them.

use pyo3::prelude::*;

use super::errors::KindError;
use super::share::Share;
use super::shared_tracer::SharedTracer;
use crate::errors::ProgramError;
use crate::language::value::Value;

/// A value of a traced program. Operations on it are recorded.
pub struct Written {
    pub graph: SharedTracer,
    pub value: Value,
}

impl SharedTracer {
    /// An array of this program.
    pub fn array(&self, value: Value) -> Array {
        Written { graph: self.clone(), value }.into()
    }
}

impl Written {
    pub fn described(&self) -> String {
        match self.value.shape[..] {
            [] => format!("a secret {}", self.value.kind),
            _ => format!("a secret array of {}", self.value.kind),
        }
    }
}

/// A secret array; no party sees its elements.
#[pyclass(module = "tacit", frozen)]
pub struct Array(pub Elements);

/// The representation of an array's elements.
pub enum Elements {
    /// In a traced program, which is run later or grows while it runs.
    Written(Written),
    /// Among three or more parties, which compute as operations are called.
    Shared(Share),
}

/// The error of an operation that only traced programs have.
pub fn only_written(what: &str) -> PyErr {
    KindError::new_err(format!(
        "{what} of numbers that three parties or more share; they are elements of a field, which \
         docs/parties.md describes"
    ))
}

impl From<Share> for Array {
    fn from(share: Share) -> Array {
        Array(Elements::Shared(share))
    }
}

impl From<Written> for Array {
    fn from(written: Written) -> Array {
        Array(Elements::Written(written))
    }
}

impl Array {
    /// The array, for operations that only traced programs have.
    pub fn written(&self, what: &str) -> PyResult<&Written> {
        match &self.0 {
            Elements::Written(written) => Ok(written),
            Elements::Shared(_) => Err(only_written(what)),
        }
    }

    /// The array, for operations that only three or more parties have, on elements of their field.
    pub fn shared(&self, what: &str) -> PyResult<&Share> {
        match &self.0 {
            Elements::Shared(share) => Ok(share),
            Elements::Written(written) => Err(KindError::new_err(format!(
                "{what} of {}; only elements that three parties or more share have it",
                written.described()
            ))),
        }
    }

    /// The value, if it belongs to this program.
    pub fn of(&self, graph: &SharedTracer) -> PyResult<Value> {
        match &self.0 {
            Elements::Written(written) if written.graph.same(graph) => Ok(written.value.clone()),
            _ => Err(ProgramError::new_err(
                "the secret value belongs to another program; values of two \
                programs cannot be combined",
            )),
        }
    }

    /// The dimensions.
    pub fn dims(&self) -> &[u64] {
        match &self.0 {
            Elements::Written(written) => &written.value.shape,
            Elements::Shared(share) => &share.shape,
        }
    }

    /// A description in words.
    pub fn described(&self) -> String {
        match &self.0 {
            Elements::Written(written) => written.described(),
            Elements::Shared(share) => share.described(),
        }
    }
}
