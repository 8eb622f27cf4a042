//! ElGamal's cryptosystem over ristretto255, additive: plaintexts are points, or small integers as multiples of the base point.
//!
//! With the secret scalar a and the public point A = a·G, a ciphertext of M is `(K, C) = (k·G, k·A + M)`.
//!
//! Source: ElGamal (CRYPTO'84) as used in Holz, Kiss, Rathee and Schneider, “Linear-complexity private function evaluation is practical”
//! (ESORICS'20), section 4.3, on the group of RFC 9496.
//! Security: the decisional Diffie–Hellman assumption in ristretto255, 128 bits. Decrypting an integer takes time
//! that grows with the square root of the range, see [`Integers`].
//! Cost: 64 bytes per ciphertext; two scalar multiplications by tables to encrypt, one without tables to decrypt.

use curve25519_dalek::constants::RISTRETTO_BASEPOINT_TABLE;
use curve25519_dalek::ristretto::{RistrettoBasepointTable, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use tacit_crypto::{Prg, Secret};
use tacit_math::{Wiped, redacted};
use zeroize::{Zeroize, Zeroizing};

use crate::elgamal::element::{BYTES, Element, HALF};
use crate::scheme::check_length;
use crate::{HeError, Threads, parallel};

pub use integers::Integers;

mod element;
mod integers;

/// A plaintext: a point. It is overwritten when dropped.
#[derive(Clone, PartialEq)]
pub struct Message(Element);

/// A secret factor: an integer modulo the order of the group.
#[derive(Clone)]
pub struct Factor(Secret<Scalar>);

/// The public half of a key.
pub struct PublicKey {
    encoding: [u8; BYTES],
    table: RistrettoBasepointTable,
}

/// An encryption of a point under one key.
#[derive(Clone, PartialEq)]
pub struct Ciphertext {
    k: Element,
    c: Element,
    /// The first bytes of its key. They detect mistakes, not attacks, so a few bytes suffice.
    key: u64,
}

/// The secret half of a key.
pub struct SecretKey {
    public: PublicKey,
    scalar: Secret<Scalar>,
}

redacted!(Message, Factor, Ciphertext, SecretKey);

impl core::fmt::Debug for PublicKey {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "PublicKey({:016x})", self.tag())
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// A uniform scalar.
fn random_scalar(prg: &mut Prg) -> Zeroizing<Scalar> {
    let mut bytes = Zeroizing::new([0; 64]);
    prg.fill_bytes(&mut *bytes);
    Zeroizing::new(Scalar::from_bytes_mod_order_wide(&bytes))
}

impl Message {
    /// A uniform point whose logarithm nobody knows.
    pub fn random(prg: &mut Prg) -> Message {
        let mut bytes = Zeroizing::new([0; 64]);
        prg.fill_bytes(&mut *bytes);
        Message(Element::double_of(RistrettoPoint::from_uniform_bytes(&bytes)))
    }

    /// The multiple of the base point that stands for an integer. Constant time.
    pub fn integer(value: i64) -> Message {
        let half = Zeroizing::new(integers::scalar(value) * *HALF);
        Message(Element::double_of(RistrettoPoint::mul_base(&half)))
    }

    /// The point with this canonical encoding. The identity is valid, since it stands for 0.
    ///
    /// # Errors
    /// [`HeError::Length`], [`HeError::Point`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Message, HeError> {
        check_length("a point", bytes, 1, BYTES)?;
        Element::decode(bytes, "a message").map(Message)
    }

    /// The canonical encodings, secret, 32 bytes each. Cost: under 1 µs for a message that [`Message::random`] made or that was
    /// decrypted from a ciphertext of this party; 5 µs for others.
    pub fn encode_all(messages: &[Message]) -> Wiped<u8> {
        let encodings = Zeroizing::new(Element::encode_all(messages.iter().map(|message| &message.0)));
        Wiped::from(encodings.as_flattened().to_vec())
    }
}

impl Factor {
    /// An integer as a factor.
    pub fn integer(value: i64) -> Factor {
        Factor(Secret::new(integers::scalar(value)))
    }

