//! Discrete logarithms in the small subgroup of plaintexts.

use crypto_bigint::BoxedUint;
use tacit_math::Wiped;
use zeroize::{Zeroize, Zeroizing};

use crate::Natural;
use crate::modular::{Modulus, Residue, equal, equal_mask, select, told};

/// Bits that are found at once.
const DIGIT: u32 = 5;

/// Tables of one root γ. They are secret, like the prime that they are modulo.
pub(super) enum Logarithm {
    /// The lowest words of all powers; the root itself.
    Prime { words: Wiped<u64>, root: Residue },
    /// For an order of 2^bits.
    PowerOfTwo(Digits),
}

/// Tables of the algorithm of Pohlig and Hellman for γ of order 2^bits, which finds digits from the lowest on.
///
/// All digits have w = [`DIGIT`] bits except the lowest, which has the remaining bits, shifted up to w bits. With D digits,
/// the power `x^(2^(w·(D-1-i)))` depends only on the digits up to i: tables remove the lower ones, which leaves a
/// power of a root of order 2^w.
pub(super) struct Digits {
    bits: u32,
    width: u32,
    count: usize,
    /// `ω^d` with `ω = γ^(2^(bits-w))`.
    roots: Wiped<u64>,
    /// For each distance s of digits from 1 on, `γ^(-d · 2^(bits-w·(s+1)))`.
    corrections: Vec<Wiped<u64>>,
}

impl Logarithm {
    pub fn of_prime_order(modulus: &Modulus, root: &Residue, order: u32) -> Logarithm {
        let mut power = modulus.one();
        let words = (0..order).map(|_| {
            let word = power.as_montgomery().as_words()[0];
            power = power.mul(root);
            word
        });
        Logarithm::Prime { words: Wiped::from(words.collect::<Vec<_>>()), root: root.clone() }
    }

    pub fn of_order_2(modulus: &Modulus, root: &Residue, bits: u32) -> Logarithm {
        Logarithm::PowerOfTwo(Digits::new(modulus, root, bits))
    }

    /// The words of the tables in memory.
    pub fn memory(&self) -> Vec<&[u64]> {
        match self {
            Logarithm::Prime { words, root } => vec![&words[..], root.as_montgomery().as_words()],
            Logarithm::PowerOfTwo(Digits { roots, corrections, .. }) => {
                corrections.iter().chain([roots]).map(|table| &table[..]).collect()
            }
        }
    }

    /// m with `γ^m = power`, if it exists. Constant time except for whether it exists.
    pub fn of(&self, modulus: &Modulus, power: &Residue) -> Option<Natural> {
        match self {
            Logarithm::Prime { words, root } => {
                let word = power.as_montgomery().as_words()[0];
                let found = words
                    .iter()
                    .zip(0..)
                    .fold(0, |found, (candidate, i)| found | (equal_mask(*candidate, word) & i));
                let exponent = Zeroizing::new(BoxedUint::from(found));
                // Words may be equal by chance; the power decides.
                equal(&modulus.power(root, &exponent, 16), power).then(|| Natural::from(found))
            }
            Logarithm::PowerOfTwo(digits) => digits.of(modulus, power),
        }
    }
}

impl Drop for Logarithm {
    fn drop(&mut self) {
        if let Logarithm::Prime { root, .. } = self {
            root.zeroize();
        }
    }
}

/// The powers of a base from 0 to 2^width - 1.
fn powers(modulus: &Modulus, base: &Residue, width: u32) -> Wiped<u64> {
    let mut power = modulus.one();
    let mut words = Vec::with_capacity((modulus.precision() as usize / 64) << width);
    for _ in 0..1 << width {
        words.extend_from_slice(power.as_montgomery().as_words());
        power = power.mul(base);
    }
    Wiped::from(words)
}

fn squared(x: &Residue, times: u32) -> Residue {
    (0..times).fold(x.clone(), |x, _| x.square())
}

