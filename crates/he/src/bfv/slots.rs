//! Plaintexts of n numbers modulo a prime, which are added and multiplied element by element.
//!
//! For a prime t that is 1 modulo 2n there is a number-theoretic transform modulo t: the coefficients of a plaintext stand for its values at the
//! n odd powers of a 2n-th root of unity modulo t, and a product of polynomials modulo `x^n + 1` and t multiplies the values.
//!
//! Source: Smart and Vercauteren (Designs, Codes and Cryptography 71, 2014).

use tacit_math::Wiped;
use tacit_math::ntt::{self, Ntt};

use super::parameters::PRIME_BITS;
use super::rns::{PlainModulus, centred};
use super::{Factor, HeError, Parameters, Plain, Ring};
use crate::ParameterFault;

/// The ring whose plaintexts have slots: 8192 of them.
const RING: Ring = Ring::ALL[1];

/// The largest primes that are 1 modulo 2n and so small that a reply keeps one prime of the ciphertext modulus and that there is
/// room for the reply to the product of a fresh encryption and any plaintext. A test checks both.
const PRIMES: [u64; 9] = [
    34_321_481_729,
    34_321_317_889,
    34_321_186_817,
    34_320_826_369,
    34_320_777_217,
    34_320_384_001,
    34_320_334_849,
    34_319_958_017,
    34_319_941_633,
];

impl Ring {
    /// The ring of [`Parameters::slots`].
    pub const SLOTS: Ring = RING;

    /// The primes of [`Parameters::slots`], all of 35 bits and more than `2^34.99`.
    pub const SLOT_PRIMES: [u64; PRIMES.len()] = PRIMES;

    /// Bytes of a reply that has all coefficients of a plaintext with slots.
    pub fn slots_reply_bytes() -> usize {
        2 * (RING.degree() * PRIME_BITS as usize).div_ceil(8)
    }
}

impl Parameters {
    /// Plaintexts of [`Ring::SLOTS`] whose slots are numbers modulo one of [`Ring::SLOT_PRIMES`]. There is room for the product of the
    /// owner's encryption with one factor of slots, a summand, and the reply.
    ///
    /// # Errors
    /// [`HeError::Range`] unless `index` is the number of such a prime.
    pub fn slots(index: usize) -> Result<Parameters, HeError> {
        let prime = PRIMES.get(index).ok_or(HeError::Range { what: "the number of a plaintext modulus" })?;
        let primes: Vec<u64> = ntt::primes(PRIME_BITS, RING.degree()).take(RING.primes()).collect();
        Parameters::slotted(RING.degree(), &primes, *prime)
    }

    pub(super) fn slotted(degree: usize, primes: &[u64], plain: u64) -> Result<Parameters, HeError> {
        let bits = 64 - plain.leading_zeros();
        let ntt = Ntt::new(plain, degree).filter(|_| bits < PRIME_BITS);
        let ntt = ntt.ok_or(ParameterFault::PlainBits(bits))?;
        Parameters::with(degree, primes, PlainModulus::Prime(ntt))
    }

    /// The transform of plaintexts, where they have slots.
    fn slot_transform(&self) -> Result<&Ntt, HeError> {
        match self.plaintexts().modulus() {
            PlainModulus::Prime(ntt) => Ok(ntt),
            PlainModulus::Power(bits) => Err(ParameterFault::PlainBits(*bits).into()),
        }
    }

    /// The plaintext with these numbers in its slots. Missing numbers are zero.
    ///
    /// # Errors
    /// [`HeError::Range`] for a number that is not below the plaintext modulus, [`HeError::Count`] for more than n;
    /// [`HeError::Parameters`] where plaintexts have no slots.
    pub fn plain_of_slots(&self, numbers: &[u64]) -> Result<Plain, HeError> {
        let transform = self.slot_transform()?;
        let Plain(mut values) = self.plain(numbers)?;
        transform.inverse(&mut values);
        Ok(Plain(values))
    }

