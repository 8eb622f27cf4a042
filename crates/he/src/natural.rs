//! Secret integers of a public length.

use core::fmt;

use crypto_bigint::{BoxedUint, ConcatenatingMul, Resize};
use tacit_crypto::Prg;
use tacit_math::Wiped;
use zeroize::Zeroize;

use crate::HeError;
use crate::modular::told;

/// A secret non-negative integer with a public capacity: 64 bits for `Natural::from(5u64)`.
///
/// It is overwritten when dropped, `Debug` shows only its capacity, and comparing takes the same time for all values.
#[derive(Clone, PartialEq, Eq)]
pub struct Natural(BoxedUint);

impl Natural {
    pub(crate) fn new(value: BoxedUint) -> Natural {
        Natural(value)
    }

    /// The number of little-endian bytes; all of them count for the capacity.
    pub fn from_le_bytes(bytes: &[u8]) -> Natural {
        let words = bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        });
        Natural(BoxedUint::from_words(words.chain(bytes.is_empty().then_some(0))))
    }

    /// Uniform below 2^`bits`.
    pub fn random(bits: u32, prg: &mut Prg) -> Natural {
        let mut words: Vec<u64> = (0..bits.div_ceil(64).max(1)).map(|_| prg.next_u64()).collect();
        let last = words.len() - 1;
        words[last] &= low_mask(bits - 64 * last as u32);
        let value = BoxedUint::from_words(words.iter().copied());
        words.zeroize();
        Natural(value)
    }

    /// Little-endian bytes, eight for each 64 bits of capacity.
    pub fn to_le_bytes(&self) -> Wiped<u8> {
        Wiped::from(self.0.to_le_bytes().into_vec())
    }

    /// The number, if it is below 2^64.
    pub fn to_u64(&self) -> Option<u64> {
        let (low, high) = self.0.as_words().split_first()?;
        (high.iter().fold(0, |all, word| all | word) == 0).then_some(*low)
    }

    /// The number, if it is below 2^128.
    pub fn to_u128(&self) -> Option<u128> {
        let words = self.0.as_words();
        let high = words.iter().skip(2).fold(0, |all, word| all | word);
        let word = |i: usize| u128::from(words.get(i).copied().unwrap_or(0));
        (high == 0).then(|| word(0) | word(1) << 64)
    }

    /// Maximum bits of the number, a multiple of 64.
    pub fn capacity_bits(&self) -> u32 {
        self.0.bits_precision()
    }

    /// The sum of products of pairs, modulo 2 to the power of its capacity, which is `bits` rounded up.
    ///
    /// Constant time for numbers of equal capacities.
    pub fn sum_of_products<'a>(
        pairs: impl IntoIterator<Item = (&'a Natural, &'a Natural)>,
        bits: u32,
    ) -> Natural {
        let mut sum = Natural::zero(bits);
        for (x, y) in pairs {
            sum.accumulate(&Natural(x.0.concatenating_mul(&y.0)));
        }
        sum
    }

    /// Adds a number, modulo 2 to the power of the capacity.
    fn accumulate(&mut self, other: &Natural) {
        let mut carry = false;
        let others = other.0.as_words().iter().copied().chain(std::iter::repeat(0));
        for (word, other) in self.0.as_mut_words().iter_mut().zip(others) {
            let (sum, first) = word.overflowing_add(other);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (*word, carry) = (sum, first | second);
        }
    }

    pub(crate) fn uint(&self) -> &BoxedUint {
        &self.0
    }

    /// Whether the number is below 2^`bits`. Constant time except for the answer.
    pub(crate) fn fits(&self, bits: u32) -> bool {
        self.0.bits() <= bits
    }

    /// The number with another capacity. Constant time except for whether it fits.
    ///
    /// # Errors
    /// [`HeError::Range`] if it does not fit.
    pub(crate) fn with_capacity(&self, bits: u32, what: &'static str) -> Result<BoxedUint, HeError> {
        let fits = bits >= self.capacity_bits() || told(self.fits(bits));
        if fits { Ok(self.0.clone().resize_unchecked(bits)) } else { Err(HeError::Range { what }) }
    }

    /// `bits` bits from bit `from` on.
    pub(crate) fn slice(&self, from: u32, bits: u32) -> Natural {
        let words = self.0.as_words();
        let (skip, shift) = ((from / 64) as usize, from % 64);
        let at = |i: usize| words.get(i).copied().unwrap_or(0);
        let count = bits.div_ceil(64).max(1) as usize;
        let mut cut: Vec<u64> = (0..count)
            .map(|i| {
                let high = if shift == 0 { 0 } else { at(skip + i + 1) << (64 - shift) };
                at(skip + i) >> shift | high
            })
            .collect();
        cut[count - 1] &= low_mask(bits - 64 * (count as u32 - 1));
        let slice = BoxedUint::from_words(cut.iter().copied());
        cut.zeroize();
        Natural(slice)
    }

    /// Adds `other · 2^shift`, whose bits must be zero in this number and within its capacity.
    pub(crate) fn insert(&mut self, other: &Natural, shift: u32) {
        let (skip, shift) = ((shift / 64) as usize, shift % 64);
        let words = self.0.as_mut_words();
        for (i, word) in other.0.as_words().iter().enumerate() {
            let wide = u128::from(*word) << shift;
            for (at, part) in [(skip + i, wide as u64), (skip + i + 1, (wide >> 64) as u64)] {
                if let Some(word) = words.get_mut(at) {
                    *word |= part;
                }
            }
        }
    }

    pub(crate) fn zero(bits: u32) -> Natural {
        Natural(BoxedUint::zero_with_precision(bits.max(1)))
    }
}

/// A mask of the lowest `bits` bits of a word: all ones from 64 on.
const fn low_mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

impl From<u64> for Natural {
    fn from(value: u64) -> Natural {
        Natural(BoxedUint::from(value))
    }
}

impl From<u128> for Natural {
    fn from(value: u128) -> Natural {
        Natural(BoxedUint::from(value))
    }
}

impl Drop for Natural {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for Natural {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Natural({} bits)", self.capacity_bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tacit_math::Block;

    #[test]
    fn debug_shows_the_capacity_alone() {
        assert_eq!(format!("{:?}", Natural::from(123_456u64)), "Natural(64 bits)");
    }

    #[test]
    fn random_numbers_keep_to_their_bits() {
        let mut prg = Prg::new(Block(1));
        for bits in [1, 63, 64, 65, 129] {
            let drawn: Vec<_> = (0..64).map(|_| Natural::random(bits, &mut prg)).collect();
            assert!(drawn.iter().all(|number| number.fits(bits)));
            assert!(drawn.iter().any(|number| !number.fits(bits - 1)));
        }
    }

    proptest! {
        #[test]
        fn conversions_agree(value: u128) {
            let natural = Natural::from(value);
            prop_assert_eq!(natural.to_u128(), Some(value));
            prop_assert_eq!(natural.to_u64(), u64::try_from(value).ok());
            prop_assert_eq!(&natural.to_le_bytes()[..], &value.to_le_bytes()[..]);
            prop_assert_eq!(Natural::from_le_bytes(&value.to_le_bytes()), natural);
        }

        #[test]
        fn what_is_inserted_is_cut_out_again(value: u128, at in 0u32..300) {
            let mut into = Natural::zero(512);
            into.insert(&Natural::from(value), at);
            prop_assert_eq!(into.slice(at, 128).to_u128(), Some(value));
            prop_assert_eq!(into.slice(at + 5, 70).to_u128(), Some((value >> 5) & ((1 << 70) - 1)));
        }
    }
}
