use super::Floats;
use crate::graph::Word;

impl Floats<'_> {
    /// The quotient, by non-restoring division of the significands.
    pub(super) fn divide(&mut self, a: Word, b: Word) -> Word {
        let wide = self.format.wide();
        let (x, y) = (self.parts(a), self.parts(b));
        let sign = self.graph.xor(x.sign, y.sign);
        let (n, d) = (self.normalised(&x), self.normalised(&y));
        let (quotient, more) = self.quotient(n.significand, d.significand);
        let exponent = self.graph.sub(n.exponent, d.exponent);
        let bias = self.number(wide, self.format.bias() - 1);
        let exponent = self.graph.add_words(exponent, bias);
        // A quotient below one moves up by one bit.
        let bits = self.graph.bits(quotient);
        let top = self.graph.bit(quotient, bits - 1);
        let (low, zero) = (self.graph.slice(quotient, 0, bits - 1), self.number(1, 0));
        let doubled = self.graph.concat(&[zero, low]);
        let significand = self.graph.select(top, quotient, doubled);
        let top = self.widened(top, wide);
        let exponent = self.graph.add_words(exponent, top);
        let significand = self.graph.concat(&[more, significand]);
        let significand = self.reduced(significand);
        let finite = self.rounded(sign, exponent, significand);
        let (zero_x, zero_y) = (self.is_zero(&x), self.is_zero(&y));
        let (zeros, infinities) = (self.graph.and(zero_x, zero_y), self.graph.and(x.infinite, y.infinite));
        let invalid = self.graph.or(zeros, infinities);
        let nan = self.graph.or(x.nan, y.nan);
        let broken = self.graph.or(nan, invalid);
        let nan = self.nan_of(&x, &y);
        let infinity = self.infinity(sign);
        let vanishes = self.graph.or(zero_x, y.infinite);
        let unbounded = self.graph.or(x.infinite, zero_y);
        let stays = self.graph.not(vanishes);
        let magnitude = self.magnitude(finite);
        let magnitude = self.gated(stays, magnitude);
        let finite = self.graph.concat(&[magnitude, sign]);
        let result = self.graph.select(unbounded, infinity, finite);
        self.graph.select(broken, nan, result)
    }

    /// `f + 3` bits of a quotient of two significands, the first of weight one, and whether the remainder is
    /// not zero.
    fn quotient(&mut self, numerator: Word, denominator: Word) -> (Word, Word) {
        let f = self.format.fraction;
        let bits = f + 3;
        let (mut rest, divisor) = (self.widened(numerator, bits), self.widened(denominator, bits));
        let mut digits = Vec::new();
        let mut subtract = self.graph.flag(true);
        for place in 0..f + 3 {
            if place > 0 {
                let (low, zero) = (self.graph.slice(rest, 0, bits - 1), self.number(1, 0));
                rest = self.graph.concat(&[zero, low]);
            }
            rest = self.add_or_subtract(rest, divisor, subtract);
            let negative = self.graph.bit(rest, bits - 1);
            subtract = self.graph.not(negative);
            digits.push(subtract);
        }
        digits.reverse();
        let negative = self.graph.bit(rest, bits - 1);
        let back = self.gated(negative, divisor);
        let rest = self.graph.add_words(rest, back);
        (self.graph.concat(&digits), self.any(rest))
    }
}
