use tacit_ir::CompareOp;

use super::{Floats, Normal, Parts};
use crate::graph::Word;

impl Floats<'_> {
    /// The product of two numbers and a third added, rounded once: the sum of [`Floats::add`] on significands as wide
    /// as the product.
    pub(crate) fn fused(&mut self, a: Word, b: Word, c: Word) -> Word {
        let (x, y, z) = (self.parts(a), self.parts(b), self.parts(c));
        let sign = self.graph.xor(x.sign, y.sign);
        let product = self.product(&x, &y);
        let addend = self.normalised(&z);
        let zeros = self.number(self.format.fraction + 1, 0);
        let addend = Normal { significand: self.graph.concat(&[zeros, addend.significand]), ..addend };
        let finite = self.wide_sum((sign, product), (z.sign, addend));
        let special = self.fused_special(&x, &y, &z, sign);
        let any = self.graph.or(x.special, y.special);
        let any = self.graph.or(any, z.special);
        self.graph.select(any, special, finite)
    }

    /// The sum of two numbers of a sign, a significand and an exponent each.
    fn wide_sum(&mut self, (sign, product): (Word, Normal), (other, addend): (Word, Normal)) -> Word {
        let bits = self.graph.bits(product.significand);
        let wide = self.format.wide();
        let (key, other_key) = (self.order(product), self.order(addend));
        let swap = self.graph.compare(CompareOp::LtU, key, other_key);
        let (exponent, less) = self.swapped(swap, product.exponent, addend.exponent);
        let (large, small) = self.swapped(swap, product.significand, addend.significand);
        let subtract = self.graph.xor(sign, other);
        let change = self.graph.and(swap, subtract);
        let sign = self.graph.xor(sign, change);
        let guard = self.number(3, 0);
        let (large, small) = (self.graph.concat(&[guard, large]), self.graph.concat(&[guard, small]));
        let distance = self.graph.sub(exponent, less);
        let small = self.shift_right_sticky(small, distance);
        let (large, small) = (self.widened(large, bits + 4), self.widened(small, bits + 4));
        let sum = self.add_or_subtract(large, small, subtract);
        let (significand, zeros) = self.left_aligned(sum);
        let (zeros, one) = (self.widened(zeros, wide), self.number(wide, 1));
        let exponent = self.graph.add_words(exponent, one);
        let exponent = self.graph.sub(exponent, zeros);
        // Exact cancellation gives +0.
        let anything = self.graph.bit(significand, bits + 3);
        let keeps = self.graph.not(subtract);
        let keeps = self.graph.or(keeps, anything);
        let sign = self.graph.and(sign, keeps);
        let significand = self.reduced(significand);
        self.rounded(sign, exponent, significand)
    }

    /// A word that orders magnitudes; zero comes first, whatever its exponent.
    fn order(&mut self, number: Normal) -> Word {
        let top = self.graph.bits(number.exponent) - 1;
        let (low, sign) = (self.graph.slice(number.exponent, 0, top), self.graph.bit(number.exponent, top));
        let (positive, nonzero) = (self.graph.not(sign), self.any(number.significand));
        self.graph.concat(&[number.significand, low, positive, nonzero])
    }

    /// Both words, exchanged where the flag is set.
    fn swapped(&mut self, swap: Word, a: Word, b: Word) -> (Word, Word) {
        let difference = self.graph.xor(a, b);
        let change = self.gated(swap, difference);
        (self.graph.xor(a, change), self.graph.xor(b, change))
    }

    /// The result if an operand is infinite or a NaN: the first NaN, the NaN of an invalid operation, or an
    /// infinity. `sign` is that of the product.
    fn fused_special(&mut self, x: &Parts, y: &Parts, z: &Parts, sign: Word) -> Word {
        let (zero_x, zero_y) = (self.is_zero(x), self.is_zero(y));
        let (left, right) = (self.graph.and(x.infinite, zero_y), self.graph.and(y.infinite, zero_x));
        let invalid = self.graph.or(left, right);
        let infinite = self.graph.or(x.infinite, y.infinite);
        let opposed = self.graph.xor(sign, z.sign);
        let opposed = self.graph.and(opposed, z.infinite);
        let opposed = self.graph.and(opposed, infinite);
        let factors = self.graph.or(x.nan, y.nan);
        let (of_factors, quiet) = (self.nan_of(x, y), self.quiet(z.word));
        let only_addend = self.graph.not(factors);
        let only_addend = self.graph.and(only_addend, z.nan);
        let nan = self.graph.select(only_addend, quiet, of_factors);
        let broken = self.graph.or(factors, z.nan);
        let broken = self.graph.or(broken, invalid);
        let broken = self.graph.or(broken, opposed);
        let sign = self.graph.select(z.infinite, z.sign, sign);
        let infinity = self.infinity(sign);
        self.graph.select(broken, nan, infinity)
    }
}
