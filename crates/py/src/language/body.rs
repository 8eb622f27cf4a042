//! The bodies that a program is written in: `main` or a window of it, and the loops within one another.

use std::collections::HashMap;

use tacit_ir::{Builder, Op, TemplateBuilder, ValueId, ValueType};

use super::error::Traced;
use super::value::Value;

/// A body being written.
pub(super) struct TracerFrame {
    pub(super) serial: u32,
    pub(super) body: TemplateBuilder,
    /// What a loop's body consists of; `main` is not kept twice.
    pub(super) record: Option<BodyRecord>,
}

/// The operations of a loop's body, for when it is written again with all its parameters.
#[derive(Default)]
pub(super) struct BodyRecord {
    pub(super) ops: Vec<RecordedOp>,
    /// How many values each of them gives.
    pub(super) results: Vec<usize>,
    /// Values from outside and their stand-ins, in order of first use.
    pub(super) captures: Vec<(ValueId, ValueType)>,
    known: HashMap<ValueId, ValueId>,
}

impl BodyRecord {
    /// Notes an operation that gives so many values.
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
    /// A value from outside; its one result stands for it.
    Capture,
}

impl TracerFrame {
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
    /// What is carried, as it enters from outside.
    pub(super) carried: Vec<(Value, ValueId)>,
    /// What is taken apart, as it is outside.
    pub(super) sliced: Vec<ValueId>,
    /// The number of the iteration, as the body sees it.
    pub(super) counter: ValueId,
}
