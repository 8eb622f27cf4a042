//! Encryption with precomputed randomness, and products with factors below u. Each costs a few multiplications.

use core::convert::Infallible;

use crypto_bigint::BoxedUint;
use tacit_crypto::Prg;
use tacit_math::Wiped;
use zeroize::{Zeroize, Zeroizing};

use super::{Ciphertext, PublicKey, Randomness, SecretKey};
use crate::modular::{Eights, Residue};
use crate::residues::{decode_secret, encode_secret};
use crate::scheme::check_count;
use crate::{HeError, Natural, PublicKey as _, Threads, parallel};

impl PublicKey {
    /// Randomness for `count` encryptions: the same on every machine and with any number of threads.
    ///
    /// Cost: a power of h with an exponent of two and a half times t bits for each.
    pub fn randomness_all(&self, count: usize, threads: Threads, prg: &mut Prg) -> Vec<Randomness> {
        let exponents = self.exponents(count, prg);
        let Ok(made) = match self.eights().filter(|_| count > 1) {
            Some(bases) => parallel::map_groups(&exponents, Eights::LANES, threads, |_, group| {
                let powers = bases.eights.fixed_powers(&bases.h, group);
                let made =
                    |power: &Zeroizing<BoxedUint>| Randomness(self.modulus.residue_below((**power).clone()));
                Ok::<_, Infallible>(powers.iter().map(made).collect())
            }),
            None => {
                let table = &self.tables().h;
                parallel::map(&exponents, threads, |_, exponent| Ok(Randomness(table.power(exponent.uint()))))
            }
        };
        made
    }

    /// Randomness as bytes to store, each piece as long as a ciphertext. They are secret, and each piece still serves one encryption.
    ///
    /// # Errors
    /// [`HeError::OtherKey`].
    pub fn encode_randomness(&self, randomness: Vec<Randomness>) -> Result<Wiped<u8>, HeError> {
        randomness.iter().try_for_each(|one| self.owned_randomness(one))?;
        let residues: Vec<&Residue> = randomness.iter().map(|one| &one.0).collect();
        Ok(encode_secret(&residues, self.ciphertext_bytes()))
    }

    /// Reads `count` pieces that [`PublicKey::encode_randomness`] wrote.
    ///
    /// # Errors
    /// [`HeError::Length`], [`HeError::Range`].
    pub fn decode_randomness(&self, count: usize, bytes: &[u8]) -> Result<Vec<Randomness>, HeError> {
        let residues = decode_secret(&self.modulus, (count, self.ciphertext_bytes()), bytes)?;
        Ok(residues.into_iter().map(Randomness).collect())
    }

    /// Encryptions of the numbers, each with the randomness at its place. Cost: one multiplication and a read of g's tables each.
    ///
    /// # Errors
    /// [`HeError::Count`]; [`HeError::Range`] for a number that is not below u; [`HeError::OtherKey`].
    pub fn encrypt_all_with(
        &self,
        plains: &[u32],
        randomness: Vec<Randomness>,
        threads: Threads,
    ) -> Result<Vec<Ciphertext>, HeError> {
        check_count("pieces of randomness", randomness.len(), plains.len())?;
        parallel::map(&randomness, threads, |i, randomness| {
            self.owned_randomness(randomness)?;
            Ok(Ciphertext(self.times_message(&randomness.0, plains[i])?))
        })
    }

    /// For each ciphertext a fresh encryption of the same number, with the randomness at its place. Cost: one multiplication each.
    ///
    /// # Errors
    /// [`HeError::Count`], [`HeError::OtherKey`].
    pub fn rerandomise_all_with(
        &self,
        ciphertexts: &[Ciphertext],
        randomness: Vec<Randomness>,
    ) -> Result<Vec<Ciphertext>, HeError> {
        check_count("pieces of randomness", randomness.len(), ciphertexts.len())?;
        let fresh = |(ciphertext, randomness): (&Ciphertext, &Randomness)| {
            self.owned(ciphertext)?;
            self.owned_randomness(randomness)?;
            Ok(Ciphertext(ciphertext.0.mul(&randomness.0)))
        };
        ciphertexts.iter().zip(&randomness).map(fresh).collect()
    }

