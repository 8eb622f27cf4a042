//! Merges paths.

use super::Executor;
use super::memory::Memory;
use super::state::State;
use super::value::Value;
use crate::llvm::Register;

impl Executor<'_> {
    /// Merges all paths in `states` into one state; only `live` registers are kept.
    ///
    /// The paths that forked last merge first: their conditions differ in that one decision.
    pub(super) fn merge(&mut self, mut states: Vec<State>, live: &[Register]) -> Option<State> {
        let latest = |all: &Self, state: &State| all.conditions.latest(state.condition);
        states.sort_by_key(|state| latest(self, state));
        while states.len() > 1 {
            let (a, b) = (states.pop()?, states.pop()?);
            let merged = self.merge_two(a, b, live);
            let key = latest(self, &merged);
            let at = states.partition_point(|state| latest(self, state) <= key);
            states.insert(at, merged);
        }
        states.pop()
    }

    fn merge_two(&mut self, a: State, b: State, live: &[Register]) -> State {
        let tell = self.conditions.tell(a.condition, b.condition);
        let selector = self.conditions.word(&mut self.graph, tell);
        let memory = Memory::merge(&mut self.graph, selector, &a.memory, &b.memory);
        let mut registers = a.registers.clone();
        for register in live {
            let (x, y) = (a.registers.get(*register as usize), b.registers.get(*register as usize));
            if x != y {
                registers.set(*register as usize, Value::select(&mut self.graph, selector, x, y));
            }
        }
        State {
            memory,
            condition: self.conditions.or(a.condition, b.condition),
            taken: self.conditions.or(a.taken, b.taken),
            registers,
        }
    }
}
