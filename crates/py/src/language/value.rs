use std::sync::{Arc, OnceLock};

use tacit_engine::live::LiveValue;
use tacit_ir::{Domain, ValueId};

use super::error::{Traced, kind};
use super::kind::{Kind, Number};
use super::shape;

/// A secret array: a value of the program being traced, and its interpretation.
#[derive(Clone, Debug)]
pub struct Value {
    /// The value, row-major, with one element in each lane.
    pub id: ValueId,
    /// The body in which it was made.
    pub frame: u32,
    /// The kind of an element.
    pub kind: Kind,
    /// The shape; a scalar has none.
    pub shape: Vec<u64>,
    /// Whether arithmetic on it keeps its width, modulo `2^bits`.
    pub wrapping: bool,
    /// The domain that it is pinned to, if it is the result of a pin.
    pub pinned: Option<Domain>,
    /// In a program that grows while it runs: the handle of the value that the engine keeps.
    pub held: Option<Arc<Held>>,
}

impl Value {
    /// Number of elements.
    pub fn lanes(&self) -> u64 {
        shape::size(&self.shape)
    }

    /// The number kind of an element.
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

    /// The integer kind of an element.
    ///
    /// Errors: an element of a field, or one with a binary point.
    pub fn integer(&self, operation: &str) -> Traced<Number> {
        match self.number(operation)? {
            Number { point: Some(_), .. } => kind(format!("{operation} is not defined for {}", self.kind)),
            number => Ok(number),
        }
    }

    /// Checks that elements are truth values.
    ///
    /// Errors: another kind.
    pub fn truth(&self, operation: &str) -> Traced<()> {
        match self.kind {
            Kind::Bool => Ok(()),
            _ => kind(format!("{operation} takes bool, not {}; compare first, as in x != 0", self.kind)),
        }
    }
}

/// An array's handle of the value that the engine keeps for it, once it is submitted. When the last handle is
/// dropped, the value is, too.
#[derive(Debug, Default)]
pub struct Held(OnceLock<LiveValue>);

impl Held {
    /// The handle of a value that is already live.
    pub(super) fn of(value: LiveValue) -> Held {
        Held(value.into())
    }

    /// The kept value, once it was submitted.
    pub(super) fn value(&self) -> Option<&LiveValue> {
        self.0.get()
    }

    /// Sets the kept value; the first one stays.
    pub(super) fn set(&self, value: LiveValue) {
        let _ = self.0.set(value);
    }
}
