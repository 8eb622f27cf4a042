//! From and to integers, and between formats.

use super::{Direction, Floats, Format, Relation};
use crate::graph::{Graph, Word};
use crate::int::{Int, IntOp};

impl Floats<'_> {
    /// The number nearest to an integer.
    pub(crate) fn number_of(&mut self, value: Word, signed: bool) -> Word {
        self.number_of_fixed(value, signed, 0)
    }

    /// The number nearest to an integer of at most 128 bits divided by `2^fraction`, where `fraction` is less than its width.
    pub(crate) fn number_of_fixed(&mut self, value: Word, signed: bool, fraction: u32) -> Word {
        let (bits, wide) = (self.graph.bits(value), self.format.wide());
        let sign = match signed {
            true => self.graph.bit(value, bits - 1),
            false => self.graph.flag(false),
        };
        let zero = self.number(bits, 0);
        let magnitude = self.add_or_subtract(zero, value, sign);
        let (significand, zeros) = match bits {
            1 => (magnitude, self.number(1, 0)),
            _ => self.left_aligned(magnitude),
        };
        let highest = self.number(wide, self.format.bias() + bits - 1 - fraction);
        let zeros = self.widened(zeros, wide);
        let exponent = self.graph.sub(highest, zeros);
        let significand = self.reduced(significand);
        match fraction < self.format.bias() {
            true => self.packed(sign, exponent, significand),
            // The last bits may be below the least exponent.
            false => self.rounded(sign, exponent, significand),
        }
    }

    /// The integer nearest to the number times `2^fraction`, ties to even; without a fraction the integer
    /// part. Results out of range become the nearest integer of `bits` bits, and a NaN becomes 0.
    pub(crate) fn saturated(&mut self, a: Word, bits: u32, signed: bool, fraction: u32) -> Word {
        let whole = match fraction {
            0 => a,
            _ => {
                let scale = self.power_of_two(fraction);
                let scaled = self.multiply(a, scale);
                self.integral(scaled, Direction::Nearest)
            }
        };
        let integer = self.integer_of(whole, bits);
        let limit = self.power_of_two(bits - u32::from(signed));
        let above = Relation { equal: true, greater: true, ..Relation::default() };
        let above = self.compare(above, whole, limit);
        let sign = self.sign(whole);
        let (least, below) = match signed {
            true => {
                let (magnitude, minus) = (self.magnitude(limit), self.graph.flag(true));
                let limit = self.graph.concat(&[magnitude, minus]);
                let below = Relation { less: true, ..Relation::default() };
                (Int::ones(1).extend(bits, false).shifted_left(bits - 1), self.compare(below, whole, limit))
            }
            false => (Int::zero(bits), sign),
        };
        let (greatest, least) = (self.graph.constant(least.not()), self.graph.constant(least));
        let integer = self.graph.select(above, greatest, integer);
        let integer = self.graph.select(below, least, integer);
        let nan = self.is_nan(whole);
        let number = self.graph.not(nan);
        self.gated(number, integer)
    }

    /// `2^power`; infinity if that is too large.
    fn power_of_two(&mut self, power: u32) -> Word {
        let Format { fraction, .. } = self.format;
        let field = (self.format.bias() + power).min(self.format.special());
        self.graph.number(self.format.bits(), u128::from(field) << fraction)
    }

    /// The integer part in `bits` bits; any value if it does not fit.
    pub(crate) fn integer_of(&mut self, a: Word, bits: u32) -> Word {
        let (f, wide) = (self.format.fraction, self.format.wide());
        let x = self.parts(a);
        let exponent = self.widened(x.exponent, wide);
        let bias = self.number(wide, self.format.bias());
        let places = self.graph.sub(exponent, bias);
        let below = self.graph.bit(places, wide - 1);
        let significand = self.significand(&x);
        // Shifts by zero up to the width move the significand up; its fraction is then dropped.
        let room = (f + 1 + bits).max(wide);
        let (value, amount) = (self.widened(significand, room), self.widened(places, room));
        let moved = self.graph.binary(IntOp::ShiftLeft, value, amount);
        let whole = self.graph.slice(moved, f, bits);
        let reaches = self.graph.not(below);
        let whole = self.gated(reaches, whole);
        let zero = self.number(bits, 0);
        self.add_or_subtract(zero, whole, x.sign)
    }
}

/// The number of one format nearest to one of another.
pub(crate) fn convert(graph: &mut Graph, value: Word, from: Format, to: Format) -> Word {
    if from == to {
        return value;
    }
    let mut source = Floats::new(graph, from);
    let x = source.parts(value);
    let shrinks = to.fraction < from.fraction;
    let (significand, exponent) = match shrinks {
        // Subnormal numbers of the larger format are below the range of the smaller one.
        true => (source.significand(&x), source.effective_exponent(&x)),
        false => {
            let normal = source.normalised(&x);
            (normal.significand, normal.exponent)
        }
    };
    let wide = from.wide().max(to.wide());
    let exponent = graph.extend(exponent, wide, !shrinks);
    let change = graph.number(wide, (to.bias().wrapping_sub(from.bias()) as i32 as i128) as u128);
    let exponent = graph.add_words(exponent, change);
    let mut target = Floats::new(graph, to);
    let exponent = target.narrowed(exponent);
    let significand = target.reduced(significand);
    let finite = match shrinks {
        true => target.rounded(x.sign, exponent, significand),
        false => target.packed(x.sign, exponent, significand),
    };
    let infinity = target.infinity(x.sign);
    let fraction = match shrinks {
        true => graph.slice(x.fraction, from.fraction - to.fraction, to.fraction),
        false => {
            let zeros = graph.number(to.fraction - from.fraction, 0);
            graph.concat(&[zeros, x.fraction])
        }
    };
    let ones = graph.constant(Int::ones(to.exponent));
    let nan = graph.concat(&[fraction, ones, x.sign]);
    let nan = Floats::new(graph, to).quiet(nan);
    let special = graph.select(x.nan, nan, infinity);
    graph.select(x.special, special, finite)
}

impl Floats<'_> {
    /// An exponent in as many bits as calculations use here; saturates.
    fn narrowed(&mut self, exponent: Word) -> Word {
        let (bits, wide) = (self.graph.bits(exponent), self.format.wide());
        if bits == wide {
            return exponent;
        }
        let low = self.graph.slice(exponent, 0, wide);
        let again = self.graph.extend(low, bits, true);
        let fits = self.graph.equal(again, exponent);
        let sign = self.graph.bit(exponent, bits - 1);
        let positive = self.graph.not(sign);
        let rest = self.graph.extend(positive, wide - 1, true);
        let end = self.graph.concat(&[rest, sign]);
        self.graph.select(fits, low, end)
    }
}
