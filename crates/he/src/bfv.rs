//! The lattice cryptosystem of Brakerski, Fan and Vercauteren: polynomials of thousands of words, for sums, and for products with
//! plain polynomials.
//!
//! Plaintexts are polynomials modulo `x^n + 1` with coefficients modulo `t = 2^k`, or modulo a prime t, in which case they also stand for n numbers that are
//! added and multiplied element by element ([`Parameters::slots`]). The modulus q is a product of primes, and everything is computed modulo each of them. A
//! ciphertext `(c0, c1)` of m has `c0 + c1·s ≈ q·m/t`, with a secret s of coefficients -1, 0 and 1. The difference of both sides is the noise. Messages are
//! encoded as `round(q·m/t)`, so that t need not divide q. Every ciphertext carries a bound on its noise, and an operation after which decryption could fail
//! is refused: there are no decryption failures. See [the noise arithmetic](#noise).
//!
//! - The owner's encryptions are sent as c0 and a seed for c1 ([`Fresh`]).
//! - A [`Reply`] shows the key's owner the plaintext, and not how it was computed (circuit privacy): a fresh zero by
//!   the
//!   public key is added, then the noise is flooded, then the modulus is switched down, and only the requested coefficients
//!   are sent. Without the zero, `c1·w` would reveal w to the owner.
//! - [`PublicKey::gather`] packs several short plaintexts by monomial shifts, and [`PublicKey::packed_reply`] single coefficients of
//!   any ciphertexts, with [`PackingKeys`].
//!
//! Source: Fan and Vercauteren (IACR ePrint 2012/144); the encoding is that of Kim, Polyakov and Zucca (ASIACRYPT'21); modulus
//! switching of replies and the zero before flooding as in Huang, Lu, Hong and Ding, “Cheetah” (USENIX Security'22); shifts as in
//! Holz et al. (ESORICS'20), section 4.4. Differs: Cheetah's replies have errors of one bit, these have none.
//! Security: ring-LWE with a ternary secret at 128 bits, see [`Parameters`]; replies hide how they were computed within
//! a statistical distance of 2^-40, and c1 computationally. Seeds are expanded by AES-128 in counter mode, which is
//! assumed to be pseudorandom. Encrypt at most 2^40 times under one key, so that no seed of 128 bits repeats.
//!
//! # Noise
//!
//! Bounds hold for every choice of randomness. Errors are at most B = 21.
//!
//! | what | bound on a coefficient of the noise |
//! |---|---|
//! | an encryption with the secret key | B + 1/2 |
//! | a zero by the public key | B·(2n + 1) |
//! | a plain summand | 1/2 |
//! | a sum | the sum of the bounds |
//! | a product with a plain polynomial w | ‖w‖₁ times the bound |
//! | flooding of a bound V: uniform from -2^b to 2^b - 1 with `2^(b+1) ≥ 2^40·n·V` | 2^b more |
//! | switching to q' | q'/q times the bound, and (n + 1)/2 |
//! | decryption modulo q | must be below q/(2t) |

use tacit_crypto::{Prg, Secret};
use tacit_math::ntt::Ntt;
use tacit_math::{Block, Wiped, redacted};
use zeroize::Zeroizing;

use crate::scheme::check_length;
use crate::{HeError, Threads, parallel};

pub use noise::Use;
pub use packing::PackingKeys;
pub use parameters::Parameters;
pub use ring::Ring;

mod bits;
mod noise;
mod packing;
mod parameters;
mod ring;
mod rns;
mod sample;
mod slots;

/// Bytes of a seed.
const SEED: usize = 16;

/// A plaintext: n coefficients modulo t. It is overwritten when dropped.
#[derive(Clone, PartialEq)]
pub struct Plain(Wiped<u64>);

/// A factor of ciphertexts: a plain polynomial, transformed once for many products.
#[derive(Clone)]
pub struct Factor {
    values: Wiped<u64>,
    /// A public bound on ‖w‖₁.
    norm: f64,
}

/// The public half of a key.
pub struct PublicKey {
    parameters: Parameters,
    seed: Block,
    /// `-a·s + e` and a, as values.
    zero: [Vec<u64>; 2],
}

