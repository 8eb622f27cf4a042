//! The noise arithmetic.
//!
//! Write `[c0 + c1·s]_q = q·m/t + v` over the reals, coefficient by coefficient; v is the noise. All bounds here hold for every
//! choice of randomness, so that a ciphertext whose bound is below the limit always decrypts.
//!
//! With errors of at most B = 21 in size, a ternary secret s and a ternary u:
//!
//! | what | bound on the size of a coefficient of the noise |
//! |---|---|
//! | `round(q·m/t)` instead of `q·m/t` | 1/2 |
//! | encryption with the secret key, `(-a·s + e + round(q·m/t), a)` | B + 1/2 |
//! | zero by the public key, `(p0·u + e1, p1·u + e2)`: `e·u + e1 + e2·s` | B·(2n + 1) |
//! | sum | sum of the bounds |
//! | product with a plain polynomial w: `w·v`, since `q·(w·m)/t` wraps modulo q with `w·m` modulo t | ‖w‖₁ times the bound |
//! | flooding of a bound V: uniform from -2^b to 2^b - 1 with `2^(b+1) ≥ 2^40·n·V` | 2^b more |
//! | switching to a modulus q' | q'/q times the bound, and `(n + 1)/2` a prime dropped, for `(1 + ‖s‖₁)/2` |
//!
//! Decryption rounds `t/q·[c0 + c1·s]_q`, which is m modulo t as long as `|v| < q/(2t)`; it computes with 192 bits
//! after the point. The limit here is smaller by a factor of `1 - 2^-40`, which more than covers the error of those bits.
//!
//! Flooding: two uniform distributions on `2^(b+1)` numbers, shifted by at most V against each other, have a statistical distance of
//! at most `V/2^(b+1)`; over n coefficients, at most `2^-40`.
//!
//! Bounds are floating-point numbers, rounded up where they are computed.

use crate::HeError;

/// The largest error: errors are sums of 21 differences of bits.
pub(super) const ERROR: u32 = 21;

/// Bits of the statistical distance between replies and a distribution that only depends on the result.
pub(super) const STATISTICAL_BITS: u32 = 40;

/// A factor that covers the rounding of one floating-point operation.
const UP: f64 = 1.0 + 1.0 / (1u64 << 50) as f64;

/// The operations on ciphertexts before a reply: each is multiplied by a plain polynomial of `terms` coefficients of
/// `factor_bits` bits, sign included, and `sums` products are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Coefficients of a factor that may be other than zero.
    pub terms: usize,
    /// Bits of such a coefficient as a signed number: w is from `-2^(factor_bits-1)` to `2^(factor_bits-1)`.
    pub factor_bits: u32,
    /// Products in a sum.
    pub sums: usize,
}

impl Use {
    /// Ciphertexts are only shifted and added.
    pub fn sums(sums: usize) -> Use {
        Use { terms: 1, factor_bits: 1, sums }
    }

    /// The bound before the reply, for ciphertexts encrypted by the key's owner and one plain summand.
    pub(super) fn noise(&self) -> f64 {
        (fresh() * norm(self.terms, self.factor_bits) * self.sums as f64 + 0.5) * UP
    }
}

/// The bound of an encryption with the secret key.
pub(super) fn fresh() -> f64 {
    f64::from(ERROR) + 0.5
}

/// The bound of a zero by the public key.
pub(super) fn zero(degree: usize) -> f64 {
    f64::from(ERROR) * (2 * degree + 1) as f64
}

/// The largest ‖w‖₁ of a polynomial.
pub(super) fn norm(terms: usize, bits: u32) -> f64 {
    terms as f64 * f64::from(bits.saturating_sub(1)).exp2()
}

pub(super) fn sum(a: f64, b: f64) -> f64 {
    (a + b) * UP
}

pub(super) fn product(a: f64, b: f64) -> f64 {
    a * b * UP
}

/// b: bits of the flood for a bound.
pub(super) fn flood_bits(noise: f64, degree: usize) -> u32 {
    let least = (noise * degree as f64 * UP).log2().ceil().max(0.0) as u32;
    // One more where the logarithm was rounded down.
    let exact = if f64::from(least).exp2() < noise * degree as f64 { least + 1 } else { least };
    exact + STATISTICAL_BITS - 1
}

/// The bound of a ciphertext after a zero was added and it was flooded.
pub(super) fn flooded(noise: f64, degree: usize) -> f64 {
    let inner = sum(noise, zero(degree));
    sum(inner, f64::from(flood_bits(inner, degree)).exp2())
}

/// What dropping all but a few primes adds.
pub(super) fn rounding(degree: usize) -> f64 {
    // Each dropped prime adds half of n + 1. Dropping the next prime divides what was added before by that prime.
    (degree + 1) as f64 / 2.0 * (1.0 + 1.0 / 1024.0)
}

/// The largest noise that decrypts modulo q, exclusively; `plain` is t.
pub(super) fn limit(modulus: f64, plain: f64) -> f64 {
    modulus / (2.0 * plain) * (1.0 - (-40f64).exp2())
}

/// The bound, if it is below the limit.
pub(super) fn check(noise: f64, limit: f64) -> Result<f64, HeError> {
    if noise < limit {
        return Ok(noise);
    }
    Err(HeError::Noise {
        noise_bits: noise.log2().ceil() as u32,
        limit_bits: limit.log2().floor().max(0.0) as u32,
    })
}

/// The bound of the reply to a ciphertext with the bound `noise`, after switching from a modulus of `whole` to one of `kept`.
/// `more` is added between the flood and the switch.
///
/// # Errors
/// [`HeError::Noise`] if it would not decrypt.
pub(super) fn reply(
    noise: f64,
    more: f64,
    (degree, plain): (usize, f64),
    [kept, whole]: [f64; 2],
) -> Result<f64, HeError> {
    let full = check(sum(flooded(noise, degree), more), limit(whole, plain))?;
    let dropped = if kept == whole { 0.0 } else { rounding(degree) };
    check(sum(product(full, kept / whole), dropped), limit(kept, plain))
}

/// How many primes of a modulus a reply keeps: the fewest first ones whose product leaves room for the rounding, or else all of them.
pub(super) fn reply_primes(
    (degree, plain): (usize, f64),
    sizes: impl ExactSizeIterator<Item = f64>,
) -> usize {
    let all = sizes.len();
    let enough = |size: f64| rounding(degree) <= size / 8.0 / plain;
    sizes.into_iter().position(enough).map_or(all, |index| index + 1)
}

/// Bits that a reply adds to the noise, for messages.
pub(super) fn reply_overhead_bits(degree: usize) -> f64 {
    f64::from(STATISTICAL_BITS) + (degree as f64).log2()
}
