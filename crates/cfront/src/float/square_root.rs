use super::Floats;
use crate::graph::Word;

impl Floats<'_> {
    /// The square root, by non-restoring extraction bit by bit. No root is halfway between two numbers, so
    /// the bit after the last decides.
    pub(crate) fn square_root(&mut self, a: Word) -> Word {
        let wide = self.format.wide();
        let x = self.parts(a);
        let n = self.normalised(&x);
        // If the exponent is odd (the field is even, as the bias is odd), the radicand is doubled.
        let field = self.graph.bit(n.exponent, 0);
        let odd = self.graph.not(field);
        let zero = self.number(1, 0);
        let (single, double) =
            (self.graph.concat(&[n.significand, zero]), self.graph.concat(&[zero, n.significand]));
        let radicand = self.graph.select(odd, double, single);
        let root = self.root(radicand);
        // (field + bias) / 2, rounded down.
        let bias = self.number(wide, self.format.bias());
        let sum = self.graph.add_words(n.exponent, bias);
        let half = self.graph.slice(sum, 1, wide - 1);
        let exponent = self.graph.extend(half, wide, true);
        // If the bit after the last is set, there is a remainder.
        let more = self.number(1, 1);
        let significand = self.graph.concat(&[more, root]);
        let positive = self.graph.flag(false);
        let number = self.packed(positive, exponent, significand);
        let zero = self.is_zero(&x);
        let (quiet, invalid) = (self.quiet(a), self.invalid());
        let below = self.graph.select(x.nan, quiet, invalid);
        // Zeros keep their sign, infinity stays; other negative numbers have no root.
        let keeps = self.graph.or(zero, x.infinite);
        let negative = self.graph.not(zero);
        let negative = self.graph.and(negative, x.sign);
        let broken = self.graph.or(x.nan, negative);
        let result = self.graph.select(keeps, a, number);
        self.graph.select(broken, below, result)
    }

    /// `f + 2` bits of the root of a number of `f + 2` bits below four: those of a significand and one more.
    fn root(&mut self, radicand: Word) -> Word {
        let f = self.format.fraction;
        // Two digits of the radicand for each of the root.
        let below = self.number(f + 2, 0);
        let radicand = self.graph.concat(&[below, radicand]);
        let places = f + 2;
        let mut negative = self.graph.flag(false);
        let mut rest = self.number(1, 0);
        let mut root: Option<Word> = None;
        for place in (0..places).rev() {
            let next = self.graph.slice(radicand, 2 * place, 2);
            // The remainder and the change have three more bits than the root so far; the highest is a sign.
            let bits = places - place + 2;
            rest = self.graph.concat(&[next, rest]);
            rest = match self.graph.bits(rest) >= bits {
                true => self.graph.slice(rest, 0, bits),
                false => self.graph.extend(rest, bits, true),
            };
            // Adds 4 root + 3 to a negative remainder, else subtracts 4 root + 1.
            let ones = self.number(2, 3);
            let flip = self.graph.not(negative);
            let high = match root {
                Some(root) => self.graph.extend(root, bits - 2, false),
                None => self.number(bits - 2, 0),
            };
            let spread = self.graph.extend(flip, bits - 2, true);
            let high = self.graph.xor(high, spread);
            let change = self.graph.concat(&[ones, high]);
            rest = self.graph.add_words(rest, change);
            negative = self.graph.bit(rest, bits - 1);
            let digit = self.graph.not(negative);
            root = Some(match root {
                Some(root) => self.graph.concat(&[digit, root]),
                None => digit,
            });
        }
        root.unwrap_or(rest)
    }
}
