//! Rings, moduli and plaintext spaces.

use std::sync::Arc;

use tacit_math::ntt::{self, Ntt};
use tacit_math::{Block, Wiped};

use super::noise::{self, Use};
use super::rns::{Level, PlainModulus, Plaintexts};
use crate::{HeError, ParameterFault};

/// Bits of a prime of the ciphertext modulus.
pub(super) const PRIME_BITS: u32 = 50;

/// The supported degrees, how many primes their moduli have, and the bits of the largest modulus of 128-bit security for a
/// ternary secret, as estimated in Albrecht et al., “Homomorphic encryption security standard” (2018),
/// table 1.
pub(super) const RINGS: [(usize, usize, u32); 3] = [(4096, 2, 109), (8192, 3, 218), (8192, 4, 218)];

/// A ring, a ciphertext modulus, and a plaintext space: polynomials of `degree` coefficients modulo `2^plain_bits`, or
/// modulo a prime ([`Parameters::slots`]).
#[derive(Clone)]
pub struct Parameters(Arc<Inner>);

struct Inner {
    degree: usize,
    ntts: Vec<Ntt>,
    plaintexts: Plaintexts,
    /// The tables with which to decrypt modulo the first one, two, … primes.
    levels: Vec<Level>,
    /// Primes that a reply keeps.
    reply_primes: usize,
}

impl core::fmt::Debug for Parameters {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "Parameters(n = {}, log q = {}, t = ", self.degree(), self.modulus_bits())?;
        match self.plaintexts().modulus() {
            PlainModulus::Power(bits) => write!(formatter, "2^{bits})"),
            PlainModulus::Prime(ntt) => write!(formatter, "{})", ntt.modulus()),
        }
    }
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Parameters) -> bool {
        let primes = |parameters: &Parameters| parameters.ntts().iter().map(Ntt::modulus).collect::<Vec<_>>();
        let plain = |parameters: &Parameters| {
            (parameters.degree(), parameters.plain_bits(), parameters.plaintexts().modulus().prime())
        };
        (plain(self), primes(self)) == (plain(other), primes(other))
    }
}

impl Parameters {
    /// The smallest parameters that leave room for a use, including its reply with a circuit privacy of 40 bits.
    ///
    /// # Errors
    /// [`ParameterFault::PlainBits`] unless `plain_bits` is from 1 to 64; [`ParameterFault::Noise`] where no ring is large enough.
    pub fn fitting(plain_bits: u32, wanted: &Use) -> Result<Parameters, HeError> {
        for (degree, primes, _) in RINGS {
            let parameters = Parameters::standard(degree, primes, plain_bits)?;
            if parameters.reply_noise(wanted.noise(), 0.0).is_ok() {
                return Ok(parameters);
            }
        }
        let (degree, primes, _) = RINGS[RINGS.len() - 1];
        let largest = Parameters::standard(degree, primes, plain_bits)?;
        let needed = wanted.noise().log2() + noise::reply_overhead_bits(largest.degree());
        Err(ParameterFault::Noise(needed as u32 + plain_bits + 1).into())
    }

    /// A ring of 4096 coefficients and a modulus of 100 bits.
    ///
    /// # Errors
    /// [`ParameterFault::PlainBits`] unless `plain_bits` is from 1 to 64.
    pub fn n4096(plain_bits: u32) -> Result<Parameters, HeError> {
        Parameters::standard(4096, 2, plain_bits)
    }

    /// A ring of 8192 coefficients and a modulus of 150 bits.
    ///
    /// # Errors
    /// As [`Parameters::n4096`].
    pub fn n8192(plain_bits: u32) -> Result<Parameters, HeError> {
        Parameters::standard(8192, 3, plain_bits)
    }

    /// A ring of 8192 coefficients and a modulus of 200 bits.
    ///
    /// # Errors
    /// As [`Parameters::n4096`].
    pub fn n8192_wide(plain_bits: u32) -> Result<Parameters, HeError> {
        Parameters::standard(8192, 4, plain_bits)
    }

    /// The parameters of Holz et al. (ESORICS'20), section 4.4, for comparison: 2048 coefficients, q = 12289 · 1099510054913, and
    /// bits as plaintexts. Replies with a circuit privacy of 40 bits do not fit, and are refused.
    pub fn paper() -> Parameters {
        // Both primes have transforms, as a test shows.
        Parameters::new(2048, &[12_289, 1_099_510_054_913], 1)
            .unwrap_or_else(|_| unreachable!("the paper's parameters are usable"))
    }

    pub(super) fn standard(degree: usize, primes: usize, plain_bits: u32) -> Result<Parameters, HeError> {
        let primes: Vec<u64> = ntt::primes(PRIME_BITS, degree).take(primes).collect();
        Parameters::new(degree, &primes, plain_bits)
    }

    pub(super) fn new(degree: usize, primes: &[u64], plain_bits: u32) -> Result<Parameters, HeError> {
        if !(1..=64).contains(&plain_bits) {
            return Err(ParameterFault::PlainBits(plain_bits).into());
        }
        Parameters::with(degree, primes, PlainModulus::Power(plain_bits))
    }

