//! Lane-by-lane operations on vectors of limbs.

use std::cmp::Ordering;

use super::lane;
use crate::{BinaryOp, CompareOp, FieldId, Index, ShiftOp, UnaryOp};

/// The memory layout of a value: `lanes` lanes of `limbs` 64-bit limbs that hold `bits` bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) bits: u32,
    pub(super) limbs: usize,
    pub(super) lanes: u64,
    /// The field of the lanes, unless they are words.
    pub(super) field: Option<FieldId>,
}

impl Layout {
    /// Limbs of the whole value.
    pub(super) fn size(self) -> usize {
        self.limbs * self.lanes as usize
    }
}

pub(super) fn unary(op: UnaryOp, layout: Layout, out: &mut [u64], a: &[u64]) {
    for (out, a) in out.chunks_exact_mut(layout.limbs).zip(a.chunks_exact(layout.limbs)) {
        match op {
            UnaryOp::Not => {
                out.iter_mut().zip(a).for_each(|(out, a)| *out = !a);
                lane::mask(layout.bits, out);
            }
            _ => lane::neg(layout.bits, out, a),
        }
    }
}

pub(super) fn binary(op: BinaryOp, layout: Layout, out: &mut [u64], a: &[u64], b: &[u64]) {
    if layout.limbs == 1 {
        return narrow_binary(op, layout.bits, out, a, b);
    }
    let operands = a.chunks_exact(layout.limbs).zip(b.chunks_exact(layout.limbs));
    for (out, (a, b)) in out.chunks_exact_mut(layout.limbs).zip(operands) {
        wide_binary(op, layout.bits, out, a, b);
    }
}

/// Lanes of one limb.
fn narrow_binary(op: BinaryOp, bits: u32, out: &mut [u64], a: &[u64], b: &[u64]) {
    let (mask, unused) = (u64::MAX >> (64 - bits), 64 - bits);
    let signed = |value: u64| (value << unused) as i64 >> unused;
    let mut each = |f: &dyn Fn(u64, u64) -> u64| {
        out.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (a, b))| *out = f(*a, *b) & mask);
    };
    match op {
        BinaryOp::Add => each(&|a, b| a.wrapping_add(b)),
        BinaryOp::Sub => each(&|a, b| a.wrapping_sub(b)),
        BinaryOp::Mul => each(&|a, b| a.wrapping_mul(b)),
        BinaryOp::And => each(&|a, b| a & b),
        BinaryOp::Or => each(&|a, b| a | b),
        BinaryOp::Xor => each(&|a, b| a ^ b),
        BinaryOp::DivU => each(&|a, b| a.checked_div(b).unwrap_or(u64::MAX)),
        BinaryOp::RemU => each(&|a, b| a.checked_rem(b).unwrap_or(a)),
        BinaryOp::DivS => {
            each(&|a, b| if b == 0 { u64::MAX } else { signed(a).wrapping_div(signed(b)) as u64 })
        }
        BinaryOp::RemS => each(&|a, b| if b == 0 { a } else { signed(a).wrapping_rem(signed(b)) as u64 }),
    }
}

fn wide_binary(op: BinaryOp, bits: u32, out: &mut [u64], a: &[u64], b: &[u64]) {
    let bitwise = |out: &mut [u64], f: fn(u64, u64) -> u64| {
        out.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (a, b))| *out = f(*a, *b));
    };
    match op {
        BinaryOp::Add => {
            out.copy_from_slice(a);
            lane::add_assign(out, b);
        }
        BinaryOp::Sub => {
            out.copy_from_slice(a);
            lane::sub_assign(out, b);
        }
        BinaryOp::Mul => {
            out.fill(0);
            lane::multiply_add(out, a, b);
        }
        BinaryOp::DivU => out.copy_from_slice(&lane::divide_unsigned(bits, a, b).0),
        BinaryOp::RemU => out.copy_from_slice(&lane::divide_unsigned(bits, a, b).1),
        BinaryOp::DivS => out.copy_from_slice(&lane::divide_signed(bits, a, b).0),
        BinaryOp::RemS => out.copy_from_slice(&lane::divide_signed(bits, a, b).1),
        BinaryOp::And => bitwise(out, |a, b| a & b),
        BinaryOp::Or => bitwise(out, |a, b| a | b),
        BinaryOp::Xor => bitwise(out, |a, b| a ^ b),
    }
    lane::mask(bits, out);
}

