//! What one path of execution knows.

use super::condition::Condition;
use super::memory::Memory;
use super::shared::Shared;
use super::value::Value;

/// The state of the paths that lead to one point of a function.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub memory: Memory,
    pub condition: Condition,
    /// The condition but for what a check forbids: public where no secret decided.
    pub taken: Condition,
    pub registers: Shared<Value>,
}

/// Calls of one function within one another.
pub(super) struct Calls {
    pub count: u64,
    pub entered: Condition,
}
