//! The cryptosystem of Damgård, Geisler and Krøigaard: small plaintexts, short ciphertexts, and a zero test that costs a short
//! exponentiation modulo one prime.
//!
//! A ciphertext of m is `g^m · h^r mod n`. Modulo the prime p of n, h has the secret prime order v_p of t bits, and g
//! the order `u · v_p`; likewise with v_q modulo q. Plaintexts are the integers modulo u, which is a small prime or a
//! power of two.
//!
//! Source: Damgård, Geisler and Krøigaard, “Homomorphic encryption and secure comparison” (IJACT 1, 2008) with its correction
//! (IJACT 1, 2009): v_p and v_q differ, since with a single v the public n would be 1 modulo v. Full decryption for `u = 2^ℓ` uses the
//! algorithm of Pohlig and Hellman as in Demmler, Schneider and Zohner, “ABY” (NDSS'15), section III-A4. Differs: `(p - 1) / u` and
//! `(q - 1) / u` are odd for `u = 2^ℓ`, so that g has the Jacobi symbol 1 modulo n and ciphertexts do not reveal the lowest bit.
//! Security: the assumption of the paper's correction; with t of 224 bits, finding v takes 2^112 steps; with 256 bits, 2^128.
//! Cost at 2048 bits: 256 bytes a ciphertext.

use core::convert::Infallible;
use std::sync::OnceLock;

use crypto_bigint::{BoxedUint, ConcatenatingMul, CtLt, Gcd, NonZero, Odd, Resize};
use tacit_crypto::Prg;
use tacit_math::powers::FixedPowers;
use tacit_math::{Wiped, redacted};
use zeroize::{Zeroize, Zeroizing};

use crate::dgk::logarithm::Logarithm;
use crate::modular::{Crt, Eights, FixedBase, Modulus, Residue, equal, from_bytes, push_bytes, told};
use crate::residues::{check_modulus, decode_residues};
use crate::scheme::{check_count, check_length};
use crate::{HeError, KeyFault, Natural, ParameterFault, Threads, parallel, primes};

pub use crate::size::ModulusSize;

mod ahead;
mod logarithm;
mod owner;

/// Bits of a digit of exponents in tables.
const WINDOW: u32 = 5;

/// Minimum bits of a prime beyond those of the orders that divide `p - 1`.
const FREE_BITS: u32 = 32;

/// The plaintexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plaintexts {
    /// The integers modulo a prime below 2^16. Every factor except zero can blind a zero test.
    Prime(u32),
    /// The integers modulo 2^bits, up to 160 bits.
    PowerOfTwo(u32),
}

/// The parameters on which both parties agree before keys are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    size: ModulusSize,
    subgroup_bits: u32,
    plaintexts: Plaintexts,
}

impl Parameters {
    /// Parameters with `subgroup_bits`, the paper's t, of 224 at the level `medium` and 256 at `long`.
    ///
    /// # Errors
    /// [`ParameterFault`] if the orders are too short, or do not fit into primes of half the size.
    pub fn new(size: ModulusSize, subgroup_bits: u32, plaintexts: Plaintexts) -> Result<Parameters, HeError> {
        if subgroup_bits < 224 {
            return Err(ParameterFault::SubgroupBits(subgroup_bits).into());
        }
        Parameters::insecure(size, subgroup_bits, plaintexts)
    }

    /// As [`Parameters::new`], with subgroups of any size, to repeat published measurements or to test.
    ///
    /// # Errors
    /// [`ParameterFault`] if the orders do not fit into primes of half the size.
    pub fn insecure(
        size: ModulusSize,
        subgroup_bits: u32,
        plaintexts: Plaintexts,
    ) -> Result<Parameters, HeError> {
        let parameters = Parameters { size, subgroup_bits, plaintexts };
        match plaintexts {
            Plaintexts::Prime(u) if !(3..1 << 16).contains(&u) || !primes::passes(&BoxedUint::from(u)) => {
                return Err(ParameterFault::Plaintexts(u).into());
            }
            Plaintexts::PowerOfTwo(bits) if !(1..=160).contains(&bits) || bits > size.prime_bits() / 4 => {
                return Err(ParameterFault::PlainBits(bits).into());
            }
            _ => {}
        }
        let needed = subgroup_bits.saturating_add(parameters.plain_bits() + 1 + FREE_BITS);
        if subgroup_bits < 32 || needed > size.prime_bits() {
            return Err(ParameterFault::SubgroupBits(subgroup_bits).into());
        }
        Ok(parameters)
    }

