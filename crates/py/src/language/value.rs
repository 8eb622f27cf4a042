use std::sync::{Arc, OnceLock};

use tacit_engine::live::LiveValue;
use tacit_ir::{Domain, ValueId};

use super::error::{Traced, kind};
use super::kind::{Kind, Number};
use super::shape;

/// A secret array: a value of the program being written, and how it is to be understood.
#[derive(Clone, Debug)]
pub struct Value {
    /// The value, row-major, one lane an element.
    pub id: ValueId,
    /// The body in which it was made.
    pub frame: u32,
    /// What an element is.
    pub kind: Kind,
    /// The shape; a scalar has none.
    pub shape: Vec<u64>,
    /// Whether arithmetic on it keeps its width, modulo `2^bits`.
    pub wrapping: bool,
    /// The domain that it is pinned to, where it is what a pin gives.
    pub pinned: Option<Domain>,
    /// In a program that grows while it runs: the hold on what is kept of it.
    pub held: Option<Arc<Held>>,
}

impl Value {
    /// Number of elements.
    pub fn lanes(&self) -> u64 {
        shape::size(&self.shape)
    }

    /// The number that an element is.
    ///
    /// Errors: an element of a field, or a float.
    pub fn number(&self, operation: &str) -> Traced<Number> {
        match self.kind.number() {
            Some(number) => Ok(number),
            None => kind(match self.kind {
                Kind::Float(_) => format!(
                    "{operation} is not defined for {}; convert it to an integer or t.fixed(i, f) with \
                     x.astype(kind)",
                    self.kind
                ),
                _ => format!("{operation} is not defined for {}", self.kind),
            }),
        }
    }

    /// The integer that an element is.
    ///
    /// Errors: an element of a field, or one with a binary point.
    pub fn integer(&self, operation: &str) -> Traced<Number> {
        match self.number(operation)? {
            Number { point: Some(_), .. } => kind(format!("{operation} is not defined for {}", self.kind)),
            number => Ok(number),
        }
    }

    /// The truth value that an element is.
    ///
    /// Errors: another kind.
    pub fn truth(&self, operation: &str) -> Traced<()> {
        match self.kind {
            Kind::Bool => Ok(()),
            _ => kind(format!("{operation} takes bool, not {}; compare first, as in x != 0", self.kind)),
        }
    }
}

/// An array's hold on what the engine keeps for it, from when it is submitted on. When the last is dropped, so is that.
#[derive(Debug, Default)]
pub struct Held(OnceLock<LiveValue>);

impl Held {
    /// The hold on a value that is live already.
    pub(super) fn of(value: LiveValue) -> Held {
        Held(value.into())
    }

    /// What is kept, once it was submitted.
    pub(super) fn value(&self) -> Option<&LiveValue> {
        self.0.get()
    }

    /// Notes what is kept; the first value stays.
    pub(super) fn set(&self, value: LiveValue) {
        let _ = self.0.set(value);
    }
}
