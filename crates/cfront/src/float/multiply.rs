use super::{Floats, Normal, Parts};
use crate::graph::Word;

impl Floats<'_> {
    /// The exact product of two numbers, `2 · fraction + 2` bits. Only one factor is normalised: if both are
    /// subnormal, the product is below the range, and may lack its leading one.
    pub(super) fn product(&mut self, x: &Parts, y: &Parts) -> Normal {
        let (f, wide) = (self.format.fraction, self.format.wide());
        // The factor that may be subnormal comes second.
        let (ex, ey) = (self.effective_exponent(x), self.effective_exponent(y));
        let (sx, sy) = (self.significand(x), self.significand(y));
        let first = self.graph.select(x.normal, sx, sy);
        let second = self.graph.select(x.normal, sy, sx);
        let (second, zeros) = self.left_aligned(second);
        let (first, second) = (self.widened(first, 2 * f + 2), self.widened(second, 2 * f + 2));
        let product = self.multiply_words(first, second);
        let (ex, ey, zeros) = (self.widened(ex, wide), self.widened(ey, wide), self.widened(zeros, wide));
        let exponent = self.graph.add_words(ex, ey);
        let exponent = self.graph.sub(exponent, zeros);
        let bias = self.number(wide, self.format.bias());
        let exponent = self.graph.sub(exponent, bias);
        let top = self.graph.bit(product, 2 * f + 1);
        let (low, zero) = (self.graph.slice(product, 0, 2 * f + 1), self.number(1, 0));
        let doubled = self.graph.concat(&[zero, low]);
        let significand = self.graph.select(top, product, doubled);
        let top = self.widened(top, wide);
        Normal { significand, exponent: self.graph.add_words(exponent, top) }
    }

    /// The product.
    pub(super) fn multiply(&mut self, a: Word, b: Word) -> Word {
        let (x, y) = (self.parts(a), self.parts(b));
        let sign = self.graph.xor(x.sign, y.sign);
        let Normal { significand, exponent } = self.product(&x, &y);
        let significand = self.reduced(significand);
        let finite = self.rounded(sign, exponent, significand);
        let (zero_x, zero_y) = (self.is_zero(&x), self.is_zero(&y));
        let (left, right) = (self.graph.and(x.infinite, zero_y), self.graph.and(y.infinite, zero_x));
        let invalid = self.graph.or(left, right);
        let nan = self.graph.or(x.nan, y.nan);
        let broken = self.graph.or(nan, invalid);
        let (nan, infinity) = (self.nan_of(&x, &y), self.infinity(sign));
        let special = self.graph.select(broken, nan, infinity);
        let any = self.graph.or(x.special, y.special);
        self.graph.select(any, special, finite)
    }
}