    /// Bits of the largest plaintext.
    pub fn plain_bits(&self) -> u32 {
        match self.plaintexts {
            Plaintexts::Prime(u) => u.ilog2() + 1,
            Plaintexts::PowerOfTwo(bits) => bits,
        }
    }

    /// The plaintexts.
    pub fn plaintexts(&self) -> Plaintexts {
        self.plaintexts
    }

    /// The paper's t.
    pub fn subgroup_bits(&self) -> u32 {
        self.subgroup_bits
    }

    /// The size of the modulus.
    pub fn size(&self) -> ModulusSize {
        self.size
    }

    /// u.
    fn order(&self) -> BoxedUint {
        match self.plaintexts {
            Plaintexts::Prime(u) => BoxedUint::from(u64::from(u)),
            Plaintexts::PowerOfTwo(bits) => {
                let mut power = Natural::zero(bits + 1);
                power.insert(&Natural::from(1u64), bits);
                power.uint().clone()
            }
        }
    }

    /// Bits of r: two and a half times t.
    fn exponent_bits(&self) -> u32 {
        self.subgroup_bits * 5 / 2
    }

    fn subgroup_bytes(&self) -> usize {
        self.subgroup_bits.div_ceil(8) as usize
    }
}

/// The public half of a key.
pub struct PublicKey {
    parameters: Parameters,
    /// n.
    modulus: Modulus,
    g: Residue,
    h: Residue,
    tables: OnceLock<Bases>,
    /// For batches, where the processor has instructions for them.
    eights: OnceLock<Option<EightBases>>,
}

/// The same for eight at a time: g and h.
struct EightBases {
    eights: Eights,
    g: FixedPowers,
    h: FixedPowers,
}

/// Tables of g and h modulo one modulus.
struct Bases {
    g: FixedBase,
    h: FixedBase,
}

/// An encryption of a number below u under one key.
#[derive(Clone, PartialEq, Eq)]
pub struct Ciphertext(Residue);

/// `h^r`, computed ahead: the expensive part of an encryption. Each is used for one encryption, so it cannot be
/// cloned, and it is overwritten when dropped.
pub struct Randomness(Residue);

/// The secret half of a key.
pub struct SecretKey {
    public: PublicKey,
    p: Half,
    q: Half,
    crt: Crt,
}

/// The values with which a key's owner computes modulo one prime.
struct Half {
    prime: Modulus,
    /// The order v of h modulo this prime.
    order: NonZero<BoxedUint>,
    /// v again, as the modulus of exponents. The length of this divisor is public; nothing else about v is.
    exponents: NonZero<BoxedUint>,
    tables: OnceLock<Bases>,
    logarithm: OnceLock<Logarithm>,
    eights: OnceLock<Option<Eights>>,
    /// For batches of the owner's encryptions: g and h modulo this prime.
    bases: OnceLock<Option<[FixedPowers; 2]>>,
}

redacted!(Ciphertext, Randomness, SecretKey);

impl Drop for Randomness {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl core::fmt::Debug for PublicKey {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "PublicKey({} bits)", self.parameters.size.bits())
    }
}

impl Bases {
    fn new(modulus: &Modulus, g: &Residue, plain_bits: u32, h: &Residue, exponent_bits: u32) -> Bases {
        Bases {
            g: FixedBase::new(modulus, g, plain_bits, WINDOW),
            h: FixedBase::new(modulus, h, exponent_bits, WINDOW),
        }
    }

    /// `g^plain · h^exponent`.
    fn encrypt(&self, plain: &BoxedUint, exponent: &BoxedUint) -> Residue {
        let mut message = self.g.power(plain);
        let mut blinding = self.h.power(exponent);
        let product = message.mul(&blinding);
        message.zeroize();
        blinding.zeroize();
        product
    }
}

