//! The positions of one comparison: sums of which one is zero at the bit that decides the comparison.
//!
//! For numbers left and right with bits `l_i` and `r_i`, `d_i = r_i - l_i` and `w_i = l_i xor r_i`. From shares or
//! ciphertexts of all `d_i` and `w_i` follow those of the positions, which are linear in them.
//!
//! Source: Geisler's report, section 2.3, for revealed results. For shared results: the extra position and the factor 3 of
//! Veugen, “Improving the DGK comparison protocol” (WIFS 2012), section II, after Blake and Kolesnikov and DGK; and his first improvement.

use crate::residues::Residues;

/// A relation between two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The left number is greater: the paper's `m > x`.
    Greater,
    /// The left number is greater or equal.
    GreaterOrEqual,
    /// The left number is less.
    Less,
    /// The left number is less or equal.
    LessOrEqual,
    /// Both numbers are equal.
    Equal,
}

/// One question that a zero among some positions answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    /// `c_i = d_i + 1 + Σ w_j` over `j > i`: zero at one i if left is greater, or, with `swapped`, if right is greater.
    Order { swapped: bool },
    /// `Σ w_j`: zero if both are equal.
    Equality,
    /// With a secret bit δ and `s = 1 - 2δ`: `c_i = s + d_i + 3·Σ w_j` and, at the end, `1 - δ + Σ w_j` over all j. One of them is zero
    /// if δ differs from the bit that says whether left (with `swapped`, right) is greater.
    Masked { swapped: bool },
    /// The same where the assistant knows the right number: `c_i = 1 - w_i + Σ w_j`, of which only those with
    /// `r_i = δ` count, and the same end. It needs no factor 3.
    MaskedKnown { swapped: bool },
}

/// The tests for a relation, and whether their answer must be negated.
pub(crate) struct Question {
    pub tests: Vec<Test>,
    pub negate: bool,
}

impl Relation {
    /// For revealed results.
    pub(crate) fn revealed(self) -> Question {
        let (test, negate) = match self {
            Relation::Greater => (Test::Order { swapped: false }, false),
            Relation::GreaterOrEqual => (Test::Order { swapped: true }, true),
            Relation::Less => (Test::Order { swapped: true }, false),
            Relation::LessOrEqual => (Test::Order { swapped: false }, true),
            Relation::Equal => (Test::Equality, false),
        };
        Question { tests: vec![test], negate }
    }

    /// For shared results; `known` if the assistant knows the right numbers. Equality is `not (greater xor less)`.
    pub(crate) fn shared(self, known: bool) -> Question {
        let test = |swapped| if known { Test::MaskedKnown { swapped } } else { Test::Masked { swapped } };
        let (tests, negate) = match self {
            Relation::Greater => (vec![test(false)], false),
            Relation::GreaterOrEqual => (vec![test(true)], true),
            Relation::Less => (vec![test(true)], false),
            Relation::LessOrEqual => (vec![test(false)], true),
            Relation::Equal => (vec![test(false), test(true)], true),
        };
        Question { tests, negate }
    }

    /// The relation's number in the tags of messages.
    pub(crate) fn code(self) -> u8 {
        match self {
            Relation::Greater => 0,
            Relation::GreaterOrEqual => 1,
            Relation::Less => 2,
            Relation::LessOrEqual => 3,
            Relation::Equal => 4,
        }
    }

    /// Whether the relation holds between two numbers in the clear.
    pub fn holds(self, left: u64, right: u64) -> bool {
        match self {
            Relation::Greater => left > right,
            Relation::GreaterOrEqual => left >= right,
            Relation::Less => left < right,
            Relation::LessOrEqual => left <= right,
            Relation::Equal => left == right,
        }
    }
}

impl Test {
    /// How many positions numbers of `bits` bits have.
    pub fn positions(self, bits: u32) -> usize {
        match self {
            Test::Order { .. } => bits as usize,
            Test::Equality => 1,
            Test::Masked { .. } | Test::MaskedKnown { .. } => bits as usize + 1,
        }
    }

    /// Whether a secret bit masks the answer.
    pub fn masked(self) -> bool {
        matches!(self, Test::Masked { .. } | Test::MaskedKnown { .. })
    }

    /// The factors of `d_i`, `w_i` and `Σ w_j` in the positions of bits: two signs, and a count.
    pub fn weights(self) -> Weights {
        let signed = |swapped| if swapped { Sign::Minus } else { Sign::Plus };
        match self {
            Test::Order { swapped } => Weights { difference: signed(swapped), own: Sign::None, higher: 1 },
            Test::Equality => Weights { difference: Sign::None, own: Sign::None, higher: 1 },
            Test::Masked { swapped } => Weights { difference: signed(swapped), own: Sign::None, higher: 3 },
            Test::MaskedKnown { .. } => Weights { difference: Sign::None, own: Sign::Minus, higher: 1 },
        }
    }

