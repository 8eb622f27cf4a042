//! Paillier's cryptosystem in the form of Damgård, Jurik and Nielsen: integers modulo n.
//!
//! A ciphertext of m is `(1 + m·n) · h_s^r mod n²`, with `h_s = h^n mod n²`, `h = -x² mod n` for a random x, and r uniform
//! with half as many bits as n. The primes are 3 modulo 4 and `gcd(p - 1, q - 1) = 2`.
//!
//! Source: Paillier, “Public-key cryptosystems based on composite degree residuosity classes” (EUROCRYPT'99); Damgård, Jurik
//! and Nielsen, “A generalization of Paillier's public-key system with applications to electronic voting” (IJIS 9, 2010),
//! section 4.2. Differs: the public key carries h, from which everybody computes `h_s`, so that `h_s` is certainly an n-th power.
//! Security: the decisional composite residuosity assumption, and the assumption that `h_s^r` for r of half the bits of n looks like a
//! random power of `h_s`. Re-randomising hides how a ciphertext was computed from everybody but the key's owner, who knows the primes and
//! can compute discrete logarithms modulo each of them. To hide it from the owner too, exponents must be longer than the order of the
//! group, as those of [`PublicKey::hiding_randomness_all`] are.
//! Cost at 3072 bits: 768 bytes per ciphertext; the public key's table takes 7.5 MB, and a tenth of a second to make. Batches are computed
//! eight at a time where the processor multiplies vectors (AVX-512 IFMA), with the same results.

pub mod damgard_jurik;
mod half;
mod stored;

use core::convert::Infallible;
use std::sync::OnceLock;

use crypto_bigint::{BoxedUint, ConcatenatingMul, CtEq, CtLt, Gcd, NonZero, Odd};
use tacit_crypto::Prg;
use tacit_math::powers::FixedPowers;
use tacit_math::{Wiped, redacted};
use zeroize::{Zeroize, Zeroizing};

use crate::modular::{Crt, Eights, FixedBase, Joint, Modulus, Residue, from_bytes, push_bytes, told};
use crate::paillier::half::{CHECK, Half};
use crate::residues::{check_modulus, decode_residues};
use crate::scheme::{check_count, check_length};
use crate::{HeError, KeyFault, Natural, Threads, parallel, primes};

pub use crate::size::ModulusSize;

/// Bits of a digit of exponents in tables.
const WINDOW: u32 = 5;

/// How many ciphertexts have tables in memory at a time when many are multiplied and added up.
const TABLES: usize = 256;

/// Bits by which exponents that hide from the key's owner are longer than the modulus: powers are within a statistical distance of
/// 2^-73 of uniform ones.
const HIDING_BITS: u32 = 72;

/// The public half of a key.
pub struct PublicKey {
    size: ModulusSize,
    /// n.
    modulus: BoxedUint,
    /// n².
    square: Modulus,
    /// h modulo n.
    generator: BoxedUint,
    /// `h_s`.
    power: Residue,
    table: OnceLock<FixedBase>,
    /// For exponents that hide from the key's owner.
    hiding: OnceLock<FixedBase>,
    /// Arithmetic modulo n² for batches, where the processor has instructions for it.
    eights: OnceLock<Option<Eights>>,
    /// Tables for batches of powers of `h_s`.
    powers: OnceLock<FixedPowers>,
    /// The same for exponents that hide from the key's owner.
    hiding_powers: OnceLock<FixedPowers>,
}

/// An encryption of an integer below n under one key.
#[derive(Clone, PartialEq, Eq)]
pub struct Ciphertext(Residue);

/// `h_s^r`, computed ahead: the expensive part of an encryption. Each is used for one encryption, so it cannot be cloned, and it is
/// overwritten when dropped.
pub struct Randomness(Residue);

/// The secret half of a key.
pub struct SecretKey {
    public: PublicKey,
    p: Half,
    q: Half,
    /// Joins plaintexts modulo p and q.
    plains: Crt,
    /// Joins residues modulo p² and q².
    squares: Crt,
}

redacted!(Ciphertext, Randomness, SecretKey);

impl core::fmt::Debug for PublicKey {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "PublicKey({} bits)", self.size.bits())
    }
}