impl PublicKey {
    fn new(parameters: Parameters, n: BoxedUint, g: &BoxedUint, h: &BoxedUint) -> Result<PublicKey, HeError> {
        check_modulus(parameters.size, &n)?;
        let modulus = Modulus::new(&n).ok_or(KeyFault::SmallFactor(2))?;
        let [g, h] = [check_generator(&modulus, g)?, check_generator(&modulus, h)?];
        // Neither has a smaller order modulo only one of the primes: that would reveal the prime.
        let u = parameters.order();
        for power in [&h, &modulus.power(&g, &u, u.bits_vartime())] {
            let less = power.sub(&modulus.one()).retrieve();
            if !coprime(&n, &less)? {
                return Err(KeyFault::Order.into());
            }
        }
        Ok(PublicKey { parameters, modulus, g, h, tables: OnceLock::new(), eights: OnceLock::new() })
    }

    fn tables(&self) -> &Bases {
        self.tables.get_or_init(|| {
            let (plain_bits, exponent_bits) = (self.parameters.plain_bits(), self.parameters.exponent_bits());
            Bases::new(&self.modulus, &self.g, plain_bits, &self.h, exponent_bits)
        })
    }

    fn eights(&self) -> Option<&EightBases> {
        let make = || {
            let eights = Eights::new(&self.modulus)?;
            let g = eights.fixed(&self.g.retrieve(), self.parameters.plain_bits());
            let h = eights.fixed(&self.h.retrieve(), self.parameters.exponent_bits());
            Some(EightBases { eights, g, h })
        };
        self.eights.get_or_init(make).as_ref()
    }

    /// Exponents of h for `count` ciphertexts: those that single calls would draw.
    fn exponents(&self, count: usize, prg: &mut Prg) -> Vec<Natural> {
        let draw = |(): &(), prg: &mut Prg| {
            Ok::<_, Infallible>(Natural::random(self.parameters.exponent_bits(), prg))
        };
        let Ok(exponents) = parallel::map_seeded(&vec![(); count], Threads::ONE, prg, draw);
        exponents
    }

    fn owned(&self, ciphertext: &Ciphertext) -> Result<(), HeError> {
        let owns = self.modulus.owns(&ciphertext.0);
        if owns { Ok(()) } else { Err(HeError::OtherKey { what: "a ciphertext" }) }
    }

    /// The product of two numbers below n.
    fn product(&self, a: &BoxedUint, b: &BoxedUint) -> Ciphertext {
        let mut factor = self.modulus.residue_below(a.clone());
        let product = factor.mul(&self.modulus.residue_below(b.clone()));
        factor.zeroize();
        Ciphertext(product)
    }

    /// The plaintext, if it is below u.
    fn plain(&self, plain: &Natural) -> Result<Zeroizing<BoxedUint>, HeError> {
        let what = "a plaintext";
        let u = self.parameters.order();
        let plain = Zeroizing::new(plain.with_capacity(u.bits_precision(), what)?);
        if told(plain.ct_lt(&u).to_bool()) { Ok(plain) } else { Err(HeError::Range { what }) }
    }

    /// An encryption of the negative modulo u. Cost: an inversion.
    ///
    /// # Errors
    /// [`HeError::OtherKey`], [`HeError::NotCoprime`].
    pub fn negate(&self, ciphertext: &Ciphertext) -> Result<Ciphertext, HeError> {
        self.owned(ciphertext)?;
        let inverse = ciphertext.0.invert_vartime().into_option();
        inverse.map(Ciphertext).ok_or(HeError::NotCoprime { what: "a ciphertext" })
    }

    /// An encryption of the sum with a plain number. It keeps the ciphertext's randomness, so it is not fresh.
    ///
    /// # Errors
    /// [`HeError::Range`], [`HeError::OtherKey`].
    pub fn add_plain(&self, ciphertext: &Ciphertext, plain: &Natural) -> Result<Ciphertext, HeError> {
        self.owned(ciphertext)?;
        let mut power = self.tables().g.power(&*self.plain(plain)?);
        let sum = Ciphertext(ciphertext.0.mul(&power));
        power.zeroize();
        Ok(sum)
    }

    /// A fresh encryption of zero if the ciphertext encrypts zero, otherwise of a uniform number other than zero. Decrypting
    /// it reveals nothing but the result of the zero test.
    ///
    /// # Errors
    /// [`ParameterFault::Plaintexts`] unless u is a prime; [`HeError::OtherKey`].
    pub fn blind(&self, ciphertext: &Ciphertext, prg: &mut Prg) -> Result<Ciphertext, HeError> {
        let Plaintexts::Prime(u) = self.parameters.plaintexts else {
            return Err(ParameterFault::Plaintexts(0).into());
        };
        let bound = NonZero::new(BoxedUint::from(u64::from(u) - 1)).into_option();
        let less = Zeroizing::new(primes::reduced(&bound.ok_or(ParameterFault::Plaintexts(u))?, prg));
        let factor = Zeroizing::new(less.wrapping_add(BoxedUint::one_with_precision(64)));
        self.owned(ciphertext)?;
        let product = self.modulus.power(&ciphertext.0, &factor, self.parameters.plain_bits());
        crate::PublicKey::rerandomise(self, &Ciphertext(product), prg)
    }
}