impl Digits {
    fn new(modulus: &Modulus, root: &Residue, bits: u32) -> Digits {
        let width = DIGIT.min(bits);
        let count = bits.div_ceil(width) as usize;
        let inverse = root.invert().into_option().unwrap_or_else(|| modulus.one());
        let corrections = (1..count as u32).map(|distance| match bits.checked_sub(width * (distance + 1)) {
            Some(exponent) => powers(modulus, &squared(&inverse, exponent), width),
            None => {
                // The lowest digit, which is a multiple of 2^shift.
                let shift = width * (distance + 1) - bits;
                let short = powers(modulus, &inverse, width - shift);
                let limbs = modulus.precision() as usize / 64;
                let repeated = short.chunks_exact(limbs).flat_map(|entry| entry.repeat(1 << shift));
                Wiped::from(repeated.collect::<Vec<_>>())
            }
        });
        Digits {
            bits,
            width,
            count,
            roots: powers(modulus, &squared(root, bits - width), width),
            corrections: corrections.collect(),
        }
    }

    fn of(&self, modulus: &Modulus, power: &Residue) -> Option<Natural> {
        let mut chain = vec![power.clone()];
        for _ in 1..self.count {
            let next = squared(chain.last()?, self.width);
            chain.push(next);
        }
        let limbs = modulus.precision() as usize / 64;
        let mut entry = Zeroizing::new(vec![0; limbs]);
        let mut digits: Zeroizing<Vec<u64>> = Zeroizing::new(Vec::with_capacity(self.count));
        let mut known = u64::MAX;
        for i in 0..self.count {
            let mut left = chain[self.count - 1 - i].clone();
            for (j, digit) in digits.iter().enumerate() {
                select(&mut entry, &self.corrections[i - j - 1], *digit);
                left = left.mul(&modulus.raw(BoxedUint::from_words(entry.iter().copied())));
            }
            let (digit, found) = self.digit(left.as_montgomery().as_words());
            left.zeroize();
            known &= found;
            digits.push(digit);
        }
        chain.iter_mut().for_each(Zeroize::zeroize);
        if told(known == 0) {
            return None;
        }
        let mut number = Natural::zero(self.width * self.count as u32);
        for (digit, at) in digits.iter().zip((0..).step_by(self.width as usize)) {
            number.insert(&Natural::from(*digit), at);
        }
        Some(number.slice(self.width * self.count as u32 - self.bits, self.bits))
    }

    /// The d with `ω^d` of these words, and all ones if there is one.
    fn digit(&self, words: &[u64]) -> (u64, u64) {
        let mut result = (0, 0);
        for (root, d) in self.roots.chunks_exact(words.len()).zip(0..) {
            let difference = root.iter().zip(words).fold(0, |all, (a, b)| all | (a ^ b));
            let mask = equal_mask(difference, 0);
            result.0 |= mask & d;
            result.1 |= mask;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3 generates all 2^16 residues modulo 65537.
    #[test]
    fn all_logarithms_of_every_order() {
        let modulus = Modulus::new(&BoxedUint::from(65_537u64)).unwrap();
        for bits in 1..=12 {
            let root = squared(&modulus.residue(&BoxedUint::from(3u64)), 16 - bits);
            let logarithm = Logarithm::of_order_2(&modulus, &root, bits);
            let mut power = modulus.one();
            for m in 0..1u64 << bits {
                assert_eq!(logarithm.of(&modulus, &power).unwrap().to_u64(), Some(m), "{bits} bits");
                power = power.mul(&root);
            }
            assert!(logarithm.of(&modulus, &modulus.residue(&BoxedUint::from(3u64))).is_none());
        }
    }

    #[test]
    fn all_logarithms_of_prime_order() {
        // 606 = 6 · 101.
        let modulus = Modulus::new(&BoxedUint::from(607u64)).unwrap();
        let exponent = BoxedUint::from(6u64);
        let root = modulus.power(&modulus.residue(&BoxedUint::from(3u64)), &exponent, 64);
        let logarithm = Logarithm::of_prime_order(&modulus, &root, 101);
        let mut power = modulus.one();
        for m in 0..101u64 {
            assert_eq!(logarithm.of(&modulus, &power).unwrap().to_u64(), Some(m));
            power = power.mul(&root);
        }
        assert_eq!(power, modulus.one());
        assert!(logarithm.of(&modulus, &modulus.residue(&BoxedUint::from(3u64))).is_none());
    }
}