impl Zeroize for Ciphertext {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Drop for Randomness {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// Bits of storage of a number of `bytes` bytes.
const fn storage(bytes: usize) -> u32 {
    8 * bytes as u32
}

impl PublicKey {
    /// The key of a modulus and a generator h, both checked as far as they can be without the factors.
    fn new(size: ModulusSize, modulus: BoxedUint, generator: BoxedUint) -> Result<PublicKey, HeError> {
        check_modulus(size, &modulus)?;
        let below = generator < modulus && !bool::from(generator.is_zero());
        if !below {
            return Err(HeError::Range { what: "the generator of a key" });
        }
        let odd: Odd<BoxedUint> = modulus.to_odd().into_option().ok_or(KeyFault::SmallFactor(2))?;
        if !bool::from(odd.gcd_vartime(&generator).is_one()) {
            return Err(HeError::NotCoprime { what: "the generator of a key" });
        }
        let square = Modulus::new(&modulus.concatenating_mul(&modulus)).ok_or(KeyFault::SmallFactor(2))?;
        let power = square.power(&square.residue(&generator), &modulus, size.bits());
        if power == square.one() {
            return Err(KeyFault::Order.into());
        }
        Ok(PublicKey {
            size,
            modulus,
            square,
            generator,
            power,
            table: OnceLock::new(),
            hiding: OnceLock::new(),
            eights: OnceLock::new(),
            powers: OnceLock::new(),
            hiding_powers: OnceLock::new(),
        })
    }

    /// The size of the modulus n.
    pub fn size(&self) -> ModulusSize {
        self.size
    }

    /// Bits that every plaintext may have: one less than n.
    pub fn plain_bits(&self) -> u32 {
        self.size.bits() - 1
    }

    fn exponent_bits(&self) -> u32 {
        self.size.bits().div_ceil(2)
    }

    /// Bits of exponents that hide from the key's owner.
    fn hiding_bits(&self) -> u32 {
        self.size.bits() + HIDING_BITS
    }

    fn table(&self) -> &FixedBase {
        self.table.get_or_init(|| FixedBase::new(&self.square, &self.power, self.exponent_bits(), WINDOW))
    }

    fn hiding(&self) -> &FixedBase {
        self.hiding.get_or_init(|| FixedBase::new(&self.square, &self.power, self.hiding_bits(), WINDOW))
    }

    fn eights(&self) -> Option<&Eights> {
        self.eights.get_or_init(|| Eights::new(&self.square)).as_ref()
    }

    /// The tables of a batch, for exponents of `bits` bits.
    fn fixed<'a>(
        &'a self,
        tables: &'a OnceLock<FixedPowers>,
        bits: u32,
    ) -> Option<(&'a Eights, &'a FixedPowers)> {
        let eights = self.eights()?;
        Some((eights, tables.get_or_init(|| eights.fixed(&self.power.retrieve(), bits))))
    }

    fn owned(&self, residue: &Residue, what: &'static str) -> Result<(), HeError> {
        if self.square.owns(residue) { Ok(()) } else { Err(HeError::OtherKey { what }) }
    }

    /// `1 + m·n`, below n².
    fn encoded(&self, plain: &Natural) -> Result<BoxedUint, HeError> {
        let what = "a plaintext";
        let plain = Zeroizing::new(plain.with_capacity(self.modulus.bits_precision(), what)?);
        if !told(plain.ct_lt(&self.modulus).to_bool()) {
            return Err(HeError::Range { what });
        }
        let one = BoxedUint::one_with_precision(self.square.precision());
        Ok(one.wrapping_add(plain.concatenating_mul(&self.modulus)))
    }

    /// Randomness for one encryption, ahead of its plaintext.
    pub fn randomness(&self, prg: &mut Prg) -> Randomness {
        let exponent = Natural::random(self.exponent_bits(), prg);
        self.randomness_of(self.table().power(exponent.uint()))
    }

    /// Randomness for `count` encryptions: the same on every machine and with any number of threads.
    pub fn randomness_all(&self, count: usize, threads: Threads, prg: &mut Prg) -> Vec<Randomness> {
        let is_single = count == 1 && self.table.get().is_some();
        let eights = || (!is_single).then(|| self.fixed(&self.powers, self.exponent_bits())).flatten();
        self.powers_all((count, self.exponent_bits()), eights, || self.table(), threads, prg)
    }