    /// A uniform factor, which blinds any message but 0 to a uniform one.
    pub fn random(prg: &mut Prg) -> Factor {
        Factor(Secret::new(*random_scalar(prg)))
    }
}

impl PublicKey {
    fn new(point: Element) -> Result<PublicKey, HeError> {
        if point.is_identity() {
            return Err(HeError::Identity { what: "a public key" });
        }
        let full = point.full();
        let encoding = full.compress().to_bytes();
        Ok(PublicKey { encoding, table: RistrettoBasepointTable::create(&full) })
    }

    /// The first bytes of the key.
    fn tag(&self) -> u64 {
        self.encoding.iter().take(8).fold(0, |tag, byte| tag << 8 | u64::from(*byte))
    }

    fn owned(&self, ciphertext: &Ciphertext) -> Result<(), HeError> {
        if ciphertext.key == self.tag() { Ok(()) } else { Err(HeError::OtherKey { what: "a ciphertext" }) }
    }

    /// A fresh encryption of the identity, by half of the random scalar.
    fn zero(&self, half: &Scalar) -> Ciphertext {
        let k = Element::double_of(half * RISTRETTO_BASEPOINT_TABLE);
        Ciphertext { k, c: Element::double_of(half * &self.table), key: self.tag() }
    }

    /// An encryption of the sum with a plain point. It keeps the ciphertext's randomness, so it is not fresh.
    ///
    /// # Errors
    /// [`HeError::OtherKey`].
    pub fn add_plain(&self, ciphertext: &Ciphertext, message: &Message) -> Result<Ciphertext, HeError> {
        self.owned(ciphertext)?;
        Ok(Ciphertext { c: ciphertext.c.add(&message.0), ..*ciphertext })
    }

    /// An encryption of the negative.
    ///
    /// # Errors
    /// [`HeError::OtherKey`].
    pub fn negate(&self, ciphertext: &Ciphertext) -> Result<Ciphertext, HeError> {
        self.owned(ciphertext)?;
        Ok(Ciphertext { k: ciphertext.k.negate(), c: ciphertext.c.negate(), ..*ciphertext })
    }
}

impl crate::PublicKey for PublicKey {
    type Parameters = ();
    type Plain = Message;
    type Factor = Factor;
    type Ciphertext = Ciphertext;

    fn from_bytes((): &(), bytes: &[u8]) -> Result<PublicKey, HeError> {
        check_length("an ElGamal public key", bytes, 1, BYTES)?;
        PublicKey::new(Element::decode(bytes, "a public key")?)
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.encoding.to_vec()
    }

    fn parameters(&self) {}

    fn encrypt(&self, plain: &Message, prg: &mut Prg) -> Result<Ciphertext, HeError> {
        let mut ciphertext = self.zero(&random_scalar(prg));
        ciphertext.c = ciphertext.c.add(&plain.0);
        Ok(ciphertext)
    }

    fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, HeError> {
        self.owned(a)?;
        self.owned(b)?;
        Ok(Ciphertext { k: a.k.add(&b.k), c: a.c.add(&b.c), key: a.key })
    }

    /// Cost: two multiplications without tables.
    fn multiply(&self, ciphertext: &Ciphertext, factor: &Factor) -> Result<Ciphertext, HeError> {
        self.owned(ciphertext)?;
        let [k, c] = [&ciphertext.k, &ciphertext.c].map(|element| element.times_halved(factor.0.expose()));
        Ok(Ciphertext { k, c, key: ciphertext.key })
    }

    fn rerandomise(&self, ciphertext: &Ciphertext, prg: &mut Prg) -> Result<Ciphertext, HeError> {
        crate::PublicKey::add(self, ciphertext, &self.zero(&random_scalar(prg)))
    }

    fn ciphertext_bytes(&self) -> usize {
        2 * BYTES
    }

