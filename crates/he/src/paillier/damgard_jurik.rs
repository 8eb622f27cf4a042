//! The generalisation of Damgård and Jurik: plaintexts modulo n^s in ciphertexts modulo n^(s+1), under Paillier keys.
//!
//! A ciphertext of m is `(1 + n)^m · h_s^r mod n^(s+1)`, with `h_s = h^(n^s)`; s = 1 is [`super`]. Each bit of packed
//! plaintexts takes `1 + 1/s` bits of ciphertext: 1.5 at s = 2 and 1.33 at s = 3, where Paillier's scheme takes 2.
//!
//! Source: Damgård and Jurik, “A generalisation, a simplification and some applications of Paillier's probabilistic
//! public-key system” (PKC 2001), sections 3 and 4; randomness as in the parent module. Differs: the logarithm of a power of
//! 1 + n is the p-adic logarithm, once modulo each prime's power, in place of their step-by-step algorithm; both
//! halves and the joined result are checked.
//! Security: as Paillier's scheme; the assumption for s = 1 implies that for all s (their theorem 1). As in Paillier's scheme,
//! re-randomising hides nothing from the key's owner.
//! Cost: a multiplication modulo n^(s+1) takes `((s + 1) / 2)²` times as long as one modulo n², and so does a decryption, whose
//! exponents are as long as in Paillier's scheme.

use std::sync::OnceLock;

use crypto_bigint::{BoxedUint, ConcatenatingMul, CtEq, CtLt};
use tacit_crypto::Prg;
use tacit_math::{Wiped, redacted};
use zeroize::{Zeroize, Zeroizing};

use super::{ModulusSize, WINDOW};
use crate::modular::{Crt, FixedBase, Modulus, Residue, push_bytes, told};
use crate::residues::decode_residues;
use crate::scheme::check_length;
use crate::{HeError, KeyFault, Natural, ParameterFault};

/// The size of the modulus n, and s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    size: ModulusSize,
    s: u32,
}

impl Parameters {
    /// Plaintexts modulo n^s.
    ///
    /// # Errors
    /// [`ParameterFault::PlainBits`] unless s is 2, 3 or 4.
    pub fn new(size: ModulusSize, s: u32) -> Result<Parameters, HeError> {
        match s {
            2..=4 => Ok(Parameters { size, s }),
            _ => Err(ParameterFault::PlainBits(s.saturating_mul(size.bits())).into()),
        }
    }
}

/// The public half of a key.
pub struct PublicKey {
    parameters: Parameters,
    paillier: super::PublicKey,
    /// n^s.
    plains: BoxedUint,
    /// n^(s+1).
    modulus: Modulus,
    /// `h_s`.
    power: Residue,
    /// `n / j` modulo n^(s+1), for j from 1 to s.
    steps: Vec<Residue>,
    table: OnceLock<FixedBase>,
}

/// An encryption of an integer below n^s under one key.
#[derive(Clone, PartialEq, Eq)]
pub struct Ciphertext(Residue);

/// The secret half of a key: that of Paillier's scheme.
pub struct SecretKey {
    public: PublicKey,
    paillier: super::SecretKey,
    p: Half,
    q: Half,
    /// Joins plaintexts modulo p^s and q^s.
    plains: Crt,
}

/// The values with which a key's owner computes modulo the powers of one prime p.
struct Half {
    /// p^(s+1), in which ciphertexts are.
    wide: Modulus,
    /// p^s, in which plaintexts are.
    narrow: Modulus,
    prime: BoxedUint,
    /// p - 1.
    order: BoxedUint,
    /// Its bits, which are the same for all keys of one size.
    order_bits: u32,
    /// `1 / p` modulo 2^(bits of storage of p^s).
    inverse: BoxedUint,
    /// `±p^(k-1) / k` modulo p^s, for k from 1 to s.
    series: Vec<Residue>,
    /// The inverse of the logarithm that a plaintext of 1 gives.
    factor: Residue,
}

redacted!(Ciphertext, SecretKey);

impl core::fmt::Debug for PublicKey {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "PublicKey({} bits, s = {})", self.parameters.size.bits(), self.parameters.s)
    }
}