/// An encryption under one key.
#[derive(Clone)]
pub struct Ciphertext {
    /// c0 and c1, as values modulo each prime.
    parts: [Vec<u64>; 2],
    noise: f64,
    /// A short hash of its key and parameters. It detects mistakes, not attacks, so it may be short.
    key: u64,
}

/// An encryption by the key's owner, in half the bytes: a seed stands for c1.
#[derive(Clone)]
pub struct Fresh {
    seed: Block,
    /// c0, as values.
    part: Vec<u64>,
    key: u64,
}

/// The answer to the key's owner: some coefficients of an encrypted plaintext, modulo fewer primes.
#[derive(Clone)]
pub struct Reply {
    /// The coefficients of c0 that were asked for, modulo each prime that is kept.
    some: Vec<u64>,
    /// c1, as coefficients modulo each of them.
    whole: Vec<u64>,
    key: u64,
}

/// The secret half of a key.
pub struct SecretKey {
    public: PublicKey,
    /// The seed of the whole key.
    seed: Secret<Block>,
    /// s, as values.
    secret: Wiped<u64>,
}

redacted!(Plain, Factor, Ciphertext, Fresh, Reply, SecretKey);

impl core::fmt::Debug for PublicKey {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "PublicKey({:?})", self.parameters)
    }
}

impl Plain {
    /// The coefficients, all n.
    pub fn coefficients(&self) -> &[u64] {
        &self.0
    }
}

impl Parameters {
    /// The plaintext with these coefficients, all below t. Missing coefficients are zero.
    ///
    /// # Errors
    /// [`HeError::Range`], [`HeError::Count`] for more than n.
    pub fn plain(&self, coefficients: &[u64]) -> Result<Plain, HeError> {
        if coefficients.len() > self.degree() {
            return Err(HeError::Count {
                what: "coefficients",
                given: coefficients.len(),
                expected: self.degree(),
            });
        }
        if !self.plaintexts().hold(coefficients) {
            return Err(HeError::Range { what: "a coefficient of a plaintext" });
        }
        let mut plain = Wiped::from(vec![0; self.degree()]);
        plain[..coefficients.len()].copy_from_slice(coefficients);
        Ok(Plain(plain))
    }

    /// The factor with these coefficients, from `-2^(bits-1)` to `2^(bits-1)`. Missing coefficients are zero. The
    /// number of coefficients and their bits are public, and the noise of products grows with both. Give words modulo t
    /// as signed numbers: the smaller their absolute values, the less noise.
    ///
    /// # Errors
    /// [`HeError::Range`], [`HeError::Count`] for more than n.
    pub fn factor(&self, coefficients: &[i64], bits: u32) -> Result<Factor, HeError> {
        if coefficients.len() > self.degree() {
            return Err(HeError::Count {
                what: "coefficients",
                given: coefficients.len(),
                expected: self.degree(),
            });
        }
        let bound = 1u64.checked_shl(bits.saturating_sub(1)).unwrap_or(u64::MAX);
        let beyond = coefficients.iter().fold(false, |beyond, w| beyond | (w.unsigned_abs() > bound));
        if beyond {
            return Err(HeError::Range { what: "a coefficient of a factor" });
        }
        Ok(Factor { values: self.values(coefficients, bound), norm: noise::norm(coefficients.len(), bits) })
    }

    /// The factor with these coefficients at these places, and zeros elsewhere; otherwise as [`Parameters::factor`]. Places are public and distinct, and the
    /// noise of products grows with their number.
    ///
    /// # Errors
    /// [`HeError::Range`] for a coefficient or a place that is too large.
    pub fn sparse_factor(&self, terms: &[(usize, i64)], bits: u32) -> Result<Factor, HeError> {
        let mut coefficients = Zeroizing::new(vec![0; self.degree()]);
        for (place, term) in terms {
            let coefficient = coefficients.get_mut(*place);
            *coefficient.ok_or(HeError::Range { what: "the place of a coefficient" })? = *term;
        }
        let whole = self.factor(&coefficients, bits)?;
        Ok(Factor { norm: noise::norm(terms.len(), bits), ..whole })
    }