    /// Randomness that hides, also from the key's owner, how the ciphertexts that it re-randomises were computed: exponents are
    /// longer than the order of the group, so that discrete logarithms do not distinguish them.
    ///
    /// Security: within a statistical distance of 2^-73 of a uniform element of the group of all such randomness.
    /// Cost: twice that of [`PublicKey::randomness_all`], and tables of twice the size once.
    pub fn hiding_randomness_all(&self, count: usize, threads: Threads, prg: &mut Prg) -> Vec<Randomness> {
        let eights = || self.fixed(&self.hiding_powers, self.hiding_bits());
        self.powers_all((count, self.hiding_bits()), eights, || self.hiding(), threads, prg)
    }

    /// `h_s` to random exponents of `bits` bits, by tables for as many bits.
    fn powers_all<'a>(
        &'a self,
        (count, bits): (usize, u32),
        eights: impl Fn() -> Option<(&'a Eights, &'a FixedPowers)>,
        table: impl Fn() -> &'a FixedBase,
        threads: Threads,
        prg: &mut Prg,
    ) -> Vec<Randomness> {
        if count == 0 {
            // Without making the tables.
            return Vec::new();
        }
        let draw = |(): &(), prg: &mut Prg| Ok::<_, Infallible>(Natural::random(bits, prg));
        let Ok(exponents) = parallel::map_seeded(&vec![(); count], Threads::ONE, prg, draw);
        let Ok(made) = match eights() {
            Some((eights, tables)) => parallel::map_groups(&exponents, Eights::LANES, threads, |_, group| {
                let powers = eights.fixed_powers(tables, group);
                let made = |power: &Zeroizing<BoxedUint>| self.square.residue_below((**power).clone());
                Ok::<_, Infallible>(powers.iter().map(|power| self.randomness_of(made(power))).collect())
            }),
            None => {
                let table = table();
                parallel::map(&exponents, threads, |_, exponent| {
                    Ok(self.randomness_of(table.power(exponent.uint())))
                })
            }
        };
        made
    }

    /// Converts the power to Montgomery form once more, so that the encryption need not.
    fn randomness_of(&self, mut power: Residue) -> Randomness {
        let raised = self.square.residue_below(power.to_montgomery());
        power.zeroize();
        Randomness(raised)
    }

    /// An encryption with randomness that was computed ahead. Cost: two multiplications.
    ///
    /// # Errors
    /// [`HeError::Range`] if the plaintext is not below n; [`HeError::OtherKey`].
    pub fn encrypt_with(&self, plain: &Natural, randomness: Randomness) -> Result<Ciphertext, HeError> {
        self.owned(&randomness.0, "randomness")?;
        let mut encoded = self.square.raw(self.encoded(plain)?);
        let ciphertext = Ciphertext(encoded.mul(&randomness.0));
        encoded.zeroize();
        Ok(ciphertext)
    }

    /// [`crate::PublicKey::rerandomise`] with randomness that was computed ahead.
    ///
    /// # Errors
    /// [`HeError::OtherKey`].
    pub fn rerandomise_with(
        &self,
        ciphertext: &Ciphertext,
        randomness: Randomness,
    ) -> Result<Ciphertext, HeError> {
        self.owned(&ciphertext.0, "a ciphertext")?;
        self.owned(&randomness.0, "randomness")?;
        let plain = self.square.raw(ciphertext.0.retrieve());
        Ok(Ciphertext(plain.mul(&randomness.0)))
    }

    /// An encryption of the sum with a plain number. It keeps the ciphertext's randomness, so it is not fresh.
    ///
    /// # Errors
    /// [`HeError::Range`], [`HeError::OtherKey`].
    pub fn add_plain(&self, ciphertext: &Ciphertext, plain: &Natural) -> Result<Ciphertext, HeError> {
        self.owned(&ciphertext.0, "a ciphertext")?;
        let mut encoded = self.square.residue_below(self.encoded(plain)?);
        let sum = Ciphertext(ciphertext.0.mul(&encoded));
        encoded.zeroize();
        Ok(sum)
    }

    /// An encryption of the product of each with `2^by`. These keep the ciphertexts' randomness, so they are not fresh. Cost: a squaring for each bit.
    ///
    /// # Errors
    /// [`HeError::OtherKey`].
    pub fn shift_all(
        &self,
        ciphertexts: &[Ciphertext],
        by: u32,
        threads: Threads,
    ) -> Result<Vec<Ciphertext>, HeError> {
        ciphertexts.iter().try_for_each(|ciphertext| self.owned(&ciphertext.0, "a ciphertext"))?;
        match self.eights().filter(|_| ciphertexts.len() > 1) {
            Some(eights) => parallel::map_groups(ciphertexts, Eights::LANES, threads, |_, group| {
                let residues: Vec<&Residue> = group.iter().map(|ciphertext| &ciphertext.0).collect();
                Ok(eights.squared(&self.square, &residues, by).into_iter().map(Ciphertext).collect())
            }),
            None => parallel::map(ciphertexts, threads, |_, ciphertext| {
                Ok(Ciphertext((0..by).fold(ciphertext.0.clone(), |power, _| power.square())))
            }),
        }
    }

