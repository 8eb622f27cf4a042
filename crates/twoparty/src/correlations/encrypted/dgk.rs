//! Triples by the cryptosystem of Damgård, Geisler and Krøigaard: plaintexts modulo 2^(2·bits + 1), each returned in a
//! ciphertext of its own.

use tacit_crypto::Prg;
use tacit_he::dgk::{Ciphertext, Parameters, Plaintexts, PublicKey, SecretKey};
use tacit_he::{Natural, PublicKey as _, SecretKey as _, Threads};
use zeroize::Zeroizing;

use super::{Masked, TripleScheme, low_bits};
use crate::ShareError;

/// Triples that are processed at a time.
pub(crate) const WINDOW: usize = 256;

/// Triples by the cryptosystem of Damgård, Geisler and Krøigaard, under a key for words of one width.
///
/// Source: as the module; full decryption by Pohlig and Hellman.
/// Security: masks are uniform modulo 2^(2·bits + 1), which no sum of two products reaches, so they hide perfectly; the randomness of replies has one
/// and a half times as many bits as the orders of both subgroups together.
/// Cost: a ciphertext for each triple from the first party.
pub struct DgkTriples {
    bits: u32,
}

impl DgkTriples {
    /// The plaintexts of a key for words with this many bits.
    pub fn plaintexts(bits: u32) -> Plaintexts {
        Plaintexts::PowerOfTwo(2 * bits + 1)
    }
}

impl TripleScheme for DgkTriples {
    type Secret = SecretKey;

    fn of(parameters: &Parameters, bits: u32) -> Result<DgkTriples, ShareError> {
        match parameters.plaintexts() == DgkTriples::plaintexts(bits) {
            true => Ok(DgkTriples { bits }),
            false => Err(ShareError::Width { bits }),
        }
    }

    fn window(&self) -> usize {
        WINDOW
    }

    fn replies(&self, count: usize) -> usize {
        count
    }

    fn mask(
        &self,
        key: &PublicKey,
        sums: Vec<Ciphertext>,
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Masked<Self>, ShareError> {
        let numbers: Vec<Natural> = sums.iter().map(|_| Natural::random(2 * self.bits + 1, prg)).collect();
        let masks = numbers.iter().map(|number| low_bits(number, self.bits)).collect();
        let encrypted = key.encrypt_all(&numbers, threads, prg)?;
        Ok((key.add_all(&sums, &encrypted, threads)?, Zeroizing::new(masks)))
    }

    fn open(
        &self,
        key: &SecretKey,
        replies: &[Ciphertext],
        _: usize,
        threads: Threads,
    ) -> Result<Zeroizing<Vec<u128>>, ShareError> {
        let sums = key.decrypt_all(replies, threads)?;
        Ok(Zeroizing::new(sums.iter().map(|sum| low_bits(sum, self.bits)).collect()))
    }
}