/// A number from 2 to n - 1 that is coprime to n and has the Jacobi symbol 1.
fn check_generator(modulus: &Modulus, generator: &BoxedUint) -> Result<Residue, HeError> {
    let what = "a generator of a key";
    if *generator >= *modulus.value() || generator.bits_vartime() < 2 {
        return Err(HeError::Range { what });
    }
    match primes::jacobi(generator, modulus.value()) {
        1 => Ok(modulus.residue(generator)),
        0 => Err(HeError::NotCoprime { what }),
        _ => Err(KeyFault::Order.into()),
    }
}

/// Whether public numbers have no common factor.
fn coprime(odd: &BoxedUint, number: &BoxedUint) -> Result<bool, HeError> {
    let odd: Odd<BoxedUint> = odd.to_odd().into_option().ok_or(KeyFault::SmallFactor(2))?;
    Ok(odd.gcd_vartime(number).is_one().into())
}

impl crate::PublicKey for PublicKey {
    type Parameters = Parameters;
    type Plain = Natural;
    type Factor = Natural;
    type Ciphertext = Ciphertext;

    fn from_bytes(parameters: &Parameters, bytes: &[u8]) -> Result<PublicKey, HeError> {
        let each = parameters.size.bytes();
        check_length("a DGK public key", bytes, 3, each)?;
        let number = |i: usize| from_bytes(&bytes[i * each..][..each], parameters.size.bits());
        PublicKey::new(*parameters, number(0), &number(1), &number(2))
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(3 * self.ciphertext_bytes());
        for number in [self.modulus.value(), &self.g.retrieve(), &self.h.retrieve()] {
            push_bytes(number, self.ciphertext_bytes(), &mut bytes);
        }
        bytes
    }

    fn parameters(&self) -> Parameters {
        self.parameters
    }

    fn encrypt(&self, plain: &Natural, prg: &mut Prg) -> Result<Ciphertext, HeError> {
        let plain = self.plain(plain)?;
        let exponent = Natural::random(self.parameters.exponent_bits(), prg);
        Ok(Ciphertext(self.tables().encrypt(&plain, exponent.uint())))
    }

    fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, HeError> {
        self.owned(a)?;
        self.owned(b)?;
        Ok(Ciphertext(a.0.mul(&b.0)))
    }

    /// Cost: a squaring for each bit of the factor's capacity.
    fn multiply(&self, ciphertext: &Ciphertext, factor: &Natural) -> Result<Ciphertext, HeError> {
        self.owned(ciphertext)?;
        Ok(Ciphertext(self.modulus.power(&ciphertext.0, factor.uint(), factor.capacity_bits())))
    }

    fn rerandomise(&self, ciphertext: &Ciphertext, prg: &mut Prg) -> Result<Ciphertext, HeError> {
        self.owned(ciphertext)?;
        let exponent = Natural::random(self.parameters.exponent_bits(), prg);
        let mut blinding = self.tables().h.power(exponent.uint());
        let fresh = Ciphertext(ciphertext.0.mul(&blinding));
        blinding.zeroize();
        Ok(fresh)
    }

    fn ciphertext_bytes(&self) -> usize {
        self.parameters.size.bytes()
    }

    fn encode(&self, ciphertexts: &[Ciphertext]) -> Result<Vec<u8>, HeError> {
        let mut bytes = Vec::with_capacity(self.ciphertext_bytes() * ciphertexts.len());
        for ciphertext in ciphertexts {
            self.owned(ciphertext)?;
            push_bytes(&ciphertext.0.retrieve(), self.ciphertext_bytes(), &mut bytes);
        }
        Ok(bytes)
    }