    /// `x^power`, which moves coefficients up by that many places. Those moved beyond the last place wrap around to the first
    /// with their sign changed. The power is public.
    pub fn monomial(&self, power: usize) -> Factor {
        let power = power % (2 * self.degree());
        let mut coefficients = vec![0; self.degree()];
        coefficients[power % self.degree()] = if power < self.degree() { 1 } else { -1 };
        Factor { values: self.values(&coefficients, 1), norm: 1.0 }
    }

    /// Bytes of a part of a ciphertext.
    fn part_bytes(&self) -> usize {
        bits::length(self.ntts(), self.degree())
    }

    /// The primes of a reply.
    fn kept(&self) -> &[Ntt] {
        &self.ntts()[..self.reply_primes()]
    }

    /// Applies a step to the residues modulo each prime.
    fn each(&self, values: &mut [u64], step: impl Fn(&Ntt, &mut [u64])) {
        for (ntt, values) in self.ntts().iter().zip(values.chunks_exact_mut(self.degree())) {
            step(ntt, values);
        }
    }

    /// Applies a step to two lists of residues modulo each prime.
    fn each_with(&self, values: &mut [u64], others: &[u64], step: impl Fn(&Ntt, &mut [u64], &[u64])) {
        let pairs = values.chunks_exact_mut(self.degree()).zip(others.chunks_exact(self.degree()));
        for (ntt, (values, others)) in self.ntts().iter().zip(pairs) {
            step(ntt, values, others);
        }
    }

    /// Adds a polynomial of coefficients that are smaller than every prime to residues of coefficients.
    fn add_small(&self, residues: &mut [u64], small: &[i64]) {
        self.each(residues, |ntt, residues| {
            for (residue, small) in residues.iter_mut().zip(small) {
                *residue = ntt.sum(*residue, ntt.lift(*small));
            }
        });
    }
}

impl PublicKey {
    fn tag(&self) -> u64 {
        self.parameters.mark(self.seed)
    }

    fn owned(&self, key: u64, what: &'static str) -> Result<(), HeError> {
        if key == self.tag() { Ok(()) } else { Err(HeError::OtherKey { what }) }
    }

    /// The two parts of a fresh zero, as residues of coefficients.
    fn fresh_zero(&self, prg: &mut Prg) -> [Vec<u64>; 2] {
        let parameters = &self.parameters;
        let ternary = parameters.values(&sample::ternary(parameters.degree(), prg), 1);
        [0, 1].map(|i| {
            let mut part = self.zero[i].clone();
            parameters.each_with(&mut part, &ternary, |ntt, part, factor| ntt.multiply(part, factor));
            parameters.each(&mut part, Ntt::inverse);
            parameters.add_small(&mut part, &sample::errors(parameters.degree(), prg));
            part
        })
    }

    /// Transforms residues of coefficients into values.
    fn ciphertext(&self, mut parts: [Vec<u64>; 2], noise: f64) -> Ciphertext {
        for part in &mut parts {
            self.parameters.each(part, Ntt::forward);
        }
        Ciphertext { parts, noise, key: self.tag() }
    }

    /// The bound on the noise of an encryption by the public key.
    fn public_noise(&self) -> f64 {
        noise::sum(noise::zero(self.parameters.degree()), 0.5)
    }

    fn check(&self, noise: f64) -> Result<f64, HeError> {
        noise::check(noise, self.parameters.limit())
    }

    /// An encryption of the sum with a plaintext. It keeps the ciphertext's randomness, so it is not fresh.
    ///
    /// # Errors
    /// [`HeError::OtherKey`], [`HeError::Noise`].
    pub fn add_plain(&self, ciphertext: &Ciphertext, plain: &Plain) -> Result<Ciphertext, HeError> {
        self.owned(ciphertext.key, "a ciphertext")?;
        let noise = self.check(noise::sum(ciphertext.noise, 0.5))?;
        let mut encoded = Wiped::from(vec![0; ciphertext.parts[0].len()]);
        self.parameters.plaintexts().add(self.parameters.ntts(), &mut encoded, self.coefficients(plain)?);
        self.parameters.each(&mut encoded, Ntt::forward);
        let mut sum = Ciphertext { noise, ..ciphertext.clone() };
        self.parameters.each_with(&mut sum.parts[0], &encoded, Ntt::add);
        Ok(sum)
    }

