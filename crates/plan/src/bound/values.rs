//! What is known about the operands of an operation.

use std::collections::HashMap;

use tacit_ir::{Op, ValueId, ValueType};

/// The values of a template before an operation.
#[derive(Clone, Copy)]
pub(super) struct Values<'a> {
    pub(super) types: &'a [ValueType],
    /// Constants, and values that are narrower than their type, with the operations that define them.
    pub(super) known: &'a HashMap<ValueId, &'a Op>,
}

impl<'a> Values<'a> {
    pub(super) fn ty(self, value: ValueId) -> ValueType {
        self.types[value.index()]
    }

    /// The operation that defines a value, if it says more about the value than its type does.
    pub(super) fn giver(self, value: ValueId) -> Option<&'a Op> {
        self.known.get(&value).copied()
    }
}
