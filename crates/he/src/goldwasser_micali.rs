//! The cryptosystem of Goldwasser and Micali: a bit for each ciphertext; products encrypt the XOR.
//!
//! A ciphertext of m is `z^m · r² mod n`, with z a square modulo neither prime and of Jacobi symbol 1. It encrypts 0 exactly if it
//! is a square.
//!
//! Source: Goldwasser and Micali, “Probabilistic encryption” (JCSS 28, 1984). The primes are 3 modulo 4, so that `z = n - 1` serves
//! every key, and a public key is n alone.
//! Security: without the key, quadratic residues cannot be told from other numbers. Cost at 2048 bits: 256 bytes a
//! ciphertext, three multiplications to encrypt, an exponentiation modulo one prime to decrypt.

use crypto_bigint::{BoxedUint, ConcatenatingMul, CtEq, NonZero, Resize};
use tacit_crypto::Prg;
use tacit_math::{Wiped, redacted};
use zeroize::{Zeroize, Zeroizing};

use crate::modular::{Modulus, Residue, from_bytes, push_bytes, select};
use crate::residues::{check_modulus, decode_residues};
use crate::scheme::check_length;
use crate::{HeError, KeyFault, primes};

pub use crate::size::ModulusSize;

/// The public half of a key: n.
pub struct PublicKey {
    size: ModulusSize,
    modulus: Modulus,
    bound: NonZero<BoxedUint>,
    /// z, a square modulo neither prime.
    other: Residue,
}

/// An encryption of a bit.
#[derive(Clone, PartialEq, Eq)]
pub struct Ciphertext(Residue);

/// The secret half of a key: the primes.
pub struct SecretKey {
    public: PublicKey,
    prime: Modulus,
    /// The other prime.
    cofactor: Zeroizing<BoxedUint>,
    /// `(p - 1) / 2`.
    half: Zeroizing<BoxedUint>,
}

redacted!(Ciphertext, SecretKey);

impl core::fmt::Debug for PublicKey {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "PublicKey({} bits)", self.size.bits())
    }
}

impl PublicKey {
    fn new(size: ModulusSize, n: &BoxedUint) -> Result<PublicKey, HeError> {
        check_modulus(size, n)?;
        // With both primes 3 modulo 4, n is 1 modulo 4, and -1 has the Jacobi symbol 1.
        if n.as_words()[0] & 3 != 1 {
            return Err(KeyFault::NotPrime.into());
        }
        let modulus = Modulus::new(n).ok_or(KeyFault::SmallFactor(2))?;
        let bound = NonZero::new(modulus.value().clone()).into_option().ok_or(KeyFault::Inconsistent)?;
        let other = modulus.one().neg();
        Ok(PublicKey { size, modulus, bound, other })
    }

    fn owned(&self, ciphertext: &Ciphertext) -> Result<(), HeError> {
        let owns = self.modulus.owns(&ciphertext.0);
        if owns { Ok(()) } else { Err(HeError::OtherKey { what: "a ciphertext" }) }
    }

    /// A random square.
    fn square(&self, prg: &mut Prg) -> Residue {
        let mut root = self.modulus.residue_below(primes::below(&self.bound, prg));
        let square = root.square();
        root.zeroize();
        square
    }

    /// A residue to the power of a secret bit, read from a table of both powers.
    fn power(&self, base: &Residue, bit: bool) -> Residue {
        let one = self.modulus.one();
        let table = [one.as_montgomery().as_words(), base.as_montgomery().as_words()].concat();
        let mut chosen = Zeroizing::new(vec![0; table.len() / 2]);
        select(&mut chosen, &table, u64::from(bit));
        self.modulus.raw(BoxedUint::from_words(chosen.iter().copied()))
    }
}

impl crate::PublicKey for PublicKey {
    type Parameters = ModulusSize;
    type Plain = bool;
    type Factor = bool;
    type Ciphertext = Ciphertext;

