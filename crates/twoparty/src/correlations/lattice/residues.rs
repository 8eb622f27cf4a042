//! Words as numbers modulo several primes, and conversion of masked products back to words. Constant time.

use super::super::gilboa::random_words;
use crate::ShareError;
use crate::pack::mask;
use tacit_crypto::Prg;
use tacit_he::bfv::Ring;
use tacit_he::{HeError, ParameterFault};
use tacit_math::ntt::Ntt;
use zeroize::Zeroizing;

/// By how many bits a mask is longer than what it hides.
pub(crate) const STATISTICAL_BITS: u32 = 40;

/// Bits that each plaintext modulus contributes to a product of moduli, at least: they are larger than
/// 2^34.99.
const PRIME_BITS: f64 = 34.99;

/// 64-bit words of the longest mask.
const MASK_WORDS: usize = 5;

/// Numbers modulo as many primes as products of words need.
pub(super) struct Residues {
    bits: u32,
    moduli: Vec<Modulus>,
}

/// A prime, and constants for the conversion from it and the primes before it.
struct Modulus {
    field: Ntt,
    /// 2^64, 2^bits, and the number that makes products positive, modulo this prime.
    word: u64,
    sign: u64,
    offset: u64,
    /// Products of the primes before this one, from the empty product to that of all.
    weights: Vec<u64>,
    /// 1 / the product of all primes before this one.
    inverse: u64,
    /// The product of all primes before this one, modulo 2^128.
    weight: u128,
}

/// The number of primes that products of words with this many bits need; `None` for unsupported words.
pub(super) fn primes(bits: u32) -> Option<usize> {
    (1..=128).contains(&bits).then(|| (f64::from(mask_bits(bits) + 1) / PRIME_BITS).ceil() as usize)
}

/// Bits of a mask. Words are signed numbers, so a product is at most 2^(2·bits - 2) in magnitude.
fn mask_bits(bits: u32) -> u32 {
    2 * bits - 1 + STATISTICAL_BITS
}

/// Bits of each 64-bit word of a mask, the lowest first.
fn word_bits(bits: u32) -> impl Iterator<Item = u32> {
    let all = mask_bits(bits);
    (0..all).step_by(64).map(move |start| (all - start).min(64))
}

impl Residues {
    /// # Errors
    /// [`ShareError::He`] for words of no bits, or of more than 128.
    pub fn new(bits: u32) -> Result<Residues, ShareError> {
        let count = primes(bits).ok_or(HeError::Parameters(ParameterFault::PlainBits(bits)))?;
        let primes = &Ring::SLOT_PRIMES[..count];
        let moduli: Option<Vec<Modulus>> =
            (0..count).map(|index| Modulus::new(primes, index, bits)).collect();
        Ok(Residues { bits, moduli: moduli.ok_or(ShareError::Missing { what: "plaintext moduli" })? })
    }

    pub fn count(&self) -> usize {
        self.moduli.len()
    }

    /// The words modulo a prime, as signed numbers.
    pub fn of_words(&self, index: usize, words: &[u128]) -> Zeroizing<Vec<u64>> {
        let modulus = &self.moduli[index];
        Zeroizing::new(words.iter().map(|word| modulus.of_word(*word, self.bits)).collect())
    }

    /// This many masks.
    pub fn masks(&self, count: usize, prg: &mut Prg) -> Masks {
        let mut words = Zeroizing::new([(); MASK_WORDS].map(|()| Vec::new()));
        for (words, bits) in words.iter_mut().zip(word_bits(self.bits)) {
            *words = random_words(prg, bits, count).iter().map(|word| *word as u64).collect();
        }
        Masks(words)
    }

    /// Masks modulo a prime, each plus the number that makes products positive.
    pub fn of_masks(&self, index: usize, masks: &Masks) -> Zeroizing<Vec<u64>> {
        let Modulus { field, word, offset, .. } = &self.moduli[index];
        let mut residues = Zeroizing::new(vec![0; masks.0[0].len()]);
        for words in masks.0.iter().rev() {
            for (residue, next) in residues.iter_mut().zip(words) {
                *residue = field.sum(field.product(*residue, *word), field.reduce(*next));
            }
        }
        residues.iter_mut().for_each(|residue| *residue = field.sum(*residue, *offset));
        residues
    }

    /// The share of the party that masked: what is added to the masked product, modulo 2^bits.
    pub fn shares(&self, masks: &Masks) -> Zeroizing<Vec<u128>> {
        let [low, high, ..] = &*masks.0;
        let offset = if self.bits == 1 { 1 } else { 0 };
        let share = |i: usize| {
            let high = high.get(i).copied().unwrap_or(0);
            let number = u128::from(low[i]) | u128::from(high) << 64;
            number.wrapping_add(offset).wrapping_neg() & mask(self.bits)
        };
        Zeroizing::new((0..low.len()).map(share).collect())
    }

    /// The masked products modulo 2^bits, from their residues modulo each prime.
    ///
    /// Source: Garner's algorithm (Knuth, The Art of Computer Programming, volume 2, section 4.3.2).
    pub fn to_words(&self, residues: &[Zeroizing<Vec<u64>>], count: usize) -> Zeroizing<Vec<u128>> {
        let mut digits = Zeroizing::new([0u64; Ring::SLOT_PRIMES.len()]);
        let mut words = Zeroizing::new(vec![0u128; count]);
        for (i, word) in words.iter_mut().enumerate() {
            for (place, modulus) in self.moduli.iter().enumerate() {
                digits[place] = modulus.digit(residues[place][i], &digits[..place]);
                *word = word.wrapping_add(u128::from(digits[place]).wrapping_mul(modulus.weight));
            }
            *word &= mask(self.bits);
        }
        words
    }
}