    /// Encryptions of the sums with the plain number at each place. They keep the ciphertexts' randomness, so they
    /// are not fresh.
    ///
    /// # Errors
    /// [`HeError::Count`]; [`HeError::Range`] for a number that is not below u; [`HeError::OtherKey`].
    pub fn add_all_plain(
        &self,
        ciphertexts: &[Ciphertext],
        plains: &[u32],
        threads: Threads,
    ) -> Result<Vec<Ciphertext>, HeError> {
        check_count("summands", plains.len(), ciphertexts.len())?;
        parallel::map(ciphertexts, threads, |i, ciphertext| {
            self.owned(ciphertext)?;
            Ok(Ciphertext(self.times_message(&ciphertext.0, plains[i])?))
        })
    }

    /// Encryptions of the products with the factor at each place. They keep the ciphertexts' randomness, so they are
    /// not fresh.
    ///
    /// Cost: two multiplications for each bit of u; with vector instructions, eight products at once. Factors are secret.
    ///
    /// # Errors
    /// [`HeError::Count`]; [`HeError::Range`] for a factor that is not below u; [`HeError::OtherKey`].
    pub fn multiply_all_short(
        &self,
        ciphertexts: &[Ciphertext],
        factors: &[u32],
        threads: Threads,
    ) -> Result<Vec<Ciphertext>, HeError> {
        check_count("factors", factors.len(), ciphertexts.len())?;
        ciphertexts.iter().try_for_each(|ciphertext| self.owned(ciphertext))?;
        let bits = self.parameters.plain_bits();
        let factor = |factor: &u32| self.plain(&Natural::from(u64::from(*factor)));
        let factors = factors.iter().map(factor).collect::<Result<Vec<_>, _>>()?;
        let Some(bases) = self.eights().filter(|_| factors.len() > 1) else {
            return parallel::map(ciphertexts, threads, |i, ciphertext| {
                Ok(Ciphertext(self.short_power(&ciphertext.0, &factors[i], bits)))
            });
        };
        parallel::map_groups(ciphertexts, Eights::LANES, threads, |first, group| {
            let numbers: Vec<_> = group.iter().map(|one| Zeroizing::new(one.0.retrieve())).collect();
            let exponents: Vec<&BoxedUint> =
                factors[first..][..group.len()].iter().map(|factor| &**factor).collect();
            let powers = bases.eights.powers(&numbers, &exponents, bits);
            let power =
                |power: &Zeroizing<BoxedUint>| Ciphertext(self.modulus.residue_below((**power).clone()));
            Ok(powers.iter().map(power).collect())
        })
    }

    /// `residue · g^plain`.
    fn times_message(&self, residue: &Residue, plain: u32) -> Result<Residue, HeError> {
        let plain = self.plain(&Natural::from(u64::from(plain)))?;
        let mut power = self.tables().g.power(&plain);
        let product = residue.mul(&power);
        power.zeroize();
        Ok(product)
    }

    /// `base^exponent` for an exponent of a few bits, by squaring and multiplying for every bit.
    pub(super) fn short_power(&self, base: &Residue, exponent: &BoxedUint, bits: u32) -> Residue {
        let one = self.modulus.one();
        let mut table = Zeroizing::new(one.as_montgomery().as_words().to_vec());
        let limbs = table.len();
        table.extend_from_slice(base.as_montgomery().as_words());
        let mut chosen = Zeroizing::new(vec![0; limbs]);
        (0..bits).rev().fold(one, |power, bit| {
            let digit = exponent.as_words()[(bit / 64) as usize] >> (bit % 64) & 1;
            crate::modular::select(&mut chosen, &table, digit);
            let factor = self.modulus.raw(BoxedUint::from_words(chosen.iter().copied()));
            power.square().mul(&factor)
        })
    }

    fn owned_randomness(&self, randomness: &Randomness) -> Result<(), HeError> {
        let owns = self.modulus.owns(&randomness.0);
        if owns { Ok(()) } else { Err(HeError::OtherKey { what: "randomness" }) }
    }
}

impl SecretKey {
    /// [`PublicKey::randomness_all`] by the owner, with exponents below v modulo each prime.
    ///
    /// # Errors
    /// [`HeError::Fault`].
    pub fn randomness_all(
        &self,
        count: usize,
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Vec<Randomness>, HeError> {
        Ok(self.powers(&vec![None; count], threads, prg)?.into_iter().map(Randomness).collect())
    }
}
