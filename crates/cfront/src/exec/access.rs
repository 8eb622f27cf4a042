//! Loads and stores through addresses that may be secret.

use super::memory::Object;
use super::places::{MAX_PLACES, Places, Table, fill};
use super::pointer::{Offset, Pointer, Target};
use super::state::State;
use super::value::Value;
use super::{Executor, ObjectId};
use crate::CError;
use crate::graph::{Graph, Word};
use crate::llvm::Type;

/// The result of an access; `None` where the path cannot be taken, as the access is undefined.
type Access<T> = Result<Option<T>, CError>;

/// An object that an access may touch.
struct Reach {
    guard: Word,
    object: ObjectId,
    places: Places,
}

impl Executor<'_> {
    /// The value of a type at an address.
    pub(super) fn load_type(&mut self, state: &State, address: &Value, ty: &Type) -> Access<Value> {
        match ty {
            Type::Int(bits) => {
                let Some(value) = self.load(state, address, ty.store_size())? else { return Ok(None) };
                Ok(Some(match value {
                    Value::Word(word) => Value::Word(self.graph.slice(word, 0, *bits)),
                    other => other,
                }))
            }
            Type::Pointer => self.load(state, address, 8),
            Type::Array(..) | Type::Struct(_) => {
                let mut members = Vec::new();
                for (ty, offset) in members_of(ty) {
                    let address = self.moved(address, offset)?;
                    let Some(value) = self.load_type(state, &address, ty)? else { return Ok(None) };
                    members.push(value);
                }
                Ok(Some(Value::Aggregate(members.into())))
            }
            Type::Void | Type::Function(_) | Type::Other(_) => self.unsupported(ty.describe()),
        }
    }

    /// Stores a value of a type at an address.
    pub(super) fn store_type(
        &mut self,
        state: &mut State,
        address: &Value,
        ty: &Type,
        value: &Value,
    ) -> Access<()> {
        match (ty, value) {
            (Type::Int(_), Value::Word(word)) => {
                let bytes = ty.store_size();
                let word = self.graph.extend(*word, bytes as u32 * 8, false);
                self.store(state, address, bytes, &Value::Word(word))
            }
            (Type::Int(_) | Type::Pointer, _) => self.store(state, address, ty.store_size(), value),
            (Type::Array(..) | Type::Struct(_), _) => {
                for (index, (ty, offset)) in members_of(ty).enumerate() {
                    let address = self.moved(address, offset)?;
                    let member = match value {
                        Value::Aggregate(members) => members.get(index).cloned().unwrap_or_default(),
                        _ => Value::Undefined,
                    };
                    if self.store_type(state, &address, ty, &member)?.is_none() {
                        return Ok(None);
                    }
                }
                Ok(Some(()))
            }
            (Type::Void | Type::Function(_) | Type::Other(_), _) => self.unsupported(ty.describe()),
        }
    }

    pub(super) fn moved(&mut self, address: &Value, bytes: u64) -> Result<Value, CError> {
        match address {
            _ if bytes == 0 => Ok(address.clone()),
            Value::Undefined => Ok(Value::Undefined),
            _ => match Pointer::of_value(&mut self.graph, address) {
                Some(pointer) => {
                    let step =
                        |offset: &mut Offset| offset.constant = offset.constant.wrapping_add(bytes as i64);
                    Ok(Value::pointer(pointer.moved(step)))
                }
                None => self.unsupported("an address made from a secret integer"),
            },
        }
    }

    /// What lies within reach of an access of `bytes` bytes; `None` where nothing does.
    fn reach(&mut self, state: &State, address: &Value, bytes: u64) -> Access<Vec<Reach>> {
        let pointer = match address {
            Value::Undefined => return self.impossible(state, "an address that was never set is used"),
            _ => Pointer::of_value(&mut self.graph, address),
        };
        let Some(pointer) = pointer else { return self.unsupported("an address made from a secret integer") };
        let mut reach = Vec::new();
        let mut missed = String::from("the null pointer is used");
        for alternative in &pointer.alternatives {
            let Target::Object(id) = alternative.target else { continue };
            let Some(object) = state.memory.get(id) else {
                missed = "a variable is used after its end".into();
                continue;
            };
            match Places::of(&mut self.graph, &alternative.offset, object.size, bytes) {
                Places::None => missed = format!("this access lies outside of `{}`", object.name),
                Places::TooMany => return self.too_large("positions of one access", MAX_PLACES),
                places => reach.push(Reach { guard: alternative.guard, object: id, places }),
            }
        }
        if reach.is_empty() { self.impossible(state, &missed) } else { Ok(Some(reach)) }
    }

    /// The value of `bytes` bytes at an address.
    pub(super) fn load(&mut self, state: &State, address: &Value, bytes: u64) -> Access<Value> {
        let Some(reach) = self.reach(state, address, bytes)? else { return Ok(None) };
        let mut result: Option<Value> = None;
        for Reach { guard, object, places } in reach {
            let Some(object) = state.memory.get(object) else { continue };
            let value = match places {
                Places::One(at) => object.load(&mut self.graph, at, bytes),
                Places::Many(table) => self.load_from(object, &table, bytes),
                Places::None | Places::TooMany => continue,
            };
            result = Some(match result {
                None => value,
                Some(other) => Value::select(&mut self.graph, guard, &value, &other),
            });
        }
        Ok(Some(result.unwrap_or_default()))
    }

    fn load_from(&mut self, object: &Object, table: &Table, bytes: u64) -> Value {
        let graph = &mut self.graph;
        let values: Vec<Value> = table.positions.iter().map(|at| object.load(graph, *at, bytes)).collect();
        let occupied = table.slots.iter().copied().zip(&values);
        let written: Vec<(usize, Value)> = occupied
            .filter(|(_, value)| **value != Value::Undefined)
            .map(|(slot, value)| (slot, value.clone()))
            .collect();
        if written.is_empty() {
            return Value::Undefined;
        }
        let entries = fill(table.length, written.into_iter());
        let words: Option<Vec<Word>> = entries
            .iter()
            .map(|entry| if let Value::Word(word) = entry { Some(*word) } else { None })
            .collect();
        match words {
            Some(words) => Value::Word(graph.lookup(&words, table.index)),
            None => self.choose(entries, table.index),
        }
    }

    /// The entry at a secret position, for entries of any kind.
    fn choose(&mut self, mut entries: Vec<Value>, index: Word) -> Value {
        for bit in 0..self.graph.bits(index) {
            let flag = self.graph.bit(index, bit);
            let pairs = entries.chunks(2).map(|pair| match pair {
                [no, yes] => Value::select(&mut self.graph, flag, yes, no),
                rest => rest[0].clone(),
            });
            entries = pairs.collect();
        }
        entries.swap_remove(0)
    }

    /// Stores `bytes` bytes at an address.
    pub(super) fn store(
        &mut self,
        state: &mut State,
        address: &Value,
        bytes: u64,
        value: &Value,
    ) -> Access<()> {
        let Some(reach) = self.reach(state, address, bytes)? else { return Ok(None) };
        let only = reach.len() == 1;
        for Reach { guard, object, places } in reach {
            let Some(object) = state.memory.get_mut(object) else { continue };
            let guard = if only { self.graph.flag(true) } else { guard };
            match places {
                Places::One(at) => {
                    let old =
                        if only { Value::Undefined } else { old_value(&mut self.graph, object, at, bytes) };
                    let new =
                        if only { value.clone() } else { Value::select(&mut self.graph, guard, value, &old) };
                    object.store(&mut self.graph, at, bytes, &new);
                }
                Places::Many(table) => store_in(&mut self.graph, object, &table, bytes, guard, value),
                Places::None | Places::TooMany => {}
            }
        }
        Ok(Some(()))
    }

    /// Ends a path on which undefined behaviour would occur; an error where every run takes it.
    pub(super) fn impossible<T>(&mut self, state: &State, reason: &str) -> Access<T> {
        let location = self.location();
        if state.condition == super::condition::Condition::ALWAYS {
            return Err(CError::Undefined { location, reason: reason.into() });
        }
        self.assume(location, reason);
        Ok(None)
    }
}

