//! Forbidden behaviour: a condition in a check, else assumed not to happen.

use super::Executor;
use super::condition::Condition;
use super::state::State;
use super::value::Value;
use crate::graph::Word;
use crate::{CError, Property, PropertyKind};

impl Executor<'_> {
    pub(super) fn checking(&self) -> bool {
        self.properties.is_some()
    }

    /// Records that the runs of a condition violate a property; [`Condition::NEVER`] only records that the
    /// property exists.
    pub(super) fn violate(&mut self, condition: Condition, kind: PropertyKind, description: &str) {
        let property = Property {
            kind,
            location: self.location(),
            function: self.function.to_string(),
            description: description.into(),
        };
        let flag = self.conditions.word(&mut self.graph, condition);
        let Some(properties) = &mut self.properties else { return };
        match properties.numbers.get(&property) {
            Some(number) => {
                let any = &mut properties.violated[*number];
                *any = self.graph.or(*any, flag);
            }
            None => {
                properties.numbers.insert(property.clone(), properties.list.len());
                properties.list.push(property);
                properties.violated.push(flag);
            }
        }
    }

    /// In a check, ends the paths on which a flag is set; returns whether any path continues.
    pub(super) fn forbid(
        &mut self,
        state: &mut State,
        bad: Word,
        kind: PropertyKind,
        description: &str,
    ) -> bool {
        if !self.checking() {
            return true;
        }
        let (with, without) = self.fork(state, bad);
        self.violate(with.unwrap_or(Condition::NEVER), kind, description);
        match without {
            Some(condition) => {
                state.condition = condition;
                true
            }
            None => false,
        }
    }

    /// Ends a path with undefined behaviour: a violation in a check, else an error if every run takes the
    /// path.
    pub(super) fn impossible<T>(
        &mut self,
        state: &State,
        kind: PropertyKind,
        reason: &str,
    ) -> Result<Option<T>, CError> {
        if self.checking() {
            self.violate(state.condition, kind, reason);
            return Ok(None);
        }
        let location = self.location();
        if state.condition == Condition::ALWAYS {
            return Err(CError::Undefined { location, reason: reason.into() });
        }
        self.assume(location, reason);
        Ok(None)
    }

    /// A value that is about to be used: in a check, paths on which it was never set end. `None` if no path
    /// continues.
    pub(super) fn settled(&mut self, state: &mut State, value: Value) -> Option<Value> {
        if !self.checking() {
            return Some(value);
        }
        let unset = "a value that was never set is used";
        match value.unset(&mut self.graph) {
            None => Some(value),
            Some(bad) => {
                let goes_on = self.forbid(state, bad, PropertyKind::Uninitialised, unset);
                goes_on.then(|| value.without_unset())
            }
        }
    }
}