/// Numbers of up to 64·5 bits, the lowest words of all numbers first. Secret.
pub(super) struct Masks(Zeroizing<[Vec<u64>; MASK_WORDS]>);

impl Modulus {
    fn new(primes: &[u64], index: usize, bits: u32) -> Option<Modulus> {
        // Any degree serves for single numbers.
        let field = Ntt::new(primes[index], 16)?;
        let power = |bits: u32| (0..bits).fold(1, |power, _| field.sum(power, power));
        let product = |primes: &[u64]| primes.iter().fold(1, |all, p| field.product(all, field.reduce(*p)));
        let weights: Vec<u64> = (0..=index).map(|before| product(&primes[..before])).collect();
        Some(Modulus {
            word: power(64),
            sign: power(bits),
            offset: power(2 * bits - 2),
            inverse: field.invert(weights[index]),
            weight: primes[..index].iter().fold(1, |all, prime| all.wrapping_mul(u128::from(*prime))),
            weights,
            field,
        })
    }

    fn of_word(&self, word: u128, bits: u32) -> u64 {
        let high = self.field.product(self.field.reduce((word >> 64) as u64), self.word);
        let whole = self.field.sum(self.field.reduce(word as u64), high);
        let negative = (word >> (bits - 1)) as u64 & 1;
        self.field.difference(whole, self.field.product(negative, self.sign))
    }

    /// The next digit in the mixed radix of the primes, from those before it.
    fn digit(&self, residue: u64, before: &[u64]) -> u64 {
        let pairs = before.iter().zip(&self.weights);
        let rest = pairs.fold(residue, |rest, (digit, weight)| {
            self.field.difference(rest, self.field.product(self.field.reduce(*digit), *weight))
        });
        self.field.product(rest, self.inverse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_math::Block;

    /// A masked product, separately modulo each prime.
    fn masked(residues: &Residues, masks: &Masks, x: &[u128], y: &[u128]) -> Vec<Zeroizing<Vec<u64>>> {
        let by_prime = |index: usize| {
            let field = &residues.moduli[index].field;
            let (x, y) = (residues.of_words(index, x), residues.of_words(index, y));
            let masks = residues.of_masks(index, masks);
            let sum = |i: usize| field.sum(field.product(x[i], y[i]), masks[i]);
            Zeroizing::new((0..x.len()).map(sum).collect::<Vec<_>>())
        };
        (0..residues.count()).map(by_prime).collect()
    }

    #[test]
    fn masked_products_come_back_as_shares() {
        let mut prg = Prg::new(Block(1));
        for bits in 1..=128 {
            let residues = Residues::new(bits).unwrap();
            let top = 1u128 << (bits - 1);
            let mut x = random_words(&mut prg, bits, 24);
            let mut y = random_words(&mut prg, bits, 24);
            // The products of the largest magnitude, of either sign.
            x[..4].copy_from_slice(&[top, top, top - 1, 0]);
            y[..4].copy_from_slice(&[top, top - 1, top - 1, top]);
            let masks = residues.masks(24, &mut prg);
            let own = residues.shares(&masks);
            let theirs = residues.to_words(&masked(&residues, &masks, &x, &y), 24);
            for i in 0..24 {
                let sum = own[i].wrapping_add(theirs[i]) & mask(bits);
                assert_eq!(sum, x[i].wrapping_mul(y[i]) & mask(bits), "{bits} bits, {:x} {:x}", x[i], y[i]);
            }
        }
    }

    /// The largest and the smallest masked products stay within the product of the primes.
    #[test]
    fn nothing_wraps_at_the_bounds() {
        for bits in 1..=128 {
            let residues = Residues::new(bits).unwrap();
            let room: f64 = Ring::SLOT_PRIMES[..residues.count()].iter().map(|p| (*p as f64).log2()).sum();
            assert!(f64::from(mask_bits(bits)) + 0.5 < room, "{bits}");
            let fewer: f64 = Ring::SLOT_PRIMES[1..residues.count()].iter().map(|p| (*p as f64).log2()).sum();
            assert!(fewer < f64::from(mask_bits(bits)) + 1.0, "{bits} bits take a prime less");
            let top = 1u128 << (bits - 1);
            for all in [false, true] {
                let mut masks = residues.masks(2, &mut Prg::new(Block(2)));
                for (words, bits) in masks.0.iter_mut().zip(word_bits(bits)) {
                    words.fill(if all { u64::MAX >> (64 - bits) } else { 0 });
                }
                let (x, y) = ([top, top], [top, top - 1]);
                let (own, theirs) =
                    (residues.shares(&masks), residues.to_words(&masked(&residues, &masks, &x, &y), 2));
                let sums = [0, 1].map(|i| own[i].wrapping_add(theirs[i]) & mask(bits));
                assert_eq!(sums, [0, 1].map(|i| x[i].wrapping_mul(y[i]) & mask(bits)), "{bits} bits");
            }
        }
    }

    #[test]
    fn masks_have_all_their_bits() {
        for bits in [1, 12, 32, 64, 128] {
            let residues = Residues::new(bits).unwrap();
            let masks = residues.masks(200, &mut Prg::new(Block(3)));
            let full: u32 =
                masks.0.iter().map(|words| words.iter().fold(0, |all, word| all | word).count_ones()).sum();
            assert_eq!(full, 2 * bits - 1 + 40);
        }
    }

    #[test]
    fn words_that_are_none_are_refused() {
        assert_eq!([primes(0), primes(129)], [None; 2]);
        assert_eq!([8, 16, 32, 64, 128].map(primes), [2, 3, 3, 5, 9].map(Some));
        for bits in [0, 129, u32::MAX] {
            assert!(matches!(Residues::new(bits), Err(ShareError::He(HeError::Parameters(_)))));
        }
    }
}
