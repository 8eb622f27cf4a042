//! Words packed without gaps, the form in which elements of Z_2^bits are sent and kept.

use tacit_math::Bits;
use zeroize::{Zeroize, Zeroizing};

/// The lowest `bits` bits set; all bits for 128 or more.
pub const fn mask(bits: u32) -> u128 {
    if bits == 0 { 0 } else { u128::MAX >> 128u32.saturating_sub(bits) }
}

/// Writes words of various widths one after the other.
#[derive(Default)]
pub(crate) struct WordWriter {
    words: Zeroizing<Vec<u64>>,
    last: u64,
    /// Bits of `last` in use, below 64.
    used: u32,
}

impl WordWriter {
    /// With room for `bits` bits.
    pub(crate) fn with_capacity(bits: usize) -> WordWriter {
        WordWriter { words: Zeroizing::new(Vec::with_capacity(bits / 64 + 1)), last: 0, used: 0 }
    }

    /// Appends the low `bits` bits of `value`, at most 128; higher bits are ignored.
    #[inline]
    pub(crate) fn push(&mut self, value: u128, bits: u32) {
        let value = value & mask(bits);
        if bits <= 64 {
            self.push_word(value as u64, bits);
        } else {
            self.push_word(value as u64, 64);
            self.push_word((value >> 64) as u64, bits - 64);
        }
    }

    /// [`WordWriter::push`] for at most 64 bits.
    #[inline]
    pub(crate) fn push_word(&mut self, value: u64, bits: u32) {
        self.last |= value << self.used;
        let end = self.used + bits;
        if end < 64 {
            self.used = end;
            return;
        }
        self.words.push(self.last);
        self.last = (value >> 1) >> (63 - self.used);
        self.used = end - 64;
    }

    /// The written bits.
    pub(crate) fn finish(mut self) -> Bits {
        let len = self.words.len() * 64 + self.used as usize;
        if self.used > 0 {
            self.words.push(self.last);
        }
        self.last.zeroize();
        Bits::from_words(std::mem::take(&mut *self.words), len)
    }
}

/// Reads the output of a [`WordWriter`].
pub(crate) struct WordReader<'a> {
    words: &'a [u64],
    position: usize,
}

impl<'a> WordReader<'a> {
    pub(crate) fn new(words: &'a [u64]) -> WordReader<'a> {
        WordReader { words, position: 0 }
    }

    /// The next `bits` bits, at most 128; zero past the end.
    #[inline]
    pub(crate) fn take(&mut self, bits: u32) -> u128 {
        if bits <= 64 {
            return u128::from(self.take_word(bits));
        }
        let low = self.take_word(64);
        u128::from(low) | u128::from(self.take_word(bits - 64)) << 64
    }

    /// [`WordReader::take`] for at most 64 bits.
    #[inline]
    pub(crate) fn take_word(&mut self, bits: u32) -> u64 {
        let (first, shift) = (self.position / 64, self.position % 64);
        self.position += bits as usize;
        // The last word may have no successor; the caller has checked the number of bits.
        let word = |index: usize| self.words.get(index).copied().unwrap_or(0);
        let low = word(first) >> shift;
        let both = low | (word(first + 1) << 1) << (63 - shift);
        both & mask(bits) as u64
    }
}

/// Elements of `bits` bits each, packed.
pub(crate) fn pack(elements: &[u128], bits: u32) -> Bits {
    let mut writer = WordWriter::with_capacity(elements.len() * bits as usize);
    elements.iter().for_each(|&element| writer.push(element, bits));
    writer.finish()
}

/// Unpacks the output of [`pack`], and appends the elements to `elements`.
pub(crate) fn unpack(packed: &Bits, bits: u32, count: usize, elements: &mut Vec<u128>) {
    let mut reader = WordReader::new(packed.words());
    elements.extend((0..count).map(|_| reader.take(bits)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn masks() {
        assert_eq!([mask(0), mask(1), mask(64), mask(128)], [0, 1, u64::MAX.into(), u128::MAX]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(words in prop::collection::vec((any::<u128>(), 0u32..=128), 0..40)) {
            let mut writer = WordWriter::default();
            words.iter().for_each(|(word, bits)| writer.push(word & mask(*bits), *bits));
            let packed = writer.finish();
            prop_assert_eq!(packed.len(), words.iter().map(|(_, bits)| *bits as usize).sum::<usize>());
            let mut reader = WordReader::new(packed.words());
            for (word, bits) in &words {
                prop_assert_eq!(reader.take(*bits), word & mask(*bits));
            }
            prop_assert_eq!(reader.take(128), 0);
        }
    }
}