    /// The coefficients of a plaintext, if it has these parameters.
    fn coefficients<'a>(&self, plain: &'a Plain) -> Result<&'a [u64], HeError> {
        let fits = plain.0.len() == self.parameters.degree() && self.parameters.plaintexts().hold(&plain.0);
        if fits { Ok(&plain.0) } else { Err(HeError::Range { what: "a plaintext" }) }
    }

    /// An encryption of the negative.
    ///
    /// # Errors
    /// [`HeError::OtherKey`].
    pub fn negate(&self, ciphertext: &Ciphertext) -> Result<Ciphertext, HeError> {
        self.owned(ciphertext.key, "a ciphertext")?;
        let parts = [0, 1].map(|i| {
            let mut part = vec![0; ciphertext.parts[i].len()];
            self.parameters.each_with(&mut part, &ciphertext.parts[i], Ntt::subtract);
            part
        });
        Ok(Ciphertext { parts, noise: ciphertext.noise, key: ciphertext.key })
    }

    /// One ciphertext of many short plaintexts: number i is moved up by `i · stride` coefficients. Plaintexts that are longer than
    /// the stride add up where they overlap.
    ///
    /// Source: Holz et al. (ESORICS'20), section 4.4.
    ///
    /// # Errors
    /// [`HeError::Count`] for no ciphertexts, or for more than fit into n coefficients; [`HeError::OtherKey`], [`HeError::Noise`].
    pub fn gather(&self, ciphertexts: &[Ciphertext], stride: usize) -> Result<Ciphertext, HeError> {
        let room = self.parameters.degree() / stride.max(1);
        let (last, others) = ciphertexts
            .split_last()
            .filter(|_| ciphertexts.len() <= room)
            .ok_or(HeError::Count { what: "ciphertexts", given: ciphertexts.len(), expected: room })?;
        // Horner's rule needs only one transformed monomial.
        let step = self.parameters.monomial(stride);
        self.owned(last.key, "a ciphertext")?;
        others.iter().rev().try_fold(last.clone(), |sum, next| {
            crate::PublicKey::add(self, &crate::PublicKey::multiply(self, &sum, &step)?, next)
        })
    }

    /// The ciphertext that the owner sent as a seed and c0.
    ///
    /// # Errors
    /// [`HeError::OtherKey`].
    pub fn expand(&self, fresh: &Fresh) -> Result<Ciphertext, HeError> {
        self.owned(fresh.key, "a ciphertext")?;
        let whole = sample::uniform(self.parameters.ntts(), fresh.seed);
        Ok(Ciphertext { parts: [fresh.part.clone(), whole], noise: noise::fresh(), key: fresh.key })
    }

    /// Bytes of an encoded [`Fresh`].
    pub fn fresh_bytes(&self) -> usize {
        SEED + self.parameters.part_bytes()
    }

    /// The canonical encodings, one after another.
    ///
    /// # Errors
    /// [`HeError::OtherKey`].
    pub fn encode_fresh(&self, fresh: &[Fresh]) -> Result<Vec<u8>, HeError> {
        let mut bytes = Vec::with_capacity(fresh.len() * self.fresh_bytes());
        for fresh in fresh {
            self.owned(fresh.key, "a ciphertext")?;
            bytes.extend_from_slice(&fresh.seed.to_bytes());
            bits::push(self.parameters.ntts(), &fresh.part, self.parameters.degree(), &mut bytes);
        }
        Ok(bytes)
    }

    /// `count` encryptions of the key's owner from exactly as many encodings.
    ///
    /// # Errors
    /// [`HeError::Length`]; [`HeError::Range`] for a value that is not below its prime.
    pub fn decode_fresh(&self, count: usize, bytes: &[u8]) -> Result<Vec<Fresh>, HeError> {
        check_length("fresh BFV ciphertexts", bytes, count, self.fresh_bytes())?;
        let decode = |bytes: &[u8]| {
            let (seed, part) = bytes.split_at(SEED);
            let part = bits::take(
                self.parameters.ntts(),
                part,
                self.parameters.degree(),
                "a value of a ciphertext",
            )?;
            Ok(Fresh { seed: block(seed), part, key: self.tag() })
        };
        bytes.chunks_exact(self.fresh_bytes()).map(decode).collect()
    }

    /// Adds the product of a ciphertext with a plain factor to a sum, without copying either ciphertext.
    ///
    /// # Errors
    /// [`HeError::OtherKey`]; [`HeError::Noise`]. The sum is unchanged after an error.
    pub fn add_product(
        &self,
        sum: &mut Ciphertext,
        ciphertext: &Ciphertext,
        factor: &Factor,
    ) -> Result<(), HeError> {
        self.owned(sum.key, "a ciphertext")?;
        self.owned(ciphertext.key, "a ciphertext")?;
        if factor.values.len() != ciphertext.parts[0].len() {
            return Err(HeError::OtherKey { what: "a factor" });
        }
        let product = noise::product(ciphertext.noise, factor.norm.max(1.0));
        sum.noise = self.check(noise::sum(sum.noise, product))?;
        let degree = self.parameters.degree();
        for (sum, part) in sum.parts.iter_mut().zip(&ciphertext.parts) {
            let residues = part.chunks_exact(degree).zip(factor.values.chunks_exact(degree));
            let sums = sum.chunks_exact_mut(degree).zip(residues);
            for (ntt, (sum, (part, factor))) in self.parameters.ntts().iter().zip(sums) {
                ntt.multiply_add(sum, part, factor);
            }
        }
        Ok(())
    }

    /// The reply that shows the key's owner the coefficients at these places, and nothing else about the ciphertext.
    ///
    /// A fresh zero is added, then c0 is flooded, then the modulus is switched; of c0, only those coefficients are kept.
    ///
    /// Cost: for each prime, one transform to make the zero and two to get coefficients.
    ///
    /// # Errors
    /// [`HeError::Range`] for a place beyond the last, [`HeError::Noise`], [`HeError::OtherKey`].
    pub fn reply(&self, ciphertext: &Ciphertext, places: &[usize], prg: &mut Prg) -> Result<Reply, HeError> {
        self.owned(ciphertext.key, "a ciphertext")?;
        let parameters = &self.parameters;
        if places.iter().any(|place| *place >= parameters.degree()) {
            return Err(HeError::Range { what: "the place of a coefficient" });
        }
        parameters.reply_noise(ciphertext.noise, 0.0)?;
        let hidden = self.hidden(ciphertext, prg);
        Ok(self.switched(hidden, places))
    }

    /// The reply of both parts as residues of coefficients: some coefficients of c0, and fewer primes.
    fn switched(&self, [first, mut whole]: [Vec<u64>; 2], places: &[usize]) -> Reply {
        let parameters = &self.parameters;
        let degree = parameters.degree();
        let chosen =
            first.chunks_exact(degree).flat_map(|residues| places.iter().map(|place| residues[*place]));
        let mut some: Vec<u64> = chosen.collect();
        for count in (parameters.reply_primes() + 1..=parameters.count()).rev() {
            let ntts = &parameters.ntts()[..count];
            rns::drop_prime(ntts, &mut some, places.len());
            rns::drop_prime(ntts, &mut whole, degree);
        }
        Reply { some, whole, key: self.tag() }
    }

    /// A ciphertext with a fresh zero and a flooded c0, as residues of coefficients.
    fn hidden(&self, ciphertext: &Ciphertext, prg: &mut Prg) -> [Vec<u64>; 2] {
        let parameters = &self.parameters;
        let mut zero = self.fresh_zero(prg);
        for (part, own) in zero.iter_mut().zip(&ciphertext.parts) {
            let mut own = own.clone();
            parameters.each(&mut own, Ntt::inverse);
            parameters.each_with(part, &own, Ntt::add);
        }
        let noise = noise::sum(ciphertext.noise, noise::zero(parameters.degree()));
        let bits = noise::flood_bits(noise, parameters.degree());
        sample::add_flood(parameters.ntts(), &mut zero[0], parameters.degree(), bits, prg);
        zero
    }

    /// Bytes of a reply of `places` coefficients.
    pub fn reply_bytes(&self, places: usize) -> usize {
        let kept = self.parameters.kept();
        bits::length(kept, places) + bits::length(kept, self.parameters.degree())
    }

    /// The canonical encoding.
    ///
    /// # Errors
    /// [`HeError::OtherKey`].
    pub fn encode_reply(&self, reply: &Reply) -> Result<Vec<u8>, HeError> {
        self.owned(reply.key, "a reply")?;
        let kept = self.parameters.kept();
        let places = reply.some.len() / kept.len();
        let mut bytes = Vec::with_capacity(self.reply_bytes(places));
        bits::push(kept, &reply.some, places, &mut bytes);
        bits::push(kept, &reply.whole, self.parameters.degree(), &mut bytes);
        Ok(bytes)
    }

    /// A reply of `places` coefficients from its encoding.
    ///
    /// # Errors
    /// [`HeError::Length`]; [`HeError::Range`] for a coefficient that is not below its prime, and for more than n places.
    pub fn decode_reply(&self, places: usize, bytes: &[u8]) -> Result<Reply, HeError> {
        if places > self.parameters.degree() {
            return Err(HeError::Range { what: "the number of coefficients of a reply" });
        }
        check_length("a BFV reply", bytes, 1, self.reply_bytes(places))?;
        let (kept, what) = (self.parameters.kept(), "a coefficient of a reply");
        let (some, whole) = bytes.split_at(bits::length(kept, places));
        Ok(Reply {
            some: bits::take(kept, some, places, what)?,
            whole: bits::take(kept, whole, self.parameters.degree(), what)?,
            key: self.tag(),
        })
    }
}

