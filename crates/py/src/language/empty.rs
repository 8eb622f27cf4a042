//! Arrays without elements: they have a kind and a shape, and no value in the program.
//!
//! Operations on such arrays give no elements, so they are not written. Sums, products and similar reductions
//! of no elements are constants, which [`super::reduce`] and [`super::product`] write.

use tacit_ir::{Index, Op, Template, ValueId};

use super::error::{Traced, shape as bad_shape};
use super::value::Value;

/// The placeholder for the value of an array without elements.
pub(super) const NOTHING: ValueId = ValueId(u32::MAX);

/// How to handle an operation.
pub(super) enum Pruned {
    /// Write it.
    Written(Op),
    /// Its results are known; write nothing.
    Known(Vec<ValueId>),
}

/// An operation without its operands that have no elements.
pub(super) fn pruned(op: Op, templates: &[Template]) -> Pruned {
    if let Op::Join(parts) = op {
        let parts: Vec<ValueId> = parts.into_iter().filter(|part| *part != NOTHING).collect();
        return match parts[..] {
            [] => Pruned::Known(vec![NOTHING]),
            [only] => Pruned::Known(vec![only]),
            _ => Pruned::Written(Op::Join(parts)),
        };
    }
    let mut nothing = matches!(&op, Op::Gather(_, Index::List(lanes)) if lanes.is_empty());
    op.for_each_operand(|operand| nothing |= operand == NOTHING);
    match nothing {
        true => Pruned::Known(vec![NOTHING; op.result_count(templates)]),
        false => Pruned::Written(op),
    }
}

impl Value {
    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.lanes() == 0
    }
}

/// Refuses operations that are undefined without elements.
pub(super) fn nonempty(length: u64, operation: &str) -> Traced<()> {
    match length {
        0 => bad_shape(format!("{operation} of no elements has no value")),
        _ => Ok(()),
    }
}