    /// One party's shares of the positions, without constants, from its shares of `d_i` and `w_i`, lowest bit first.
    pub fn combine(self, residues: Residues, differences: &[u32], unequal: &[u32], into: &mut Vec<u32>) {
        let weights = self.weights();
        let mut higher = 0;
        for (difference, unequal) in differences.iter().zip(unequal).rev() {
            if self != Test::Equality {
                let signed = weights.difference.of(residues, *difference);
                let own = weights.own.of(residues, *unequal);
                into.push(residues.reduce(signed + own + weights.higher * higher));
            }
            higher = residues.add(higher, *unequal);
        }
        if self == Test::Equality || self.masked() {
            into.push(higher);
        }
    }

    /// The constants that the assistant adds to the positions. `mask` is the secret bit δ; tests without one ignore it.
    pub fn constants(self, residues: Residues, bits: u32, mask: u32, into: &mut Vec<u32>) {
        let each = match self {
            Test::Order { .. } | Test::MaskedKnown { .. } => 1,
            Test::Masked { .. } => residues.sign(mask),
            Test::Equality => 0,
        };
        into.extend((1..self.positions(bits)).map(|_| each));
        into.push(if self.masked() { 1 - mask } else { each });
    }

    /// Which positions count: for [`Test::MaskedKnown`] those with `r_i = δ` and the end, for other tests all.
    pub fn counting(self, right: impl DoubleEndedIterator<Item = u32>, mask: u32, into: &mut Vec<u32>) {
        if let Test::MaskedKnown { swapped } = self {
            into.extend(right.rev().map(|bit| 1 ^ bit ^ mask ^ u32::from(swapped)));
            into.push(1);
        }
    }
}

/// The factors of a position's terms.
pub(crate) struct Weights {
    pub difference: Sign,
    pub own: Sign,
    pub higher: u32,
}

/// 1, -1 or 0.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Plus,
    Minus,
    None,
}

impl Sign {
    pub fn of(self, residues: Residues, number: u32) -> u32 {
        match self {
            Sign::Plus => number,
            Sign::Minus => residues.sub(0, number),
            Sign::None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answer given by the zeros among the positions, computed from all shares by one party.
    fn answer(test: Test, residues: Residues, bits: u32, left: u64, right: u64, mask: u32) -> usize {
        let of = |number: u64| (0..bits).map(move |i| (number >> i & 1) as u32);
        let differences: Vec<u32> = of(left).zip(of(right)).map(|(l, r)| residues.sub(r, l)).collect();
        let unequal: Vec<u32> = of(left).zip(of(right)).map(|(l, r)| l ^ r).collect();
        let (mut sums, mut constants, mut counting) = (Vec::new(), Vec::new(), Vec::new());
        test.combine(residues, &differences, &unequal, &mut sums);
        test.constants(residues, bits, mask, &mut constants);
        test.counting(of(right), mask, &mut counting);
        assert_eq!((sums.len(), constants.len()), (test.positions(bits), test.positions(bits)));
        counting.resize(sums.len(), 1);
        let positions = sums.iter().zip(&constants).zip(&counting);
        positions
            .filter(|((sum, constant), counts)| residues.add(**sum, **constant) == 0 && **counts == 1)
            .count()
    }

    #[test]
    fn zeros_decide_for_all_pairs() {
        for (bits, u) in [(1, 5), (2, 5), (4, 7), (5, 11)] {
            for (left, right) in
                (0..1 << bits).flat_map(|left| (0..1 << bits).map(move |right| (left, right)))
            {
                for swapped in [false, true] {
                    let greater = if swapped { right > left } else { left > right };
                    let zeros = |test, u, mask| answer(test, Residues::new(u), bits, left, right, mask);
                    assert_eq!(zeros(Test::Order { swapped }, u, 0), usize::from(greater));
                    assert_eq!(zeros(Test::Equality, u, 0), usize::from(left == right));
                    for mask in [0, 1] {
                        let expected = usize::from(greater) ^ mask as usize;
                        assert_eq!(zeros(Test::Masked { swapped }, 19, mask), expected);
                        assert_eq!(zeros(Test::MaskedKnown { swapped }, u, mask), expected);
                    }
                }
            }
        }
    }
}