    /// Cost: under 1 µs per point for ciphertexts that this party encrypted or multiplied, 5 µs for sums with received ones.
    ///
    /// # Errors
    /// [`HeError::Identity`] for a ciphertext that shows its plaintext, such as the difference of a ciphertext and itself.
    fn encode(&self, ciphertexts: &[Ciphertext]) -> Result<Vec<u8>, HeError> {
        for ciphertext in ciphertexts {
            self.owned(ciphertext)?;
            check_first(&ciphertext.k)?;
        }
        let elements = ciphertexts.iter().flat_map(|ciphertext| [&ciphertext.k, &ciphertext.c]);
        Ok(Element::encode_all(elements).into_flattened())
    }

    fn decode(&self, count: usize, bytes: &[u8]) -> Result<Vec<Ciphertext>, HeError> {
        check_length("ElGamal ciphertexts", bytes, count, 2 * BYTES)?;
        let key = self.tag();
        let decode = |bytes: &[u8]| {
            let [k, c] = [&bytes[..BYTES], &bytes[BYTES..]].map(|half| Element::decode(half, "a ciphertext"));
            let k = k?;
            check_first(&k)?;
            Ok(Ciphertext { k, c: c?, key })
        };
        bytes.chunks_exact(2 * BYTES).map(decode).collect()
    }
}

/// If k·G is the identity, the ciphertext shows its plaintext.
fn check_first(k: &Element) -> Result<(), HeError> {
    if k.is_identity() { Err(HeError::Identity { what: "the first point of a ciphertext" }) } else { Ok(()) }
}

impl SecretKey {
    fn new(scalar: Zeroizing<Scalar>) -> Result<SecretKey, HeError> {
        let half = Zeroizing::new(*scalar * *HALF);
        let public = PublicKey::new(Element::double_of(RistrettoPoint::mul_base(&half)))?;
        Ok(SecretKey { public, scalar: Secret::new(*scalar) })
    }

    /// Where this key's secret lies, for tests that follow it.
    #[doc(hidden)]
    pub fn memory(&self) -> &[u8] {
        self.scalar.expose().as_bytes()
    }

    /// The integer that a ciphertext encrypts, within the bound of the tables. Security: see [`Integers`].
    ///
    /// # Errors
    /// [`HeError::NoPlaintext`] for points beyond the bound; [`HeError::OtherKey`].
    pub fn decrypt_integer(&self, ciphertext: &Ciphertext, integers: &Integers) -> Result<i64, HeError> {
        let message = crate::SecretKey::decrypt(self, ciphertext)?;
        integers.find(&message.0).ok_or(HeError::NoPlaintext)
    }

    /// [`SecretKey::decrypt_integer`] for each.
    ///
    /// # Errors
    /// The first in order.
    pub fn decrypt_integers(
        &self,
        ciphertexts: &[Ciphertext],
        integers: &Integers,
        threads: Threads,
    ) -> Result<Vec<i64>, HeError> {
        parallel::map(ciphertexts, threads, |_, ciphertext| self.decrypt_integer(ciphertext, integers))
    }
}

impl crate::SecretKey for SecretKey {
    type Public = PublicKey;

    fn generate((): &(), prg: &mut Prg) -> Result<SecretKey, HeError> {
        SecretKey::new(random_scalar(prg))
    }

    fn from_bytes((): &(), bytes: &[u8]) -> Result<SecretKey, HeError> {
        check_length("an ElGamal secret key", bytes, 1, BYTES)?;
        let mut array = Zeroizing::new([0; BYTES]);
        array.copy_from_slice(bytes);
        let scalar = Scalar::from_canonical_bytes(*array).into_option();
        SecretKey::new(Zeroizing::new(scalar.ok_or(HeError::Range { what: "a secret key" })?))
    }

    fn to_bytes(&self) -> Wiped<u8> {
        Wiped::from(self.scalar.expose().as_bytes().to_vec())
    }

    fn public(&self) -> &PublicKey {
        &self.public
    }

    fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Message, HeError> {
        self.public.owned(ciphertext)?;
        let mut shared = ciphertext.k.times(self.scalar.expose());
        let message = Message(ciphertext.c.add(&shared.negate()));
        shared.zeroize();
        Ok(message)
    }
}

#[cfg(test)]
mod tests;