    /// Whether the number has exactly two prime factors cannot be checked. Only its owner's privacy depends on that.
    fn from_bytes(size: &ModulusSize, bytes: &[u8]) -> Result<PublicKey, HeError> {
        check_length("a Goldwasser-Micali public key", bytes, 1, size.bytes())?;
        PublicKey::new(*size, &from_bytes(bytes, size.bits()))
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.size.bytes());
        push_bytes(self.modulus.value(), self.size.bytes(), &mut bytes);
        bytes
    }

    fn parameters(&self) -> ModulusSize {
        self.size
    }

    fn encrypt(&self, plain: &bool, prg: &mut Prg) -> Result<Ciphertext, HeError> {
        Ok(Ciphertext(self.power(&self.other, *plain).mul(&self.square(prg))))
    }

    /// An encryption of the XOR.
    fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, HeError> {
        self.owned(a)?;
        self.owned(b)?;
        Ok(Ciphertext(a.0.mul(&b.0)))
    }

    /// An encryption of the AND with a plain bit.
    fn multiply(&self, ciphertext: &Ciphertext, factor: &bool) -> Result<Ciphertext, HeError> {
        self.owned(ciphertext)?;
        Ok(Ciphertext(self.power(&ciphertext.0, *factor)))
    }

    fn rerandomise(&self, ciphertext: &Ciphertext, prg: &mut Prg) -> Result<Ciphertext, HeError> {
        self.owned(ciphertext)?;
        Ok(Ciphertext(ciphertext.0.mul(&self.square(prg))))
    }

    fn ciphertext_bytes(&self) -> usize {
        self.size.bytes()
    }

    fn encode(&self, ciphertexts: &[Ciphertext]) -> Result<Vec<u8>, HeError> {
        let mut bytes = Vec::with_capacity(self.ciphertext_bytes() * ciphertexts.len());
        for ciphertext in ciphertexts {
            self.owned(ciphertext)?;
            push_bytes(&ciphertext.0.retrieve(), self.ciphertext_bytes(), &mut bytes);
        }
        Ok(bytes)
    }

    /// Numbers whose Jacobi symbol is not 1 are accepted, because computing it takes long. Decryption only uses them
    /// modulo one prime.
    fn decode(&self, count: usize, bytes: &[u8]) -> Result<Vec<Ciphertext>, HeError> {
        let each = self.ciphertext_bytes();
        check_length("Goldwasser-Micali ciphertexts", bytes, count, each)?;
        decode_residues(&self.modulus, self.modulus.value(), bytes.chunks_exact(each))
            .map(|residues| residues.into_iter().map(Ciphertext).collect())
    }
}

impl SecretKey {
    fn new(size: ModulusSize, p: &BoxedUint, q: &BoxedUint) -> Result<SecretKey, HeError> {
        if p == q {
            return Err(KeyFault::EqualPrimes.into());
        }
        for prime in [p, q] {
            let fits = prime.bits() == size.prime_bits() && prime.as_words()[0] & 3 == 3;
            if !(fits && primes::passes(prime)) {
                return Err(KeyFault::NotPrime.into());
            }
        }
        let n = p.concatenating_mul(q).resize_unchecked(size.bits());
        let prime = Modulus::new(p).ok_or(KeyFault::NotPrime)?;
        let half = Zeroizing::new(p.shr(1));
        Ok(SecretKey { public: PublicKey::new(size, &n)?, prime, cofactor: Zeroizing::new(q.clone()), half })
    }
}

impl crate::SecretKey for SecretKey {
    type Public = PublicKey;

    fn generate(size: &ModulusSize, prg: &mut Prg) -> Result<SecretKey, HeError> {
        let mut prime =
            || Zeroizing::new(primes::prime(size.prime_bits(), prg, |prime| prime.as_words()[0] & 3 == 3));
        let (p, q) = (prime(), prime());
        SecretKey::new(*size, &p, &q)
    }

