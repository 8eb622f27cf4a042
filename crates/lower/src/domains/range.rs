//! Which numbers a value is one of, as far as that is known.

use tacit_ir::Words;

/// Numbers that a value is one of: 0 to 2^bits - 1, or with a sign -2^(bits-1) to 2^(bits-1) - 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub bits: u32,
    pub signed: bool,
}

impl Range {
    /// Bits with a sign.
    pub fn signed_bits(self) -> u32 {
        self.bits + u32::from(!self.signed)
    }

    /// The sum of up to 2^log values of two ranges.
    pub fn sum(self, other: Range, log: u32) -> Range {
        match self.signed || other.signed {
            true => Range { bits: self.signed_bits().max(other.signed_bits()) + log, signed: true },
            false => Range { bits: self.bits.max(other.bits) + log, signed: false },
        }
    }

    /// The difference of values of two ranges.
    pub fn difference(self, other: Range) -> Range {
        match self.signed || other.signed {
            true => Range { bits: self.signed_bits().max(other.signed_bits()) + 1, signed: true },
            false => Range { bits: self.bits.max(other.bits) + 1, signed: true },
        }
    }

    /// The square of a number: never negative.
    pub fn square(self) -> Range {
        Range { bits: 2 * self.bits - u32::from(self.signed && self.bits > 0), signed: false }
    }

    pub fn product(self, other: Range) -> Range {
        match self.signed || other.signed {
            true => Range { bits: self.signed_bits() + other.signed_bits(), signed: true },
            false => Range { bits: self.bits + other.bits, signed: false },
        }
    }

    /// Whether a word of `bits` bits, with a sign or without, says each of these numbers as it is.
    pub fn is_word(self, bits: u32, signed: bool) -> bool {
        match signed {
            true => self.signed_bits() <= bits,
            false => !self.signed && self.bits <= bits,
        }
    }

    /// The range, if no number of it is beyond a word of `bits` bits.
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

/// Bits that the sum of so many values has more than they have.
pub(super) fn log(count: u64) -> u32 {
    count.next_power_of_two().trailing_zeros()
}
