//! The operations of every scheme.

use tacit_crypto::Prg;
use tacit_math::Wiped;

use crate::HeError;
use crate::parallel::{self, Threads};

/// The public half of an additively homomorphic scheme.
///
/// Ciphertexts know their key: mixing those of two keys is [`HeError::OtherKey`]. Time and memory accesses do not depend on the
/// values of secret arguments (plaintexts, factors, output of a [`Prg`]), only on the public capacity of numbers.
///
/// `decode` and `from_bytes` are for untrusted bytes. They accept exactly the bytes that `encode` and `to_bytes` return for some
/// honest key, so every value has one encoding.
pub trait PublicKey: Sized + Sync {
    /// Sizes and plaintext space, on which both parties agree before keys are made.
    type Parameters: Clone + PartialEq + Send + Sync;
    /// A plaintext.
    type Plain: Send + Sync;
    /// A plain factor of a ciphertext.
    type Factor: Send + Sync;
    /// A ciphertext.
    type Ciphertext: Clone + Send + Sync;

    /// The key of an encoding.
    ///
    /// # Errors
    /// [`HeError::Key`] and the like for anything but a usable key of these parameters.
    fn from_bytes(parameters: &Self::Parameters, bytes: &[u8]) -> Result<Self, HeError>;

    /// The canonical encoding.
    fn to_bytes(&self) -> Vec<u8>;

    /// The parameters.
    fn parameters(&self) -> Self::Parameters;

    /// A fresh encryption.
    ///
    /// # Errors
    /// [`HeError::Range`] if the plaintext is outside the plaintext space.
    fn encrypt(&self, plain: &Self::Plain, prg: &mut Prg) -> Result<Self::Ciphertext, HeError>;

    /// An encryption of the sum.
    ///
    /// # Errors
    /// [`HeError::OtherKey`].
    fn add(&self, a: &Self::Ciphertext, b: &Self::Ciphertext) -> Result<Self::Ciphertext, HeError>;

    /// An encryption of the product with a plain factor. It is not fresh: without [`PublicKey::rerandomise`], whoever holds the
    /// key and knows the ciphertext may learn the factor.
    ///
    /// # Errors
    /// [`HeError::OtherKey`], [`HeError::Range`].
    fn multiply(
        &self,
        ciphertext: &Self::Ciphertext,
        factor: &Self::Factor,
    ) -> Result<Self::Ciphertext, HeError>;

    /// A fresh encryption of the same plaintext, otherwise independent of the ciphertext.
    ///
    /// # Errors
    /// [`HeError::OtherKey`].
    fn rerandomise(&self, ciphertext: &Self::Ciphertext, prg: &mut Prg) -> Result<Self::Ciphertext, HeError>;

    /// Bytes of an encoded ciphertext.
    fn ciphertext_bytes(&self) -> usize;

    /// The canonical encodings, one after another.
    ///
    /// # Errors
    /// [`HeError::OtherKey`].
    fn encode(&self, ciphertexts: &[Self::Ciphertext]) -> Result<Vec<u8>, HeError>;

    /// `count` ciphertexts from exactly as many encodings.
    ///
    /// # Errors
    /// [`HeError::Length`] for fewer or more, and the errors of an invalid encoding.
    fn decode(&self, count: usize, bytes: &[u8]) -> Result<Vec<Self::Ciphertext>, HeError>;

