//! A packed vector of bits.

use crate::Block;
use crate::wipe::{reserve, wipe_all};
use core::fmt;
use core::ops::{BitAndAssign, BitXorAssign, Range};

/// Why bytes are not a bit vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitsError {
    /// The number of bytes is not that of the stated number of bits.
    Length {
        /// The number of bits to read.
        bits: usize,
        /// The number of bytes given.
        bytes: usize,
    },
    /// A bit past the last one is set.
    Padding,
}

impl fmt::Display for BitsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BitsError::Length { bits, bytes } => {
                write!(formatter, "{bits} bits take {} bytes, not {bytes}", bits.div_ceil(8))
            }
            BitsError::Padding => write!(formatter, "a bit after the last one is set"),
        }
    }
}

impl core::error::Error for BitsError {}

/// A vector of bits, 64 to a word, the first in the least significant bit. Bits past the end are always zero, so that
/// equal vectors have equal words.
///
/// The bits are often choices or shares, so `Debug` prints only the length, and their memory is overwritten
/// before it is freed, also when a vector grows.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// `len` zero bits.
    pub fn zeros(len: usize) -> Bits {
        Bits { words: vec![0; len.div_ceil(64)], len }
    }

    /// The first `len` bits of `words`.
    ///
    /// # Panics
    /// If `words` does not hold exactly `len` bits rounded up to a word.
    pub fn from_words(words: Vec<u64>, len: usize) -> Bits {
        assert_eq!(words.len(), len.div_ceil(64), "{len} bits need another number of words");
        let mut bits = Bits { words, len };
        bits.clear_padding();
        bits
    }

    /// The least significant bit of each block.
    pub fn from_lsbs(blocks: &[Block]) -> Bits {
        let word =
            |chunk: &[Block]| chunk.iter().rev().fold(0, |word, block| word << 1 | (block.0 as u64 & 1));
        Bits::from_words(blocks.chunks(64).map(word).collect(), blocks.len())
    }

    /// Bit `i` is `bit(i)`.
    pub fn from_fn(len: usize, bit: impl FnMut(usize) -> bool) -> Bits {
        (0..len).map(bit).collect()
    }

    /// The bits of `bytes`, least significant bit of the first byte first.
    ///
    /// # Errors
    /// If the number of bytes is not `len` bits rounded up to a byte, or a bit past the last one is set.
    pub fn from_bytes(bytes: &[u8], len: usize) -> Result<Bits, BitsError> {
        if bytes.len() != len.div_ceil(8) {
            return Err(BitsError::Length { bits: len, bytes: bytes.len() });
        }
        let mut words = vec![0; len.div_ceil(64)];
        for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
            let mut padded = [0; 8];
            padded[..chunk.len()].copy_from_slice(chunk);
            *word = u64::from_le_bytes(padded);
        }
        let mut bits = Bits { words, len };
        if bits.clear_padding() { Err(BitsError::Padding) } else { Ok(bits) }
    }

    /// The bits as bytes, `len` rounded up to a byte, bits past the end zero.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; 8 * self.words.len()];
        bytes.as_chunks_mut().0.iter_mut().zip(&self.words).for_each(|(to, word)| *to = word.to_le_bytes());
        bytes.truncate(self.len.div_ceil(8));
        bytes
    }

    /// The number of bits.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no bit.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The words that hold the bits; those past the end are zero.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Bit `index`.
    ///
    /// # Panics
    /// If `index` is not below the length.
    #[inline]
    pub fn get(&self, index: usize) -> bool {
        assert!(index < self.len, "bit {index} of {}", self.len);
        (self.words[index / 64] >> (index % 64)) & 1 == 1
    }

    /// Sets bit `index` to `value`, without a branch on the value.
    ///
    /// # Panics
    /// If `index` is not below the length.
    #[inline]
    pub fn set(&mut self, index: usize, value: bool) {
        assert!(index < self.len, "bit {index} of {}", self.len);
        let word = &mut self.words[index / 64];
        *word = *word & !(1 << (index % 64)) | (u64::from(value) << (index % 64));
    }

    /// Appends a bit.
    #[inline]
    pub fn push(&mut self, value: bool) {
        if self.len.is_multiple_of(64) {
            reserve(&mut self.words, 1);
            self.words.push(0);
        }
        self.words[self.len / 64] |= u64::from(value) << (self.len % 64);
        self.len += 1;
    }

    /// Appends all bits of `other`.
    pub fn extend_bits(&mut self, other: &Bits) {
        let shift = self.len % 64;
        reserve(&mut self.words, other.words.len());
        self.len += other.len;
        if shift != 0 {
            for &word in &other.words {
                if let Some(last) = self.words.last_mut() {
                    *last |= word << shift;
                }
                self.words.push(word >> (64 - shift));
            }
        } else {
            self.words.extend_from_slice(&other.words);
        }
        self.words.truncate(self.len.div_ceil(64));
    }

    /// Appends the first `len` bits of `words`; further bits of the words are ignored.
    ///
    /// # Panics
    /// If the words hold fewer bits.
    pub fn extend_words(&mut self, words: &[u64], len: usize) {
        let words = &words[..len.div_ceil(64)];
        let shift = self.len % 64;
        reserve(&mut self.words, words.len());
        match (self.words.last_mut(), shift) {
            (Some(last), 1..) => {
                let mut carried = *last;
                self.words.pop();
                for &word in words {
                    self.words.push(carried | word << shift);
                    carried = word >> (64 - shift);
                }
                self.words.push(carried);
            }
            _ => self.words.extend_from_slice(words),
        }
        self.len += len;
        self.words.truncate(self.len.div_ceil(64));
        self.clear_padding();
    }

    /// Fills `into` with the `len` bits from `start` on; bits of the last word past them are zero.
    ///
    /// # Panics
    /// If `into` does not hold exactly `len` bits rounded up to a word, or there are fewer bits.
    pub fn copy_to(&self, start: usize, len: usize, into: &mut [u64]) {
        assert!(start + len <= self.len, "bits {start} to {} of {}", start + len, self.len);
        assert_eq!(into.len(), len.div_ceil(64), "{len} bits need another number of words");
        let (first, shift) = (start / 64, start % 64);
        if shift == 0 {
            into.copy_from_slice(&self.words[first..first + into.len()]);
        } else {
            for (i, to) in into.iter_mut().enumerate() {
                let high = self.words.get(first + i + 1).map_or(0, |word| word << (64 - shift));
                *to = self.words[first + i] >> shift | high;
            }
        }
        if let (Some(last), 1..) = (into.last_mut(), len % 64) {
            *last &= (1 << (len % 64)) - 1;
        }
    }

    /// Overwrites the `len` bits from `start` on with the first bits of `words`; further bits of the words
    /// are ignored.
    ///
    /// # Panics
    /// If the words hold fewer bits, or there are fewer bits here.
    pub fn copy_from(&mut self, start: usize, len: usize, words: &[u64]) {
        assert!(start + len <= self.len, "bits {start} to {} of {}", start + len, self.len);
        let shift = start % 64;
        for (i, &word) in words[..len.div_ceil(64)].iter().enumerate() {
            let mask = u64::MAX >> (64 - (len - 64 * i).min(64));
            let place = start / 64 + i;
            self.words[place] = self.words[place] & !(mask << shift) | (word & mask) << shift;
            let (mask, word) = (mask >> 1 >> (63 - shift), (word & mask) >> 1 >> (63 - shift));
            if mask != 0 {
                self.words[place + 1] = self.words[place + 1] & !mask | word;
            }
        }
    }

    /// Overwrites the bits from `start` on with those of `range` of `source`.
    ///
    /// # Panics
    /// If there are fewer bits, here or there.
    pub fn copy_range(&mut self, start: usize, source: &Bits, range: Range<usize>) {
        assert!(range.end <= source.len, "bits {range:?} of {}", source.len);
        for (at, from) in (start..).step_by(64).zip(range.clone().step_by(64)) {
            self.copy_from(at, 64.min(range.end - from), &[source.word(from)]);
        }
    }

    /// The 64 bits from `index` on, zero past the end.
    #[inline]
    fn word(&self, index: usize) -> u64 {
        let word = |i: usize| self.words.get(index / 64 + i).copied().unwrap_or(0);
        word(0) >> (index % 64) | word(1) << 1 << (63 - index % 64)
    }

    /// A copy of the bits of `range`.
    ///
    /// # Panics
    /// If the range ends past the length or before its start.
    pub fn slice(&self, range: Range<usize>) -> Bits {
        assert!(range.start <= range.end && range.end <= self.len, "bits {range:?} of {}", self.len);
        let (first, shift) = (range.start / 64, range.start % 64);
        let word = |index: usize| {
            let low = self.words.get(index).map_or(0, |word| word >> shift);
            let high = self.words.get(index + 1).map_or(0, |word| (word << 1) << (63 - shift));
            low | high
        };
        let len = range.len();
        Bits::from_words((0..len.div_ceil(64)).map(|i| word(first + i)).collect(), len)
    }

    /// The 128 bits from `index` on, zero past the end.
    #[inline]
    pub fn block(&self, index: usize) -> Block {
        let word = |i: usize| u128::from(self.words.get(index / 64 + i).copied().unwrap_or(0));
        let low = word(0) | word(1) << 64;
        let shift = index % 64;
        Block(low >> shift | word(2) << 1 << (127 - shift))
    }

    /// The bits in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = bool> + '_ {
        (0..self.len).map(|index| (self.words[index / 64] >> (index % 64)) & 1 == 1)
    }

    /// The number of bits that are one.
    pub fn count_ones(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Zeroes the bits past the end; returns whether any was set.
    fn clear_padding(&mut self) -> bool {
        let used = self.len % 64;
        match self.words.last_mut() {
            Some(last) if used != 0 => {
                let padding = *last >> used;
                *last &= (1 << used) - 1;
                padding != 0
            }
            _ => false,
        }
    }
}

