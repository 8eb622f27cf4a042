//! Kinds of operations that are assigned to domains together.

use std::fmt;
use std::str::FromStr;

use tacit_ir::{BinaryOp, Domain, Op};
use tacit_schedule::rules;

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

    /// Whether operations of this class can be computed in a domain: those that look at bits, not on words.
    pub fn works_in(self, domain: Domain) -> bool {
        !matches!(self, OpClass::Choices | OpClass::Bits) || !rules(domain).is_of_words()
    }

    /// The class with this name.
    pub fn named(name: &str) -> Option<OpClass> {
        OpClass::ALL.into_iter().find(|class| class.name() == name)
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

    /// Whether no class has a domain of its own.
    pub fn is_empty(&self) -> bool {
        *self == Assigned::default()
    }

    /// The domain assigned to an operation.
    pub(crate) fn of_op(&self, op: &Op) -> Option<Domain> {
        OpClass::of(op).and_then(|class| self.of(class))
    }
}

/// As it is read: `products=arith,comparisons=yao`, in the order of [`OpClass::ALL`].
impl fmt::Display for Assigned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pair =
            |class: OpClass| self.of(class).map(|domain| format!("{}={}", class.name(), domain.name()));
        f.write_str(&OpClass::ALL.into_iter().filter_map(pair).collect::<Vec<_>>().join(","))
    }
}

/// The text names no classes with domains in which they work, or names a class twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidAssigned;

impl FromStr for Assigned {
    type Err = InvalidAssigned;

    fn from_str(text: &str) -> Result<Assigned, InvalidAssigned> {
        let domain_of = |name: &str| Domain::UNPINNED.iter().copied().find(|domain| domain.name() == name);
        text.split(',').try_fold(Assigned::default(), |all, pair| {
            let (class, domain) = pair.split_once('=').ok_or(InvalidAssigned)?;
            let class = OpClass::named(class.trim()).ok_or(InvalidAssigned)?;
            let domain = domain_of(domain.trim()).ok_or(InvalidAssigned)?;
            let may = class.works_in(domain) && all.of(class).is_none();
            may.then(|| all.with(class, Some(domain))).ok_or(InvalidAssigned)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_of_classes_are_read_as_they_are_written() {
        let both = Assigned::default()
            .with(OpClass::Products, Some(Domain::Arith))
            .with(OpClass::Comparisons, Some(Domain::Yao));
        assert_eq!(both.to_string(), "products=arith,comparisons=yao");
        assert_eq!("comparisons=yao, products = arith".parse(), Ok(both));
        assert!(Assigned::default().to_string().is_empty() && Assigned::default().is_empty());
        for text in ["", "products", "products=", "products=he", "products=auto", "product=yao", "bits=yao,,"]
        {
            assert_eq!(text.parse::<Assigned>(), Err(InvalidAssigned), "{text}");
        }
        for text in ["sums=yao,sums=bool", "choices=arith", "products=yao,bits=arith"] {
            assert_eq!(text.parse::<Assigned>(), Err(InvalidAssigned), "{text}");
        }
    }
}