    /// [`PublicKey::encrypt`] for each.
    ///
    /// # Errors
    /// The first in order.
    fn encrypt_all(
        &self,
        plains: &[Self::Plain],
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Vec<Self::Ciphertext>, HeError> {
        parallel::map_seeded(plains, threads, prg, |plain, prg| self.encrypt(plain, prg))
    }

    /// [`PublicKey::multiply`] of each with the factor of its place.
    ///
    /// # Errors
    /// [`HeError::Count`], else the first in order.
    fn multiply_all(
        &self,
        ciphertexts: &[Self::Ciphertext],
        factors: &[Self::Factor],
        threads: Threads,
    ) -> Result<Vec<Self::Ciphertext>, HeError> {
        check_count("factors", factors.len(), ciphertexts.len())?;
        parallel::map(ciphertexts, threads, |i, ciphertext| self.multiply(ciphertext, &factors[i]))
    }

    /// [`PublicKey::add`] of the two ciphertexts at each place.
    ///
    /// # Errors
    /// [`HeError::Count`], else the first in order.
    fn add_all(
        &self,
        a: &[Self::Ciphertext],
        b: &[Self::Ciphertext],
        threads: Threads,
    ) -> Result<Vec<Self::Ciphertext>, HeError> {
        check_count("summands", b.len(), a.len())?;
        parallel::map(a, threads, |i, a| self.add(a, &b[i]))
    }

    /// [`PublicKey::rerandomise`] for each.
    ///
    /// # Errors
    /// The first in order.
    fn rerandomise_all(
        &self,
        ciphertexts: &[Self::Ciphertext],
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Vec<Self::Ciphertext>, HeError> {
        parallel::map_seeded(ciphertexts, threads, prg, |ciphertext, prg| self.rerandomise(ciphertext, prg))
    }
}

/// The secret half. It is overwritten when dropped, and `Debug` shows nothing of it.
pub trait SecretKey: Sized + Sync {
    /// The public half.
    type Public: PublicKey;

    /// A new key.
    ///
    /// # Errors
    /// [`HeError::Parameters`] for parameters that no key can have.
    fn generate(parameters: &<Self::Public as PublicKey>::Parameters, prg: &mut Prg)
    -> Result<Self, HeError>;

    /// A key that this party has stored.
    ///
    /// # Errors
    /// As [`PublicKey::from_bytes`].
    fn from_bytes(
        parameters: &<Self::Public as PublicKey>::Parameters,
        bytes: &[u8],
    ) -> Result<Self, HeError>;

    /// The encoding, secret.
    fn to_bytes(&self) -> Wiped<u8>;

    /// The public half.
    fn public(&self) -> &Self::Public;

    /// A fresh encryption by the key's owner, who may have a faster way than everybody else.
    ///
    /// # Errors
    /// As [`PublicKey::encrypt`]; [`HeError::Fault`].
    fn encrypt(
        &self,
        plain: &<Self::Public as PublicKey>::Plain,
        prg: &mut Prg,
    ) -> Result<<Self::Public as PublicKey>::Ciphertext, HeError> {
        self.public().encrypt(plain, prg)
    }

    /// The plaintext.
    ///
    /// # Errors
    /// [`HeError::OtherKey`], [`HeError::NoPlaintext`], [`HeError::Fault`].
    fn decrypt(
        &self,
        ciphertext: &<Self::Public as PublicKey>::Ciphertext,
    ) -> Result<<Self::Public as PublicKey>::Plain, HeError>;

    /// [`SecretKey::encrypt`] for each.
    ///
    /// # Errors
    /// The first in order.
    fn encrypt_all(
        &self,
        plains: &[<Self::Public as PublicKey>::Plain],
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Vec<<Self::Public as PublicKey>::Ciphertext>, HeError> {
        parallel::map_seeded(plains, threads, prg, |plain, prg| self.encrypt(plain, prg))
    }

    /// [`SecretKey::decrypt`] for each.
    ///
    /// # Errors
    /// The first in order.
    fn decrypt_all(
        &self,
        ciphertexts: &[<Self::Public as PublicKey>::Ciphertext],
        threads: Threads,
    ) -> Result<Vec<<Self::Public as PublicKey>::Plain>, HeError> {
        parallel::map(ciphertexts, threads, |_, ciphertext| self.decrypt(ciphertext))
    }
}

/// Checks that two lists have the same length.
pub(crate) fn check_count(what: &'static str, given: usize, expected: usize) -> Result<(), HeError> {
    if given == expected { Ok(()) } else { Err(HeError::Count { what, given, expected }) }
}

/// Checks that there are `count` pieces of `each` bytes.
pub(crate) fn check_length(
    what: &'static str,
    bytes: &[u8],
    count: usize,
    each: usize,
) -> Result<(), HeError> {
    let expected = count.saturating_mul(each);
    if bytes.len() == expected { Ok(()) } else { Err(HeError::Length { what, given: bytes.len(), expected }) }
}
