//! The linear orthomorphism that makes the garbling hash circular.
//!
//! A garbler adds functions of delta to hashes of labels that the evaluator does not hold. With AES(x) ^ x
//! under a known key, delta in such a sum would cancel the label's delta: the rest is AES of the other label,
//! which the evaluator could decrypt. So the hash adds sigma(x) instead of x, where sigma(x) and sigma(x) ^ x
//! are both one to one.
//!
//! Source: Guo, Katz, Wang, Yu, *Efficient and secure multiparty computation from fixed-key block ciphers*,
//! S&P 2020, section 7.3, and Guo, Katz, Wang, Weng, Yu, CRYPTO 2020 (see [`crate::mitccrh`]): AES(sigma(x))
//! ^ sigma(x). Differs: sigma is not applied to the input of AES. This is the same hash for the cipher
//! AES(sigma^-1(x)), which is ideal if AES is. Here sigma acts on each 64-bit half, so that it also serves
//! labels whose halves are used separately ([`crate::three_halves`]).

use tacit_math::Block;

/// The words at odd positions.
pub(crate) const UPPER_WORDS: Block = Block(0xffff_ffff_0000_0000_ffff_ffff_0000_0000);

/// Maps each 64-bit half with the words h and l to one with the words h ^ l and h.
#[inline]
pub(crate) const fn sigma(block: Block) -> Block {
    let upper = block.0 & UPPER_WORDS.0;
    Block(upper ^ upper >> 32 ^ (block.0 & !UPPER_WORDS.0) << 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rank of a linear map of 64 bits.
    fn rank(map: impl Fn(u64) -> u64) -> usize {
        let mut rows: Vec<u64> = (0..64).map(|i| map(1 << i)).collect();
        let mut rank = 0;
        while let Some(pivot) = rows.pop() {
            if pivot != 0 {
                rank += 1;
                let lowest = pivot & pivot.wrapping_neg();
                rows.iter_mut().filter(|row| **row & lowest != 0).for_each(|row| *row ^= pivot);
            }
        }
        rank
    }

    #[test]
    fn no_multiple_of_a_half_cancels_it() {
        for shift in [0, 64] {
            let half = |x: u64| (sigma(Block(u128::from(x) << shift)).0 >> shift) as u64;
            assert_eq!((rank(half), rank(|x| half(x) ^ x)), (64, 64));
        }
        assert_eq!(sigma(Block(1 << 63)), Block(1 << 63 | 1 << 31));
        assert_eq!(sigma(Block(0b101)), Block(0b101 << 32));
    }
}
