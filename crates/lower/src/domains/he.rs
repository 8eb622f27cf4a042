//! The operations that encrypted words support, and their kernels: those that need no message of the key's
//! owner, and products and comparisons that are pinned to encryption along with both operands, in which the
//! owner helps.

use tacit_ir::{BinaryOp, CompareOp, Domain, Op, ScanOp, ShiftOp, UnaryOp};
use tacit_schedule::domains::he::{HeOp, MAX_COMPARED_BITS};
use tacit_schedule::{Relation, rules};

use super::arith::{related, result_range};
use super::range::Range;
use super::word_domain::{Asked, Made, Operand, Placed, Values, WordDomain};
use crate::options::Options;

/// Words that one party holds under the other party's key, modulo 2^bits.
pub(super) struct He;

impl WordDomain for He {
    fn domain(&self) -> Domain {
        Domain::He
    }

    fn limit(&self) -> &'static str {
        "takes words of at most 128 bits"
    }

    fn place(&self, op: &Op, operands: &[Operand], asked: Asked, _: &Options) -> Option<Placed> {
        if let Op::Compare(compare, ..) = op {
            return if asked.pinned { comparison(*compare, operands) } else { None };
        }
        let bits = asked.bits;
        let most = rules(Domain::He).max_bits();
        let fits = bits <= most && operands.iter().all(|operand| operand.bits <= most);
        if !fits || !takes(op, operands, asked) {
            return None;
        }
        let range = match op {
            Op::Unary(UnaryOp::Not, _) => operands.first()?.read,
            _ => result_range(op, operands)?,
        };
        Some(Placed::Here { range: range.and_then(|range| range.within(bits)), joined: true })
    }

    fn make(&self, op: &Op, values: &dyn Values) -> Option<Made> {
        if let Some(made) = blinded(op, values) {
            return Some(made);
        }
        let (op, operands) = match op {
            Op::Extend { value, .. } | Op::Slice { value, .. } => return Some(Made::Same(*value)),
            Op::Join(joined) => return Some(Made::Join(joined.clone())),
            Op::Binary(BinaryOp::Add, a, b) => (HeOp::Add, vec![*a, *b]),
            Op::Binary(BinaryOp::Sub, a, b) => (HeOp::Sub { lift: 0 }, vec![*a, *b]),
            Op::Binary(BinaryOp::Mul, a, b) => (HeOp::Mul { lift: 0 }, vec![*a, *b]),
            Op::Unary(UnaryOp::Neg, a) => (HeOp::Neg { lift: 0 }, vec![*a]),
            Op::Unary(UnaryOp::Not, a) => (HeOp::Flip { lift: 0 }, vec![*a]),
            Op::ShiftBy(ShiftOp::Left, a, by) => (HeOp::ShiftLeft(*by), vec![*a]),
            Op::SegmentSum { value, length } => (HeOp::SegmentSum(*length), vec![*value]),
            Op::Scan { op: ScanOp::Add, value, length } => (HeOp::Scan(*length), vec![*value]),
            &Op::MatrixProduct { left, right, batch, rows, inner, columns } => {
                let known_bits = [0; 2];
                (HeOp::MatrixProduct { batch, rows, inner, columns, lift: 0, known_bits }, vec![left, right])
            }
            _ => return None,
        };
        Some(Made::Kernel(op.into(), operands))
    }
}

/// How encrypted words are compared under encryption, if possible: only if no difference of two numbers
/// wraps.
fn comparison(compare: CompareOp, operands: &[Operand]) -> Option<Placed> {
    let encrypted = operands.iter().any(|operand| operand.here && !operand.is_held);
    let (relation, width) = related(compare, operands, MAX_COMPARED_BITS).filter(|_| encrypted)?;
    if !matches!(relation, Relation::LessWithin | Relation::Equal) {
        return None;
    }
    let kernel = HeOp::Compare { relation, lift: 0, value_bits: 0 }.into();
    let range = Some(Range { bits: 1, signed: false });
    Some(Placed::Elsewhere { kernel, width, domain: Domain::He, bits: 1, range })
}

/// A product of two factors that the holder knows neither of.
fn blinded(op: &Op, values: &dyn Values) -> Option<Made> {
    let (shape, left, right) = match op {
        Op::Binary(BinaryOp::Mul, left, right) => ([values.lanes(*left), 1, 1, 1], *left, *right),
        &Op::MatrixProduct { left, right, batch, rows, inner, columns } => {
            ([batch, rows, inner, columns], left, right)
        }
        _ => return None,
    };
    if values.is_held(left) || values.is_held(right) {
        return None;
    }
    let [batch, rows, inner, columns] = shape;
    let op = HeOp::BlindedProduct { batch, rows, inner, columns, factor_bits: 0 };
    Some(Made::Kernel(op.into(), vec![left, right]))
}

/// Whether ciphertexts support it. For products, the holder must have one factor in the clear, or both
/// factors and the product must be pinned to encryption. Otherwise they are multiplied as sums, where
/// correlated randomness replaces decryptions.
fn takes(op: &Op, operands: &[Operand], asked: Asked) -> bool {
    match op {
        Op::Binary(BinaryOp::Mul, ..) | Op::MatrixProduct { .. } => {
            operands.iter().any(|operand| operand.is_held)
                || asked.pinned && operands.iter().all(|operand| operand.here)
        }
        Op::ShiftBy(ShiftOp::Left, _, by) => *by < asked.bits,
        // The negation of a bit is one minus the bit, unless the bit is a sign.
        Op::Unary(UnaryOp::Not, _) => {
            asked.bits == 1 && operands.iter().all(|operand| operand.here && !is_signed(operand))
        }
        _ => true,
    }
}

fn is_signed(operand: &Operand) -> bool {
    operand.read.is_some_and(|range| range.signed)
}
