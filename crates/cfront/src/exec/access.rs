//! Loads and stores through addresses that may be secret.

use super::memory::Object;
use super::places::{MAX_PLACES, Places, Table, fill};
use super::pointer::{Offset, Pointer, Target};
use super::state::State;
use super::value::{Partial, Value};
use super::{Executor, ObjectId};
use crate::graph::{Graph, Word};
use crate::llvm::{Machine, Type};
use crate::{CError, PropertyKind};

/// The result of an access; `None` if the path ends because the access is undefined.
type Access<T> = Result<Option<T>, CError>;

/// An object that an access may touch.
struct Reach {
    guard: Word,
    object: ObjectId,
    places: Places,
}

impl Executor<'_> {
    /// The value of a type at an address.
    pub(super) fn load_type(&mut self, state: &mut State, address: &Value, ty: &Type) -> Access<Value> {
        match ty {
            Type::Int(bits) | Type::Float(bits) => {
                let Some(value) = self.load(state, address, ty.store_size(self.module.machine))? else {
                    return Ok(None);
                };
                // A structure may hold an address where another one has a number.
                let value = match (ty, value.integer(&mut self.graph, *bits)) {
                    (Type::Float(_), Some(word)) => Value::Word(word),
                    (Type::Float(_), None) if matches!(value, Value::Pointer(_)) => {
                        return self.unsupported("an address read as a floating-point number");
                    }
                    _ => value,
                };
                Ok(Some(value.map(|word| self.graph.slice(word, 0, *bits)).unwrap_or(value)))
            }
            Type::Pointer => self.load(state, address, self.module.machine.pointer_bytes),
            Type::Array(..) | Type::Struct(_) => {
                let mut members = Vec::new();
                for (ty, offset) in members_of(ty, self.module.machine) {
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
            (Type::Int(bits) | Type::Float(bits), Value::Word(_) | Value::Partial(_)) => {
                let bytes = ty.store_size(self.module.machine);
                let value = self.padded(value, bytes as u32 * 8 - bits);
                self.store(state, address, bytes, &value)
            }
            (Type::Int(_) | Type::Float(_) | Type::Pointer, _) => {
                self.store(state, address, ty.store_size(self.module.machine), value)
            }
            (Type::Array(..) | Type::Struct(_), _) => {
                for (index, (ty, offset)) in members_of(ty, self.module.machine).enumerate() {
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

    /// The value with zeros above.
    fn padded(&mut self, value: &Value, more: u32) -> Value {
        let bits = |graph: &Graph, word| graph.bits(word) + more;
        match value {
            Value::Partial(Partial { word, written }) if more > 0 => {
                let bits = bits(&self.graph, *word);
                let ones = self.graph.constant(crate::int::Int::ones(more));
                let word = self.graph.extend(*word, bits, false);
                Value::Partial(Partial { word, written: self.graph.concat(&[*written, ones]) })
            }
            Value::Word(word) => {
                let bits = bits(&self.graph, *word);
                Value::Word(self.graph.extend(*word, bits, false))
            }
            other => other.clone(),
        }
    }

    pub(super) fn moved(&mut self, address: &Value, bytes: u64) -> Result<Value, CError> {
        match address {
            _ if bytes == 0 => Ok(address.clone()),
            Value::Undefined => Ok(Value::Undefined),
            _ => match address.address(&mut self.graph) {
                Some(pointer) => {
                    let step =
                        |offset: &mut Offset| offset.constant = offset.constant.wrapping_add(bytes as i64);
                    Ok(Value::pointer(pointer.moved(step)))
                }
                None => self.unsupported("an address made from a secret integer"),
            },
        }
    }

    /// The objects within reach of an access of `bytes` bytes; `None` if there are none.
    fn reach(&mut self, state: &mut State, address: &Value, bytes: u64) -> Access<Vec<Reach>> {
        let unset = "an address that was never set is used";
        let pointer = match address {
            Value::Undefined => return self.impossible(state, PropertyKind::Uninitialised, unset),
            _ => address.address(&mut self.graph),
        };
        let Some(pointer) = pointer else { return self.unsupported("an address made from a secret integer") };
        if self.checking() && !self.within(state, &pointer, bytes) {
            return Ok(None);
        }
        let mut reach = Vec::new();
        let (mut kind, mut missed) = (PropertyKind::Null, String::from(NULL_USED));
        for alternative in &pointer.alternatives {
            let Target::Object(id) = alternative.target else { continue };
            let Some(object) = state.memory.get(id) else {
                (kind, missed) = (PropertyKind::Lifetime, ENDED_USED.into());
                continue;
            };
            match Places::of(&mut self.graph, &alternative.offset, object.size, bytes) {
                Places::None => (kind, missed) = (PropertyKind::Bounds, outside(&object.name)),
                Places::TooMany => return self.too_large("positions of one access", MAX_PLACES),
                places => reach.push(Reach { guard: alternative.guard, object: id, places }),
            }
        }
        if reach.is_empty() { self.impossible(state, kind, &missed) } else { Ok(Some(reach)) }
    }

    /// Forbids every invalid access; returns whether any path continues.
    fn within(&mut self, state: &mut State, pointer: &Pointer, bytes: u64) -> bool {
        for alternative in &pointer.alternatives {
            let guard = alternative.guard;
            let object = match alternative.target {
                Target::Object(id) => state.memory.get(id).cloned(),
                _ => None,
            };
            let (bad, kind, description) = match (alternative.target, object) {
                (Target::Unset, _) => {
                    (guard, PropertyKind::Uninitialised, "an address that was never set is used".into())
                }
                (Target::Null, _) => (guard, PropertyKind::Null, NULL_USED.into()),
                (Target::Function(_), _) => {
                    (guard, PropertyKind::Bounds, "a function is accessed as a variable".into())
                }
                (Target::Object(_), None) => (guard, PropertyKind::Lifetime, ENDED_USED.into()),
                (Target::Object(_), Some(object)) => {
                    if let Some(ended) = object.ended {
                        let ended = self.graph.and(guard, ended);
                        if !self.forbid(state, ended, PropertyKind::Lifetime, ENDED_USED) {
                            return false;
                        }
                    }
                    let beyond = self.beyond(&alternative.offset, object.size, bytes);
                    if alternative.offset.terms.is_empty() && self.graph.flag_value(beyond) == Some(false) {
                        continue;
                    }
                    (self.graph.and(guard, beyond), PropertyKind::Bounds, outside(&object.name))
                }
            };
            if !self.forbid(state, bad, kind, &description) {
                return false;
            }
        }
        true
    }

    /// Forbids changes of constants; returns whether any path continues.
    fn may_change(&mut self, state: &mut State, reach: &[Reach]) -> bool {
        reach.iter().all(|Reach { guard, object, .. }| {
            let constant = state.memory.get(*object).filter(|object| object.constant);
            let Some(name) = constant.map(|object| object.name.clone()) else { return true };
            let literal = name.starts_with(".str");
            let what =
                if literal { "a string literal".into() } else { format!("`{name}`, which is `const`,") };
            self.forbid(state, *guard, PropertyKind::Constant, &format!("{what} is changed"))
        })
    }

    /// Forbids an address outside the object that it derives from, except one past the last byte; returns
    /// whether any path continues.
    pub(super) fn stays(&mut self, state: &mut State, pointer: &Pointer) -> bool {
        pointer.alternatives.iter().all(|alternative| {
            let Target::Object(id) = alternative.target else { return true };
            let Some(object) = state.memory.get(id) else { return true };
            let (size, name) = (object.size, object.name.clone());
            let beyond = self.beyond(&alternative.offset, size, 0);
            if alternative.offset.terms.is_empty() && self.graph.flag_value(beyond) == Some(false) {
                return true;
            }
            let bad = self.graph.and(alternative.guard, beyond);
            let description = format!("this address lies outside of `{name}`");
            self.forbid(state, bad, PropertyKind::Bounds, &description)
        })
    }

    /// The flag that an access of `bytes` bytes is not within an object of `size` bytes.
    fn beyond(&mut self, offset: &Offset, size: u64, bytes: u64) -> Word {
        let Some(room) = size.checked_sub(bytes) else { return self.graph.flag(true) };
        let at = offset.to_word(&mut self.graph);
        let room = self.graph.number(64, room.into());
        self.graph.compare(tacit_ir::CompareOp::LtU, room, at)
    }

    /// The value of `bytes` bytes at an address.
    pub(super) fn load(&mut self, state: &mut State, address: &Value, bytes: u64) -> Access<Value> {
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
        let strict = graph.keeps_unset();
        let written: Vec<(usize, Value)> = occupied
            .filter(|(_, value)| strict || **value != Value::Undefined)
            .map(|(slot, value)| (slot, value.clone()))
            .collect();
        if written.is_empty() {
            return Value::Undefined;
        }
        let entries = fill(table.length, written.into_iter());
        if entries.iter().any(|entry| matches!(entry, Value::Partial(_))) {
            return self.lookup_partial(&entries, table.index);
        }
        let words: Option<Vec<Word>> = entries
            .iter()
            .map(|entry| if let Value::Word(word) = entry { Some(*word) } else { None })
            .collect();
        match words {
            Some(words) => Value::Word(graph.lookup(&words, table.index)),
            None => self.choose(entries, table.index),
        }
    }

    /// The entry at a secret position of a table whose entries may be partly written.
    fn lookup_partial(&mut self, entries: &[Value], index: Word) -> Value {
        let graph = &mut self.graph;
        let parts: Option<Vec<Partial>> = entries.iter().map(|entry| entry.parts(graph)).collect();
        let Some(parts) = parts else { return self.choose(entries.to_vec(), index) };
        let words: Vec<Word> = parts.iter().map(|part| part.word).collect();
        let written: Vec<Word> = parts.iter().map(|part| part.written).collect();
        let (word, written) = (graph.lookup(&words, index), graph.lookup(&written, index));
        Value::partial(graph, word, written)
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
        if self.checking() && !self.may_change(state, &reach) {
            return Ok(None);
        }
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
                Places::Many(table) => store_at_places(&mut self.graph, object, table, bytes, guard, value),
                Places::None | Places::TooMany => {}
            }
        }
        Ok(Some(()))
    }
}

const NULL_USED: &str = "the null pointer is used";
const ENDED_USED: &str = "a variable is used after its end";

fn outside(name: &str) -> String {
    format!("this access lies outside of `{name}`")
}

fn old_value(graph: &mut Graph, object: &Object, at: u64, bytes: u64) -> Value {
    match object.load(graph, at, bytes) {
        Value::Undefined if object.merges_with_zero => Value::Word(graph.number(bytes as u32 * 8, 0)),
        value => value,
    }
}

/// Stores at a secret position if the guard is set.
///
/// If positions are closer together than the value is long, their places overlap: words are then stored byte
/// by byte, with as many multiplexers, and addresses position by position.
fn store_at_places(
    graph: &mut Graph,
    object: &mut Object,
    table: Table,
    bytes: u64,
    guard: Word,
    value: &Value,
) {
    let overlap = table.positions.iter().any(|a| table.positions.iter().any(|b| a < b && b - a < bytes));
    match value {
        _ if !overlap => store_in(graph, object, &table, bytes, guard, value),
        Value::Word(word) => {
            let mut table = table;
            for byte in 0..bytes as u32 {
                let value = Value::Word(graph.slice(*word, byte * 8, 8));
                store_in(graph, object, &table, 1, guard, &value);
                table.positions.iter_mut().for_each(|at| *at += 1);
            }
        }
        _ => {
            for (at, slot) in table.positions.into_iter().zip(table.slots) {
                let place = Table {
                    positions: vec![at],
                    slots: vec![slot],
                    index: table.index,
                    length: table.length,
                };
                store_in(graph, object, &place, bytes, guard, value);
            }
        }
    }
}

/// As [`store_at_places`], if the value fits between the positions.
fn store_in(graph: &mut Graph, object: &mut Object, table: &Table, bytes: u64, guard: Word, value: &Value) {
    let old: Vec<Value> = table.positions.iter().map(|at| old_value(graph, object, *at, bytes)).collect();
    let words = match value {
        Value::Word(word) => table_words(*word, &old, graph.keeps_unset()),
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

/// The old values as words; a value that was never written may take the new value, unless it must be kept
/// distinct.
fn table_words(value: Word, old: &[Value], strict: bool) -> Option<Vec<Word>> {
    let word = |old: &Value| match old {
        Value::Word(word) => Some(*word),
        Value::Undefined => Some(value).filter(|_| !strict),
        Value::Partial(_) | Value::Pointer(_) | Value::Aggregate(_) => None,
    };
    old.iter().map(word).collect()
}

/// The members of a structure or array with their offsets.
pub(super) fn members_of(ty: &Type, machine: Machine) -> impl Iterator<Item = (&Type, u64)> {
    (0..).map_while(move |index| match ty {
        Type::Array(length, _) if index >= *length => None,
        _ => ty.member(index, machine),
    })
}
