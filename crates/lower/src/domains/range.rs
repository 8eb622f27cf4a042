//! Known ranges of values.

use tacit_ir::Words;

/// The range of a value: 0 to 2^bits - 1, or with a sign -2^(bits-1) to 2^(bits-1) - 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub bits: u32,
    pub signed: bool,
}

impl Range {
    /// The number of bits in a representation with a sign.
    pub fn signed_bits(self) -> u32 {
        self.bits + u32::from(!self.signed)
    }

    /// The range of sums of up to 2^log values of two ranges.
    pub fn sum(self, other: Range, log: u32) -> Range {
        match self.signed || other.signed {
            true => Range { bits: self.signed_bits().max(other.signed_bits()) + log, signed: true },
            false => Range { bits: self.bits.max(other.bits) + log, signed: false },
        }
    }

    /// The range of differences of values of two ranges.
    pub fn difference(self, other: Range) -> Range {
        match self.signed || other.signed {
            true => Range { bits: self.signed_bits().max(other.signed_bits()) + 1, signed: true },
            false => Range { bits: self.bits.max(other.bits) + 1, signed: true },
        }
    }

    /// The range of squares, which are never negative.
    pub fn square(self) -> Range {
        Range { bits: 2 * self.bits - u32::from(self.signed && self.bits > 0), signed: false }
    }

    pub fn product(self, other: Range) -> Range {
        match self.signed || other.signed {
            true => Range { bits: self.signed_bits() + other.signed_bits(), signed: true },
            false => Range { bits: self.bits + other.bits, signed: false },
        }
    }

    /// Whether a word of `bits` bits, with or without a sign, represents each of these numbers.
    pub fn is_word(self, bits: u32, signed: bool) -> bool {
        match signed {
            true => self.signed_bits() <= bits,
            false => !self.signed && self.bits <= bits,
        }
    }

    /// The range, if a word of `bits` bits holds each of its numbers.
    pub fn within(self, bits: u32) -> Option<Range> {
        (self.bits <= bits).then_some(self)
    }
}

impl Range {
    /// The range of a constant.
    pub fn of_constant(words: &Words) -> Range {
        let used =
            |lane: u64| (0..words.bits()).rev().find(|bit| words.bit(lane, *bit)).map_or(0, |bit| bit + 1);
        Range { bits: (0..words.lanes()).map(used).max().unwrap_or(0), signed: false }
    }
}

/// The bits that a sum of this many values has beyond theirs.
pub(super) fn log(count: u64) -> u32 {
    count.next_power_of_two().trailing_zeros()
}
