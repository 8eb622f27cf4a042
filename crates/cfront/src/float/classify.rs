//! Comparisons, classes of numbers, minimum and maximum.

use tacit_ir::CompareOp;

use super::Floats;
use crate::graph::Word;

/// The relations of two numbers that make a comparison hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Relation {
    pub less: bool,
    pub equal: bool,
    pub greater: bool,
    pub unordered: bool,
}

impl Floats<'_> {
    pub(crate) fn compare(&mut self, relation: Relation, a: Word, b: Word) -> Word {
        let mut holds = self.graph.flag(false);
        if relation.equal {
            let equal = self.equal(a, b);
            holds = self.graph.or(holds, equal);
        }
        for (wanted, x, y) in [(relation.less, a, b), (relation.greater, b, a)] {
            if wanted {
                let less = self.less(x, y);
                holds = self.graph.or(holds, less);
            }
        }
        let (first, second) = (self.is_nan(a), self.is_nan(b));
        let unordered = self.graph.or(first, second);
        if relation.unordered {
            return self.graph.or(holds, unordered);
        }
        let ordered = self.graph.not(unordered);
        let all = relation.less && relation.equal && relation.greater;
        if all { ordered } else { self.graph.and(holds, ordered) }
    }

    /// For numbers, not NaNs.
    fn equal(&mut self, a: Word, b: Word) -> Word {
        let same = self.graph.equal(a, b);
        let zeros = self.both_zero(a, b);
        self.graph.or(same, zeros)
    }

    fn both_zero(&mut self, a: Word, b: Word) -> Word {
        let (a, b) = (self.magnitude(a), self.magnitude(b));
        let either = self.graph.or(a, b);
        self.none(either)
    }

    /// For numbers, not NaNs.
    fn less(&mut self, a: Word, b: Word) -> Word {
        let less = self.below(a, b);
        let zeros = self.both_zero(a, b);
        let different = self.graph.not(zeros);
        self.graph.and(less, different)
    }

    /// For numbers, with -0 below +0: compares them as signed integers, and reversed if both are negative.
    fn below(&mut self, a: Word, b: Word) -> Word {
        let less = self.graph.compare(CompareOp::LtS, a, b);
        let same = self.graph.equal(a, b);
        let (first, second) = (self.sign(a), self.sign(b));
        let negative = self.graph.and(first, second);
        let reversed = self.graph.xor(less, negative);
        let different = self.graph.not(same);
        self.graph.and(reversed, different)
    }

    pub(super) fn extreme(&mut self, a: Word, b: Word, least: bool) -> Word {
        let (x, y) = if least { (a, b) } else { (b, a) };
        let first = self.below(x, y);
        let (broken_a, broken_b) = (self.is_nan(a), self.is_nan(b));
        let first = self.graph.or(first, broken_b);
        let second = self.graph.not(broken_a);
        let first = self.graph.and(first, second);
        // For two NaNs the first, for equal numbers either.
        let both = self.graph.and(broken_a, broken_b);
        let first = self.graph.or(first, both);
        let chosen = self.graph.select(first, a, b);
        let quiet = self.quiet(chosen);
        self.graph.select(both, quiet, chosen)
    }

    /// The smaller or the greater number; a NaN if either is one. -0 is less than +0.
    pub(crate) fn strict_extreme(&mut self, a: Word, b: Word, least: bool) -> Word {
        let (x, y) = (self.parts(a), self.parts(b));
        let chosen = self.extreme(a, b, least);
        let (broken, nan) = (self.graph.or(x.nan, y.nan), self.nan_of(&x, &y));
        self.graph.select(broken, nan, chosen)
    }

    /// Whether a number is in one of the classes of a mask, as in LLVM's `is.fpclass`.
    pub(crate) fn is_class(&mut self, a: Word, mask: u32) -> Word {
        let x = self.parts(a);
        let fraction = self.format.fraction;
        let quiet = self.graph.bit(a, fraction - 1);
        let loud = self.graph.not(quiet);
        let (zero, abnormal) = (self.is_zero(&x), self.graph.not(x.normal));
        let (not_zero, finite) = (self.graph.not(zero), self.graph.not(x.special));
        let subnormal = self.graph.and(abnormal, not_zero);
        let normal = self.graph.and(x.normal, finite);
        let mut any = self.graph.flag(false);
        for (bit, kind) in [(0, loud), (1, quiet)] {
            if mask >> bit & 1 == 1 {
                let holds = self.graph.and(x.nan, kind);
                any = self.graph.or(any, holds);
            }
        }
        let positive = self.graph.not(x.sign);
        let kinds = [x.infinite, normal, subnormal, zero];
        let numbered = kinds.iter().enumerate().map(|(index, kind)| (2 + index, 9 - index, *kind));
        for (minus, plus, kind) in numbered {
            let holds = match (mask >> minus & 1, mask >> plus & 1) {
                (0, 0) => continue,
                (1, 1) => kind,
                (1, _) => self.graph.and(kind, x.sign),
                _ => self.graph.and(kind, positive),
            };
            any = self.graph.or(any, holds);
        }
        any
    }
}
