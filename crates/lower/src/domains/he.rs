//! Which operations encrypted words take, and the kernels that these become: what needs no word of the key's owner.

use tacit_ir::{BinaryOp, Domain, Op, ScanOp, ShiftOp, UnaryOp};
use tacit_schedule::domains::he::HeOp;
use tacit_schedule::rules;

use super::arith::result_range;
use super::word_domain::{Made, Operand, Placed, Values, WordDomain};
use crate::options::Options;

/// Words that one party holds under the other's key, modulo 2^bits.
pub(super) struct He;

impl WordDomain for He {
    fn domain(&self) -> Domain {
        Domain::He
    }

    fn limit(&self) -> &'static str {
        "takes words of at most 128 bits"
    }

    fn place(&self, op: &Op, operands: &[Operand], bits: u32, _: &Options) -> Option<Placed> {
        let most = rules(Domain::He).max_bits();
        let fits = bits <= most && operands.iter().all(|operand| operand.bits <= most);
        if !fits || !takes(op, operands, bits) {
            return None;
        }
        let range = result_range(op, operands)?.and_then(|range| range.within(bits));
        Some(Placed::Here { range, joined: true })
    }

    fn make(&self, op: &Op, _: &dyn Values) -> Option<Made> {
        let (op, operands) = match op {
            Op::Extend { value, .. } | Op::Slice { value, .. } => return Some(Made::Same(*value)),
            Op::Join(joined) => return Some(Made::Join(joined.clone())),
            Op::Binary(BinaryOp::Add, a, b) => (HeOp::Add, vec![*a, *b]),
            Op::Binary(BinaryOp::Sub, a, b) => (HeOp::Sub { lift: 0 }, vec![*a, *b]),
            Op::Binary(BinaryOp::Mul, a, b) => (HeOp::Mul { lift: 0 }, vec![*a, *b]),
            Op::Unary(UnaryOp::Neg, a) => (HeOp::Neg { lift: 0 }, vec![*a]),
            Op::ShiftBy(ShiftOp::Left, a, by) => (HeOp::ShiftLeft(*by), vec![*a]),
            Op::SegmentSum { value, length } => (HeOp::SegmentSum(*length), vec![*value]),
            Op::Scan { op: ScanOp::Add, value, length } => (HeOp::Scan(*length), vec![*value]),
            &Op::MatrixProduct { left, right, batch, rows, inner, columns } => {
                (HeOp::MatrixProduct { batch, rows, inner, columns, lift: 0 }, vec![left, right])
            }
            _ => return None,
        };
        Some(Made::Kernel(op.into(), operands))
    }
}

/// Whether ciphertexts take it: of products one factor is a public constant.
fn takes(op: &Op, operands: &[Operand], bits: u32) -> bool {
    match op {
        Op::Binary(BinaryOp::Mul, ..) | Op::MatrixProduct { .. } => {
            operands.iter().any(|operand| operand.is_public)
        }
        Op::ShiftBy(ShiftOp::Left, _, by) => *by < bits,
        _ => true,
    }
}
