//! Values of columns as bits in the order of wires, bit after bit and lane after lane within a bit.

use tacit_ir::Words;
use tacit_math::Bits;

/// The bits of `words`: lane `l` of bit `b` is bit `b · lanes + l`. Neither time nor addresses depend on the values.
pub(crate) fn of_words(words: &Words) -> Bits {
    (0..words.bits()).flat_map(|bit| (0..words.lanes()).map(move |lane| words.bit(lane, bit))).collect()
}

/// The bits of `words`, repeated in each of `copies` instances side by side.
pub(crate) fn of_copies(words: &Words, copies: u64) -> Bits {
    let lane = |bit| (0..words.lanes()).map(move |lane| words.bit(lane, bit));
    (0..words.bits()).flat_map(|bit| (0..copies).flat_map(move |_| lane(bit))).collect()
}

/// The words of `width` bits that `bits` hold from bit `start` on.
pub(crate) fn to_words(bits: &Bits, start: usize, width: u32, lanes: u64) -> Words {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        let words = Words::from_u128s(67, &[5, 1 << 66 | 3, 0]);
        let mut bits = Bits::zeros(4);
        bits.extend_bits(&of_words(&words));
        assert_eq!(bits.len(), 4 + 3 * 67);
        assert_eq!(to_words(&bits, 4, 67, 3), words);
    }

    #[test]
    fn bits_are_wire_major() {
        let bits: Vec<bool> = of_words(&Words::from_u128s(2, &[1, 2, 3])).iter().collect();
        assert_eq!(bits, [true, false, true, false, true, true]);
        let bits: Vec<bool> = of_copies(&Words::from_u128s(2, &[1, 2]), 2).iter().collect();
        assert_eq!(bits, [true, false, true, false, false, true, false, true]);
    }
}