fn old_value(graph: &mut Graph, object: &Object, at: u64, bytes: u64) -> Value {
    match object.load(graph, at, bytes) {
        Value::Undefined if object.merges_with_zero => Value::Word(graph.number(bytes as u32 * 8, 0)),
        value => value,
    }
}

/// Stores at a secret position where the guard is set.
fn store_in(graph: &mut Graph, object: &mut Object, table: &Table, bytes: u64, guard: Word, value: &Value) {
    let old: Vec<Value> = table.positions.iter().map(|at| old_value(graph, object, *at, bytes)).collect();
    let words = match value {
        Value::Word(word) => table_words(*word, &old),
        _ => None,
    };
    let new: Vec<Value> = match (words, value) {
        (Some(words), Value::Word(value)) => {
            let mut entries = vec![*value; table.length];
            table.slots.iter().zip(&words).for_each(|(slot, word)| entries[*slot] = *word);
            let updated = graph.update(&entries, table.index, *value);
            let lanes = table.slots.iter().zip(&words);
            lanes.map(|(slot, old)| Value::Word(graph.select(guard, updated[*slot], *old))).collect()
        }
        _ => {
            let mut choose = |(slot, old): (&usize, &Value)| {
                let here = graph.number(graph.bits(table.index), *slot as u128);
                let here = graph.equal(table.index, here);
                let here = graph.and(guard, here);
                Value::select(graph, here, value, old)
            };
            table.slots.iter().zip(&old).map(&mut choose).collect()
        }
    };
    for (at, value) in table.positions.iter().zip(&new) {
        object.store(graph, *at, bytes, value);
    }
}

/// The old values as words; what was never written may as well hold the new value.
fn table_words(value: Word, old: &[Value]) -> Option<Vec<Word>> {
    let word = |old: &Value| match old {
        Value::Word(word) => Some(*word),
        Value::Undefined => Some(value),
        Value::Pointer(_) | Value::Aggregate(_) => None,
    };
    old.iter().map(word).collect()
}

/// The members of a structure or array with their offsets.
pub(super) fn members_of(ty: &Type) -> impl Iterator<Item = (&Type, u64)> {
    (0..).map_while(|index| match ty {
        Type::Array(length, _) if index >= *length => None,
        _ => ty.member(index),
    })
}
