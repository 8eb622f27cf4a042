//! Kinds of operations that are assigned to domains together.

use tacit_ir::{BinaryOp, Domain, Op};

/// A class of operations that compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OpClass {
    /// Sums, differences, negation, sums along an axis.
    Sums,
    /// Products, of matrices too.
    Products,
    /// Comparisons, minima and maxima, sorting.
    Comparisons,
    /// Choices between two values.
    Choices,
    /// Everything else on bits.
    Bits,
}

impl OpClass {
    /// All of them.
    pub const ALL: [OpClass; 5] =
        [OpClass::Sums, OpClass::Products, OpClass::Comparisons, OpClass::Choices, OpClass::Bits];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            OpClass::Sums => "sums",
            OpClass::Products => "products",
            OpClass::Comparisons => "comparisons",
            OpClass::Choices => "choices",
            OpClass::Bits => "bits",
        }
    }

    /// The class of an operation; none if it only moves values or says how they are shared.
    pub fn of(op: &Op) -> Option<OpClass> {
        match op {
            Op::Binary(BinaryOp::Add | BinaryOp::Sub, ..) | Op::SegmentSum { .. } => Some(OpClass::Sums),
            Op::Binary(BinaryOp::Mul, ..) | Op::MatrixProduct { .. } => Some(OpClass::Products),
            Op::Compare(..) | Op::ArgMin { .. } | Op::Sort { .. } => Some(OpClass::Comparisons),
            Op::Select { .. } => Some(OpClass::Choices),
            Op::Binary(..) | Op::Shift(..) => Some(OpClass::Bits),
            // All other operations follow their operands.
            _ => None,
        }
    }
}

/// The domains in which the operations of each class work unless pinned; classes without one follow their
/// operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Assigned([Option<Domain>; OpClass::ALL.len()]);

impl Assigned {
    /// The same with another domain for a class.
    #[must_use]
    pub fn with(mut self, class: OpClass, domain: Option<Domain>) -> Assigned {
        self.0[class as usize] = domain;
        self
    }

    /// The domain of a class.
    pub fn of(&self, class: OpClass) -> Option<Domain> {
        self.0[class as usize]
    }

    /// The domain assigned to an operation.
    pub(crate) fn of_op(&self, op: &Op) -> Option<Domain> {
        OpClass::of(op).and_then(|class| self.of(class))
    }
}