    fn from_bytes(size: &ModulusSize, bytes: &[u8]) -> Result<SecretKey, HeError> {
        check_length("a Goldwasser-Micali secret key", bytes, 1, size.bytes())?;
        let (p, q) = bytes.split_at(size.bytes() / 2);
        let [p, q] = [p, q].map(|bytes| Zeroizing::new(from_bytes(bytes, size.prime_bits())));
        SecretKey::new(*size, &p, &q)
    }

    fn to_bytes(&self) -> Wiped<u8> {
        let each = self.public.size.bytes() / 2;
        let mut bytes = Vec::with_capacity(2 * each);
        push_bytes(self.prime.value(), each, &mut bytes);
        push_bytes(&self.cofactor, each, &mut bytes);
        Wiped::from(bytes)
    }

    fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Euler's criterion modulo one prime.
    fn decrypt(&self, ciphertext: &Ciphertext) -> Result<bool, HeError> {
        self.public.owned(ciphertext)?;
        let residue = self.prime.residue(&ciphertext.0.retrieve());
        let symbol = self.prime.power(&residue, &self.half, self.half.bits_precision());
        Ok(symbol.as_montgomery().ct_ne(self.prime.one().as_montgomery()).to_bool())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PublicKey as _, SecretKey as _};
    use tacit_math::Block;

    fn size() -> ModulusSize {
        ModulusSize::insecure(256).unwrap()
    }

    fn key(seed: u128) -> SecretKey {
        SecretKey::generate(&size(), &mut Prg::new(Block(seed))).unwrap()
    }

    #[test]
    fn products_encrypt_the_xor_and_powers_the_conjunction() {
        let (key, mut prg) = (key(1), Prg::new(Block(2)));
        let public = PublicKey::from_bytes(&size(), &key.public().to_bytes()).unwrap();
        let again = SecretKey::from_bytes(&size(), &key.to_bytes()).unwrap();
        for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
            let [x, y] = [a, b].map(|bit| public.encrypt(&bit, &mut prg).unwrap());
            let sum = public.rerandomise(&public.add(&x, &y).unwrap(), &mut prg).unwrap();
            assert_eq!(again.decrypt(&sum).unwrap(), a ^ b);
            assert_eq!(again.decrypt(&public.multiply(&x, &b).unwrap()).unwrap(), a & b);
            let sent = public.encode(&[x, sum]).unwrap();
            let back = key.public().decode(2, &sent).unwrap();
            assert_eq!([0, 1].map(|i| key.decrypt(&back[i]).unwrap()), [a, a ^ b]);
        }
    }

    #[test]
    fn ciphertexts_have_the_jacobi_symbol_1() {
        let (key, mut prg) = (key(3), Prg::new(Block(4)));
        for i in 0..20 {
            let ciphertext = key.public().encrypt(&(i % 2 == 1), &mut prg).unwrap();
            assert_eq!(primes::jacobi(&ciphertext.0.retrieve(), key.public().modulus.value()), 1);
        }
    }

    #[test]
    fn what_is_no_key_or_ciphertext_is_refused() {
        let (one, other, mut prg) = (key(5), key(6), Prg::new(Block(7)));
        let public = one.public();
        let foreign = other.public().encrypt(&true, &mut prg).unwrap();
        assert!(matches!(one.decrypt(&foreign), Err(HeError::OtherKey { .. })));
        assert!(matches!(public.decode(1, &[0; 32]), Err(HeError::NotCoprime { .. })));
        assert!(matches!(public.decode(1, &[0xff; 32]), Err(HeError::Range { .. })));
        assert!(matches!(public.decode(1, &[1; 31]), Err(HeError::Length { .. })));
        let mut bytes = public.to_bytes();
        bytes[0] ^= 2;
        assert!(PublicKey::from_bytes(&size(), &bytes).is_err());
        let mut secret = one.to_bytes();
        secret[0] ^= 2;
        assert!(SecretKey::from_bytes(&size(), &secret).is_err());
        let twice = [&one.to_bytes()[..16], &one.to_bytes()[..16]].concat();
        assert_eq!(SecretKey::from_bytes(&size(), &twice).err(), Some(KeyFault::EqualPrimes.into()));
    }
}
