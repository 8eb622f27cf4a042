//! Random numbers and primes from a [`Prg`].

use core::convert::Infallible;

use crypto_bigint::{BoxedUint, Gcd, Limb, NonZero, RandomMod};
use crypto_primes::hazmat::{SetBits, SmallFactorsSieveFactory};
use crypto_primes::{Flavor, is_prime, sieve_and_find};
use rand_core::{TryCryptoRng, TryRng};
use tacit_crypto::Prg;

use crate::Natural;

/// Primes below this bound are tried as factors of moduli.
const TRIAL_BOUND: u32 = 1 << 16;

/// A [`Prg`] behind the interface of the number libraries.
pub(crate) struct Source<'a>(pub &'a mut Prg);

impl TryRng for Source<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0.next_u64() as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill_bytes(bytes);
        Ok(())
    }
}

impl TryCryptoRng for Source<'_> {}

/// Uniform below `bound`, by rejection: how often it draws is independent of the number drawn.
pub(crate) fn below(bound: &NonZero<BoxedUint>, prg: &mut Prg) -> BoxedUint {
    BoxedUint::random_mod_vartime(&mut Source(prg), bound)
}

/// Bits drawn beyond those of a bound, so that the remainder of a division by it looks uniform.
const SURPLUS_BITS: u32 = 128;

/// Nearly uniform below a secret `bound`: a number of 128 bits more, reduced. Constant time except for the bound's length.
///
/// Statistical distance from uniform: a number below 2^k, reduced modulo v, takes each value `⌊2^k / v⌋` or `⌈2^k / v⌉` times, so
/// the distance is at most v / 2^k, here 2^-128. Rejection would branch on comparisons with the bound, and how often it
/// draws would reveal how far the bound is from a power of two.
pub(crate) fn reduced(bound: &NonZero<BoxedUint>, prg: &mut Prg) -> BoxedUint {
    let wide = Natural::random(bound.bits() + SURPLUS_BITS, prg);
    wide.uint().rem(bound)
}

/// Uniform among the numbers below `bound` that are coprime to it.
pub(crate) fn unit(bound: &NonZero<BoxedUint>, prg: &mut Prg) -> BoxedUint {
    loop {
        let candidate = below(bound, prg);
        if candidate.gcd(bound.as_ref()).is_one().into() {
            return candidate;
        }
    }
}

/// A random prime of exactly `bits` bits with its two highest bits set, so that a product of two has `2·bits` bits.
/// `wanted` may set further conditions.
///
/// Sieving, then the Baillie–PSW test. Time depends on the candidates that were not prime.
pub(crate) fn prime(bits: u32, prg: &mut Prg, wanted: impl Fn(&BoxedUint) -> bool) -> BoxedUint {
    loop {
        let sieve = SmallFactorsSieveFactory::new(Flavor::Any, bits, SetBits::TwoMsb);
        let found = sieve.and_then(|sieve| {
            sieve_and_find(&mut Source(prg), sieve, |_, candidate| {
                wanted(candidate) && is_prime(Flavor::Any, candidate)
            })
        });
        if let Ok(Some(prime)) = found {
            return prime;
        }
    }
}

/// Whether a number passes the Baillie–PSW test.
pub(crate) fn passes(number: &BoxedUint) -> bool {
    is_prime(Flavor::Any, number)
}

/// The Jacobi symbol of `number` modulo an odd number; both are public.
pub(crate) fn jacobi(number: &BoxedUint, modulus: &BoxedUint) -> i8 {
    let (mut top, mut bottom, mut symbol) = (number.clone(), modulus.clone(), 1);
    loop {
        let Some(divisor) = NonZero::new(bottom.clone()).into_option() else { return 0 };
        top = top.rem_vartime(&divisor);
        if bool::from(top.is_zero()) {
            return if bool::from(bottom.is_one()) { symbol } else { 0 };
        }
        let zeros = top.trailing_zeros_vartime();
        top = top.shr(zeros);
        let low = |number: &BoxedUint| number.as_words()[0] & 7;
        if zeros & 1 == 1 && matches!(low(&bottom), 3 | 5) {
            symbol = -symbol;
        }
        if low(&top) & 3 == 3 && low(&bottom) & 3 == 3 {
            symbol = -symbol;
        }
        core::mem::swap(&mut top, &mut bottom);
    }
}