pub(super) fn compare(op: CompareOp, layout: Layout, out: &mut [u64], a: &[u64], b: &[u64]) {
    let operands = a.chunks_exact(layout.limbs).zip(b.chunks_exact(layout.limbs));
    for (out, (a, b)) in out.iter_mut().zip(operands) {
        *out = u64::from(match op {
            CompareOp::Eq => a == b,
            CompareOp::LtU => lane::compare_unsigned(a, b) == Ordering::Less,
            CompareOp::LtS => lane::compare_signed(layout.bits, a, b) == Ordering::Less,
        });
    }
}

pub(super) fn shift_by(op: ShiftOp, layout: Layout, out: &mut [u64], a: &[u64], amount: u32) {
    for (out, a) in out.chunks_exact_mut(layout.limbs).zip(a.chunks_exact(layout.limbs)) {
        lane::shift(op, layout.bits, out, a, amount);
    }
}

/// A shift by secret amounts of `amount_limbs` limbs each.
pub(super) fn shift(op: ShiftOp, layout: Layout, out: &mut [u64], a: &[u64], amounts: &[u64]) {
    let amount_limbs = amounts.len() / layout.lanes as usize;
    let operands = a.chunks_exact(layout.limbs).zip(amounts.chunks_exact(amount_limbs));
    for (out, (a, amount)) in out.chunks_exact_mut(layout.limbs).zip(operands) {
        lane::shift(op, layout.bits, out, a, lane::amount(amount));
    }
}

pub(super) fn select(layout: Layout, out: &mut [u64], condition: &[u64], a: &[u64], b: &[u64]) {
    let operands = a.chunks_exact(layout.limbs).zip(b.chunks_exact(layout.limbs));
    for ((out, condition), (a, b)) in out.chunks_exact_mut(layout.limbs).zip(condition).zip(operands) {
        out.copy_from_slice(if *condition == 1 { a } else { b });
    }
}

pub(super) fn extend(from: Layout, to: Layout, signed: bool, out: &mut [u64], a: &[u64]) {
    for (out, a) in out.chunks_exact_mut(to.limbs).zip(a.chunks_exact(from.limbs)) {
        lane::read_at(out, a, 0);
        if signed && lane::bit(a, from.bits - 1) {
            lane::set_ones(out, from.bits, to.bits);
        }
    }
}

pub(super) fn slice(from: Layout, to: Layout, low: u32, out: &mut [u64], a: &[u64]) {
    for (out, a) in out.chunks_exact_mut(to.limbs).zip(a.chunks_exact(from.limbs)) {
        lane::read_at(out, a, low);
        lane::mask(to.bits, out);
    }
}

/// Ors one part of a concatenation into `out` from bit `low` up.
pub(super) fn concat_part(part: Layout, to: Layout, low: u32, out: &mut [u64], a: &[u64]) {
    for (out, a) in out.chunks_exact_mut(to.limbs).zip(a.chunks_exact(part.limbs)) {
        lane::or_at(out, a, low);
    }
}

pub(super) fn gather(from: Layout, index: &Index, out: &mut [u64], a: &[u64]) {
    if let Index::Range { start, step: 1, .. } = index {
        let start = *start as usize * from.limbs;
        return out.copy_from_slice(&a[start..start + out.len()]);
    }
    for (number, out) in out.chunks_exact_mut(from.limbs).enumerate() {
        let position = index.position(number as u64, from.lanes) as usize;
        out.copy_from_slice(&a[position * from.limbs..][..from.limbs]);
    }
}
