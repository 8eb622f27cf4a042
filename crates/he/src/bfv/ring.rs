//! Costs of parameters, without constructing them: plans try many.

use super::noise::{self, Use};
use super::parameters::{PRIME_BITS, Parameters, RINGS};
use super::{HeError, SEED};

/// A ring of 128-bit security with its ciphertext modulus. Together with the bits of a plaintext's coefficients it gives [`Parameters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ring {
    degree: usize,
    primes: usize,
}

impl Ring {
    /// All rings, the smallest first.
    pub const ALL: [Ring; RINGS.len()] = {
        let mut all = [Ring { degree: 0, primes: 0 }; RINGS.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = Ring { degree: RINGS[i].0, primes: RINGS[i].1 };
            i += 1;
        }
        all
    };

    /// Number of coefficients of a polynomial.
    pub fn degree(self) -> usize {
        self.degree
    }

    /// Primes of the ciphertext modulus.
    pub(super) fn primes(self) -> usize {
        self.primes
    }

    /// Residues of a polynomial. Computing time is roughly proportional to this number.
    pub fn residues(self) -> usize {
        self.degree * self.primes
    }

    /// The parameters, with all their tables.
    ///
    /// # Errors
    /// [`crate::ParameterFault::PlainBits`] unless `plain_bits` is from 1 to 64.
    pub fn parameters(self, plain_bits: u32) -> Result<Parameters, HeError> {
        Parameters::standard(self.degree, self.primes, plain_bits)
    }

    /// Whether there is room for the noise of a use and of its reply. If so, no operation of that use is ever refused for its
    /// noise.
    pub fn fits(self, plain_bits: u32, wanted: &Use) -> bool {
        // Primes are a little smaller than powers of two.
        let least = (1.0 - (-20f64).exp2()) * f64::from(PRIME_BITS).exp2();
        let sizes = [self.reply_primes(plain_bits), self.primes].map(|primes| least.powi(primes as i32));
        noise::reply(wanted.noise(), 0.0, (self.degree, size(plain_bits)), sizes).is_ok()
    }

    /// Bytes of a public key.
    pub fn key_bytes(self) -> usize {
        SEED + self.primes * prime_bytes(self.degree)
    }

    /// Bytes of an encryption by the key's owner.
    pub fn fresh_bytes(self) -> usize {
        SEED + self.primes * prime_bytes(self.degree)
    }

    /// Bytes of a reply of `places` coefficients.
    pub fn reply_bytes(self, plain_bits: u32, places: usize) -> usize {
        self.reply_primes(plain_bits) * (prime_bytes(places) + prime_bytes(self.degree))
    }

    /// Primes that a reply keeps.
    fn reply_primes(self, plain_bits: u32) -> usize {
        let sizes = (1..=self.primes as i32).map(|count| f64::from(PRIME_BITS).exp2().powi(count));
        noise::reply_primes((self.degree, size(plain_bits)), sizes.collect::<Vec<_>>().into_iter())
    }
}

/// `2^bits`.
fn size(bits: u32) -> f64 {
    f64::from(bits).exp2()
}

/// Bytes of `count` residues modulo one prime.
fn prime_bytes(count: usize) -> usize {
    (count * PRIME_BITS as usize).div_ceil(8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PublicKey as _, SecretKey as _};
    use tacit_crypto::Prg;
    use tacit_math::Block;

    #[test]
    fn what_is_told_is_what_parameters_say() {
        for ring in Ring::ALL {
            for plain_bits in [1, 8, 16, 31, 32, 33, 34, 35, 36, 63, 64] {
                let parameters = ring.parameters(plain_bits).unwrap();
                assert_eq!(parameters.degree(), ring.degree());
                assert_eq!(parameters.reply_primes(), ring.reply_primes(plain_bits), "{parameters:?}");
                for terms in [1, 1 << 10, 1 << 13, 1 << 14, 1 << 20] {
                    for factor_bits in [1, plain_bits] {
                        let wanted = Use { terms, factor_bits, sums: 1 };
                        let exact = parameters.reply_noise(wanted.noise(), 0.0).is_ok();
                        assert!(exact || !ring.fits(plain_bits, &wanted), "{parameters:?} {wanted:?}");
                    }
                }
            }
            let key =
                super::super::SecretKey::generate(&ring.parameters(32).unwrap(), &mut Prg::new(Block(1)));
            let key = key.unwrap();
            assert_eq!(key.public().to_bytes().len(), ring.key_bytes());
            assert_eq!(key.public().fresh_bytes(), ring.fresh_bytes());
            for places in [0, 1, 7, 8, 4000] {
                assert_eq!(key.public().reply_bytes(places), ring.reply_bytes(32, places));
            }
        }
    }

    #[test]
    fn there_is_room_for_products_of_words_of_64_bits() {
        let wide = Ring::ALL[2];
        assert!(wide.fits(64, &Use { terms: 8192, factor_bits: 64, sums: 1 }));
        assert!(!wide.fits(64, &Use { terms: 8192, factor_bits: 64, sums: 1 << 40 }));
        assert!(!Ring::ALL[0].fits(32, &Use { terms: 1, factor_bits: 32, sums: 1 }));
    }
}