impl zeroize::Zeroize for Bits {
    /// Overwrites the bits and leaves the vector empty, without memory.
    fn zeroize(&mut self) {
        *self = Bits::default();
    }
}

impl Drop for Bits {
    fn drop(&mut self) {
        wipe_all(&mut self.words);
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Bits({})", self.len)
    }
}

impl BitAndAssign<&Bits> for Bits {
    /// # Panics
    /// If the lengths differ.
    fn bitand_assign(&mut self, other: &Bits) {
        assert_eq!(self.len, other.len, "bit vectors of different lengths");
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }
}

impl FromIterator<bool> for Bits {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Bits {
        let bits = bits.into_iter();
        let mut collected = Bits::default();
        reserve(&mut collected.words, bits.size_hint().0.div_ceil(64));
        bits.for_each(|bit| collected.push(bit));
        collected
    }
}

impl BitXorAssign<&Bits> for Bits {
    /// # Panics
    /// If the lengths differ.
    fn bitxor_assign(&mut self, other: &Bits) {
        assert_eq!(self.len, other.len, "bit vectors of different lengths");
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word ^= other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn padding_is_refused() {
        assert_eq!(Bits::from_bytes(&[0x07], 3).unwrap().count_ones(), 3);
        assert_eq!(Bits::from_bytes(&[0x08], 3), Err(BitsError::Padding));
        assert_eq!(Bits::from_bytes(&[0, 0], 3), Err(BitsError::Length { bits: 3, bytes: 2 }));
        assert_eq!(Bits::from_words(vec![u64::MAX], 3).words(), [7]);
    }

    #[test]
    fn debug_hides_the_bits() {
        assert_eq!(format!("{:?}", Bits::from_words(vec![5], 3)), "Bits(3)");
    }

    proptest! {
        #[test]
        fn agrees_with_a_vector_of_bools(a: Vec<bool>, b: Vec<bool>, at: prop::sample::Index, end: prop::sample::Index) {
            let bits: Bits = a.iter().copied().collect();
            prop_assert_eq!(bits.iter().collect::<Vec<_>>(), a.clone());
            prop_assert_eq!(&Bits::from_bytes(&bits.to_bytes(), a.len()).unwrap(), &bits);
            prop_assert_eq!(bits.count_ones(), a.iter().filter(|&&bit| bit).count());

            let mut joined = bits.clone();
            joined.extend_bits(&b.iter().copied().collect());
            let expected: Bits = a.iter().chain(&b).copied().collect();
            prop_assert_eq!(&joined, &expected);

            let mut words = vec![u64::MAX; b.len().div_ceil(64) + 1];
            b.iter().enumerate().filter(|(_, bit)| !**bit).for_each(|(i, _)| words[i / 64] &= !(1 << (i % 64)));
            let mut appended = bits.clone();
            appended.extend_words(&words, b.len());
            prop_assert_eq!(&appended, &expected);

            let end = end.index(a.len() + 1);
            let start = at.index(end + 1);
            let mut copied = vec![u64::MAX; (end - start).div_ceil(64)];
            bits.copy_to(start, end - start, &mut copied);
            let masked = Bits::from_words(copied.clone(), end - start);
            prop_assert_eq!(masked.words(), &copied[..]);
            prop_assert_eq!(masked, bits.slice(start..end));
            let mut overwritten = bits.clone();
            overwritten.copy_from(start, (end - start).min(b.len()), &words);
            let expected: Bits = (0..a.len())
                .map(|i| if (start..end).contains(&i) && i - start < b.len() { b[i - start] } else { a[i] })
                .collect();
            prop_assert_eq!(overwritten, expected);
            let expected: Bits = a[start..end].iter().copied().collect();
            prop_assert_eq!(bits.slice(start..end), expected);
            let block = bits.block(start);
            for index in 0..128 {
                prop_assert_eq!(block.bit(index), a.get(start + index).copied().unwrap_or(false));
            }

            if let Some(last) = a.len().checked_sub(1) {
                let index = at.index(a.len());
                let mut changed = bits.clone();
                changed.set(index, !a[index]);
                changed ^= &bits;
                prop_assert!(changed.get(index) && changed.count_ones() == 1 && last < changed.len());
                changed &= &bits;
                prop_assert_eq!(changed.count_ones(), usize::from(a[index]));
            }
        }
    }

    #[test]
    fn ranges_are_copied() {
        let source = Bits::from_fn(300, |i| i * i % 5 < 2);
        for (start, range) in [(0, 0..300), (1, 64..64), (70, 3..200), (299, 299..300), (5, 128..256)] {
            let mut copied = Bits::from_fn(300, |i| i % 3 == 0);
            let mut expected = copied.clone();
            copied.copy_range(start, &source, range.clone());
            range.enumerate().for_each(|(i, from)| expected.set(start + i, source.get(from)));
            assert_eq!(copied, expected);
        }
    }
}
