//! The state of execution on one set of paths.

use super::condition::Condition;
use super::memory::Memory;
use super::shared::Shared;
use super::value::Value;

/// The state of the paths that lead to one point of a function.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub memory: Memory,
    pub condition: Condition,
    /// The condition without the properties of a check: public if no secret decided.
    pub taken: Condition,
    pub registers: Shared<Value>,
}

/// Nested calls of one function.
pub(super) struct Calls {
    pub count: u64,
    pub entered: Condition,
}
