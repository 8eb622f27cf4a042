/// An integer modulo `2^width`, in limbs of 64 bits: what a bit of a [`super::heap::Heap`] is multiplied by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Coefficient(Vec<u64>);

impl Coefficient {
    pub(super) fn zero(width: usize) -> Self {
        Coefficient(vec![0; width.div_ceil(64)])
    }

    /// `±2^place`.
    pub(super) fn power(width: usize, place: usize, negative: bool) -> Self {
        let mut power = Coefficient::zero(width);
        if let Some(limb) = power.0.get_mut(place / 64) {
            *limb = 1 << (place % 64);
        }
        if negative { power.negated(width) } else { power }
    }

    pub(super) fn of_bits(width: usize, bits: impl Iterator<Item = bool>) -> Self {
        let mut value = Coefficient::zero(width);
        for (place, bit) in bits.take(width).enumerate() {
            value.0[place / 64] |= u64::from(bit) << (place % 64);
        }
        value
    }

    pub(super) fn of_number(width: usize, number: u128) -> Self {
        Coefficient::of_bits(width, (0..128).map(|place| number >> place & 1 == 1))
    }

    /// The lowest 64 bits.
    pub(super) fn low_limb(&self) -> u64 {
        self.0.first().copied().unwrap_or(0)
    }

    /// `bits` bits from `low` up.
    pub(super) fn above(&self, low: usize, bits: usize) -> Self {
        Coefficient::of_bits(bits, (low..low + bits).map(|place| self.bit(place)))
    }

    pub(super) fn bit(&self, place: usize) -> bool {
        self.0.get(place / 64).is_some_and(|limb| limb >> (place % 64) & 1 == 1)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.iter().all(|limb| *limb == 0)
    }

    pub(super) fn add(&mut self, other: &Coefficient, width: usize) {
        let mut carry = false;
        for (limb, other) in self.0.iter_mut().zip(&other.0) {
            let (sum, first) = limb.overflowing_add(*other);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (*limb, carry) = (sum, first | second);
        }
        self.trim(width);
    }

    pub(super) fn negated(&self, width: usize) -> Self {
        let mut negated = Coefficient(self.0.iter().map(|limb| !limb).collect());
        let one = Coefficient::power(width, 0, false);
        negated.add(&one, width);
        negated
    }

    /// Times `2^by`, modulo `2^width`, where `width` may be another than before.
    pub(super) fn shifted(&self, by: usize, width: usize) -> Self {
        let mut shifted = Coefficient::zero(width);
        for place in 0..shifted.0.len() {
            let limb =
                |back: usize| place.checked_sub(back).and_then(|at| self.0.get(at)).copied().unwrap_or(0);
            let high = limb(by / 64) << (by % 64);
            let low = if by.is_multiple_of(64) { 0 } else { limb(by / 64 + 1) >> (64 - by % 64) };
            shifted.0[place] = high | low;
        }
        shifted.trim(width);
        shifted
    }

    fn trim(&mut self, width: usize) {
        if let (Some(top), 1..) = (self.0.last_mut(), width % 64) {
            *top &= u64::MAX >> (64 - width % 64);
        }
    }

    /// Its digits, each `±2^place`: the ones of its binary form, or the non-adjacent form.
    pub(super) fn digits(&self, width: usize, form: Form) -> Vec<(usize, bool)> {
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

/// How a coefficient is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// In ones of its binary form.
    Binary,
    /// In powers of two with signs, if these are fewer.
    Fewest,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(digits: &[(usize, bool)]) -> i128 {
        digits.iter().map(|(place, negative)| if *negative { -(1 << place) } else { 1i128 << place }).sum()
    }

    #[test]
    fn digits_are_the_number() {
        for number in 0..1u64 << 9 {
            let coefficient = Coefficient::of_bits(9, (0..9).map(|place| number >> place & 1 == 1));
            for form in [Form::Binary, Form::Fewest] {
                assert_eq!(value(&coefficient.digits(9, form)).rem_euclid(512), i128::from(number));
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