    /// For each list of factors, an encryption of the sum of the products of all ciphertexts with the list's factors, of which the lowest `bits`
    /// bits count. Not fresh, as with [`crate::PublicKey::multiply`]. Constant time in the factors.
    ///
    /// Cost with vectors (without them): for each ciphertext a table of 32 (16) powers, which all lists share; for each ciphertext and list a
    /// multiplication for every five (four) bits; for each list and 256 ciphertexts a squaring for every bit.
    ///
    /// # Errors
    /// [`HeError::OtherKey`]; [`HeError::Count`] for a list with fewer or more factors than there are ciphertexts.
    pub fn sums_of_products(
        &self,
        ciphertexts: &[Ciphertext],
        factors: &[&[u128]],
        bits: u32,
        threads: Threads,
    ) -> Result<Vec<Ciphertext>, HeError> {
        ciphertexts.iter().try_for_each(|ciphertext| self.owned(&ciphertext.0, "a ciphertext"))?;
        factors.iter().try_for_each(|list| check_count("factors", list.len(), ciphertexts.len()))?;
        let mut sums = vec![Ciphertext(self.square.one()); factors.len()];
        for (part, some) in ciphertexts.chunks(TABLES).enumerate() {
            let residues: Vec<&Residue> = some.iter().map(|ciphertext| &ciphertext.0).collect();
            let first = part * TABLES;
            let lists: Vec<&[u128]> = factors.iter().map(|list| &list[first..][..some.len()]).collect();
            let products = self.joint_products(&residues, &lists, bits, threads);
            for (sum, product) in sums.iter_mut().zip(products) {
                *sum = Ciphertext(sum.0.mul(&product));
            }
        }
        Ok(sums)
    }

    fn joint_products(
        &self,
        residues: &[&Residue],
        lists: &[&[u128]],
        bits: u32,
        threads: Threads,
    ) -> Vec<Residue> {
        let Ok(products) = match self.eights() {
            Some(eights) => {
                let tables = eights.joint(residues);
                parallel::map_groups(lists, Eights::LANES, threads, |_, group| {
                    Ok::<_, Infallible>(eights.products(&self.square, &tables, group, bits))
                })
            }
            None => {
                let tables = Joint::new(&self.square, residues);
                parallel::map(lists, threads, |_, list| Ok(tables.product(list, bits)))
            }
        };
        products
    }

    /// An encryption of the negative, `n - m` for m ≠ 0. Cost: an inversion.
    ///
    /// # Errors
    /// [`HeError::OtherKey`], [`HeError::NotCoprime`].
    pub fn negate(&self, ciphertext: &Ciphertext) -> Result<Ciphertext, HeError> {
        self.owned(&ciphertext.0, "a ciphertext")?;
        let inverse = ciphertext.0.invert_vartime().into_option();
        inverse.map(Ciphertext).ok_or(HeError::NotCoprime { what: "a ciphertext" })
    }

    /// Encryptions of the negatives of all. Cost: one inversion in all, and three multiplications for each.
    ///
    /// # Errors
    /// As [`PublicKey::negate`].
    pub fn negate_all(&self, ciphertexts: &[Ciphertext]) -> Result<Vec<Ciphertext>, HeError> {
        // Product number i is that of the first i + 1. The inverse of the last product gives the inverses of all.
        let mut products: Zeroizing<Vec<Ciphertext>> = Zeroizing::new(Vec::with_capacity(ciphertexts.len()));
        for ciphertext in ciphertexts {
            self.owned(&ciphertext.0, "a ciphertext")?;
            let product = match products.last() {
                Some(before) => Ciphertext(before.0.mul(&ciphertext.0)),
                None => ciphertext.clone(),
            };
            products.push(product);
        }
        let Some(mut inverse) = products.pop().map(|all| self.negate(&all)).transpose()? else {
            return Ok(Vec::new());
        };
        let mut negatives = Vec::with_capacity(ciphertexts.len());
        for (ciphertext, before) in ciphertexts.iter().skip(1).zip(products.iter()).rev() {
            negatives.push(Ciphertext(inverse.0.mul(&before.0)));
            inverse = Ciphertext(inverse.0.mul(&ciphertext.0));
        }
        negatives.push(inverse);
        negatives.reverse();
        Ok(negatives)
    }
}