/// `base^exponent` for a small exponent.
fn power(base: &BoxedUint, exponent: u32) -> BoxedUint {
    (1..exponent).fold(base.clone(), |power, _| power.concatenating_mul(base))
}

/// `1 / j` modulo a number without small factors.
fn reciprocal(modulus: &Modulus, j: u32) -> Result<Residue, HeError> {
    modulus.inverse(&BoxedUint::from(u64::from(j))).ok_or(HeError::Key(KeyFault::Inconsistent))
}

impl PublicKey {
    fn new(parameters: Parameters, paillier: super::PublicKey) -> Result<PublicKey, HeError> {
        let Parameters { s, .. } = parameters;
        let plains = power(&paillier.modulus, s);
        let modulus = Modulus::new(&power(&paillier.modulus, s + 1)).ok_or(KeyFault::SmallFactor(2))?;
        let generator = modulus.residue(&paillier.generator);
        let power = modulus.power(&generator, &plains, plains.bits_vartime());
        let n = modulus.residue(&paillier.modulus);
        let steps: Result<Vec<_>, HeError> = (1..=s).map(|j| Ok(n.mul(&reciprocal(&modulus, j)?))).collect();
        let (steps, table) = (steps?, OnceLock::new());
        Ok(PublicKey { parameters, paillier, plains, modulus, power, steps, table })
    }

    /// Bits that every plaintext may have: at most s fewer than n^s has.
    pub fn plain_bits(&self) -> u32 {
        self.parameters.s * (self.parameters.size.bits() - 1)
    }

    fn owned(&self, ciphertext: &Ciphertext) -> Result<(), HeError> {
        let owned = self.modulus.owns(&ciphertext.0);
        if owned { Ok(()) } else { Err(HeError::OtherKey { what: "a ciphertext" }) }
    }

    /// `(1 + n)^m` by the binomial theorem, of whose terms all but s + 1 are multiples of n^(s+1).
    fn encoded(&self, plain: &Natural) -> Result<Residue, HeError> {
        let what = "a plaintext";
        let plain = Zeroizing::new(plain.with_capacity(self.plains.bits_precision(), what)?);
        if !told(plain.ct_lt(&self.plains).to_bool()) {
            return Err(HeError::Range { what });
        }
        let one = self.modulus.one();
        let mut factor = self.modulus.residue(&plain);
        let (mut term, mut sum) = (one.clone(), one.clone());
        for step in &self.steps {
            term = replaced(term, |term| term.mul(&factor).mul(step));
            sum = replaced(sum, |sum| sum.add(&term));
            factor = replaced(factor, |factor| factor.sub(&one));
        }
        term.zeroize();
        factor.zeroize();
        Ok(sum)
    }

    fn randomness(&self, prg: &mut Prg) -> Residue {
        let bits = self.paillier.exponent_bits();
        let table = self.table.get_or_init(|| FixedBase::new(&self.modulus, &self.power, bits, WINDOW));
        table.power(Natural::random(bits, prg).uint())
    }
}

/// `next` of a residue; the old residue is overwritten.
fn replaced(mut old: Residue, next: impl FnOnce(&Residue) -> Residue) -> Residue {
    let new = next(&old);
    old.zeroize();
    new
}

impl crate::PublicKey for PublicKey {
    type Parameters = Parameters;
    type Plain = Natural;
    type Factor = Natural;
    type Ciphertext = Ciphertext;

    fn from_bytes(parameters: &Parameters, bytes: &[u8]) -> Result<PublicKey, HeError> {
        PublicKey::new(*parameters, super::PublicKey::from_bytes(&parameters.size, bytes)?)
    }

    /// The bytes of the key for Paillier's scheme.
    fn to_bytes(&self) -> Vec<u8> {
        self.paillier.to_bytes()
    }

    fn parameters(&self) -> Parameters {
        self.parameters
    }

    fn encrypt(&self, plain: &Natural, prg: &mut Prg) -> Result<Ciphertext, HeError> {
        let encoded = self.encoded(plain)?;
        Ok(Ciphertext(replaced(encoded, |encoded| encoded.mul(&self.randomness(prg)))))
    }

    fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, HeError> {
        self.owned(a)?;
        self.owned(b)?;
        Ok(Ciphertext(a.0.mul(&b.0)))
    }

