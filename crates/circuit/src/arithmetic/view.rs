//! Parts of sums, at places where no carries cross.

use super::coefficient::Coefficient;
use super::heap::Heap;
use crate::lit::Lit;

/// Ranges are tracked up to this many bits.
pub(crate) const RANGE_BITS: usize = 64;

impl Heap {
    /// A word.
    pub fn of_word(word: &[Lit]) -> Self {
        let mut heap = Heap::new(word.len());
        for (place, lit) in word.iter().enumerate() {
            heap.add_bit(*lit, &Coefficient::power(word.len(), place, false));
        }
        heap
    }

    /// The sum of both, which have the same width.
    #[must_use]
    pub fn plus(mut self, other: &Heap) -> Self {
        let width = self.width();
        self.add_constant(other.constant());
        other.bits().for_each(|(lit, coefficient)| self.add_bit(lit, coefficient));
        other.products().for_each(|((a, b), coefficient)| self.add_product(a, b, coefficient));
        debug_assert_eq!(width, other.width(), "sums of one width");
        self
    }

    /// The additive inverse.
    #[must_use]
    pub fn negated(&self) -> Self {
        let width = self.width();
        self.map(width, |coefficient| coefficient.negated(width))
    }

    /// Times a constant word of the same width.
    #[must_use]
    pub fn times(&self, constant: &[bool]) -> Self {
        let width = self.width();
        self.map(width, |coefficient| {
            let mut product = Coefficient::zero(width);
            for (place, _) in constant.iter().enumerate().filter(|(_, bit)| **bit) {
                product.add(&coefficient.shifted(place, width), width);
            }
            product
        })
    }

    /// Times `2^by`.
    #[must_use]
    pub fn shifted_left(&self, by: usize) -> Self {
        let width = self.width();
        self.map(width, |coefficient| coefficient.shifted(by, width))
    }

    /// In `width` bits if the sum is always below `2^width`; else `None`.
    pub fn extended(&self, width: usize) -> Option<Self> {
        let narrow = self.width();
        if narrow > RANGE_BITS || width <= narrow {
            return None;
        }
        let modulus = 1u128 << narrow;
        let value = |coefficient: &Coefficient| u128::from(coefficient.low_limb());
        // The least value, and how far the sum may exceed it.
        let (mut least, mut rise) = (value(self.constant()), 0u128);
        for coefficient in self.coefficients() {
            let (up, down) = (value(coefficient), modulus - value(coefficient));
            (least, rise) =
                if up <= down { (least, rise + up) } else { (least + modulus - down, rise + down) };
        }
        if least % modulus + rise >= modulus {
            return None;
        }
        let is_negative = |coefficient: &Coefficient| value(coefficient) > modulus / 2;
        let widened = |coefficient: &Coefficient| match is_negative(coefficient) {
            true => coefficient.negated(narrow).shifted(0, width).negated(width),
            false => coefficient.shifted(0, width),
        };
        let mut wide = self.map(width, widened);
        // The constant is the least value plus the largest total of the negative bits.
        let mut constant = Coefficient::of_number(width, least % modulus);
        for coefficient in self.coefficients().filter(|one| is_negative(one)) {
            constant.add(&coefficient.negated(narrow).shifted(0, width), width);
        }
        wide.set_constant(constant);
        Some(wide)
    }

    /// The low bits.
    #[must_use]
    pub fn low(&self, bits: usize) -> Self {
        self.map(bits, |coefficient| coefficient.shifted(0, bits))
    }

    /// `bits` bits from `low` up, if the lower part never carries into them; else `None`.
    pub fn slice(&self, low: usize, bits: usize) -> Option<Self> {
        if low == 0 {
            return Some(self.low(bits));
        }
        self.is_clean_at(low).then(|| self.map(bits, |coefficient| coefficient.above(low, bits)))
    }

