//! Arithmetic on the limbs of one lane, of any width.
//!
//! Bits above the width of operands and results are zero.

use std::cmp::Ordering;

use crate::ShiftOp;

/// Clears the bits above `bits`.
pub(super) fn mask(bits: u32, lane: &mut [u64]) {
    if let (Some(top), 1..) = (lane.last_mut(), bits % 64) {
        *top &= (1 << (bits % 64)) - 1;
    }
}

pub(super) fn bit(lane: &[u64], bit: u32) -> bool {
    lane[bit as usize / 64] >> (bit % 64) & 1 == 1
}

/// Sets the bits `from..to`.
pub(super) fn set_ones(lane: &mut [u64], from: u32, to: u32) {
    for (limb, start) in lane.iter_mut().zip((0u32..).step_by(64)) {
        let (low, high) = (from.max(start), to.min(start.saturating_add(64)));
        if low < high {
            *limb |= (u64::MAX >> (64 - (high - low))) << (low - start);
        }
    }
}

/// `out += a` modulo the limbs; returns the carry.
pub(super) fn add_assign(out: &mut [u64], a: &[u64]) -> bool {
    out.iter_mut().zip(a).fold(false, |carry, (out, a)| {
        let (sum, first) = out.overflowing_add(*a);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        *out = sum;
        first | second
    })
}

/// `out -= a` modulo the limbs.
pub(super) fn sub_assign(out: &mut [u64], a: &[u64]) {
    out.iter_mut().zip(a).fold(false, |borrow, (out, a)| {
        let (difference, first) = out.overflowing_sub(*a);
        let (difference, second) = difference.overflowing_sub(u64::from(borrow));
        *out = difference;
        first | second
    });
}

/// `out = -a` modulo `2^bits`.
pub(super) fn neg(bits: u32, out: &mut [u64], a: &[u64]) {
    out.fill(0);
    sub_assign(out, a);
    mask(bits, out);
}

/// `out += a · b` modulo the limbs.
pub(super) fn multiply_add(out: &mut [u64], a: &[u64], b: &[u64]) {
    for (shift, a) in a.iter().enumerate() {
        out[shift..].iter_mut().zip(b).fold(0u64, |carry, (out, b)| {
            let sum = u128::from(*a) * u128::from(*b) + u128::from(*out) + u128::from(carry);
            *out = sum as u64;
            (sum >> 64) as u64
        });
    }
}

pub(super) fn is_zero(a: &[u64]) -> bool {
    a.iter().all(|limb| *limb == 0)
}

pub(super) fn compare_unsigned(a: &[u64], b: &[u64]) -> Ordering {
    a.iter().rev().cmp(b.iter().rev())
}

pub(super) fn compare_signed(bits: u32, a: &[u64], b: &[u64]) -> Ordering {
    let (a_negative, b_negative) = (bit(a, bits - 1), bit(b, bits - 1));
    b_negative.cmp(&a_negative).then_with(|| compare_unsigned(a, b))
}

/// Unsigned or signed order of words of `bits` bits.
pub(super) fn compare(bits: u32, signed: bool, a: &[u64], b: &[u64]) -> Ordering {
    if signed { compare_signed(bits, a, b) } else { compare_unsigned(a, b) }
}

/// Unsigned quotient and remainder by a divisor that is not zero, bit by bit.
fn divide(bits: u32, a: &[u64], b: &[u64]) -> (Vec<u64>, Vec<u64>) {
    let (mut quotient, mut remainder) = (vec![0; a.len()], vec![0; a.len()]);
    for position in (0..bits).rev() {
        let overflow = remainder.iter_mut().fold(bit(a, position), |carry, limb| {
            let out = *limb >> 63 == 1;
            *limb = *limb << 1 | u64::from(carry);
            out
        });
        if overflow || compare_unsigned(&remainder, b) != Ordering::Less {
            sub_assign(&mut remainder, b);
            quotient[position as usize / 64] |= 1 << (position % 64);
        }
    }
    (quotient, remainder)
}

/// The unsigned quotient and remainder; all ones and `a` if `b` is zero.
pub(super) fn divide_unsigned(bits: u32, a: &[u64], b: &[u64]) -> (Vec<u64>, Vec<u64>) {
    if !is_zero(b) {
        return divide(bits, a, b);
    }
    let mut ones = vec![u64::MAX; a.len()];
    mask(bits, &mut ones);
    (ones, a.to_vec())
}

/// The signed quotient, rounded towards zero, and remainder; -1 and `a` if `b` is zero.
pub(super) fn divide_signed(bits: u32, a: &[u64], b: &[u64]) -> (Vec<u64>, Vec<u64>) {
    if is_zero(b) {
        return divide_unsigned(bits, a, b);
    }
    let negated = |negative: bool, lane: &[u64]| {
        let mut out = lane.to_vec();
        if negative {
            neg(bits, &mut out, lane);
        }
        out
    };
    let (a_negative, b_negative) = (bit(a, bits - 1), bit(b, bits - 1));
    let (quotient, remainder) = divide(bits, &negated(a_negative, a), &negated(b_negative, b));
    (negated(a_negative != b_negative, &quotient), negated(a_negative, &remainder))
}

/// A shift; an amount of `bits` or more leaves zero, or the sign.
pub(super) fn shift(op: ShiftOp, bits: u32, out: &mut [u64], a: &[u64], amount: u32) {
    let amount = amount.min(bits);
    match op {
        ShiftOp::Left => {
            out.fill(0);
            or_at(out, a, amount);
            mask(bits, out);
        }
        ShiftOp::RightU => read_at(out, a, amount),
        ShiftOp::RightS => {
            read_at(out, a, amount);
            if bit(a, bits - 1) {
                set_ones(out, bits - amount, bits);
            }
        }
    }
}

/// The bits of `a` from `low` up, with zeros beyond its end, as many as fit in `out`.
pub(super) fn read_at(out: &mut [u64], a: &[u64], low: u32) {
    let (limbs, rest) = (low as usize / 64, low % 64);
    let limb = |index: usize| a.get(index).copied().unwrap_or(0);
    for (index, out) in out.iter_mut().enumerate() {
        let high = if rest == 0 { 0 } else { limb(index + limbs + 1) << (64 - rest) };
        *out = limb(index + limbs) >> rest | high;
    }
}

/// Ors `a` into `out` from bit `low` up, as far as it fits.
pub(super) fn or_at(out: &mut [u64], a: &[u64], low: u32) {
    let (limbs, rest) = (low as usize / 64, low % 64);
    for (index, limb) in a.iter().enumerate() {
        if let Some(out) = out.get_mut(index + limbs) {
            *out |= limb << rest;
        }
        if let (Some(out), 1..) = (out.get_mut(index + limbs + 1), rest) {
            *out |= limb >> (64 - rest);
        }
    }
}

/// A shift amount of any width, cut to 32 bits.
pub(super) fn amount(a: &[u64]) -> u32 {
    match a[1..].iter().all(|limb| *limb == 0) {
        true => u32::try_from(a[0]).unwrap_or(u32::MAX),
        false => u32::MAX,
    }
}
