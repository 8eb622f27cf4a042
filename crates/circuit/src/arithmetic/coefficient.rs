use std::iter;

use Limbs::{Long, Short};

/// Bits of the widest coefficient that is stored as one number; its non-adjacent form takes one more bit.
const SHORT: usize = u128::BITS as usize - 1;

/// An integer modulo `2^width`: the coefficient of a bit of a [`super::heap::Heap`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Coefficient(Limbs);

/// One number, in nearly all sums, or limbs of 64 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Limbs {
    Short(u128),
    Long(Vec<u64>),
}

/// The lowest bits of a number.
fn low(number: u128, width: usize) -> u128 {
    if width < 128 { number & ((1 << width) - 1) } else { number }
}

impl Coefficient {
    pub(super) fn zero(width: usize) -> Self {
        Coefficient(if width <= SHORT { Short(0) } else { Long(vec![0; width.div_ceil(64)]) })
    }

    /// `±2^place`.
    pub(super) fn power(width: usize, place: usize, negative: bool) -> Self {
        let mut power = Coefficient::zero(width);
        match &mut power.0 {
            Short(number) if place < width => *number = 1 << place,
            Short(_) => {}
            Long(limbs) => {
                if let Some(limb) = limbs.get_mut(place / 64) {
                    *limb = 1 << (place % 64);
                }
            }
        }
        if negative { power.negated(width) } else { power }
    }

    pub(super) fn of_bits(width: usize, bits: impl Iterator<Item = bool>) -> Self {
        let mut value = Coefficient::zero(width);
        for (place, bit) in bits.take(width).enumerate() {
            match &mut value.0 {
                Short(number) => *number |= u128::from(bit) << place,
                Long(limbs) => limbs[place / 64] |= u64::from(bit) << (place % 64),
            }
        }
        value
    }

    pub(super) fn of_number(width: usize, number: u128) -> Self {
        Coefficient::of_bits(width, (0..128).map(|place| number >> place & 1 == 1))
    }

    /// The lowest 64 bits.
    pub(super) fn low_limb(&self) -> u64 {
        self.limb(0)
    }

    /// `bits` bits from `low` up.
    pub(super) fn above(&self, low: usize, bits: usize) -> Self {
        Coefficient::of_bits(bits, (low..low + bits).map(|place| self.bit(place)))
    }

    pub(super) fn bit(&self, place: usize) -> bool {
        self.limb(place / 64) >> (place % 64) & 1 == 1
    }