    /// Cost: a squaring for each bit of the factor's capacity, so use numbers of small capacity.
    fn multiply(&self, ciphertext: &Ciphertext, factor: &Natural) -> Result<Ciphertext, HeError> {
        self.owned(ciphertext)?;
        Ok(Ciphertext(self.modulus.power(&ciphertext.0, factor.uint(), factor.capacity_bits())))
    }

    fn rerandomise(&self, ciphertext: &Ciphertext, prg: &mut Prg) -> Result<Ciphertext, HeError> {
        self.owned(ciphertext)?;
        Ok(Ciphertext(ciphertext.0.mul(&self.randomness(prg))))
    }

    fn ciphertext_bytes(&self) -> usize {
        (self.parameters.s as usize + 1) * self.parameters.size.bytes()
    }

    fn encode(&self, ciphertexts: &[Ciphertext]) -> Result<Vec<u8>, HeError> {
        let each = self.ciphertext_bytes();
        let mut bytes = Vec::with_capacity(each * ciphertexts.len());
        for ciphertext in ciphertexts {
            self.owned(ciphertext)?;
            push_bytes(&ciphertext.0.retrieve(), each, &mut bytes);
        }
        Ok(bytes)
    }

    fn decode(&self, count: usize, bytes: &[u8]) -> Result<Vec<Ciphertext>, HeError> {
        let each = self.ciphertext_bytes();
        check_length("Damgård–Jurik ciphertexts", bytes, count, each)?;
        decode_residues(&self.modulus, &self.paillier.modulus, bytes.chunks_exact(each))
            .map(|residues| residues.into_iter().map(Ciphertext).collect())
    }
}

impl Half {
    fn new(prime: &BoxedUint, modulus: &BoxedUint, s: u32) -> Result<Half, HeError> {
        let inconsistent = || HeError::Key(KeyFault::Inconsistent);
        let narrow = Modulus::new(&power(prime, s)).ok_or_else(inconsistent)?;
        let wide = Modulus::new(&power(prime, s + 1)).ok_or_else(inconsistent)?;
        let minus_one = narrow.one().neg();
        let (mut sign, mut series) = (narrow.one(), Vec::new());
        for k in 1..=s {
            series.push(sign.mul(&reciprocal(&narrow, k)?));
            // The next power of -p.
            sign = sign.mul(&minus_one).mul(&narrow.residue(prime));
        }
        let order = prime.wrapping_sub(BoxedUint::one_with_precision(prime.bits_precision()));
        let (inverse, odd) = narrow_inverse(prime, &narrow);
        odd.then_some(()).ok_or_else(inconsistent)?;
        let mut half = Half {
            factor: narrow.one(),
            wide,
            narrow,
            prime: prime.clone(),
            order_bits: order.bits(),
            order,
            inverse,
            series,
        };
        // For the plaintext 1: (1 + n)^(p - 1).
        let one = BoxedUint::one_with_precision(modulus.bits_precision());
        let mut unit = half.logarithm(&modulus.wrapping_add(one))?;
        half.factor = half.narrow.inverse(&unit.retrieve()).ok_or_else(inconsistent)?;
        unit.zeroize();
        Ok(half)
    }

    /// The logarithm of `number^(p-1)` over p, modulo p^s: `Σ ±w^k · p^(k-1) / k` with `w = (number^(p-1) - 1) / p`.
    fn logarithm(&self, number: &BoxedUint) -> Result<Residue, HeError> {
        let mut raised = self.wide.power(&self.wide.residue(number), &self.order, self.order_bits);
        let one = BoxedUint::one_with_precision(self.wide.precision());
        let numerator = Zeroizing::new(raised.retrieve().wrapping_sub(one));
        raised.zeroize();
        let mut quotient = self.narrow.residue_below((*self.divided(&numerator)?).clone());
        let mut sum = self.narrow.one().sub(&self.narrow.one());
        for coefficient in self.series.iter().rev() {
            sum = replaced(sum, |sum| sum.add(coefficient).mul(&quotient));
        }
        quotient.zeroize();
        Ok(sum)
    }

