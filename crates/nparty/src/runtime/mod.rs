//! The runtime: programs of any number of tasks, whose operations run as their operands arrive.

pub(crate) mod beside;
mod error;
mod flight;
mod history;
mod inbox;
mod land;
pub(crate) mod mesh;
mod operation;
pub(crate) mod party;
mod program;
mod reactor;
mod receive;
#[cfg(test)]
mod reuse;
pub(crate) mod shared;
#[cfg(test)]
pub(crate) mod simulation;
pub(crate) mod synchronise;
#[cfg(test)]
pub(crate) mod tap;
mod tasks;
mod value;
pub(crate) mod wire;

pub use error::RunError;
pub use operation::Place;
pub use party::{LEAST_STATISTICAL_BITS, Party, Terms};
pub use program::{MAX_LENGTH, Task, Value};
pub(crate) use program::{mixed, tag};

pub use crate::parties::Parties;

/// Identity of a task, the same at all parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(pub u64);