impl crate::PublicKey for PublicKey {
    type Parameters = ModulusSize;
    type Plain = Natural;
    type Factor = Natural;
    type Ciphertext = Ciphertext;

    fn from_bytes(size: &ModulusSize, bytes: &[u8]) -> Result<PublicKey, HeError> {
        check_length("a Paillier public key", bytes, 2, size.bytes())?;
        let (modulus, generator) = bytes.split_at(size.bytes());
        let bits = storage(size.bytes());
        PublicKey::new(*size, from_bytes(modulus, bits), from_bytes(generator, bits))
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(2 * self.size.bytes());
        push_bytes(&self.modulus, self.size.bytes(), &mut bytes);
        push_bytes(&self.generator, self.size.bytes(), &mut bytes);
        bytes
    }

    fn parameters(&self) -> ModulusSize {
        self.size
    }

    fn encrypt(&self, plain: &Natural, prg: &mut Prg) -> Result<Ciphertext, HeError> {
        self.encrypt_with(plain, self.randomness(prg))
    }

    fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, HeError> {
        self.owned(&a.0, "a ciphertext")?;
        self.owned(&b.0, "a ciphertext")?;
        Ok(Ciphertext(a.0.mul(&b.0)))
    }

    /// Cost: a squaring for each bit of the factor's capacity, so use numbers of small capacity.
    fn multiply(&self, ciphertext: &Ciphertext, factor: &Natural) -> Result<Ciphertext, HeError> {
        self.owned(&ciphertext.0, "a ciphertext")?;
        Ok(Ciphertext(self.square.power(&ciphertext.0, factor.uint(), factor.capacity_bits())))
    }

    fn rerandomise(&self, ciphertext: &Ciphertext, prg: &mut Prg) -> Result<Ciphertext, HeError> {
        self.rerandomise_with(ciphertext, self.randomness(prg))
    }

    fn ciphertext_bytes(&self) -> usize {
        2 * self.size.bytes()
    }

    fn encode(&self, ciphertexts: &[Ciphertext]) -> Result<Vec<u8>, HeError> {
        let each = self.ciphertext_bytes();
        let mut bytes = Vec::with_capacity(each * ciphertexts.len());
        for ciphertext in ciphertexts {
            self.owned(&ciphertext.0, "a ciphertext")?;
            push_bytes(&ciphertext.0.retrieve(), each, &mut bytes);
        }
        Ok(bytes)
    }

    /// Cost: two multiplications for each ciphertext, and one greatest common divisor for all.
    fn decode(&self, count: usize, bytes: &[u8]) -> Result<Vec<Ciphertext>, HeError> {
        let each = self.ciphertext_bytes();
        check_length("Paillier ciphertexts", bytes, count, each)?;
        decode_residues(&self.square, &self.modulus, bytes.chunks_exact(each))
            .map(|residues| residues.into_iter().map(Ciphertext).collect())
    }

