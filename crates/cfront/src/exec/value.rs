use std::rc::Rc;

use super::pointer::Pointer;
use crate::graph::{Graph, Word};

/// What a register or a cell of memory holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Value {
    /// Never written; where it meets a written value, that one is taken.
    #[default]
    Undefined,
    Word(Word),
    /// An address, also in the guise of an integer of 64 bits.
    Pointer(Rc<Pointer>),
    Aggregate(Rc<[Value]>),
}

impl Value {
    pub(super) fn pointer(pointer: Pointer) -> Self {
        Value::Pointer(Rc::new(pointer))
    }

    /// `a` where the flag is set, else `b`. Values of different kinds give [`Value::Undefined`].
    pub(super) fn select(graph: &mut Graph, condition: Word, a: &Value, b: &Value) -> Value {
        match (a, b) {
            (Value::Undefined, other) | (other, Value::Undefined) => other.clone(),
            (Value::Word(a), Value::Word(b)) if graph.bits(*a) == graph.bits(*b) => {
                Value::Word(graph.select(condition, *a, *b))
            }
            (Value::Pointer(a), Value::Pointer(b)) if Rc::ptr_eq(a, b) => Value::Pointer(a.clone()),
            (Value::Aggregate(a), Value::Aggregate(b)) if a.len() == b.len() => Value::Aggregate(
                a.iter().zip(b.iter()).map(|(a, b)| Value::select(graph, condition, a, b)).collect(),
            ),
            _ => match (Pointer::of_value(graph, a), Pointer::of_value(graph, b)) {
                (Some(a), Some(b)) => Value::pointer(Pointer::select(graph, condition, &a, &b)),
                _ => Value::Undefined,
            },
        }
    }
}