    /// The factor that multiplies each slot by the number at its place. Missing numbers are zero.
    ///
    /// # Errors
    /// As [`Parameters::plain_of_slots`].
    pub fn factor_of_slots(&self, numbers: &[u64]) -> Result<Factor, HeError> {
        let modulus = self.slot_transform()?.modulus();
        let Plain(coefficients) = self.plain_of_slots(numbers)?;
        let signed: Vec<i64> = coefficients.iter().map(|number| centred(modulus, *number)).collect();
        self.factor(&Wiped::from(signed), self.plain_bits())
    }

    /// The numbers in the slots of a plaintext's coefficients, all n of them in order.
    ///
    /// # Errors
    /// As [`Parameters::plain_of_slots`]; [`HeError::Count`] also for fewer than n.
    pub fn numbers_in_slots(&self, coefficients: &[u64]) -> Result<Wiped<u64>, HeError> {
        let transform = self.slot_transform()?;
        if coefficients.len() != self.degree() {
            let (given, expected) = (coefficients.len(), self.degree());
            return Err(HeError::Count { what: "coefficients", given, expected });
        }
        let Plain(mut values) = self.plain(coefficients)?;
        transform.forward(&mut values);
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bfv::{SecretKey, Use, noise};
    use crate::{PublicKey as _, SecretKey as _};
    use tacit_crypto::Prg;
    use tacit_math::Block;

    #[test]
    fn primes_leave_room_and_are_the_largest() {
        let wanted = Use { terms: RING.degree(), factor_bits: 35, sums: 1 };
        for (index, prime) in PRIMES.into_iter().enumerate() {
            assert!(ntt::is_prime(prime) && prime % (2 * RING.degree() as u64) == 1);
            assert!(index == 0 || prime < PRIMES[index - 1]);
            let parameters = Parameters::slots(index).unwrap();
            assert_eq!((parameters.reply_primes(), parameters.plain_bits()), (1, 35));
            assert!(parameters.reply_noise(wanted.noise(), 0.0).is_ok());
            assert!((prime as f64).log2() > 34.99);
        }
        let most = 2f64.powi(PRIME_BITS as i32) / 8.0 / noise::rounding(RING.degree());
        let step = 2 * RING.degree() as u64;
        let next = (1..).map(|i| PRIMES[0] + i * step).find(|prime| ntt::is_prime(*prime)).unwrap();
        assert!((next as f64) > most && (PRIMES[0] as f64) < most);
        assert!(matches!(Parameters::slots(PRIMES.len()), Err(HeError::Range { .. })));
        assert_eq!(
            format!("{:?}", Parameters::slots(0).unwrap()),
            "Parameters(n = 8192, log q = 150, t = 34321481729)"
        );
    }

    /// Sixteen slots modulo 97; no security.
    fn toy() -> Parameters {
        let primes: Vec<u64> = ntt::primes(50, 16).take(3).collect();
        Parameters::slotted(16, &primes, 97).unwrap()
    }

    /// By definition: the values of the polynomial at odd powers of a root, in any order.
    #[test]
    fn slots_are_values_at_odd_powers_of_a_root() {
        let coefficients: Vec<u64> = (0..16).map(|i| (i * i + 5) % 97).collect();
        let mut values: Vec<u64> = (0..97)
            .filter(|x: &u64| (0..16).fold(1, |power, _| power * x % 97) == 96)
            .map(|x| coefficients.iter().rev().fold(0, |sum, c| (sum * x + c) % 97))
            .collect();
        let mut found = toy().numbers_in_slots(&coefficients).unwrap().to_vec();
        values.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, values);
    }

