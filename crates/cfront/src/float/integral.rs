//! Rounds numbers to integers in the same format.

use tacit_ir::CompareOp;

use super::{Floats, Format};
use crate::graph::Word;
use crate::int::Int;

/// The direction of rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Down,
    Up,
    ToZero,
    /// To nearest, ties to even.
    Nearest,
    /// To nearest, ties away from zero.
    NearestAway,
}

impl Floats<'_> {
    pub(crate) fn integral(&mut self, a: Word, direction: Direction) -> Word {
        let Format { exponent: e, fraction: f } = self.format;
        let x = self.parts(a);
        let one = self.number(e, self.format.bias());
        let below_one = self.graph.compare(CompareOp::LtU, x.exponent, one);
        // The bits of the fraction below the unit.
        let places = self.graph.sub(x.exponent, one);
        let bits = e + f;
        let ones = self.graph.constant(Int::ones(f).extend(bits, false));
        let mask = self.shift_right(ones, places);
        let magnitude = self.magnitude(a);
        let lost = self.graph.and(magnitude, mask);
        let exact = self.none(lost);
        let inexact = self.graph.not(exact);
        let up = self.rounds_up(&x.sign, magnitude, mask, inexact, direction);
        // The fraction filled with ones, plus one if it rounds up.
        let filled = self.graph.or(magnitude, mask);
        let step = self.gated_number(up, bits);
        let risen = self.graph.add_words(filled, step);
        let clear = self.graph.not(mask);
        let large = self.graph.and(risen, clear);
        let small = self.below_one(&x.sign, x.exponent, x.fraction, magnitude, direction);
        let result = self.graph.select(below_one, small, large);
        let result = self.graph.concat(&[result, x.sign]);
        let quiet = self.quiet(a);
        let special = self.graph.select(x.nan, quiet, a);
        self.graph.select(x.special, special, result)
    }

    fn gated_number(&mut self, flag: Word, bits: u32) -> Word {
        self.widened(flag, bits)
    }

    /// Whether a number of at least one rounds to the next integer, away from zero.
    fn rounds_up(
        &mut self,
        sign: &Word,
        magnitude: Word,
        mask: Word,
        inexact: Word,
        direction: Direction,
    ) -> Word {
        let bits = self.graph.bits(mask);
        match direction {
            Direction::ToZero => self.graph.flag(false),
            Direction::Down => self.graph.and(*sign, inexact),
            Direction::Up => {
                let positive = self.graph.not(*sign);
                self.graph.and(positive, inexact)
            }
            Direction::Nearest | Direction::NearestAway => {
                // The highest bit below the unit, those under it, and the unit.
                let (high, zero) = (self.graph.slice(mask, 1, bits - 1), self.number(1, 0));
                let under = self.graph.concat(&[high, zero]);
                let half = self.graph.xor(mask, under);
                let at_half = self.graph.and(magnitude, half);
                let half_set = self.any(at_half);
                if direction == Direction::NearestAway {
                    return half_set;
                }
                let rest = self.graph.and(magnitude, under);
                let more = self.any(rest);
                let (low, zero) = (self.graph.slice(mask, 0, bits - 1), self.graph.flag(true));
                let upper = self.graph.concat(&[zero, low]);
                let unit = self.graph.xor(upper, mask);
                let unit = self.graph.and(magnitude, unit);
                let odd = self.any(unit);
                let goes = self.graph.or(more, odd);
                self.graph.and(half_set, goes)
            }
        }
    }

    /// The magnitude, zero or one, that a number below one rounds to.
    fn below_one(
        &mut self,
        sign: &Word,
        exponent: Word,
        fraction: Word,
        magnitude: Word,
        direction: Direction,
    ) -> Word {
        let Format { exponent: e, fraction: f } = self.format;
        let something = self.any(magnitude);
        let half = self.number(e, self.format.bias() - 1);
        let from_half = self.graph.equal(exponent, half);
        let up = match direction {
            Direction::ToZero => self.graph.flag(false),
            Direction::Down => self.graph.and(*sign, something),
            Direction::Up => {
                let positive = self.graph.not(*sign);
                self.graph.and(positive, something)
            }
            Direction::NearestAway => from_half,
            Direction::Nearest => {
                let more = self.any(fraction);
                self.graph.and(from_half, more)
            }
        };
        let one = self.graph.number(e + f, u128::from(self.format.bias()) << f);
        self.gated(up, one)
    }
}
