use crate::*;

/// An operation that does not fit its operands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{operation}: {reason}")]
pub struct BuildError {
    /// The operation, by name.
    pub operation: &'static str,
    /// What does not fit, with the types involved.
    pub reason: String,
}

/// Writes a [`Program`]: ports and templates, then `main`.
#[derive(Debug)]
pub struct Builder {
    program: Program,
}

/// Writes the operations of one template.
///
/// Every method appends one operation and returns its result; a `Constant` whose value was written before is
/// reused. Methods fail where types do not fit, so a finished template is well typed.
#[derive(Debug)]
pub struct TemplateBuilder {
    name: String,
    parameters: Vec<ValueType>,
    types: Vec<ValueType>,
    operations: Vec<Operation>,
    line: u32,
}