    fn encrypt_all(
        &self,
        plains: &[Natural],
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Vec<Ciphertext>, HeError> {
        let randomness = self.randomness_all(plains.len(), threads, prg);
        plains
            .iter()
            .zip(randomness)
            .map(|(plain, randomness)| self.encrypt_with(plain, randomness))
            .collect()
    }

    fn multiply_all(
        &self,
        ciphertexts: &[Ciphertext],
        factors: &[Natural],
        threads: Threads,
    ) -> Result<Vec<Ciphertext>, HeError> {
        check_count("factors", factors.len(), ciphertexts.len())?;
        let Some(eights) = self.eights().filter(|_| factors.len() > 1) else {
            return parallel::map(ciphertexts, threads, |i, ciphertext| {
                self.multiply(ciphertext, &factors[i])
            });
        };
        parallel::map_groups(ciphertexts, Eights::LANES, threads, |first, group| {
            let factors = &factors[first..][..group.len()];
            let residues: Vec<&Residue> = group.iter().map(|ciphertext| &ciphertext.0).collect();
            residues.iter().try_for_each(|residue| self.owned(residue, "a ciphertext"))?;
            let products = eights.multiply(&self.square, &residues, factors);
            Ok(products.into_iter().map(Ciphertext).collect())
        })
    }

    fn rerandomise_all(
        &self,
        ciphertexts: &[Ciphertext],
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Vec<Ciphertext>, HeError> {
        let randomness = self.randomness_all(ciphertexts.len(), threads, prg);
        let pairs = ciphertexts.iter().zip(randomness);
        pairs.map(|(ciphertext, randomness)| self.rerandomise_with(ciphertext, randomness)).collect()
    }
}

impl SecretKey {
    fn new(
        size: ModulusSize,
        p: &BoxedUint,
        q: &BoxedUint,
        generator: BoxedUint,
    ) -> Result<SecretKey, HeError> {
        if p == q {
            return Err(KeyFault::EqualPrimes.into());
        }
        let fits = |prime: &BoxedUint| prime.bits() == size.prime_bits() && prime.as_words()[0] & 3 == 3;
        if !(fits(p) && fits(q) && primes::passes(p) && primes::passes(q)) {
            return Err(KeyFault::NotPrime.into());
        }
        let half = |prime: &BoxedUint| {
            let one = BoxedUint::one_with_precision(prime.bits_precision());
            prime.wrapping_sub(one).shr(1)
        };
        if !bool::from(Zeroizing::new(half(p)).gcd(&*Zeroizing::new(half(q))).is_one()) {
            return Err(KeyFault::NotPrime.into());
        }
        let modulus =
            from_bytes(&p.concatenating_mul(q).to_le_bytes()[..size.bytes()], storage(size.bytes()));
        let public = PublicKey::new(size, modulus, generator)?;
        let inconsistent = HeError::Key(KeyFault::Inconsistent);
        let p = Half::new(p, q).ok_or(inconsistent.clone())?;
        let q = Half::new(q, p.prime.value()).ok_or(inconsistent.clone())?;
        let plains = Crt::new(&p.prime, &q.prime).ok_or(inconsistent.clone())?;
        let squares = Crt::new(&p.square, &q.square).ok_or(inconsistent)?;
        Ok(SecretKey { public, p, q, plains, squares })
    }

    /// Where this key's secrets lie, for tests that follow them.
    #[doc(hidden)]
    pub fn memory(&self) -> Vec<&[u64]> {
        let mut memory = [&self.p, &self.q].map(Half::memory).concat();
        memory.extend([&self.plains, &self.squares].map(Crt::memory));
        memory
    }

    /// Randomness for one encryption, ahead of its plaintext, computed with the factors in half the time. It draws the same numbers
    /// from `prg` as [`PublicKey::randomness`].
    ///
    /// Both halves are also computed modulo a prime of 64 bits, where they must agree, so that a hardware error
    /// does not reveal the factors (Shamir's countermeasure, EUROCRYPT'97 rump session).
    ///
    /// # Errors
    /// [`HeError::Fault`].
    pub fn randomness(&self, prg: &mut Prg) -> Result<Randomness, HeError> {
        let bits = self.public.exponent_bits();
        let exponent = Natural::random(bits, prg);
        let [p, q] = [&self.p, &self.q].map(|half| half.power(&self.public.power, bits, exponent.uint()));
        let check = NonZero::new(crypto_bigint::Limb(CHECK)).into_option().ok_or(HeError::Fault)?;
        if !told(p.rem_limb(check).ct_eq(&q.rem_limb(check)).to_bool()) {
            return Err(HeError::Fault);
        }
        let (p, q) = (self.p.square.reduce(&p), self.q.square.reduce(&q));
        let power = self.squares.combine(&Zeroizing::new(p), &Zeroizing::new(q))?;
        Ok(self.public.randomness_of(self.public.square.residue_below(power)))
    }

    /// [`SecretKey::randomness`] for `count` encryptions. Where the processor computes eight at a time, the factors are not used.
    ///
    /// # Errors
    /// [`HeError::Fault`].
    pub fn randomness_all(
        &self,
        count: usize,
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Vec<Randomness>, HeError> {
        if self.public.eights().is_some() {
            return Ok(self.public.randomness_all(count, threads, prg));
        }
        parallel::map_seeded(&vec![(); count], threads, prg, |(), prg| self.randomness(prg))
    }
}

impl crate::SecretKey for SecretKey {
    type Public = PublicKey;

    fn generate(size: &ModulusSize, prg: &mut Prg) -> Result<SecretKey, HeError> {
        loop {
            let blum = |candidate: &BoxedUint| candidate.as_words()[0] & 3 == 3;
            let p = Zeroizing::new(primes::prime(size.prime_bits(), prg, blum));
            let q = Zeroizing::new(primes::prime(size.prime_bits(), prg, blum));
            let modulus = p.concatenating_mul(&*q);
            let Some(modulus) = Modulus::new(&modulus) else { continue };
            let bound = modulus.value().clone();
            let Some(bound) = NonZero::new(bound).into_option() else { continue };
            // h = -x².
            let x = primes::unit(&bound, prg);
            let square = modulus.residue(&x).square().retrieve();
            let zero = BoxedUint::zero_with_precision(modulus.precision());
            match SecretKey::new(*size, &p, &q, modulus.subtract(&zero, &square)) {
                // p - 1 and q - 1 have a common factor above 2, as in one key of three.
                Err(HeError::Key(_)) => continue,
                done => return done,
            }
        }
    }

    fn from_bytes(size: &ModulusSize, bytes: &[u8]) -> Result<SecretKey, HeError> {
        check_length("a Paillier secret key", bytes, 2, size.bytes())?;
        let (primes, generator) = bytes.split_at(size.bytes());
        let (p, q) = primes.split_at(size.bytes() / 2);
        let prime = |bytes: &[u8]| Zeroizing::new(from_bytes(bytes, size.prime_bits()));
        SecretKey::new(*size, &prime(p), &prime(q), from_bytes(generator, storage(size.bytes())))
    }

    fn to_bytes(&self) -> Wiped<u8> {
        let mut bytes = Vec::with_capacity(2 * self.public.size.bytes());
        for half in [&self.p, &self.q] {
            push_bytes(half.prime.value(), self.public.size.bytes() / 2, &mut bytes);
        }
        push_bytes(&self.public.generator, self.public.size.bytes(), &mut bytes);
        Wiped::from(bytes)
    }

    fn public(&self) -> &PublicKey {
        &self.public
    }

    fn encrypt(&self, plain: &Natural, prg: &mut Prg) -> Result<Ciphertext, HeError> {
        self.public.encrypt_with(plain, self.randomness(prg)?)
    }

    /// Modulo each prime: half the exponent and a quarter of the work each. Both halves and the joined result are checked.
    fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Natural, HeError> {
        self.public.owned(&ciphertext.0, "a ciphertext")?;
        let number = ciphertext.0.retrieve();
        let (p, q) = (self.p.decrypt(&number)?, self.q.decrypt(&number)?);
        self.plains.combine(&p, &q).map(Natural::new)
    }

    fn encrypt_all(
        &self,
        plains: &[Natural],
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Vec<Ciphertext>, HeError> {
        let randomness = self.randomness_all(plains.len(), threads, prg)?;
        let pairs = plains.iter().zip(randomness);
        pairs.map(|(plain, randomness)| self.public.encrypt_with(plain, randomness)).collect()
    }

    fn decrypt_all(&self, ciphertexts: &[Ciphertext], threads: Threads) -> Result<Vec<Natural>, HeError> {
        let eights = (self.p.eights(), self.q.eights());
        let (Some(of_p), Some(of_q)) = eights else {
            return parallel::map(ciphertexts, threads, |_, ciphertext| self.decrypt(ciphertext));
        };
        let mut numbers = Vec::with_capacity(ciphertexts.len());
        for ciphertext in ciphertexts {
            self.public.owned(&ciphertext.0, "a ciphertext")?;
            numbers.push(ciphertext.0.retrieve());
        }
        // Both primes at the same time, so that two threads are of use for few ciphertexts, too.
        let halves: Vec<_> = numbers
            .chunks(Eights::LANES)
            .flat_map(|group| [(&self.p, of_p, group), (&self.q, of_q, group)])
            .collect();
        let plains = parallel::map_groups(&halves, 1, threads, |_, one| {
            one.iter().map(|(half, eights, group)| half.decrypt_eight(eights, group)).collect()
        })?;
        let pairs = plains.chunks_exact(2).flat_map(|pair| pair[0].iter().zip(&pair[1]));
        pairs.map(|(p, q)| self.plains.combine(p, q).map(Natural::new)).collect()
    }
}

#[cfg(test)]
#[path = "paillier/tests.rs"]
mod tests;
