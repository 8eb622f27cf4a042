//! Arrays without elements: they have a kind and a shape, and no value in the program.
//!
//! What is computed of nothing is nothing, so operations on such arrays are not written. Sums, products and the like of
//! no elements are constants, which [`super::reduce`] and [`super::product`] write.

use tacit_ir::{Index, Op, Template, ValueId};

use super::error::{Traced, shape as bad_shape};
use super::value::Value;

/// What stands for the value of an array without elements.
pub(super) const NOTHING: ValueId = ValueId(u32::MAX);

/// What is to be done with an operation.
pub(super) enum Pruned {
    /// It is to be written.
    Written(Op),
    /// Its results are these; nothing is written.
    Known(Vec<ValueId>),
}

/// An operation without those of its operands that are nothing.
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

/// Refuses what there is none of for no elements.
pub(super) fn nonempty(length: u64, operation: &str) -> Traced<()> {
    match length {
        0 => bad_shape(format!("{operation} of no elements has no value")),
        _ => Ok(()),
    }
}
