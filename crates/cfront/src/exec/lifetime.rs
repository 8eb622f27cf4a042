//! Lifetimes of objects, as far as a check tracks them.

use super::Executor;
use super::page::Fill;
use super::pointer::{Offset, Target};
use super::state::State;
use super::value::Value;
use crate::PropertyKind;
use crate::graph::Word;

const FREED: &str = "the freed memory was not allocated, or was freed before";

impl Executor<'_> {
    /// Begins the lifetime of a variable, perhaps again.
    pub(super) fn begin(&mut self, state: &mut State, address: &Value) {
        let Some(Target::Object(id)) = self.checking().then(|| target(address)).flatten() else { return };
        if let Some(object) = state.memory.get_mut(id) {
            object.clear(Fill::Unwritten);
            object.ended = None;
        }
    }

    /// Ends the lifetime of the object at the address if the flag is set.
    pub(super) fn end(&mut self, state: &mut State, address: &Value, flag: Word) {
        if let Some(Target::Object(id)) = self.checking().then(|| target(address)).flatten() {
            self.end_object(state, id, flag);
        }
    }

    fn end_object(&mut self, state: &mut State, id: super::ObjectId, flag: Word) {
        if let Some(object) = state.memory.get_mut(id) {
            object.ended = Some(match object.ended {
                Some(before) => self.graph.or(before, flag),
                None => flag,
            });
        }
    }

    /// `free`; returns whether any path continues.
    pub(super) fn free(&mut self, state: &mut State, address: Value) -> bool {
        if !self.checking() {
            return true;
        }
        let Some(address) = self.settled(state, address) else { return false };
        let Some(pointer) = address.address(&mut self.graph) else { return true };
        for alternative in &pointer.alternatives {
            let zero = alternative.offset == Offset::default();
            let object = match alternative.target {
                Target::Object(id) => state.memory.get(id).filter(|object| object.heap && zero).cloned(),
                _ => None,
            };
            let bad = match (alternative.target, object) {
                (Target::Null, _) if zero => continue,
                (_, Some(object)) => {
                    let ended = object.ended.unwrap_or(self.graph.flag(false));
                    self.graph.and(alternative.guard, ended)
                }
                _ => alternative.guard,
            };
            if !self.forbid(state, bad, PropertyKind::Lifetime, FREED) {
                return false;
            }
            if let Target::Object(id) = alternative.target {
                self.end_object(state, id, alternative.guard);
            }
        }
        true
    }
}

fn target(address: &Value) -> Option<Target> {
    match address {
        Value::Pointer(pointer) => pointer.single().map(|(target, _)| target),
        _ => None,
    }
}
