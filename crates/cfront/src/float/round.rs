//! Rounding to nearest, ties to even.

use super::Floats;
use crate::graph::Word;

impl Floats<'_> {
    /// The number with a significand `1.f`, followed by a rounding bit and a sticky bit, and a signed
    /// exponent field that may be out of range. A significand without its leading one is zero or far below
    /// the range.
    pub(super) fn rounded(&mut self, sign: Word, exponent: Word, significand: Word) -> Word {
        let wide = self.format.wide();
        // Below the least exponent, the significand is shifted right.
        let one = self.number(wide, 1);
        let distance = self.graph.sub(one, exponent);
        let below = self.graph.sub(exponent, one);
        let below = self.graph.bit(below, wide - 1);
        let amount = self.gated(below, distance);
        let significand = self.shift_right_sticky(significand, amount);
        self.packed(sign, exponent, significand)
    }

    /// As [`Floats::rounded`], if no exponent is below the range unless the leading bit is zero.
    pub(super) fn packed(&mut self, sign: Word, exponent: Word, significand: Word) -> Word {
        let (e, f) = (self.format.exponent, self.format.fraction);
        let leading = self.graph.bit(significand, f + 2);
        let last = self.graph.slice(significand, 2, 1);
        let (half, rest) = (self.graph.bit(significand, 1), self.graph.bit(significand, 0));
        let up = self.graph.or(last, rest);
        let up = self.graph.and(half, up);
        // A carry out of the fraction goes into the exponent.
        let field = self.graph.slice(exponent, 0, e);
        let field = self.gated(leading, field);
        let fraction = self.graph.slice(significand, 2, f);
        let magnitude = self.graph.concat(&[fraction, field]);
        let up = self.widened(up, e + f);
        let magnitude = self.graph.add_words(magnitude, up);
        let number = self.graph.concat(&[magnitude, sign]);
        let overflow = self.overflows(exponent);
        let overflow = self.graph.and(leading, overflow);
        let infinity = self.infinity(sign);
        self.graph.select(overflow, infinity, number)
    }

    /// Whether an exponent field is too large.
    fn overflows(&mut self, exponent: Word) -> Word {
        let special = self.format.special();
        let limit = self.number(self.format.wide(), special - 1);
        self.graph.compare(tacit_ir::CompareOp::LtS, limit, exponent)
    }

    /// The highest bits of a significand, a rounding bit, and a sticky bit that says whether any other bit is
    /// set.
    pub(super) fn reduced(&mut self, significand: Word) -> Word {
        let (bits, wanted) = (self.graph.bits(significand), self.format.fraction + 3);
        if bits <= wanted {
            let zeros = self.number(wanted - bits, 0);
            return if bits == wanted { significand } else { self.graph.concat(&[zeros, significand]) };
        }
        let rest = bits - wanted + 1;
        let (low, high) =
            (self.graph.slice(significand, 0, rest), self.graph.slice(significand, rest, wanted - 1));
        let sticky = self.any(low);
        self.graph.concat(&[sticky, high])
    }
}
