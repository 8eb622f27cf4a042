use std::rc::Rc;

use super::pointer::{Offset, Pointer, Target, is_address};
use crate::graph::{Graph, Word};
use crate::int::Int;

/// The content of a register or a memory cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Value {
    /// Never written; merged with a written value, it takes that value.
    #[default]
    Undefined,
    Word(Word),
    /// A word of which only some bits were written; checks use it instead of [`Value::Undefined`].
    Partial(Partial),
    /// An address, possibly converted to an integer of 64 bits.
    Pointer(Rc<Pointer>),
    Aggregate(Rc<[Value]>),
}

/// A word and which of its bits were written; the others are zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Partial {
    pub word: Word,
    pub written: Word,
}

impl Value {
    /// The value as an address: public integers are addresses without an object.
    pub(super) fn address(&self, graph: &mut Graph) -> Option<Pointer> {
        match self {
            Value::Pointer(pointer) => Some(pointer.as_ref().clone()),
            Value::Word(word) if is_address(graph.bits(*word)) => {
                let constant = graph.value(*word)?.to_i128()? as i64;
                Some(Pointer::to(graph, Target::Null, Offset { constant, terms: Vec::new() }))
            }
            Value::Partial(partial) if is_address(graph.bits(partial.word)) => {
                let unset = Pointer::to(graph, Target::Unset, Offset::default());
                if graph.value(partial.written).is_some_and(Int::is_zero) {
                    return Some(unset);
                }
                let set = Value::Word(partial.word).address(graph)?;
                let missing = self.unset(graph)?;
                Some(Pointer::select(graph, missing, &unset, &set))
            }
            _ => None,
        }
    }

    pub(super) fn pointer(pointer: Pointer) -> Self {
        Value::Pointer(Rc::new(pointer))
    }

    /// A word without written bits.
    pub(super) fn unwritten(graph: &mut Graph, bits: u32) -> Self {
        let zero = graph.number(bits, 0);
        Value::Partial(Partial { word: zero, written: zero })
    }

    /// A word of which some bits were written; a plain word if all were.
    pub(super) fn partial(graph: &mut Graph, word: Word, written: Word) -> Self {
        match graph.value(written).is_some_and(Int::is_ones) {
            true => Value::Word(word),
            false => Value::Partial(Partial { word: graph.and(word, written), written }),
        }
    }

    /// A word in two parts: its bits, and which of them were written.
    pub(super) fn parts(&self, graph: &mut Graph) -> Option<Partial> {
        match self {
            Value::Word(word) => {
                let ones = graph.constant(Int::ones(graph.bits(*word)));
                Some(Partial { word: *word, written: ones })
            }
            Value::Partial(partial) => Some(*partial),
            _ => None,
        }
    }

    /// The same function of both parts of a word.
    pub(super) fn map(&self, mut function: impl FnMut(Word) -> Word) -> Option<Value> {
        match self {
            Value::Word(word) => Some(Value::Word(function(*word))),
            Value::Partial(Partial { word, written }) => {
                Some(Value::Partial(Partial { word: function(*word), written: function(*written) }))
            }
            _ => None,
        }
    }

    /// The integer of `bits` bits that an address without an object represents.
    pub(super) fn integer(&self, graph: &mut Graph, bits: u32) -> Option<Word> {
        let Value::Pointer(pointer) = self else { return None };
        let (Target::Null, offset) = pointer.single()? else { return None };
        let word = offset.to_word(graph);
        Some(graph.resize(word, bits, false))
    }

    /// The flag that part of the value was never written; `None` if all of it was.
    pub(super) fn unset(&self, graph: &mut Graph) -> Option<Word> {
        match self {
            Value::Undefined => Some(graph.flag(true)),
            Value::Word(_) | Value::Aggregate(_) => None,
            Value::Partial(partial) => {
                let ones = graph.constant(Int::ones(graph.bits(partial.written)));
                let all = graph.equal(partial.written, ones);
                Some(graph.not(all))
            }
            Value::Pointer(pointer) => {
                let unset = pointer.alternatives.iter().find(|one| one.target == Target::Unset);
                unset.map(|alternative| alternative.guard)
            }
        }
    }

    /// The value on paths where all of it was written.
    pub(super) fn without_unset(self) -> Value {
        match self {
            Value::Partial(partial) => Value::Word(partial.word),
            Value::Pointer(pointer) => {
                let mut pointer = pointer.as_ref().clone();
                pointer.alternatives.retain(|one| one.target != Target::Unset);
                Value::pointer(pointer)
            }
            other => other,
        }
    }

    /// A value that was never set, of the kind of another.
    fn unset_like(&self, graph: &mut Graph) -> Value {
        match self {
            Value::Undefined => Value::Undefined,
            Value::Word(word) | Value::Partial(Partial { word, .. }) => {
                let bits = graph.bits(*word);
                Value::unwritten(graph, bits)
            }
            Value::Pointer(_) => Value::pointer(Pointer::to(graph, Target::Unset, Offset::default())),
            Value::Aggregate(members) => {
                Value::Aggregate(members.iter().map(|member| member.unset_like(graph)).collect())
            }
        }
    }

    /// `a` where the flag is set, else `b`. Values of different kinds give [`Value::Undefined`].
    pub(super) fn select(graph: &mut Graph, condition: Word, a: &Value, b: &Value) -> Value {
        match (a, b) {
            (Value::Undefined, Value::Undefined) => Value::Undefined,
            (Value::Undefined, other) if graph.keeps_unset() => {
                let unset = other.unset_like(graph);
                Value::select(graph, condition, &unset, other)
            }
            (other, Value::Undefined) if graph.keeps_unset() => {
                let unset = other.unset_like(graph);
                Value::select(graph, condition, other, &unset)
            }
            (Value::Undefined, other) | (other, Value::Undefined) => other.clone(),
            (Value::Word(a), Value::Word(b)) if graph.bits(*a) == graph.bits(*b) => {
                Value::Word(graph.select(condition, *a, *b))
            }
            (Value::Pointer(a), Value::Pointer(b)) if Rc::ptr_eq(a, b) => Value::Pointer(a.clone()),
            (Value::Aggregate(a), Value::Aggregate(b)) if a.len() == b.len() => Value::Aggregate(
                a.iter().zip(b.iter()).map(|(a, b)| Value::select(graph, condition, a, b)).collect(),
            ),
            (Value::Partial(_), Value::Partial(_) | Value::Word(_)) | (Value::Word(_), Value::Partial(_)) => {
                match (a.parts(graph), b.parts(graph)) {
                    (Some(a), Some(b)) if graph.bits(a.word) == graph.bits(b.word) => {
                        let written = graph.select(condition, a.written, b.written);
                        let word = graph.select(condition, a.word, b.word);
                        Value::partial(graph, word, written)
                    }
                    _ => Value::Undefined,
                }
            }
            _ => match (a.address(graph), b.address(graph)) {
                (Some(a), Some(b)) => Value::pointer(Pointer::select(graph, condition, &a, &b)),
                _ => Value::Undefined,
            },
        }
    }
}
