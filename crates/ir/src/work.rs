//! An upper bound on the cost of an operation in any back end, so that counts never overflow 64 bits.

use crate::typing::Scope;
use crate::{BinaryOp, Op, Type, UnaryOp, ValueId, ValueType, index_bits};

/// Most bit operations of a program, loops multiplied out.
pub const MAX_WORK: u64 = 1 << 60;

/// Bits counted for an element of a field: those of the largest field.
const FIELD_BITS: u128 = 4096;

/// Bit operations of `op`, whose operands are among `types` and whose results are `results`; saturates.
pub(crate) fn work(op: &Op, types: &[ValueType], results: &[ValueType], scope: &Scope) -> u128 {
    let of = |value: &ValueId| types[value.index()];
    let size = |value: &ValueId| bits(of(value).ty) * u128::from(of(value).lanes);
    let moved = results.iter().map(|ty| bits(ty.ty) * u128::from(ty.lanes)).sum::<u128>();
    let applied = || op.template().map_or(0, |template| u128::from(scope.templates[template.index()].work));
    let own = match op {
        Op::Binary(BinaryOp::Mul, a, _) => size(a) * bits(of(a).ty) * 2,
        Op::Binary(BinaryOp::DivU | BinaryOp::DivS | BinaryOp::RemU | BinaryOp::RemS, a, _) => {
            size(a) * (bits(of(a).ty) + 2) * 4
        }
        Op::Unary(UnaryOp::Invert, a) => size(a).saturating_mul(bits(of(a).ty) * bits(of(a).ty) * 4),
        Op::Shift(_, a, amount) => size(a) * 24 + size(amount),
        Op::MatrixProduct { left, columns, .. } => {
            size(left).saturating_mul(u128::from(*columns)).saturating_mul(bits(of(left).ty) * 2 + 2)
        }
        Op::Scan { value, .. } => size(value) * 80,
        Op::ArgMin { value, length, .. } => size(value) * 4 + u128::from(of(value).lanes) * depth(*length),
        Op::Sort { length, .. } => moved * 4 * depth(*length) * depth(*length),
        Op::Permute { order, .. } => {
            (moved + size(order)) * 4 * depth(of(order).lanes) * depth(of(order).lanes)
        }
        Op::Lookup { table, index } => size(table).saturating_mul(u128::from(of(index).lanes)) + size(index),
        Op::Update { table, index, .. } => size(table) * 2 + size(index) * u128::from(of(table).lanes),
        Op::Call { .. } => applied(),
        Op::Map { lanes, .. } => applied() * u128::from(*lanes),
        Op::Iterate { count, .. } => applied() * u128::from(*count),
        Op::SegmentSum { value, .. } => size(value) * 4,
        Op::Compare(_, a, _) => size(a) * 2,
        _ => moved * 4,
    };
    own.saturating_add(moved)
}

fn bits(ty: Type) -> u128 {
    match ty {
        Type::Word(bits) => u128::from(bits),
        Type::Field(_) => FIELD_BITS,
    }
}

fn depth(length: u64) -> u128 {
    u128::from(index_bits(length)) + 1
}