    /// 64 bits, from bit `64 * place` up.
    fn limb(&self, place: usize) -> u64 {
        match &self.0 {
            Short(number) if place < 2 => (number >> (64 * place)) as u64,
            Short(_) => 0,
            Long(limbs) => limbs.get(place).copied().unwrap_or(0),
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        match &self.0 {
            Short(number) => *number == 0,
            Long(limbs) => limbs.iter().all(|limb| *limb == 0),
        }
    }

    pub(super) fn add(&mut self, other: &Coefficient, width: usize) {
        match &mut self.0 {
            Short(number) => {
                let other = u128::from(other.limb(1)) << 64 | u128::from(other.limb(0));
                *number = low(number.wrapping_add(other), width);
            }
            Long(limbs) => {
                let mut carry = false;
                for (place, limb) in limbs.iter_mut().enumerate() {
                    let (sum, first) = limb.overflowing_add(other.limb(place));
                    let (sum, second) = sum.overflowing_add(u64::from(carry));
                    (*limb, carry) = (sum, first | second);
                }
                self.trim(width);
            }
        }
    }

    pub(super) fn negated(&self, width: usize) -> Self {
        match &self.0 {
            Short(number) => Coefficient(Short(low(number.wrapping_neg(), width))),
            Long(limbs) => {
                let mut negated = Coefficient(Long(limbs.iter().map(|limb| !limb).collect()));
                negated.add(&Coefficient::power(width, 0, false), width);
                negated
            }
        }
    }

    /// Times `2^by`, modulo `2^width`, where `width` may differ from the previous one.
    pub(super) fn shifted(&self, by: usize, width: usize) -> Self {
        let mut shifted = Coefficient::zero(width);
        match (&self.0, &mut shifted.0) {
            (Short(number), Short(target)) => {
                *target = if by < width { low(number << by, width) } else { 0 };
            }
            (_, Short(_)) => {
                let bit = |place: usize| place.checked_sub(by).is_some_and(|from| self.bit(from));
                return Coefficient::of_bits(width, (0..width).map(bit));
            }
            (_, Long(target)) => {
                for (place, limb) in target.iter_mut().enumerate() {
                    let from = |back: usize| place.checked_sub(back).map_or(0, |at| self.limb(at));
                    let high = from(by / 64) << (by % 64);
                    let low = if by.is_multiple_of(64) { 0 } else { from(by / 64 + 1) >> (64 - by % 64) };
                    *limb = high | low;
                }
            }
        }
        shifted.trim(width);
        shifted
    }

    fn trim(&mut self, width: usize) {
        if let Long(limbs) = &mut self.0
            && let (Some(top), 1..) = (limbs.last_mut(), width % 64)
        {
            *top &= u64::MAX >> (64 - width % 64);
        }
    }

    /// Its digits, each `±2^place`, lowest first: the ones of its binary form, or of its non-adjacent form.
    pub(super) fn for_each_digit(&self, width: usize, form: Form, mut visit: impl FnMut(usize, bool)) {
        match &self.0 {
            Short(number) => {
                let (ones, negative) = short_digits(*number, width, form);
                places(ones).for_each(|place| visit(place, negative >> place & 1 == 1));
            }
            Long(_) => {
                self.long_digits(width, form)
                    .into_iter()
                    .for_each(|(place, negative)| visit(place, negative));
            }
        }
    }

    fn long_digits(&self, width: usize, form: Form) -> Vec<(usize, bool)> {
        let binary = || (0..width).filter(|place| self.bit(*place)).map(|place| (place, false)).collect();
        let sparse = || {
            let mut carry = false;
            let mut digits = Vec::new();
            for place in 0..width {
                let next = self.bit(place + 1);
                if self.bit(place) != carry {
                    digits.push((place, next));
                    carry = next;
                }
            }
            digits
        };
        match form {
            Form::Binary => binary(),
            Form::Fewest => {
                let (binary, sparse): (Vec<_>, Vec<_>) = (binary(), sparse());
                if sparse.len() < binary.len() { sparse } else { binary }
            }
        }
    }
}

/// The places of the digits of a number, and which of them are negative.
///
/// Source: Prodinger, *On binary representations of integers with digits −1, 0, 1*, Integers 0 (2000).
fn short_digits(number: u128, width: usize, form: Form) -> (u128, u128) {
    let half = number >> 1;
    let more = number + half;
    let [positive, negative] = [more, half].map(|one| low(one & (half ^ more), width));
    let is_fewer = (positive | negative).count_ones() < number.count_ones();
    if form == Form::Fewest && is_fewer { (positive | negative, negative) } else { (number, 0) }
}

/// The places of the ones of a number, the lowest first.
fn places(number: u128) -> impl Iterator<Item = usize> {
    let rest = iter::successors(Some(number), |rest| Some(rest & rest.wrapping_sub(1)));
    rest.take_while(|rest| *rest != 0).map(|rest| rest.trailing_zeros() as usize)
}

/// The form in which a coefficient is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As ones of its binary form.
    Binary,
    /// As signed powers of two, if these are fewer.
    Fewest,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(digits: &[(usize, bool)]) -> i128 {
        digits.iter().map(|(place, negative)| if *negative { -(1 << place) } else { 1i128 << place }).sum()
    }

    fn digits(coefficient: &Coefficient, width: usize, form: Form) -> Vec<(usize, bool)> {
        let mut digits = Vec::new();
        coefficient.for_each_digit(width, form, |place, negative| digits.push((place, negative)));
        digits
    }

    #[test]
    fn digits_are_the_number() {
        for number in 0..1u64 << 9 {
            let coefficient = Coefficient::of_bits(9, (0..9).map(|place| number >> place & 1 == 1));
            for form in [Form::Binary, Form::Fewest] {
                assert_eq!(value(&digits(&coefficient, 9, form)).rem_euclid(512), i128::from(number));
            }
        }
    }

    #[test]
    fn short_coefficients_have_the_digits_of_long_ones() {
        let mut number = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c834u128;
        for width in (1..=SHORT).chain([1, 2, 63, 64, 65, SHORT]) {
            number = number.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).rotate_left(41) | 1;
            for number in [number, number & number >> 7, !0, 1, 0, 1 << (width - 1)] {
                let short = Coefficient::of_number(width, number);
                for form in [Form::Binary, Form::Fewest] {
                    assert_eq!(digits(&short, width, form), short.long_digits(width, form), "{width}");
                }
            }
        }
    }

    #[test]
    fn widths_meet_in_shifts() {
        for (from, to) in [(127, 128), (128, 127), (127, 127), (128, 200), (5, 300), (300, 5)] {
            let power = Coefficient::power(from, 3, false);
            for by in [0, 1, 64, 121, 124, 130, 296] {
                let expected = Coefficient::power(to, 3 + by, false);
                let expected = if 3 + by < to { expected } else { Coefficient::zero(to) };
                assert_eq!(power.shifted(by, to), expected, "{from} {to} {by}");
            }
        }
    }

    #[test]
    fn arithmetic_crosses_limbs() {
        let width = 130;
        let power = Coefficient::power(width, 63, false);
        let mut sum = power.clone();
        sum.add(&power, width);
        assert_eq!(sum, Coefficient::power(width, 64, false));
        assert_eq!(power.shifted(66, width), Coefficient::power(width, 129, false));
        assert!(power.shifted(67, width).is_zero());
        sum.add(&Coefficient::power(width, 64, true), width);
        assert!(sum.is_zero());
        assert_eq!(power.negated(width).negated(width), power);
    }
}
