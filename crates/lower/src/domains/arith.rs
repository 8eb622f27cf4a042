//! The operations that words shared by sum support, and their kernels.

use tacit_ir::{BinaryOp, CompareOp, Domain, Op, ScanOp, ShiftOp, UnaryOp, ValueId, Words};
use tacit_schedule::{ArithOp, MAX_ARITH_BITS, Relation};

use super::range::{Range, log};
use super::word_domain::{Asked, Made, Operand, Placed, Values, WordDomain};
use crate::options::Options;

/// The most words of which the least are found without conversion; those of more words take much memory.
pub(crate) const MOST_MINIMISED: u64 = 1 << 14;

/// The most bits of their differences.
pub(crate) const MOST_DIFFERENCE: u32 = 64;

/// Words shared by sum, modulo 2^bits.
pub(super) struct Arith;

impl WordDomain for Arith {
    fn domain(&self) -> Domain {
        Domain::Arith
    }

    fn limit(&self) -> &'static str {
        "takes words of at most 128 bits"
    }

    fn place(&self, op: &Op, operands: &[Operand], asked: Asked, options: &Options) -> Option<Placed> {
        let bits = asked.bits;
        if let Op::Compare(compare, ..) = op {
            return if options.direct_comparisons { comparison(*compare, operands) } else { None };
        }
        if let &Op::ArgMin { length, signed, .. } = op {
            return if options.direct_minima { minimum((length, signed), operands, bits) } else { None };
        }
        if bits > MAX_ARITH_BITS || operands.iter().any(|operand| operand.bits > MAX_ARITH_BITS) {
            return None;
        }
        let shifts_right = is_right_shift(op);
        // Shares of a value that is shifted to the right are meaningless beyond its width.
        let range = match op {
            Op::ShiftBy(_, _, by) if shifts_right && options.direct_shifts && (1..bits).contains(by) => None,
            _ => result_range(op, operands)?.and_then(|range| range.within(bits)),
        };
        Some(Placed::Here { range, joined: !shifts_right })
    }

    fn make(&self, op: &Op, values: &dyn Values) -> Option<Made> {
        let (op, operands) = match op {
            Op::ShiftBy(ShiftOp::RightU, value, by) => return Some(shift_right(*value, *by, false)),
            Op::ShiftBy(ShiftOp::RightS, value, by) => return Some(shift_right(*value, *by, true)),
            // Its range is known, or only its low bits matter: the shares stay the same.
            Op::Extend { value, .. } | Op::Slice { value, .. } => return Some(Made::Same(*value)),
            Op::Join(joined) => return Some(Made::Join(joined.clone())),
            Op::Binary(BinaryOp::Mul, a, b) => product(values, *a, *b),
            Op::Binary(BinaryOp::Add, a, b) => (ArithOp::Add, vec![*a, *b]),
            Op::Binary(BinaryOp::Sub, a, b) => (ArithOp::Sub, vec![*a, *b]),
            Op::Unary(UnaryOp::Neg, a) => (ArithOp::Neg, vec![*a]),
            Op::ShiftBy(ShiftOp::Left, a, by) => {
                (ArithOp::Scale(power_of_two(*by, values.width(), values.lanes(*a))), vec![*a])
            }
            Op::SegmentSum { value, length } => (ArithOp::SegmentSum(*length), vec![*value]),
            Op::Scan { op: ScanOp::Add, value, length } => (ArithOp::Scan(*length), vec![*value]),
            &Op::MatrixProduct { left, right, batch, rows, inner, columns } => {
                (ArithOp::MatrixProduct { batch, rows, inner, columns }, vec![left, right])
            }
            _ => return None,
        };
        Some(Made::Kernel(op.into(), operands))
    }
}

/// How sums are compared without conversion, if possible.
fn comparison(compare: CompareOp, operands: &[Operand]) -> Option<Placed> {
    let (relation, width) = related(compare, operands, MAX_ARITH_BITS)?;
    let kernel = ArithOp::Compare(relation).into();
    Some(Placed::Elsewhere { kernel, width, domain: Domain::Bool, bits: 1, range: None })
}

/// How the least of sums is found without conversion, if possible: numbers whose differences are known to have a sign.
fn minimum((length, signed): (u64, bool), operands: &[Operand], bits: u32) -> Option<Placed> {
    let [of] = operands else { return None };
    let range = number(of, signed).filter(|_| of.here)?;
    let width = range.difference(range).bits;
    if length < 2 || of.lanes > MOST_MINIMISED || width > MOST_DIFFERENCE {
        return None;
    }
    let kernel = ArithOp::ArgMin { length, difference: width }.into();
    Some(Placed::Elsewhere { kernel, width, domain: Domain::Arith, bits, range: Some(range) })
}