/// A seed from its bytes.
fn block(bytes: &[u8]) -> Block {
    let mut array = [0; SEED];
    array.copy_from_slice(bytes);
    Block::from_bytes(array)
}

impl crate::PublicKey for PublicKey {
    type Parameters = Parameters;
    type Plain = Plain;
    type Factor = Factor;
    type Ciphertext = Ciphertext;

    fn from_bytes(parameters: &Parameters, bytes: &[u8]) -> Result<PublicKey, HeError> {
        check_length("a BFV public key", bytes, 1, SEED + parameters.part_bytes())?;
        let (seed, part) = bytes.split_at(SEED);
        let part = bits::take(parameters.ntts(), part, parameters.degree(), "a value of a key")?;
        let seed = block(seed);
        let zero = [part, sample::uniform(parameters.ntts(), seed)];
        Ok(PublicKey { parameters: parameters.clone(), seed, zero })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.seed.to_bytes().to_vec();
        bits::push(self.parameters.ntts(), &self.zero[0], self.parameters.degree(), &mut bytes);
        bytes
    }

    fn parameters(&self) -> Parameters {
        self.parameters.clone()
    }

    fn encrypt(&self, plain: &Plain, prg: &mut Prg) -> Result<Ciphertext, HeError> {
        let message = self.coefficients(plain)?;
        let mut parts = self.fresh_zero(prg);
        self.parameters.plaintexts().add(self.parameters.ntts(), &mut parts[0], message);
        Ok(self.ciphertext(parts, self.public_noise()))
    }

    fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, HeError> {
        self.owned(a.key, "a ciphertext")?;
        self.owned(b.key, "a ciphertext")?;
        let noise = self.check(noise::sum(a.noise, b.noise))?;
        let mut sum = Ciphertext { noise, ..a.clone() };
        for (part, other) in sum.parts.iter_mut().zip(&b.parts) {
            self.parameters.each_with(part, other, Ntt::add);
        }
        Ok(sum)
    }

    fn multiply(&self, ciphertext: &Ciphertext, factor: &Factor) -> Result<Ciphertext, HeError> {
        self.owned(ciphertext.key, "a ciphertext")?;
        if factor.values.len() != ciphertext.parts[0].len() {
            return Err(HeError::OtherKey { what: "a factor" });
        }
        let noise = self.check(noise::product(ciphertext.noise, factor.norm.max(1.0)))?;
        let mut product = Ciphertext { noise, ..ciphertext.clone() };
        for part in &mut product.parts {
            self.parameters.each_with(part, &factor.values, Ntt::multiply);
        }
        Ok(product)
    }

    /// Adds a fresh zero and floods the noise, which then has about 40 bits more, plus the bits of the degree.
    fn rerandomise(&self, ciphertext: &Ciphertext, prg: &mut Prg) -> Result<Ciphertext, HeError> {
        self.owned(ciphertext.key, "a ciphertext")?;
        let noise = self.check(noise::flooded(ciphertext.noise, self.parameters.degree()))?;
        let parts = self.hidden(ciphertext, prg);
        Ok(self.ciphertext(parts, noise))
    }

