//! The tasks of a party, until everything that they wrote is done.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};
use tacit_math::field::Field;

use super::dealt_blocks::DealtBlocks;
use super::history::History;
use super::identity::TaskId;
use super::traffic::TaskTraffic;
use super::value::ByNumber;
use crate::prss::Prss;

/// A task at this party.
pub(super) struct TaskState<F: Field> {
    pub(super) id: TaskId,
    pub(super) prss: Prss<F>,
    pub(super) history: History,
    pub(super) traffic: Arc<TaskTraffic>,
    /// The blocks that are dealt for it.
    pub(super) dealt: DealtBlocks<F>,
    /// Elements of operations that were written and are not done; an operation without elements counts as
    /// one.
    unfinished: usize,
    /// Whether nothing more is written.
    ended: bool,
    /// Number of synchronisations that were written.
    pub(super) epochs: u64,
}

/// Tasks by this party's numbers, which are never reused.
pub(super) struct TaskStates<F: Field> {
    live: ByNumber<u32, Box<TaskState<F>>>,
    numbers: HashMap<TaskId, u32>,
}

impl<F: Field> TaskStates<F> {
    pub(super) fn new() -> Self {
        TaskStates { live: ByNumber::default(), numbers: HashMap::new() }
    }

    /// The number of tasks.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.live.len()
    }

    pub(super) fn begin(&mut self, id: TaskId, number: u32, prss: Prss<F>, traffic: Arc<TaskTraffic>) {
        let (history, unfinished) = (History::default(), 0);
        let dealt = DealtBlocks::default();
        let task = TaskState { id, prss, history, traffic, dealt, unfinished, ended: false, epochs: 0 };
        self.numbers.insert(id, number);
        self.live.insert(number, Box::new(task));
    }

    /// The number of the task with this identity, while it is unfinished.
    pub(super) fn number(&self, id: TaskId) -> Option<u32> {
        self.numbers.get(&id).copied()
    }

    /// The task with this number, while it is unfinished.
    pub(super) fn find(&self, number: u32) -> Option<&TaskState<F>> {
        self.live.get(&number).map(|task| &**task)
    }

    /// An unfinished task.
    pub(super) fn get(&self, number: u32) -> &TaskState<F> {
        &self.live[&number]
    }

    /// An unfinished task, mutable.
    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut TaskState<F>> {
        self.live.get_mut(&number).map(|task| &mut **task)
    }

    /// All of them, by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &TaskState<F>)> {
        self.live.iter().map(|(number, task)| (*number, &**task))
    }

    /// Counts an operation of this many elements, and returns its task.
    pub(super) fn written(&mut self, number: u32, length: usize) -> Option<&mut TaskState<F>> {
        let task = self.live.get_mut(&number)?;
        task.unfinished += length.max(1);
        Some(task)
    }

    /// Notes that this many elements of a task's operations are done. Returns the task if it is over.
    pub(super) fn done(&mut self, number: u32, elements: usize) -> Option<TaskState<F>> {
        self.live.get_mut(&number)?.unfinished -= elements;
        self.forget(number)
    }

    /// Notes that nothing more is written in a task. Returns the task if it is over.
    pub(super) fn end(&mut self, number: u32) -> Option<TaskState<F>> {
        self.live.get_mut(&number)?.ended = true;
        self.forget(number)
    }

    fn forget(&mut self, number: u32) -> Option<TaskState<F>> {
        let task = self.live.get(&number)?;
        if !task.ended || task.unfinished > 0 {
            return None;
        }
        self.numbers.remove(&task.id);
        self.live.remove(&number).map(|task| *task)
    }
}
