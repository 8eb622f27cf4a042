use tacit_ir::CompareOp;

use super::{Floats, Format};
use crate::graph::Word;

impl Floats<'_> {
    /// The sum: the number of smaller magnitude is aligned to the other, with three more bits, and added or
    /// subtracted.
    pub(super) fn add(&mut self, a: Word, b: Word) -> Word {
        let Format { fraction: f, .. } = self.format;
        let bits = self.format.bits();
        let (low_a, low_b) = (self.magnitude(a), self.magnitude(b));
        let swap = self.graph.compare(CompareOp::LtU, low_a, low_b);
        let difference = self.graph.xor(a, b);
        let change = self.gated(swap, difference);
        let (large, small) = (self.graph.xor(a, change), self.graph.xor(b, change));
        let (x, y) = (self.parts(large), self.parts(small));
        let (exponent, other) = (self.effective_exponent(&x), self.effective_exponent(&y));
        let distance = self.graph.sub(exponent, other);
        let guard = self.number(3, 0);
        let (sx, sy) = (self.significand(&x), self.significand(&y));
        let (sx, sy) = (self.graph.concat(&[guard, sx]), self.graph.concat(&[guard, sy]));
        let aligned = self.shift_right_sticky(sy, distance);
        let subtract = self.graph.xor(x.sign, y.sign);
        let (sx, aligned) = (self.widened(sx, f + 5), self.widened(aligned, f + 5));
        let sum = self.add_or_subtract(sx, aligned, subtract);
        let finite = self.normalised_sum(x.sign, subtract, exponent, sum);
        // The larger number is special if either is. Both special: infinities of different signs, or NaNs, of
        // which the first counts.
        let opposed = self.graph.and(x.infinite, y.infinite);
        let opposed = self.graph.and(opposed, subtract);
        let second = self.graph.and(y.nan, swap);
        let operand = self.graph.select(second, y.word, x.word);
        let broken = self.graph.or(x.nan, opposed);
        let (below, between) = (self.number(f - 1, 0), self.number(bits - f - 1, 0));
        let marks = self.graph.concat(&[below, broken, between, opposed]);
        let special = self.graph.or(operand, marks);
        self.graph.select(x.special, special, finite)
    }

    /// The number of a sum of `f + 5` bits whose second highest bit has the weight of the exponent.
    fn normalised_sum(&mut self, sign: Word, subtract: Word, exponent: Word, sum: Word) -> Word {
        let Format { exponent: e, fraction: f } = self.format;
        let wide = self.format.wide();
        // Not below the least exponent.
        let leading = self.leading_zeros(sum);
        let least = self.widened(exponent, wide);
        let zeros = self.widened(leading, wide);
        let limited = self.graph.compare(CompareOp::LtU, least, zeros);
        let digits = self.graph.bits(leading);
        let amount = match digits <= e {
            true => self.graph.slice(exponent, 0, digits),
            false => self.widened(exponent, digits),
        };
        let amount = self.graph.select(limited, amount, leading);
        let mut value = sum;
        for step in 0..digits {
            let digit = self.graph.bit(amount, step);
            let distance = 1u32 << step;
            let moved = match (f + 5).checked_sub(distance) {
                None | Some(0) => self.number(f + 5, 0),
                Some(rest) => {
                    let (low, zeros) = (self.graph.slice(value, 0, rest), self.number(distance, 0));
                    self.graph.concat(&[zeros, low])
                }
            };
            value = self.graph.select(digit, moved, value);
        }
        let one = self.number(wide, 1);
        let amount = self.widened(amount, wide);
        let field = self.graph.add_words(least, one);
        let field = self.graph.sub(field, amount);
        // Exact cancellation gives +0.
        let nothing = self.none(sum);
        let cancelled = self.graph.and(subtract, nothing);
        let keeps = self.graph.not(cancelled);
        let sign = self.graph.and(sign, keeps);
        let significand = self.reduced(value);
        self.packed(sign, field, significand)
    }

    /// The number of zeros above the highest one, in as few bits as hold it.
    fn leading_zeros(&mut self, a: Word) -> Word {
        let bits = self.graph.bits(a);
        let count = self.graph.leading_zeros(a);
        self.graph.slice(count, 0, u32::BITS - bits.leading_zeros())
    }
}