    #[test]
    fn products_and_sums_are_those_of_each_slot() {
        for parameters in [toy(), Parameters::slots(0).unwrap(), Parameters::slots(8).unwrap()] {
            let (n, t) = (parameters.degree(), parameters.plaintexts().modulus().prime());
            let mut prg = Prg::new(Block(1));
            let key = SecretKey::generate(&parameters, &mut prg).unwrap();
            // The largest numbers, and those whose signs change, among others.
            let mut numbers = |more: u64| -> Vec<u64> {
                let special = [0, 1, t - 1, t / 2, t / 2 + 1];
                (0..n)
                    .map(|i| special.get(i).map_or_else(|| prg.next_u64() % t, |x| (x + more) % t))
                    .collect()
            };
            let [a, b, c] = [0, 0, 1].map(&mut numbers);
            let plain = parameters.plain_of_slots(&a).unwrap();
            assert_eq!(parameters.numbers_in_slots(plain.coefficients()).unwrap()[..], a);
            let fresh = key.encrypt_fresh(&plain, &mut Prg::new(Block(2))).unwrap();
            let public = key.public();
            let product = public
                .multiply(&public.expand(&fresh).unwrap(), &parameters.factor_of_slots(&b).unwrap())
                .unwrap();
            let sum = public.add_plain(&product, &parameters.plain_of_slots(&c).unwrap()).unwrap();
            let places: Vec<usize> = (0..n).collect();
            let reply = public.reply(&sum, &places, &mut Prg::new(Block(3))).unwrap();
            let found = parameters.numbers_in_slots(&key.decrypt_reply(&reply, &places).unwrap()).unwrap();
            let expected: Vec<u64> = (0..n)
                .map(|i| ((u128::from(a[i]) * u128::from(b[i]) + u128::from(c[i])) % u128::from(t)) as u64)
                .collect();
            assert_eq!(found[..], expected, "{parameters:?}");
            let whole = key.decrypt(&sum).unwrap();
            assert_eq!(parameters.numbers_in_slots(whole.coefficients()).unwrap()[..], expected);
        }
        let key = SecretKey::generate(&Parameters::slots(0).unwrap(), &mut Prg::new(Block(1))).unwrap();
        assert_eq!(key.public().reply_bytes(RING.degree()), Ring::slots_reply_bytes());
    }

    #[test]
    fn what_are_no_slots_is_refused() {
        let parameters = toy();
        let beyond = parameters.plain_of_slots(&[97]);
        assert!(matches!(beyond, Err(HeError::Range { .. })));
        assert!(matches!(parameters.factor_of_slots(&[u64::MAX]), Err(HeError::Range { .. })));
        assert!(matches!(parameters.plain_of_slots(&[0; 17]), Err(HeError::Count { .. })));
        assert!(matches!(parameters.numbers_in_slots(&[0; 15]), Err(HeError::Count { .. })));
        let words = Parameters::n8192(32).unwrap();
        assert!(matches!(words.plain_of_slots(&[1]), Err(HeError::Parameters(_))));
        assert!(matches!(words.factor_of_slots(&[1]), Err(HeError::Parameters(_))));
        assert!(matches!(words.numbers_in_slots(&[1]), Err(HeError::Parameters(_))));
        let primes: Vec<u64> = ntt::primes(50, 16).take(3).collect();
        for plain in [0, 2, 101, primes[0]] {
            assert!(
                matches!(Parameters::slotted(16, &primes, plain), Err(HeError::Parameters(_))),
                "{plain}"
            );
        }
        // Ciphertexts with another plaintext modulus belong to another key.
        let other = Parameters::slotted(16, &primes, 193).unwrap();
        let [own, others] = [&parameters, &other]
            .map(|parameters| SecretKey::generate(parameters, &mut Prg::new(Block(1))).unwrap());
        assert_eq!(own.public().to_bytes(), others.public().to_bytes());
        let fresh =
            others.encrypt_fresh(&other.plain_of_slots(&[1]).unwrap(), &mut Prg::new(Block(2))).unwrap();
        assert!(matches!(own.public().expand(&fresh), Err(HeError::OtherKey { .. })));
        assert!(parameters != other && parameters == toy());
    }
}