/// A prime p of exactly `bits` bits, its two highest set, that is 1 modulo `divisor`, with `(p - 1) / divisor` odd: `p - 1` is
/// divisible by no higher power of two than `divisor`.
pub(crate) fn prime_above(divisor: &NonZero<BoxedUint>, bits: u32, prg: &mut Prg) -> BoxedUint {
    let sieve: Vec<NonZero<Limb>> = small_primes(2000)
        .into_iter()
        .filter_map(|prime| NonZero::new(Limb::from_u32(prime)).into_option())
        .collect();
    let one = BoxedUint::one_with_precision(bits);
    loop {
        let mut target = Natural::random(bits, prg).uint().clone();
        for bit in [bits - 1, bits - 2] {
            let word = &mut target.as_mut_words()[(bit / 64) as usize];
            *word |= 1 << (bit % 64);
        }
        let quotient = target.div_rem(divisor).0;
        let odd = &quotient | &one;
        let candidate = odd.wrapping_mul(divisor.as_ref()).wrapping_add(&one);
        let full = candidate.bits() == bits && bool::from(candidate.bit(bits - 2));
        if full && sieve.iter().all(|prime| candidate.rem_limb(*prime).0 != 0) && passes(&candidate) {
            return candidate;
        }
    }
}

/// The smallest prime factor below 2^16, if there is one; the modulus of an honest key has none. The number is public.
pub(crate) fn small_factor(number: &BoxedUint) -> Option<u32> {
    let divides = |prime: &u32| match NonZero::new(Limb::from_u32(*prime)).into_option() {
        Some(limb) => number.rem_limb(limb).0 == 0,
        None => false,
    };
    small_primes(TRIAL_BOUND).into_iter().find(divides)
}

/// The primes below `bound`, by the sieve of Eratosthenes.
fn small_primes(bound: u32) -> Vec<u32> {
    let mut composite = vec![false; bound as usize];
    let mut primes = Vec::new();
    for candidate in 2..bound {
        if composite[candidate as usize] {
            continue;
        }
        primes.push(candidate);
        for multiple in
            (u64::from(candidate) * u64::from(candidate)..u64::from(bound)).step_by(candidate as usize)
        {
            composite[multiple as usize] = true;
        }
    }
    primes
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_math::Block;

    #[test]
    fn small_primes_are_counted() {
        let primes = small_primes(1 << 16);
        assert_eq!((primes.len(), primes[0], primes[6541]), (6542, 2, 65521));
    }

    #[test]
    fn primes_have_their_size_and_form() {
        let mut prg = Prg::new(Block(5));
        for bits in [64, 100, 256] {
            let prime = prime(bits, &mut prg, |candidate| candidate.as_words()[0] & 3 == 3);
            assert!(passes(&prime) && prime.bits() == bits && prime.as_words()[0] & 3 == 3);
            assert!(bool::from(prime.bit(bits - 2)));
        }
    }

    /// 6000 draws below 3, where rejection and reduction alike give each number 2000 times, with a deviation of 37.
    #[test]
    fn reduced_numbers_are_below_the_bound_and_even() {
        let mut prg = Prg::new(Block(8));
        let three = NonZero::new(BoxedUint::from(3u64)).unwrap();
        let mut counts = [0; 3];
        (0..6000).for_each(|_| counts[reduced(&three, &mut prg).as_words()[0] as usize] += 1);
        assert!(counts.iter().all(|count| (1800..2200).contains(count)), "{counts:?}");
        let wide = NonZero::new(BoxedUint::from_words([5, 0, 1 << 31])).unwrap();
        let drawn: Vec<_> = (0..64).map(|_| reduced(&wide, &mut prg)).collect();
        assert!(drawn.iter().all(|number| *number < *wide.as_ref()));
        assert!(drawn.iter().any(|number| number.bits() > 158));
    }

    #[test]
    fn jacobi_symbols_are_eulers() {
        for prime in [3u64, 5, 7, 11, 13, 1_000_003] {
            for number in 0..40u64 {
                let power = (0..(prime - 1) / 2).fold(1, |power, _| power * (number % prime) % prime);
                let expected = if power == prime - 1 { -1 } else { power as i8 };
                assert_eq!(
                    jacobi(&BoxedUint::from(number), &BoxedUint::from(prime)),
                    expected,
                    "{number} {prime}"
                );
            }
        }
        assert_eq!(jacobi(&BoxedUint::from(2u64), &BoxedUint::from(15u64)), 1);
        assert_eq!(jacobi(&BoxedUint::from(6u64), &BoxedUint::from(15u64)), 0);
    }

    #[test]
    fn primes_above_a_divisor_have_an_odd_quotient() {
        let divisor = NonZero::new(BoxedUint::from(0xfff1_0000u64)).unwrap();
        let prime = prime_above(&divisor, 128, &mut Prg::new(Block(2)));
        let less = prime.wrapping_sub(BoxedUint::one_with_precision(128));
        assert_eq!((prime.bits(), less.trailing_zeros()), (128, 16));
        assert!(passes(&prime) && bool::from(less.rem(&divisor).is_zero()));
    }

    #[test]
    fn small_factors_are_found() {
        assert_eq!(small_factor(&BoxedUint::from(65_521u64 * 1_000_003)), Some(65_521));
        assert_eq!(small_factor(&BoxedUint::from(1_000_003u64 * 1_000_033)), None);
        assert_eq!(small_factor(&BoxedUint::from(12u64)), Some(2));
    }
}
