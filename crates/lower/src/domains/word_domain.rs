use tacit_ir::{Domain, Op, ValueId, Words};
use tacit_schedule::Kernel;

use super::range::Range;
use crate::options::Options;

/// An operand, as a domain sees it that is asked whether it takes an operation.
pub(crate) struct Operand {
    pub bits: u32,
    /// Whether it is shared in the domain that is asked.
    pub here: bool,
    pub is_constant: bool,
    /// Whether the party that holds encrypted words has it as it is: a public constant, or made of those and of this party's inputs.
    pub is_held: bool,
    /// Which numbers it is one of, where it is a constant or shared in the domain that is asked.
    pub range: Option<Range>,
    /// The same of what is converted or given as it is: what its bits say.
    pub read: Option<Range>,
}

/// The result of an operation, as a domain sees it that is asked whether it takes the operation.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    pub bits: u32,
    /// Whether all that read it pin it to the domain that is asked.
    pub pinned: bool,
}

/// An operation that a domain of words takes.
pub(crate) enum Placed {
    /// Its result is here.
    Here {
        range: Option<Range>,
        /// Whether operands that are here lie as wide as the result.
        joined: bool,
    },
    /// A kernel that takes words at least as wide as this; its result, of so many bits, lies apart from them: in another domain, or with
    /// a width of its own, and where that is one of words it is one of these numbers.
    Elsewhere { kernel: Kernel, width: u32, domain: Domain, bits: u32, range: Option<Range> },
}

/// What an operation of a domain of words becomes.
pub(crate) enum Made {
    /// A kernel of these operands, which lie as wide as the result.
    Kernel(Kernel, Vec<ValueId>),
    /// A kernel of one operand that lies as wide as it is.
    Narrow(Kernel, ValueId),
    /// Nothing: the words stay what they are.
    Same(ValueId),
    /// Lanes one after the other.
    Join(Vec<ValueId>),
}

/// What is known of values where kernels are written.
pub(crate) trait Values {
    /// Whether two values are names of one.
    fn are_same(&self, a: ValueId, b: ValueId) -> bool;

    /// Whether the party that holds encrypted words has it as it is.
    fn is_held(&self, value: ValueId) -> bool;

    /// The words of a constant, as wide as the result.
    fn constant(&self, value: ValueId) -> Option<Words>;

    fn lanes(&self, value: ValueId) -> u64;

    /// Width of the words of the result.
    fn width(&self) -> u32;
}

/// A domain in which operations are done on words, one by one.
pub(crate) trait WordDomain: Sync {
    fn domain(&self) -> Domain;

    /// What is said of a pin of values that are too wide, or no words.
    fn limit(&self) -> &'static str;

    /// Whether it takes an operation of which an operand is here, and what is then known of the result.
    fn place(&self, op: &Op, operands: &[Operand], asked: Asked, options: &Options) -> Option<Placed>;

    /// What an operation becomes that it has taken, and whose result is here.
    fn make(&self, op: &Op, values: &dyn Values) -> Option<Made>;
}
