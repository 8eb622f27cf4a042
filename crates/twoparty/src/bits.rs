//! Values of columns as bits in the order of wires: bit after bit, and lane after lane within a bit.

use tacit_ir::Words;
use tacit_math::Bits;
use zeroize::Zeroizing;

use crate::{mask, wires};

/// Lanes that are transposed at a time.
const CHUNK: usize = 1 << 12;

/// The bits of `words`: lane `l` of bit `b` is bit `b · lanes + l`. Neither time nor addresses depend on the values.
pub fn of_words(words: &Words) -> Bits {
    let (width, lanes) = (words.bits() as usize, words.lanes() as usize);
    if width <= 128 {
        let mut bits = Bits::zeros(width * lanes);
        for start in (0..lanes).step_by(CHUNK) {
            let count = CHUNK.min(lanes - start);
            let chunk = (start..start + count).map(|lane| words.low_u128(lane as u64));
            let rows = wires::from_words(&Zeroizing::new(chunk.collect::<Vec<_>>()), words.bits());
            let rows = Zeroizing::new(rows);
            (0..width).for_each(|bit| {
                bits.copy_range(bit * lanes + start, &rows, bit * count..(bit + 1) * count);
            });
        }
        return bits;
    }
    (0..words.bits()).flat_map(|bit| (0..words.lanes()).map(move |lane| words.bit(lane, bit))).collect()
}

/// The bits of `words`, repeated in each of `copies` instances side by side.
pub fn of_copies(words: &Words, copies: u64) -> Bits {
    let lane = |bit| (0..words.lanes()).map(move |lane| words.bit(lane, bit));
    (0..words.bits()).flat_map(|bit| (0..copies).flat_map(move |_| lane(bit))).collect()
}

/// The words of `width` bits that `bits` hold from bit `start` on.
pub fn to_words(bits: &Bits, start: usize, width: u32, lanes: u64) -> Words {
    if width <= 128 {
        return narrow(bits, start, width as usize, lanes as usize);
    }
    let mut words = Words::zero(width, lanes);
    let mut index = start;
    for bit in 0..width {
        for lane in 0..lanes {
            words.set_bit(lane, bit, bits.get(index));
            index += 1;
        }
    }
    words
}

/// [`to_words`] for at most 128 bits.
fn narrow(bits: &Bits, start: usize, width: usize, lanes: usize) -> Words {
    let mut all = Words::zero(width as u32, lanes as u64);
    for first in (0..lanes).step_by(CHUNK) {
        let count = CHUNK.min(lanes - first);
        let mut rows = Zeroizing::new(Bits::zeros(width * count));
        (0..width).for_each(|bit| {
            let row = start + bit * lanes + first;
            rows.copy_range(bit * count, bits, row..row + count);
        });
        let words = Zeroizing::new(wires::to_words(&rows, width as u32));
        for (lane, word) in (first as u64..).zip(words.iter()) {
            let limbs = [*word as u64, (*word >> 64) as u64];
            all.lane_mut(lane).iter_mut().zip(limbs).for_each(|(limb, part)| *limb = part);
        }
    }
    all
}

/// The lanes of words modulo 2^width, of at most 128 bits; sign-extended if `signed`.
pub fn resized(words: &Words, width: u32, signed: bool) -> Vec<u128> {
    let sign = |word: u128| {
        let top = if signed { word >> (words.bits() - 1) & 1 } else { 0 };
        (word | top.wrapping_neg() & !mask(words.bits())) & mask(width)
    };
    (0..words.lanes()).map(|lane| sign(words.low_u128(lane))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        for width in [67, 128, 129, 300] {
            let mut words = Words::from_u128s(width, &[5, 1 << 66 | 3, 0]);
            words.set_bit(2, width - 1, true);
            let mut bits = Bits::zeros(4);
            bits.extend_bits(&of_words(&words));
            assert_eq!(bits.len(), 4 + 3 * width as usize);
            assert!(bits.get(bits.len() - 1) && bits.get(5) && !bits.get(6));
            assert_eq!(to_words(&bits, 4, width, 3), words);
        }
    }

    #[test]
    fn many_lanes_come_back() {
        let values: Vec<u128> =
            (0..2 * CHUNK as u128 + 70).map(|lane| lane.wrapping_mul(0x9e37) & 0x1ff).collect();
        let words = Words::from_u128s(9, &values);
        let bits = of_words(&words);
        let expected =
            Bits::from_fn(9 * values.len(), |i| values[i % values.len()] >> (i / values.len()) & 1 == 1);
        assert_eq!(bits, expected);
        assert_eq!(to_words(&bits, 0, 9, words.lanes()), words);
    }

    #[test]
    fn bits_are_wire_major() {
        let bits: Vec<bool> = of_words(&Words::from_u128s(2, &[1, 2, 3])).iter().collect();
        assert_eq!(bits, [true, false, true, false, true, true]);
        let bits: Vec<bool> = of_copies(&Words::from_u128s(2, &[1, 2]), 2).iter().collect();
        assert_eq!(bits, [true, false, true, false, false, true, false, true]);
    }
}