    /// Without the secret key nobody can tell whether a number is in the group of g and h; decryption detects numbers outside it.
    ///
    /// Cost: two multiplications for each ciphertext, and one greatest common divisor for all.
    fn decode(&self, count: usize, bytes: &[u8]) -> Result<Vec<Ciphertext>, HeError> {
        let each = self.ciphertext_bytes();
        check_length("DGK ciphertexts", bytes, count, each)?;
        decode_residues(&self.modulus, self.modulus.value(), bytes.chunks_exact(each))
            .map(|residues| residues.into_iter().map(Ciphertext).collect())
    }

    fn encrypt_all(
        &self,
        plains: &[Natural],
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Vec<Ciphertext>, HeError> {
        let Some(bases) = self.eights().filter(|_| plains.len() > 1) else {
            return parallel::map_seeded(plains, threads, prg, |plain, prg| self.encrypt(plain, prg));
        };
        let exponents = self.exponents(plains.len(), prg);
        parallel::map_groups(plains, Eights::LANES, threads, |first, group| {
            let plain = |plain: &Natural| self.plain(plain).map(|plain| Natural::new((*plain).clone()));
            let plains = group.iter().map(plain).collect::<Result<Vec<_>, _>>()?;
            let messages = bases.eights.fixed_powers(&bases.g, &plains);
            let blindings = bases.eights.fixed_powers(&bases.h, &exponents[first..][..group.len()]);
            let pairs = messages.iter().zip(&blindings);
            Ok(pairs.map(|(message, blinding)| self.product(message, blinding)).collect())
        })
    }

    fn multiply_all(
        &self,
        ciphertexts: &[Ciphertext],
        factors: &[Natural],
        threads: Threads,
    ) -> Result<Vec<Ciphertext>, HeError> {
        check_count("factors", factors.len(), ciphertexts.len())?;
        let Some(bases) = self.eights().filter(|_| factors.len() > 1) else {
            return parallel::map(ciphertexts, threads, |i, ciphertext| {
                self.multiply(ciphertext, &factors[i])
            });
        };
        parallel::map_groups(ciphertexts, Eights::LANES, threads, |first, group| {
            group.iter().try_for_each(|ciphertext| self.owned(ciphertext))?;
            let residues: Vec<&Residue> = group.iter().map(|ciphertext| &ciphertext.0).collect();
            let products = bases.eights.multiply(&self.modulus, &residues, &factors[first..][..group.len()]);
            Ok(products.into_iter().map(Ciphertext).collect())
        })
    }

    fn rerandomise_all(
        &self,
        ciphertexts: &[Ciphertext],
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Vec<Ciphertext>, HeError> {
        let Some(bases) = self.eights().filter(|_| ciphertexts.len() > 1) else {
            return parallel::map_seeded(ciphertexts, threads, prg, |ciphertext, prg| {
                self.rerandomise(ciphertext, prg)
            });
        };
        let exponents = self.exponents(ciphertexts.len(), prg);
        parallel::map_groups(ciphertexts, Eights::LANES, threads, |first, group| {
            group.iter().try_for_each(|ciphertext| self.owned(ciphertext))?;
            let blindings = bases.eights.fixed_powers(&bases.h, &exponents[first..][..group.len()]);
            let fresh = |(ciphertext, blinding): (&Ciphertext, &Zeroizing<BoxedUint>)| {
                Ciphertext(ciphertext.0.mul(&self.modulus.residue_below((**blinding).clone())))
            };
            Ok(group.iter().zip(&blindings).map(fresh).collect())
        })
    }
}

impl Half {
    /// Checks the prime and the order against each other.
    fn new(parameters: &Parameters, prime: &BoxedUint, order: BoxedUint) -> Result<Half, HeError> {
        let fits = prime.bits() == parameters.size.prime_bits() && order.bits() == parameters.subgroup_bits;
        if !(fits && primes::passes(prime) && primes::passes(&order)) {
            return Err(KeyFault::NotPrime.into());
        }
        let modulus = Modulus::new(prime).ok_or(KeyFault::NotPrime)?;
        let less = Zeroizing::new(prime.wrapping_sub(BoxedUint::one_with_precision(prime.bits_precision())));
        let twos = less.trailing_zeros();
        let divisor = NonZero::new(order.concatenating_mul(&parameters.order())).into_option();
        let divides = less.rem(&divisor.ok_or(KeyFault::NotPrime)?).is_zero().into();
        let odd = match parameters.plaintexts {
            Plaintexts::PowerOfTwo(bits) => twos == bits,
            Plaintexts::Prime(_) => true,
        };
        if !(divides && odd) {
            return Err(KeyFault::NotPrime.into());
        }
        let order = NonZero::new(order).into_option().ok_or(KeyFault::NotPrime)?;
        Ok(Half {
            prime: modulus,
            exponents: order.clone(),
            order,
            tables: OnceLock::new(),
            logarithm: OnceLock::new(),
            eights: OnceLock::new(),
            bases: OnceLock::new(),
        })
    }

    fn power(&self, base: &Residue, exponent: &BoxedUint) -> Residue {
        self.prime.power(base, exponent, exponent.bits_precision())
    }

    /// `c^v`, which is `(g^v)^m`.
    fn unblind(&self, ciphertext: &BoxedUint, bits: u32) -> Residue {
        self.prime.power(&self.prime.residue(ciphertext), self.order.as_ref(), bits)
    }

    /// [`Half::unblind`] for each, eight at a time where that is faster.
    fn unblind_all(&self, ciphertexts: &[Ciphertext], bits: u32, threads: Threads) -> Vec<Residue> {
        let Ok(unblinded) = match self.eights().filter(|_| ciphertexts.len() > 1) {
            Some(eights) => parallel::map_groups(ciphertexts, Eights::LANES, threads, |_, group| {
                let base =
                    |ciphertext: &Ciphertext| Zeroizing::new(self.prime.reduce(&ciphertext.0.retrieve()));
                let bases: Vec<_> = group.iter().map(base).collect();
                let exponents = vec![self.order.as_ref(); bases.len()];
                let powers = eights.powers(&bases, &exponents, bits);
                Ok::<_, Infallible>(
                    powers.iter().map(|power| self.prime.residue_below((**power).clone())).collect(),
                )
            }),
            None => parallel::map(ciphertexts, threads, |_, ciphertext| {
                Ok(self.unblind(&ciphertext.0.retrieve(), bits))
            }),
        };
        unblinded
    }

    /// Whether g has the order `u · v` and h the order v modulo this prime.
    fn has_orders(&self, parameters: &Parameters, g: &BoxedUint, h: &BoxedUint) -> bool {
        let (g, h, one) = (self.prime.residue(g), self.prime.residue(h), self.prime.one());
        let u = parameters.order();
        let half = match parameters.plaintexts {
            Plaintexts::PowerOfTwo(_) => u.shr(1),
            Plaintexts::Prime(_) => BoxedUint::one_with_precision(64),
        };
        let root = self.power(&g, self.order.as_ref());
        let of_h = h != one && self.power(&h, self.order.as_ref()) == one;
        let of_g =
            self.power(&root, &u) == one && self.power(&root, &half) != one && self.power(&g, &u) != one;
        of_h && of_g
    }

    /// A number of the order `u · v` and one of the order v.
    fn generators(&self, parameters: &Parameters, prg: &mut Prg) -> Result<[BoxedUint; 2], HeError> {
        let bound = NonZero::new(self.prime.value().clone()).into_option().ok_or(KeyFault::NotPrime)?;
        let less = self.prime.value().wrapping_sub(BoxedUint::one_with_precision(self.prime.precision()));
        let cofactor = Zeroizing::new(less.div_rem(&self.order).0);
        let u = NonZero::new(parameters.order()).into_option().ok_or(KeyFault::NotPrime)?;
        let smaller = Zeroizing::new(cofactor.div_rem(&u).0);
        loop {
            let mut random = || self.prime.residue(&primes::below(&bound, prg));
            let [g, h] =
                [self.power(&random(), &smaller), self.power(&random(), &cofactor)].map(|x| x.retrieve());
            if self.has_orders(parameters, &g, &h) {
                return Ok([g, h]);
            }
        }
    }

    fn tables(&self, public: &PublicKey) -> &Bases {
        self.tables.get_or_init(|| {
            let parameters = &public.parameters;
            let [g, h] = [&public.g, &public.h].map(|base| self.prime.residue(&base.retrieve()));
            Bases::new(&self.prime, &g, parameters.plain_bits(), &h, parameters.subgroup_bits)
        })
    }

    /// A random exponent below v, by [`primes::reduced`].
    fn exponent(&self, prg: &mut Prg) -> Zeroizing<BoxedUint> {
        Zeroizing::new(primes::reduced(&self.exponents, prg))
    }

    /// Encrypts modulo this prime, by tables and an exponent below v.
    fn encrypt(&self, public: &PublicKey, plain: &BoxedUint, prg: &mut Prg) -> Zeroizing<BoxedUint> {
        let exponent = self.exponent(prg);
        let mut power = self.tables(public).encrypt(plain, &exponent);
        let number = Zeroizing::new(power.retrieve());
        power.zeroize();
        number
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        for order in [&mut self.order, &mut self.exponents] {
            if let Some(one) = NonZero::new(BoxedUint::one()).into_option() {
                core::mem::replace(order, one).get().zeroize();
            }
        }
    }
}

impl SecretKey {
    fn new(
        parameters: Parameters,
        primes: [&BoxedUint; 2],
        orders: [BoxedUint; 2],
        generators: Option<[BoxedUint; 2]>,
        prg: &mut Prg,
    ) -> Result<SecretKey, HeError> {
        if primes[0] == primes[1] {
            return Err(KeyFault::EqualPrimes.into());
        }
        if orders[0] == orders[1] {
            return Err(KeyFault::Order.into());
        }
        let n = primes[0].concatenating_mul(primes[1]);
        let [v, w] = orders;
        let [p, q] = [Half::new(&parameters, primes[0], v)?, Half::new(&parameters, primes[1], w)?];
        let crt = Crt::new(&p.prime, &q.prime).ok_or(KeyFault::Inconsistent)?;
        let [g, h] = match generators {
            Some(generators) => generators,
            None => {
                let ([g, h], [k, l]) = (p.generators(&parameters, prg)?, q.generators(&parameters, prg)?);
                [crt.combine(&g, &k)?, crt.combine(&h, &l)?]
            }
        };
        if ![&p, &q].iter().all(|half| half.has_orders(&parameters, &g, &h)) {
            return Err(KeyFault::Order.into());
        }
        let public = PublicKey::new(parameters, n.resize_unchecked(parameters.size.bits()), &g, &h)?;
        Ok(SecretKey { public, p, q, crt })
    }

    /// Where this key's secrets lie, for tests that follow them.
    #[doc(hidden)]
    pub fn memory(&self) -> Vec<&[u64]> {
        let mut memory = vec![self.crt.memory()];
        for half in [&self.p, &self.q] {
            memory.extend([half.order.as_words(), half.prime.memory()]);
            memory.extend(half.logarithm.get().map(Logarithm::memory).unwrap_or_default());
        }
        memory
    }

    /// Whether a ciphertext encrypts zero: `c^v = 1` modulo one prime. Constant time except for the answer.
    ///
    /// # Errors
    /// [`HeError::OtherKey`].
    pub fn is_zero(&self, ciphertext: &Ciphertext) -> Result<bool, HeError> {
        self.public.owned(ciphertext)?;
        let bits = self.public.parameters.subgroup_bits;
        Ok(equal(&self.p.unblind(&ciphertext.0.retrieve(), bits), &self.p.prime.one()))
    }

    /// [`SecretKey::is_zero`] for each.
    ///
    /// # Errors
    /// The first in order.
    pub fn are_zero(&self, ciphertexts: &[Ciphertext], threads: Threads) -> Result<Vec<bool>, HeError> {
        ciphertexts.iter().try_for_each(|ciphertext| self.public.owned(ciphertext))?;
        let powers = self.p.unblind_all(ciphertexts, self.public.parameters.subgroup_bits, threads);
        let one = self.p.prime.one();
        Ok(powers.iter().map(|power| equal(power, &one)).collect())
    }

    /// The logarithms to `g^v` modulo p.
    fn logarithm(&self) -> &Logarithm {
        let parameters = &self.public.parameters;
        self.p.logarithm.get_or_init(|| {
            let root = self.p.unblind(&self.public.g.retrieve(), parameters.subgroup_bits);
            match parameters.plaintexts {
                Plaintexts::Prime(u) => Logarithm::of_prime_order(&self.p.prime, &root, u),
                Plaintexts::PowerOfTwo(bits) => Logarithm::of_order_2(&self.p.prime, &root, bits),
            }
        })
    }
}

impl crate::SecretKey for SecretKey {
    type Public = PublicKey;

    fn generate(parameters: &Parameters, prg: &mut Prg) -> Result<SecretKey, HeError> {
        let bits = parameters.size.prime_bits();
        let mut half = || {
            let v = primes::prime(parameters.subgroup_bits, prg, |_| true);
            let mut divisor = v.concatenating_mul(&parameters.order());
            if let Plaintexts::Prime(_) = parameters.plaintexts {
                divisor = divisor.concatenating_mul(BoxedUint::from(2u64));
            }
            let divisor = divisor.resize_unchecked(bits);
            let divisor = NonZero::new(divisor).into_option().ok_or(KeyFault::NotPrime)?;
            Ok::<_, HeError>((primes::prime_above(&divisor, bits, prg), v))
        };
        let ((p, v), (q, w)) = (half()?, half()?);
        let (p, q) = (Zeroizing::new(p), Zeroizing::new(q));
        SecretKey::new(*parameters, [&p, &q], [v, w], None, prg)
    }

    fn from_bytes(parameters: &Parameters, bytes: &[u8]) -> Result<SecretKey, HeError> {
        let (wide, short) = (parameters.size.bytes(), parameters.subgroup_bytes());
        check_length("a DGK secret key", bytes, 1, 3 * wide + 2 * short)?;
        let mut rest = bytes;
        let mut take = |count: usize| {
            let (number, others) = rest.split_at(count);
            rest = others;
            Zeroizing::new(from_bytes(number, 8 * count as u32))
        };
        let (p, q) = (take(wide / 2), take(wide / 2));
        let orders = [take(short), take(short)].map(|order| (*order).clone());
        let generators = [take(wide), take(wide)].map(|generator| (*generator).clone());
        // A whole key needs no randomness.
        SecretKey::new(*parameters, [&p, &q], orders, Some(generators), &mut Prg::new(tacit_math::Block(0)))
    }

    fn to_bytes(&self) -> Wiped<u8> {
        let (wide, short) = (self.public.parameters.size.bytes(), self.public.parameters.subgroup_bytes());
        let mut bytes = Vec::with_capacity(3 * wide + 2 * short);
        for half in [&self.p, &self.q] {
            push_bytes(half.prime.value(), wide / 2, &mut bytes);
        }
        for half in [&self.p, &self.q] {
            push_bytes(half.order.as_ref(), short, &mut bytes);
        }
        for generator in [&self.public.g, &self.public.h] {
            push_bytes(&generator.retrieve(), wide, &mut bytes);
        }
        Wiped::from(bytes)
    }

    fn public(&self) -> &PublicKey {
        &self.public
    }

    /// With exponents below v_p and v_q, each modulo its prime.
    fn encrypt(&self, plain: &Natural, prg: &mut Prg) -> Result<Ciphertext, HeError> {
        let plain = self.public.plain(plain)?;
        let [p, q] = [&self.p, &self.q].map(|half| half.encrypt(&self.public, &plain, prg));
        Ok(Ciphertext(self.public.modulus.residue_below(self.crt.combine(&p, &q)?)))
    }

    fn encrypt_all(
        &self,
        plains: &[Natural],
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Vec<Ciphertext>, HeError> {
        let plains: Vec<Option<&Natural>> = plains.iter().map(Some).collect();
        Ok(self.powers(&plains, threads, prg)?.into_iter().map(Ciphertext).collect())
    }

    /// Modulo p. A ciphertext that is not in the group has no plaintext.
    ///
    /// Cost beside the exponentiation by v: for `u = 2^ℓ`, ℓ squarings and `ℓ²/50` multiplications; for a prime u, reading a table of
    /// u words.
    fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Natural, HeError> {
        self.public.owned(ciphertext)?;
        let mut power = self.p.unblind(&ciphertext.0.retrieve(), self.public.parameters.subgroup_bits);
        let plain = self.logarithm().of(&self.p.prime, &power);
        power.zeroize();
        plain.ok_or(HeError::NoPlaintext)
    }

    fn decrypt_all(&self, ciphertexts: &[Ciphertext], threads: Threads) -> Result<Vec<Natural>, HeError> {
        ciphertexts.iter().try_for_each(|ciphertext| self.public.owned(ciphertext))?;
        let logarithm = self.logarithm();
        let powers = self.p.unblind_all(ciphertexts, self.public.parameters.subgroup_bits, threads);
        parallel::map(&powers, threads, |_, power| {
            logarithm.of(&self.p.prime, power).ok_or(HeError::NoPlaintext)
        })
    }
}

#[cfg(test)]
mod tests;