    /// The parameters, for a plaintext modulus that is known to be valid.
    pub(super) fn with(degree: usize, primes: &[u64], modulus: PlainModulus) -> Result<Parameters, HeError> {
        let ntts: Option<Vec<Ntt>> = primes.iter().map(|prime| Ntt::new(*prime, degree)).collect();
        let ntts = ntts.ok_or(ParameterFault::ModulusBits(PRIME_BITS))?;
        let plain = modulus.size();
        let plaintexts = Plaintexts::new(&ntts, modulus);
        let levels: Vec<Level> = (1..=ntts.len()).map(|count| Level::new(&ntts[..count])).collect();
        let reply_primes = noise::reply_primes((degree, plain), levels.iter().map(Level::size));
        Ok(Parameters(Arc::new(Inner { degree, ntts, plaintexts, levels, reply_primes })))
    }

    /// Number of coefficients of a polynomial.
    pub fn degree(&self) -> usize {
        self.0.degree
    }

    /// Bits of a plaintext's coefficient.
    pub fn plain_bits(&self) -> u32 {
        self.0.plaintexts.modulus().bits()
    }

    /// Bits of the ciphertext modulus.
    pub fn modulus_bits(&self) -> u32 {
        self.level(self.count()).size().log2().ceil() as u32
    }

    /// A value that differs between keys of different seeds or parameters.
    pub(super) fn mark(&self, seed: Block) -> u64 {
        let plain = self.plaintexts().modulus();
        let fields = [self.degree() as u64, u64::from(plain.bits()), plain.prime()];
        let fields = fields.into_iter().chain(self.ntts().iter().map(Ntt::modulus));
        // An odd factor with set bits throughout, so that every field affects the whole word.
        fields.fold(seed.0 as u64, |mark, field| {
            (mark ^ field).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        })
    }

    pub(super) fn ntts(&self) -> &[Ntt] {
        &self.0.ntts
    }

    /// How many primes the modulus has.
    pub(super) fn count(&self) -> usize {
        self.0.ntts.len()
    }

    pub(super) fn plaintexts(&self) -> &Plaintexts {
        &self.0.plaintexts
    }

    /// The tables of the first `primes` primes.
    pub(super) fn level(&self, primes: usize) -> &Level {
        &self.0.levels[primes - 1]
    }

    pub(super) fn reply_primes(&self) -> usize {
        self.0.reply_primes
    }

    /// The largest noise that decrypts modulo the whole modulus, exclusively.
    pub(super) fn limit(&self) -> f64 {
        noise::limit(self.level(self.count()).size(), self.plaintexts().modulus().size())
    }

    /// The bound of the reply to a ciphertext with the bound `noise`. `more` is added between the flood and the switch.
    ///
    /// # Errors
    /// [`HeError::Noise`] if it would not decrypt.
    pub(super) fn reply_noise(&self, noise: f64, more: f64) -> Result<f64, HeError> {
        let sizes = [self.reply_primes(), self.count()].map(|primes| self.level(primes).size());
        noise::reply(noise, more, (self.degree(), self.plaintexts().modulus().size()), sizes)
    }

    /// The residues of a polynomial of signed coefficients, as values. Missing coefficients are zero; none is larger in absolute
    /// value than the bound, which is public.
    pub(super) fn values(&self, coefficients: &[i64], bound: u64) -> Wiped<u64> {
        let mut values = Wiped::from(vec![0; self.count() * self.degree()]);
        for (ntt, values) in self.ntts().iter().zip(values.chunks_exact_mut(self.degree())) {
            let pairs = values.iter_mut().zip(coefficients);
            match bound < ntt.modulus() {
                true => pairs.for_each(|(value, coefficient)| *value = ntt.lift(*coefficient)),
                false => pairs.for_each(|(value, coefficient)| *value = ntt.reduce_signed(*coefficient)),
            }
            ntt.forward(values);
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moduli_keep_to_the_bounds_of_128_bit_security() {
        for (degree, primes, most) in RINGS {
            let parameters = Parameters::standard(degree, primes, 32).unwrap();
            assert!(parameters.modulus_bits() <= most, "{parameters:?}");
            let list: Vec<u64> = parameters.ntts().iter().map(Ntt::modulus).collect();
            assert!(list.iter().all(|prime| ntt::is_prime(*prime) && prime % (2 * degree as u64) == 1));
            assert!(list.windows(2).all(|pair| pair[0] > pair[1]));
        }
        let paper = Parameters::paper();
        assert_eq!(format!("{paper:?}"), "Parameters(n = 2048, log q = 54, t = 2^1)");
        assert!(paper.modulus_bits() <= 54);
    }

    #[test]
    fn plaintext_spaces_that_are_none_are_refused() {
        for bits in [0, 65] {
            assert_eq!(Parameters::n4096(bits).err(), Some(ParameterFault::PlainBits(bits).into()));
        }
    }

    #[test]
    fn parameters_follow_from_the_use() {
        let fit = |plain_bits, wanted: &Use| {
            Parameters::fitting(plain_bits, wanted).map(|p| (p.degree(), p.count()))
        };
        // Bits that are moved and added up.
        assert_eq!(fit(1, &Use::sums(16)), Ok((4096, 2)));
        // Polynomials full of words of 32 bits, and of 64 bits.
        assert_eq!(fit(32, &Use { terms: 4096, factor_bits: 32, sums: 1 }), Ok((8192, 3)));
        assert_eq!(fit(64, &Use { terms: 8192, factor_bits: 64, sums: 1 }), Ok((8192, 4)));
        assert!(matches!(
            fit(64, &Use { terms: 8192, factor_bits: 64, sums: 1 << 40 }),
            Err(HeError::Parameters(ParameterFault::Noise(_)))
        ));
    }
}
