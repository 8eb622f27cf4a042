use tacit_ir::Words;

use crate::bundle::Bundle;

/// Bounds on the numbers in a bundle whose words are not reduced: only the low bits of an encrypted integer
/// are the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// All numbers are less than two to this power.
    pub bits: u32,
    /// For public constants: bits of the largest magnitude, where each word of n bits stands for the number
    /// nearest to zero that it represents modulo 2^n.
    pub factor: Option<u32>,
}

impl Bound {
    /// Secret numbers of this many bits.
    pub(crate) fn secret(bits: u32) -> Bound {
        Bound { bits, factor: None }
    }

    /// Numbers that are as wide as their words.
    pub(crate) fn of(bundle: Bundle) -> Bound {
        Bound::secret(bundle.bits)
    }

    /// A bound that holds for the numbers of both.
    pub(crate) fn max(self, other: Bound) -> Bound {
        let factor = self.factor.zip(other.factor).map(|(one, two)| one.max(two));
        Bound { bits: self.bits.max(other.bits), factor }
    }

    /// Bits of the product of numbers; public ones count as their representative nearest to zero.
    pub(crate) fn product(self, other: Bound) -> u32 {
        match (self.factor, other.factor) {
            (_, Some(factor)) => self.bits.saturating_add(factor),
            (Some(factor), None) => other.bits.saturating_add(factor),
            (None, None) => self.bits.saturating_add(other.bits),
        }
    }

    pub(crate) fn of_constant(words: &Words) -> Bound {
        let bits = words.bits();
        let magnitude = |lane: u64| {
            let value = words.low_u128(lane);
            let negative = value.wrapping_neg() & (u128::MAX >> (u128::BITS - bits));
            u128::BITS - value.min(negative).leading_zeros()
        };
        let fits = (1..=u128::BITS).contains(&bits);
        Bound { bits, factor: fits.then(|| (0..words.lanes()).map(magnitude).max().unwrap_or(0)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_as_large_as_the_nearer_of_their_numbers() {
        for (words, factor) in [(&[0u128][..], 0), (&[1, 255], 1), (&[3, 250], 3), (&[128], 8), (&[127], 7)] {
            let bound = Bound::of_constant(&Words::from_u128s(8, words));
            assert_eq!(bound, Bound { bits: 8, factor: Some(factor) });
        }
        let widest = Bound::of_constant(&Words::from_u128s(128, &[u128::MAX - 1]));
        assert_eq!(widest.product(Bound::secret(129)), 131);
        assert_eq!(Bound::of_constant(&Words::zero(200, 1)).factor, None);
    }
}