    fn ciphertext_bytes(&self) -> usize {
        2 * self.parameters.part_bytes()
    }

    fn encode(&self, ciphertexts: &[Ciphertext]) -> Result<Vec<u8>, HeError> {
        let mut bytes = Vec::with_capacity(ciphertexts.len() * self.ciphertext_bytes());
        for ciphertext in ciphertexts {
            self.owned(ciphertext.key, "a ciphertext")?;
            for part in &ciphertext.parts {
                bits::push(self.parameters.ntts(), part, self.parameters.degree(), &mut bytes);
            }
        }
        Ok(bytes)
    }

    /// The bound on the noise is not sent, so the ciphertexts get the bound of fresh encryptions by the public key. Decryption does not use it. To compute on
    /// another party's ciphertexts, receive them as [`Fresh`].
    fn decode(&self, count: usize, bytes: &[u8]) -> Result<Vec<Ciphertext>, HeError> {
        check_length("BFV ciphertexts", bytes, count, self.ciphertext_bytes())?;
        let take = |bytes: &[u8]| {
            bits::take(self.parameters.ntts(), bytes, self.parameters.degree(), "a value of a ciphertext")
        };
        let decode = |bytes: &[u8]| {
            let (first, second) = bytes.split_at(self.parameters.part_bytes());
            Ok(Ciphertext {
                parts: [take(first)?, take(second)?],
                noise: self.public_noise(),
                key: self.tag(),
            })
        };
        bytes.chunks_exact(self.ciphertext_bytes()).map(decode).collect()
    }
}

impl SecretKey {
    /// The key that a seed stands for.
    fn new(parameters: &Parameters, seed: Block) -> SecretKey {
        let mut prg = Prg::new(seed);
        let public_seed = prg.next_block();
        let secret = parameters.values(&sample::ternary(parameters.degree(), &mut prg), 1);
        let errors = sample::errors(parameters.degree(), &mut prg);
        let whole = sample::uniform(parameters.ntts(), public_seed);
        let part = masked(parameters, &whole, &secret, &errors, &[]);
        let public = PublicKey { parameters: parameters.clone(), seed: public_seed, zero: [part, whole] };
        SecretKey { public, seed: Secret::new(seed), secret }
    }

    /// An encryption that is sent in half the bytes. Cost: one transform for each prime.
    ///
    /// # Errors
    /// [`HeError::Range`] for a plaintext of other parameters.
    pub fn encrypt_fresh(&self, plain: &Plain, prg: &mut Prg) -> Result<Fresh, HeError> {
        let parameters = &self.public.parameters;
        let message = self.public.coefficients(plain)?;
        let seed = prg.next_block();
        let errors = sample::errors(parameters.degree(), prg);
        let whole = sample::uniform(parameters.ntts(), seed);
        let part = masked(parameters, &whole, &self.secret, &errors, message);
        Ok(Fresh { seed, part, key: self.public.tag() })
    }