    /// The memory of the secrets from which all others are computed.
    fn memory(&self) -> Vec<&[u64]> {
        let mut memory = [&self.prime, &self.order, &self.inverse].map(|number| number.as_words()).to_vec();
        memory.extend([&self.wide, &self.narrow].map(Modulus::memory));
        let residues = self.series.iter().chain([&self.factor]);
        memory.extend(residues.map(|residue| residue.as_montgomery().as_words()));
        memory
    }

    /// A multiple of p divided by p. By Fermat's theorem the numerator is a multiple; if not, the machine made an error.
    fn divided(&self, numerator: &BoxedUint) -> Result<Zeroizing<BoxedUint>, HeError> {
        let low = numerator.as_words()[..self.inverse.nlimbs()].iter().copied();
        let quotient = Zeroizing::new(BoxedUint::from_words(low).wrapping_mul(&self.inverse));
        let exact = Zeroizing::new(quotient.concatenating_mul(&self.prime));
        if told(exact.ct_eq(numerator).to_bool()) { Ok(quotient) } else { Err(HeError::Fault) }
    }

    fn decrypt(&self, ciphertext: &BoxedUint) -> Result<Zeroizing<BoxedUint>, HeError> {
        let mut plain = replaced(self.logarithm(ciphertext)?, |logarithm| logarithm.mul(&self.factor));
        let result = Zeroizing::new(plain.retrieve());
        plain.zeroize();
        Ok(result)
    }
}

/// `1 / p` modulo 2^(bits of storage of p^s), and whether there is one.
fn narrow_inverse(prime: &BoxedUint, narrow: &Modulus) -> (BoxedUint, bool) {
    use crypto_bigint::Resize;
    let wide = Zeroizing::new(prime.clone().resize_unchecked(narrow.precision()));
    let (inverse, odd) = wide.invert_mod2k(narrow.precision());
    (inverse, bool::from(odd))
}

impl Drop for Half {
    fn drop(&mut self) {
        self.prime.zeroize();
        self.order.zeroize();
        self.inverse.zeroize();
        self.factor.zeroize();
        self.series.iter_mut().for_each(Residue::zeroize);
    }
}

impl SecretKey {
    fn new(parameters: Parameters, paillier: super::SecretKey) -> Result<SecretKey, HeError> {
        // A second public key of the same numbers.
        let (modulus, generator) = (paillier.public.modulus.clone(), paillier.public.generator.clone());
        let public = super::PublicKey::new(parameters.size, modulus, generator)?;
        let [p, q] = [&paillier.p, &paillier.q]
            .map(|half| Half::new(half.prime.value(), &public.modulus, parameters.s));
        let (p, q) = (p?, q?);
        let plains = Crt::new(&p.narrow, &q.narrow).ok_or(KeyFault::Inconsistent)?;
        Ok(SecretKey { public: PublicKey::new(parameters, public)?, paillier, p, q, plains })
    }
}

impl SecretKey {
    /// Where this key's secrets lie, for tests that follow them.
    #[doc(hidden)]
    pub fn memory(&self) -> Vec<&[u64]> {
        let mut memory = [&self.p, &self.q].map(Half::memory).concat();
        memory.push(self.plains.memory());
        memory.extend(self.paillier.memory());
        memory
    }
}

impl crate::SecretKey for SecretKey {
    type Public = PublicKey;

    fn generate(parameters: &Parameters, prg: &mut Prg) -> Result<SecretKey, HeError> {
        SecretKey::new(*parameters, super::SecretKey::generate(&parameters.size, prg)?)
    }

    fn from_bytes(parameters: &Parameters, bytes: &[u8]) -> Result<SecretKey, HeError> {
        SecretKey::new(*parameters, super::SecretKey::from_bytes(&parameters.size, bytes)?)
    }

    /// The bytes of the key for Paillier's scheme.
    fn to_bytes(&self) -> Wiped<u8> {
        self.paillier.to_bytes()
    }

    fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Modulo each prime; both halves and the joined result are checked.
    fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Natural, HeError> {
        self.public.owned(ciphertext)?;
        let number = ciphertext.0.retrieve();
        let (p, q) = (self.p.decrypt(&number)?, self.q.decrypt(&number)?);
        self.plains.combine(&p, &q).map(Natural::new)
    }
}

#[cfg(test)]
#[path = "damgard_jurik/tests.rs"]
mod tests;
