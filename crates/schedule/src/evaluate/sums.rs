//! Arithmetic on words in the clear. Of a word of so many bits the low bits count; what stands above them means nothing.

use crate::schedule::{ArithOp, Relation};

/// The words of `bits` bits whose wires these are.
pub(super) fn words(wires: &[u128], bits: u32) -> impl Iterator<Item = u128> {
    let lanes = wires.len() / bits as usize;
    (0..lanes).map(move |lane| (0..bits as usize).map(|bit| wires[bit * lanes + lane] << bit).sum())
}

/// Writes the `bits` low bits of words, wire-major.
pub(super) fn write_bits(words: &[u128], bits: u32, wires: &mut [u128]) {
    let all = (0..bits).flat_map(|bit| words.iter().map(move |word| word >> bit & 1));
    wires.iter_mut().zip(all).for_each(|(wire, bit)| *wire = bit);
}

/// A word of `bits` bits as a wider one.
pub(super) fn widened(word: u128, bits: u32, signed: bool) -> u128 {
    let free = 128 - bits;
    if signed { ((word << free) as i128 >> free) as u128 } else { word & mask(bits) }
}

fn mask(bits: u32) -> u128 {
    u128::MAX >> (128 - bits)
}

/// An operation over all lanes of `copies` instances, modulo 2^128.
pub(super) fn apply(op: &ArithOp, operands: &[&[u128]], copies: usize) -> Vec<u128> {
    let x = operands[0];
    let each = |with: fn(u128, u128) -> u128| x.iter().zip(operands[1]).map(|(x, y)| with(*x, *y)).collect();
    match op {
        ArithOp::Add => each(u128::wrapping_add),
        ArithOp::Sub => each(u128::wrapping_sub),
        ArithOp::Mul => each(u128::wrapping_mul),
        ArithOp::Neg => x.iter().map(|x| x.wrapping_neg()).collect(),
        ArithOp::Square => x.iter().map(|x| x.wrapping_mul(*x)).collect(),
        ArithOp::Truncate => x.to_vec(),
        ArithOp::Scale(words) => {
            let factors: Vec<u128> = (0..words.lanes()).map(|lane| words.low_u128(lane)).collect();
            x.iter().zip(factors.iter().cycle()).map(|(x, by)| x.wrapping_mul(*by)).collect()
        }
        ArithOp::SegmentSum(length) => x.chunks(*length as usize).map(total).collect(),
        ArithOp::Scan(length) => x
            .chunks(*length as usize)
            .flat_map(|segment| {
                segment.iter().scan(0u128, |sum, x| {
                    *sum = sum.wrapping_add(*x);
                    Some(*sum)
                })
            })
            .collect(),
        ArithOp::MatrixProduct { batch, rows, inner, columns } => {
            let [rows, inner, columns] = [rows, inner, columns].map(|n| *n as usize);
            let y = operands[1];
            let place = |place: usize| {
                let (matrix, i, j) = (place / (rows * columns), place / columns % rows, place % columns);
                (0..inner).fold(0u128, |sum, k| {
                    let (x, y) = (x[(matrix * rows + i) * inner + k], y[(matrix * inner + k) * columns + j]);
                    sum.wrapping_add(x.wrapping_mul(y))
                })
            };
            (0..*batch as usize * copies * rows * columns).map(place).collect()
        }
        // What these give depends on the words' width: see `compare` and `shift_right`.
        ArithOp::Compare(_) | ArithOp::ShiftRight { .. } => Vec::new(),
    }
}

/// Whether words of `bits` bits are in a relation, lane by lane.
pub(super) fn compare(relation: Relation, x: &[u128], y: &[u128], bits: u32) -> Vec<u128> {
    let top = 1u128 << (bits - 1);
    let holds = |(x, y): (&u128, &u128)| {
        let (x, y, difference) = (x & mask(bits), y & mask(bits), x.wrapping_sub(*y));
        u128::from(match relation {
            Relation::LessUnsigned => x < y,
            Relation::LessSigned => x ^ top < y ^ top,
            Relation::LessWithin => difference & top != 0,
            Relation::Equal => x == y,
        })
    };
    x.iter().zip(y).map(holds).collect()
}

/// Words of `bits` bits without the `by` lowest, zeros or the sign moving in.
pub(super) fn shift_right(x: &[u128], (by, signed): (u32, bool), bits: u32) -> Vec<u128> {
    let shifted = |x: &u128| match signed {
        true => (widened(*x, bits, true) as i128 >> by) as u128,
        false => widened(*x, bits, false) >> by,
    };
    x.iter().map(shifted).collect()
}

fn total(words: &[u128]) -> u128 {
    words.iter().fold(0, |sum, word| sum.wrapping_add(*word))
}