    /// [`SecretKey::encrypt_fresh`] for each. The results are the same with any number of threads.
    ///
    /// # Errors
    /// The first in order.
    pub fn encrypt_fresh_all(
        &self,
        plains: &[Plain],
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Vec<Fresh>, HeError> {
        parallel::map_seeded(plains, threads, prg, |plain, prg| self.encrypt_fresh(plain, prg))
    }

    /// The coefficients of a reply, in the order in which they were asked for.
    ///
    /// # Errors
    /// [`HeError::OtherKey`]; [`HeError::Count`] if the numbers of coefficients and places differ;
    /// [`HeError::Range`] for a place beyond the last.
    pub fn decrypt_reply(&self, reply: &Reply, places: &[usize]) -> Result<Wiped<u64>, HeError> {
        self.reply_and_rest(reply, places).map(|(message, _)| message)
    }

    /// The coefficients, and the rounding errors.
    fn reply_and_rest(&self, reply: &Reply, places: &[usize]) -> Result<(Wiped<u64>, Wiped<u64>), HeError> {
        let parameters = &self.public.parameters;
        self.public.owned(reply.key, "a reply")?;
        let (kept, degree) = (parameters.kept(), parameters.degree());
        if reply.some.len() != kept.len() * places.len() {
            let given = reply.some.len() / kept.len();
            return Err(HeError::Count { what: "coefficients of a reply", given, expected: places.len() });
        }
        if places.iter().any(|place| *place >= degree) {
            return Err(HeError::Range { what: "the place of a coefficient" });
        }
        let mut phases = Wiped::from(reply.some.clone());
        for (i, ntt) in kept.iter().enumerate() {
            let mut whole = Wiped::from(reply.whole[i * degree..][..degree].to_vec());
            ntt.forward(&mut whole);
            ntt.multiply(&mut whole, &self.secret[i * degree..][..degree]);
            ntt.inverse(&mut whole);
            for (phase, place) in phases[i * places.len()..][..places.len()].iter_mut().zip(places) {
                *phase = ntt.sum(*phase, whole[*place]);
            }
        }
        Ok(parameters.level(kept.len()).round(kept, &phases, parameters.plaintexts()))
    }

    /// The plaintext, and the rounding errors, which are `t/q` times the noise, as fractions of 64 bits with a sign.
    fn plain_and_rest(&self, ciphertext: &Ciphertext) -> Result<(Wiped<u64>, Wiped<u64>), HeError> {
        let parameters = &self.public.parameters;
        self.public.owned(ciphertext.key, "a ciphertext")?;
        let mut phase = Wiped::from(ciphertext.parts[0].clone());
        let others = ciphertext.parts[1]
            .chunks_exact(parameters.degree())
            .zip(self.secret.chunks_exact(parameters.degree()));
        let sums = phase.chunks_exact_mut(parameters.degree()).zip(others);
        for (ntt, (sum, (whole, secret))) in parameters.ntts().iter().zip(sums) {
            ntt.multiply_add(sum, whole, secret);
            ntt.inverse(sum);
        }
        Ok(parameters.level(parameters.count()).round(parameters.ntts(), &phase, parameters.plaintexts()))
    }
}

/// `-a·s + e + round(q·m/t)`, as values.
fn masked(
    parameters: &Parameters,
    whole: &[u64],
    secret: &[u64],
    errors: &[i64],
    message: &[u64],
) -> Vec<u64> {
    let mut part = vec![0; whole.len()];
    parameters.add_small(&mut part, errors);
    parameters.plaintexts().add(parameters.ntts(), &mut part, message);
    let mut product = Zeroizing::new(whole.to_vec());
    parameters.each_with(&mut product, secret, Ntt::multiply);
    parameters.each(&mut part, Ntt::forward);
    parameters.each_with(&mut part, &product, Ntt::subtract);
    part
}

impl crate::SecretKey for SecretKey {
    type Public = PublicKey;

    fn generate(parameters: &Parameters, prg: &mut Prg) -> Result<SecretKey, HeError> {
        Ok(SecretKey::new(parameters, prg.next_block()))
    }

    /// Every seed gives a valid key.
    fn from_bytes(parameters: &Parameters, bytes: &[u8]) -> Result<SecretKey, HeError> {
        check_length("a BFV secret key", bytes, 1, SEED)?;
        Ok(SecretKey::new(parameters, block(bytes)))
    }

    fn to_bytes(&self) -> Wiped<u8> {
        Wiped::from(self.seed.expose().to_bytes().to_vec())
    }

    fn public(&self) -> &PublicKey {
        &self.public
    }

    fn encrypt(&self, plain: &Plain, prg: &mut Prg) -> Result<Ciphertext, HeError> {
        self.public.expand(&self.encrypt_fresh(plain, prg)?)
    }

    fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Plain, HeError> {
        self.plain_and_rest(ciphertext).map(|(message, _)| Plain(message))
    }
}

#[cfg(test)]
mod tests;
