//! Randomness computed ahead, as bytes to keep in a store.

use tacit_math::Wiped;

use super::{PublicKey, Randomness};
use crate::HeError;
use crate::PublicKey as _;
use crate::residues::{decode_secret, encode_secret};

impl PublicKey {
    /// Randomness as bytes to store, each piece as long as a ciphertext. They are secret, and each piece still serves one encryption.
    ///
    /// # Errors
    /// [`HeError::OtherKey`].
    pub fn encode_randomness(&self, randomness: Vec<Randomness>) -> Result<Wiped<u8>, HeError> {
        randomness.iter().try_for_each(|one| self.owned(&one.0, "randomness"))?;
        let residues: Vec<_> = randomness.iter().map(|one| &one.0).collect();
        Ok(encode_secret(&residues, self.ciphertext_bytes()))
    }

    /// Reads `count` pieces that [`PublicKey::encode_randomness`] wrote.
    ///
    /// # Errors
    /// [`HeError::Length`], [`HeError::Range`].
    pub fn decode_randomness(&self, count: usize, bytes: &[u8]) -> Result<Vec<Randomness>, HeError> {
        let residues = decode_secret(&self.square, (count, self.ciphertext_bytes()), bytes)?;
        Ok(residues.into_iter().map(Randomness).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ModulusSize, SecretKey};
    use super::*;
    use crate::{Natural, SecretKey as _, Threads};
    use tacit_crypto::Prg;
    use tacit_math::Block;

    fn key(seed: u128) -> SecretKey {
        SecretKey::generate(&ModulusSize::TOY, &mut Prg::new(Block(seed))).unwrap()
    }

    #[test]
    fn randomness_that_was_stored_encrypts_as_before() {
        let (key, plain) = (key(1), Natural::from(77u64));
        let public = key.public();
        let made = || public.randomness_all(3, Threads::ONE, &mut Prg::new(Block(2)));
        let bytes = public.encode_randomness(made()).unwrap();
        assert_eq!(bytes.len(), 3 * public.ciphertext_bytes());
        let stored = public.decode_randomness(3, &bytes).unwrap();
        for (before, after) in made().into_iter().zip(stored) {
            let [before, after] = [before, after].map(|one| public.encrypt_with(&plain, one).unwrap());
            assert!(before == after && key.decrypt(&after).unwrap().to_u64() == Some(77));
        }
    }

    #[test]
    fn what_is_no_randomness_of_the_key_is_refused() {
        let [one, other] = [1, 2].map(key);
        let public = one.public();
        let bytes = vec![0xff; public.ciphertext_bytes()];
        assert!(matches!(public.decode_randomness(1, &bytes), Err(HeError::Range { .. })));
        assert!(matches!(public.decode_randomness(2, &bytes), Err(HeError::Length { .. })));
        let foreign = other.public().randomness_all(1, Threads::ONE, &mut Prg::new(Block(3)));
        assert!(matches!(public.encode_randomness(foreign), Err(HeError::OtherKey { .. })));
    }
}