    /// The sum with the bits cleared where the mask is 0, if no carry enters or leaves a run of ones; else
    /// `None`.
    pub fn masked(&self, mask: &[bool]) -> Option<Self> {
        let width = self.width();
        let mut sum = Heap::new(width);
        let mut start = 0;
        while let Some(from) = (start..width).find(|place| mask[*place]) {
            let to = (from..width).find(|place| !mask[*place]).unwrap_or(width);
            if to < width && !self.is_clean_at(to) {
                return None;
            }
            let run = self.low(to).slice(from, to - from)?;
            sum = sum.plus(&run.map(width, |coefficient| coefficient.shifted(from, width)));
            start = to;
        }
        Some(sum)
    }

    /// Whether the parts of all coefficients below `2^place` always add up to less than that.
    fn is_clean_at(&self, place: usize) -> bool {
        if place == 0 || place > RANGE_BITS || self.width() > RANGE_BITS {
            return place == 0;
        }
        let part = |coefficient: &Coefficient| u128::from(coefficient.low_limb()) & ((1 << place) - 1);
        let sum = self.coefficients().fold(part(self.constant()), |sum, one| sum + part(one));
        sum < 1 << place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::CircuitBuilder;

    /// The values of a circuit, on all inputs, that computes a sum of four input bits.
    fn values(heap: &dyn Fn(&[Lit]) -> Option<Heap>) -> Option<Vec<u64>> {
        let mut builder = CircuitBuilder::new();
        let input = builder.input(6);
        let total = heap(&input)?.total(&mut builder);
        let circuit = builder.finish(vec![total]).expect("a small circuit");
        let read = |x: u32| {
            let bits: Vec<bool> = (0..6).map(|bit| x >> bit & 1 == 1).collect();
            let output = circuit.evaluate(&bits).expect("six bits");
            output.iter().enumerate().fold(0, |sum, (bit, value)| sum | u64::from(*value) << bit)
        };
        Some((0..64).map(read).collect())
    }

    /// Sums of six bits with these coefficients and a constant.
    fn sum(input: &[Lit], coefficients: &[u64; 6], constant: u64, width: usize) -> Heap {
        let mut heap = Heap::new(width);
        heap.add_bit(Lit::TRUE, &Coefficient::of_number(width, constant.into()));
        for (lit, coefficient) in input.iter().zip(coefficients) {
            heap.add_bit(*lit, &Coefficient::of_number(width, (*coefficient).into()));
        }
        heap
    }

    #[test]
    fn parts_of_sums_are_parts_of_their_values() {
        let width = 8;
        let all: [([u64; 6], u64); 6] = [
            ([1, 1, 1, 16, 16, 16], 0),
            ([1, 2, 4, 8, 16, 32], 5),
            ([1, 255, 1, 255, 2, 254], 4),
            ([200, 30, 7, 1, 1, 3], 9),
            ([1, 1, 4, 4, 16, 16], 0),
            ([3, 3, 3, 3, 3, 3], 0),
        ];
        let mut found = 0;
        for (coefficients, constant) in all {
            let heap = |x: &[Lit]| sum(x, &coefficients, constant, width);
            let plain = values(&|x| Some(heap(x))).expect("a sum");
            let mut compare = |part: &dyn Fn(&Heap) -> Option<Heap>, of: &dyn Fn(u64) -> u64| {
                if let Some(values) = values(&|x| part(&heap(x))) {
                    assert_eq!(values, plain.iter().map(|value| of(*value)).collect::<Vec<_>>());
                    found += 1;
                }
            };
            compare(&|heap| heap.extended(12), &|value| value);
            compare(&|heap| Some(heap.negated()), &|value| value.wrapping_neg() & 255);
            compare(&|heap| Some(heap.shifted_left(3)), &|value| (value << 3) & 255);
            let five = [true, false, true, false, false, false, false, false];
            compare(&|heap| Some(heap.times(&five)), &|value| (value * 5) & 255);
            for (low, bits) in [(0, 4), (2, 4), (4, 4), (2, 2)] {
                compare(&|heap| heap.slice(low, bits), &|value| value >> low & ((1 << bits) - 1));
            }
            for mask in [0x0fu64, 0xf0, 0x33, 0x07, 0xff, 0x3c] {
                let bits: Vec<bool> = (0..8).map(|bit| mask >> bit & 1 == 1).collect();
                compare(&|heap| heap.masked(&bits), &|value| value & mask);
            }
        }
        assert!(found >= 50, "{found} parts of 90 are clean");
    }
}
