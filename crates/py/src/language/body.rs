//! The bodies that a program is written into: `main` or a window of it, and nested loops.

use std::collections::HashMap;

use tacit_ir::{Builder, Op, TemplateBuilder, ValueId, ValueType};

use super::error::Traced;
use super::kind::Number;
use super::value::Value;

/// A body being written.
pub(super) struct TracerFrame {
    pub(super) serial: u32,
    pub(super) body: TemplateBuilder,
    /// The content of a loop's body; `main` is not kept twice.
    pub(super) record: Option<BodyRecord>,
    /// Values that were rounded down, with what they were before.
    pub(super) rounded: HashMap<ValueId, Exact>,
}

/// A number that was rounded down to fewer bits after the point.
#[derive(Clone, Copy)]
pub(super) struct Exact {
    /// The value before.
    pub(super) id: ValueId,
    /// Its number kind.
    pub(super) from: Number,
    /// The number kind of the rounded one.
    pub(super) to: Number,
}

/// The operations of a loop's body, for writing it again with all its parameters.
#[derive(Default)]
pub(super) struct BodyRecord {
    pub(super) ops: Vec<RecordedOp>,
    /// The number of results of each.
    pub(super) results: Vec<usize>,
    /// Values from outside and their stand-ins, in order of first use.
    pub(super) captures: Vec<(ValueId, ValueType)>,
    known: HashMap<ValueId, ValueId>,
}

impl BodyRecord {
    /// Records an operation with this number of results.
    pub(super) fn push(&mut self, recorded: RecordedOp, results: usize) {
        self.ops.push(recorded);
        self.results.push(results);
    }
}

/// One operation of a loop's body.
pub(super) enum RecordedOp {
    Op {
        op: Op,
        /// Line of the source.
        line: u32,
    },
    /// A value from outside, represented by the operation's only result.
    Capture,
}

impl TracerFrame {
    pub(super) fn new(serial: u32, body: TemplateBuilder, record: Option<BodyRecord>) -> TracerFrame {
        TracerFrame { serial, body, record, rounded: HashMap::new() }
    }

    /// The stand-in for a value from outside.
    pub(super) fn capture(&mut self, builder: &Builder, outer: ValueId, ty: ValueType) -> Traced<ValueId> {
        let Some(record) = &mut self.record else { return Ok(outer) };
        if let Some(inner) = record.known.get(&outer) {
            return Ok(*inner);
        }
        let inner = self.body.push(builder, Op::Random(ty))?[0];
        record.push(RecordedOp::Capture, 1);
        record.captures.push((outer, ty));
        record.known.insert(outer, inner);
        Ok(inner)
    }
}

/// A loop whose body is being traced.
pub(super) struct Loop {
    pub(super) count: u64,
    /// The carried values, as they enter from outside.
    pub(super) carried: Vec<(Value, ValueId)>,
    /// The sliced values, as they are outside.
    pub(super) sliced: Vec<ValueId>,
    /// The number of the iteration, as the body sees it.
    pub(super) counter: ValueId,
}