/// The relation that words of at most `limit` bits are compared by, and the width that they need.
pub(super) fn related(compare: CompareOp, operands: &[Operand], limit: u32) -> Option<(Relation, u32)> {
    let [a, b] = operands else { return None };
    let bits = a.bits;
    if bits > limit || !operands.iter().all(|operand| operand.here || operand.is_constant) {
        return None;
    }
    let less = |signed: bool| {
        let difference = number(a, signed).zip(number(b, signed)).map(|(a, b)| a.difference(b).bits);
        // A constant is not widened.
        let most = if a.here && b.here { limit } else { bits };
        match difference {
            Some(wide) if wide <= most => (Relation::LessWithin, wide),
            _ if signed => (Relation::LessSigned, bits),
            _ => (Relation::LessUnsigned, bits),
        }
    };
    Some(match compare {
        CompareOp::Eq => (Relation::Equal, bits),
        CompareOp::LtU => less(false),
        CompareOp::LtS => less(true),
    })
}

/// The range of a constant or a sum, if its word is the number itself.
fn number(operand: &Operand, signed: bool) -> Option<Range> {
    let range = operand.range?;
    range.is_word(operand.bits, signed).then_some(range)
}

/// The known range of a result, if the operation works on shares of sums.
pub(super) fn result_range(op: &Op, operands: &[Operand]) -> Option<Option<Range>> {
    let of = |index: usize| operands.get(index).and_then(|operand| operand.read);
    let both = || of(0).zip(of(1));
    Some(match op {
        Op::Binary(BinaryOp::Add, ..) => both().map(|(a, b)| a.sum(b, 1)),
        Op::Binary(BinaryOp::Sub, ..) => both().map(|(a, b)| a.difference(b)),
        Op::Binary(BinaryOp::Mul, a, b) if a == b => of(0).map(Range::square),
        Op::Binary(BinaryOp::Mul, ..) => both().map(|(a, b)| a.product(b)),
        Op::Unary(UnaryOp::Neg, _) => of(0).map(|a| a.difference(a)),
        Op::SegmentSum { length, .. } | Op::Scan { op: ScanOp::Add, length, .. } => {
            of(0).map(|range| range.sum(range, log(*length)))
        }
        Op::MatrixProduct { inner, .. } => {
            both().map(|(a, b)| a.product(b)).map(|range| range.sum(range, log(*inner)))
        }
        Op::ShiftBy(ShiftOp::Left, _, by) => of(0).map(|a| Range { bits: a.bits.saturating_add(*by), ..a }),
        Op::Slice { low: 0, .. } => of(0),
        Op::Extend { signed, .. } => Some(extended(operands.first()?, *signed)?),
        Op::Join(_) if operands.iter().all(|operand| operand.here) => {
            let mut ranges = operands.iter().map(|operand| operand.read);
            ranges
                .next()
                .flatten()
                .and_then(|first| ranges.try_fold(first, |all, range| range.map(|range| all.sum(range, 0))))
        }
        _ => return None,
    })
}

/// The range of a value whose shares widening leaves unchanged.
fn extended(operand: &Operand, signed: bool) -> Option<Range> {
    // Only shares of sums stay the same; other shares are widened for free.
    let range = if operand.here { operand.read? } else { return None };
    range.is_word(operand.bits, signed).then_some(range)
}

/// Whether an operation shifts to the right: its operand's ring is not the result's.
fn is_right_shift(op: &Op) -> bool {
    matches!(op, Op::ShiftBy(ShiftOp::RightU | ShiftOp::RightS, ..))
}

fn shift_right(value: ValueId, by: u32, signed: bool) -> Made {
    Made::Narrow(ArithOp::ShiftRight { by, signed }.into(), value)
}

/// A product: a square, one with a constant, or one of two shared values.
fn product(values: &dyn Values, a: ValueId, b: ValueId) -> (ArithOp, Vec<ValueId>) {
    if values.are_same(a, b) {
        return (ArithOp::Square, vec![a]);
    }
    match (values.constant(a), values.constant(b)) {
        (Some(words), _) => (ArithOp::Scale(words), vec![b]),
        (_, Some(words)) => (ArithOp::Scale(words), vec![a]),
        _ => (ArithOp::Mul, vec![a, b]),
    }
}

/// 2^`exponent` in each lane, modulo 2^`bits`.
fn power_of_two(exponent: u32, bits: u32, lanes: u64) -> Words {
    let mut words = Words::zero(bits, lanes);
    // An exponent beyond the width leaves nothing of the value; higher bits of the shares do not count.
    if exponent < bits {
        (0..lanes).for_each(|lane| words.set_bit(lane, exponent, true));
    }
    words
}
