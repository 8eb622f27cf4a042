use tacit_ir::{Domain, Op, ValueId, Words};
use tacit_schedule::Kernel;

use super::range::Range;
use crate::options::Options;

/// An operand, for a domain that decides whether it supports an operation.
pub(crate) struct Operand {
    pub bits: u32,
    pub lanes: u64,
    /// Whether it is shared in that domain.
    pub here: bool,
    pub is_constant: bool,
    /// Whether the party that holds encrypted words has it in the clear: a public constant, or a result of
    /// constants and this party's inputs.
    pub is_held: bool,
    /// Its range, if it is a constant or shared in that domain.
    pub range: Option<Range>,
    /// Its range if converted or given unchanged: that of its bits.
    pub read: Option<Range>,
}

/// The result of an operation, for a domain that decides whether it supports the operation.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    pub bits: u32,
    /// Whether all its readers pin it to that domain.
    pub pinned: bool,
}

/// How a domain of words supports an operation.
pub(crate) enum Placed {
    /// Its result is in the same domain.
    Here {
        range: Option<Range>,
        /// Whether operands of this domain have the result's width.
        joined: bool,
    },
    /// A kernel on words of at least this width; its first result of `bits` bits is in another domain, or has
    /// the width of its operands. If that domain is one of words, this result has this range, and others, which
    /// have widths of their own, have their full ranges.
    Elsewhere { kernel: Kernel, width: u32, domain: Domain, bits: u32, range: Option<Range> },
}

/// The implementation of an operation in a domain of words.
pub(crate) enum Made {
    /// A kernel of these operands, which have the result's width.
    Kernel(Kernel, Vec<ValueId>),
    /// A kernel of one operand, at the operand's own width.
    Narrow(Kernel, ValueId),
    /// No step: the words stay the same.
    Same(ValueId),
    /// Lanes one after the other.
    Join(Vec<ValueId>),
}

/// Properties of values, for writing kernels.
pub(crate) trait Values {
    /// Whether two values are names of the same value.
    fn are_same(&self, a: ValueId, b: ValueId) -> bool;

    /// Whether the party that holds encrypted words has the value in the clear.
    fn is_held(&self, value: ValueId) -> bool;

    /// The words of a constant, at the result's width.
    fn constant(&self, value: ValueId) -> Option<Words>;

    fn lanes(&self, value: ValueId) -> u64;

    /// Width of the words of the result.
    fn width(&self) -> u32;
}

/// A domain in which operations are done on words, one by one.
pub(crate) trait WordDomain: Sync {
    fn domain(&self) -> Domain;

    /// The reason for refusing to pin values that are too wide, or not words.
    fn limit(&self) -> &'static str;

    /// Whether it supports an operation with an operand in this domain, and the known range of the result.
    fn place(&self, op: &Op, operands: &[Operand], asked: Asked, options: &Options) -> Option<Placed>;

    /// The implementation of a supported operation whose result is in this domain.
    fn make(&self, op: &Op, values: &dyn Values) -> Option<Made>;
}
