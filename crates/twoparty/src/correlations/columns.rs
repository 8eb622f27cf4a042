//! The columns of pieces of correlated randomness: how they are split, packed, read and counted.

use crate::pack::{WordReader, WordWriter};
use std::ops::Range;
use tacit_math::Bits;
use zeroize::{Zeroize, Zeroizing};

/// Visits the columns of some pieces and returns others: see [`super::CorrelationKind::columns`].
pub trait Columns {
    /// Visits a column that holds `each` bits of every piece.
    fn bits(&mut self, column: &Bits, each: usize) -> Bits;

    /// Visits a column that holds `each` words of `bits` bits of every piece.
    fn words<W: Word>(&mut self, column: &[W], each: usize, bits: u32) -> Zeroizing<Vec<W>>;

    /// Visits `count` columns that hold a bit of every piece.
    fn planes(&mut self, planes: &[Bits], count: usize) -> Vec<Bits> {
        let none = Bits::default();
        (0..count).map(|i| self.bits(planes.get(i).unwrap_or(&none), 1)).collect()
    }
}

/// An element of a column of words.
pub trait Word: Copy + Into<u128> + Zeroize {
    /// The low bits of a word.
    fn low(word: u128) -> Self;
}

impl Word for u8 {
    fn low(word: u128) -> u8 {
        word as u8
    }
}

impl Word for u32 {
    fn low(word: u128) -> u32 {
        word as u32
    }
}

impl Word for u128 {
    fn low(word: u128) -> u128 {
        word
    }
}

/// A range of the pieces.
pub(super) struct Part(pub Range<usize>);

impl Columns for Part {
    fn bits(&mut self, column: &Bits, each: usize) -> Bits {
        column.slice(self.0.start * each..self.0.end * each)
    }

    fn words<W: Word>(&mut self, column: &[W], each: usize, _bits: u32) -> Zeroizing<Vec<W>> {
        Zeroizing::new(column[self.0.start * each..self.0.end * each].to_vec())
    }
}

/// Writes all columns without gaps; returns empty ones.
impl Columns for WordWriter {
    fn bits(&mut self, column: &Bits, _each: usize) -> Bits {
        let mut left = column.len();
        for word in column.words() {
            self.push_word(*word, left.min(64) as u32);
            left -= left.min(64);
        }
        Bits::default()
    }

    fn words<W: Word>(&mut self, column: &[W], _each: usize, bits: u32) -> Zeroizing<Vec<W>> {
        column.iter().for_each(|word| self.push((*word).into(), bits));
        Zeroizing::default()
    }
}

/// Reads the columns of this many pieces.
pub(super) struct Read<'r, 'b>(pub &'r mut WordReader<'b>, pub usize);

impl Columns for Read<'_, '_> {
    fn bits(&mut self, _column: &Bits, each: usize) -> Bits {
        let count = self.1 * each;
        let word = |at: usize| self.0.take_word((count - at).min(64) as u32);
        Bits::from_words((0..count).step_by(64).map(word).collect(), count)
    }

    fn words<W: Word>(&mut self, _column: &[W], each: usize, bits: u32) -> Zeroizing<Vec<W>> {
        Zeroizing::new((0..self.1 * each).map(|_| W::low(self.0.take(bits))).collect())
    }
}

/// The number of bits of a piece.
#[derive(Default)]
pub(super) struct Size {
    /// Packed.
    pub packed: u64,
    /// In memory.
    pub kept: u64,
}

impl Size {
    fn add(&mut self, each: usize, packed: u64, kept: u64) {
        let more = |bits: u64| bits.saturating_mul(each as u64);
        self.packed = self.packed.saturating_add(more(packed));
        self.kept = self.kept.saturating_add(more(kept));
    }
}

impl Columns for Size {
    fn bits(&mut self, _column: &Bits, each: usize) -> Bits {
        self.add(each, 1, 1);
        Bits::default()
    }

    fn words<W: Word>(&mut self, _column: &[W], each: usize, bits: u32) -> Zeroizing<Vec<W>> {
        self.add(each, bits.into(), 8 * size_of::<W>() as u64);
        Zeroizing::default()
    }
}
