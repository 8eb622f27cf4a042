//! The number-theoretic transform modulo primes of up to 50 bits: products in `Z_q[x] / (x^n + 1)`.
//!
//! A transform maps a polynomial's n coefficients, n a power of two, to its values at the odd powers of a
//! 2n-th root of unity ψ, in bit-reversed order, where products of polynomials are products of values. All
//! inputs and outputs are below q. Everything is constant time in them.
//!
//! Source: Harvey, “Faster arithmetic for number-theoretic transforms” (J. Symb. Comp. 60, 2014), for lazily
//! reduced numbers, with Shoup's quotients of 52 bits, which AVX-512 IFMA multiplies eight at a time.

mod portable;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod simd;

use scalar::Scalar;

/// Bits of the largest modulus.
pub const MAX_MODULUS_BITS: u32 = 50;

/// Transforms of one degree modulo one prime.
#[derive(Clone)]
pub struct Ntt {
    modulus: Scalar,
    /// Powers of ψ in bit-reversed order, each with its quotient.
    roots: Roots,
    /// Powers of `1 / ψ`, likewise.
    inverse: Roots,
    /// `1 / n` with its quotient.
    scale: [u64; 2],
}

/// Factors and their Shoup quotients, `floor(factor · 2^52 / q)`.
#[derive(Clone)]
struct Roots {
    factors: Vec<u64>,
    quotients: Vec<u64>,
}

/// Runs the kernel on the widest registers that the processor has.
macro_rules! dispatch {
    ($kernel:ident($($argument:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        if simd::available() {
            return simd::$kernel($($argument),*);
        }
        portable::$kernel($($argument),*)
    }};
}

impl core::fmt::Debug for Ntt {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "Ntt(modulo {}, degree {})", self.modulus.q, self.degree())
    }
}

impl Ntt {
    /// Transforms of polynomials with `degree` coefficients, a power of two from 16 to 2^17. None unless the
    /// modulus has at most 50 bits, is 1 modulo `2 · degree`, and has an element of that order. If the
    /// modulus is not prime, the resulting ring may have no transform.
    pub fn new(modulus: u64, degree: usize) -> Option<Ntt> {
        let sized = degree.is_power_of_two() && (16..=1 << 17).contains(&degree);
        let order = 2 * degree as u64;
        if !sized || modulus >> MAX_MODULUS_BITS != 0 || modulus < order || modulus % order != 1 {
            return None;
        }
        let modulus = Scalar::new(modulus);
        let root = (2..1000)
            .map(|x| modulus.power(x, (modulus.q - 1) / order))
            .find(|root| modulus.power(*root, order / 2) == modulus.q - 1)?;
        let inverse = modulus.power(root, order - 1);
        let one_half = modulus.q.div_ceil(2);
        let scale = modulus.power(one_half, u64::from(degree.trailing_zeros()));
        Some(Ntt {
            modulus,
            roots: Roots::powers(&modulus, root, degree),
            inverse: Roots::powers(&modulus, inverse, degree),
            scale: [scale, modulus.quotient(scale)],
        })
    }

    /// q.
    pub fn modulus(&self) -> u64 {
        self.modulus.q
    }

    /// The number of coefficients of polynomials.
    pub fn degree(&self) -> usize {
        self.roots.factors.len()
    }

    /// A number of 64 bits modulo q.
    #[inline]
    pub fn reduce(&self, number: u64) -> u64 {
        self.modulus.reduce(number)
    }

    /// A signed number modulo q, without a branch on the sign.
    #[inline]
    pub fn reduce_signed(&self, number: i64) -> u64 {
        let shifted = self.modulus.reduce(number as u64 ^ 1 << 63);
        self.modulus.subtract(shifted, self.modulus.two_to_63)
    }

    /// A signed number between -q and q, exclusively, modulo q: faster, and also without a branch.
    #[inline]
    pub fn lift(&self, number: i64) -> u64 {
        debug_assert!(number.unsigned_abs() < self.modulus.q);
        (number as u64).wrapping_add(self.modulus.q & (number >> 63) as u64)
    }

    /// A product of numbers below q.
    #[inline]
    pub fn product(&self, a: u64, b: u64) -> u64 {
        self.modulus.multiply(a, b)
    }

    /// The sum of numbers below q.
    #[inline]
    pub fn sum(&self, a: u64, b: u64) -> u64 {
        self.modulus.once(a + b)
    }

    /// The difference of numbers below q.
    #[inline]
    pub fn difference(&self, a: u64, b: u64) -> u64 {
        self.modulus.subtract(a, b)
    }

    /// The inverse of a public number; zero has none, and gives zero.
    pub fn invert(&self, number: u64) -> u64 {
        self.modulus.power(number, self.modulus.q - 2)
    }

    /// Transforms coefficients to values.
    ///
    /// Cost: `n/2 · log n` butterflies.
    ///
    /// # Panics
    /// If there are not n coefficients.
    pub fn forward(&self, values: &mut [u64]) {
        self.check(values);
        dispatch!(forward(self, values));
    }

    /// Transforms values to coefficients.
    ///
    /// # Panics
    /// If there are not n values.
    pub fn inverse(&self, values: &mut [u64]) {
        self.check(values);
        dispatch!(inverse(self, values));
    }

    /// Multiplies values at the same indices.
    ///
    /// # Panics
    /// If the slices don't have n values.
    pub fn multiply(&self, values: &mut [u64], factors: &[u64]) {
        self.check(values);
        self.check(factors);
        dispatch!(multiply(self, values, factors));
    }

    /// Adds products of values at the same indices to sums.
    ///
    /// # Panics
    /// If the slices don't have n values.
    pub fn multiply_add(&self, sums: &mut [u64], values: &[u64], factors: &[u64]) {
        self.check(sums);
        self.check(values);
        self.check(factors);
        dispatch!(multiply_add(self, sums, values, factors));
    }

    /// Adds values at the same indices.
    ///
    /// # Panics
    /// If the slices don't have n values.
    pub fn add(&self, values: &mut [u64], others: &[u64]) {
        self.check(values);
        self.check(others);
        for (value, other) in values.iter_mut().zip(others) {
            *value = self.sum(*value, *other);
        }
    }

    /// Subtracts values at the same indices.
    ///
    /// # Panics
    /// If the slices don't have n values.
    pub fn subtract(&self, values: &mut [u64], others: &[u64]) {
        self.check(values);
        self.check(others);
        for (value, other) in values.iter_mut().zip(others) {
            *value = self.difference(*value, *other);
        }
    }

    fn check(&self, values: &[u64]) {
        assert_eq!(values.len(), self.degree(), "a polynomial has as many coefficients as the ring's degree");
    }
}

impl Roots {
    /// Powers of a root in bit-reversed order.
    fn powers(modulus: &Scalar, root: u64, degree: usize) -> Roots {
        let bits = degree.trailing_zeros();
        let mut factors = vec![0; degree];
        let mut power = 1;
        for i in 0..degree {
            factors[i.reverse_bits() >> (usize::BITS - bits)] = power;
            power = modulus.multiply(power, root);
        }
        let quotients = factors.iter().map(|factor| modulus.quotient(*factor)).collect();
        Roots { factors, quotients }
    }
}

/// The largest primes of at most `bits` bits that are 1 modulo `2 · degree`, in falling order.
pub fn primes(bits: u32, degree: usize) -> impl Iterator<Item = u64> {
    let step = 2 * degree as u64;
    let highest = ((1u64 << bits) - 2) / step * step + 1;
    (0..)
        .map_while(move |i: u64| highest.checked_sub(i.checked_mul(step)?))
        .take_while(|p| *p > 1)
        .filter(|p| is_prime(*p))
}

/// The test of Miller and Rabin with bases that decide for all numbers of 64 bits (Sinclair, 2011).
pub fn is_prime(number: u64) -> bool {
    if number < 4 || number.is_multiple_of(2) {
        return number == 2 || number == 3;
    }
    let multiply = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(number)) as u64;
    let power = |base: u64, mut exponent: u64| {
        let (mut square, mut result) = (base % number, 1);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = multiply(result, square);
            }
            square = multiply(square, square);
            exponent >>= 1;
        }
        result
    };
    let twos = (number - 1).trailing_zeros();
    [2, 325, 9375, 28_178, 450_775, 9_780_504, 1_795_265_022].iter().filter(|base| *base % number != 0).all(
        |base| {
            let mut x = power(*base, (number - 1) >> twos);
            if x == 1 || x == number - 1 {
                return true;
            }
            (1..twos).any(|_| {
                x = multiply(x, x);
                x == number - 1
            })
        },
    )
}

#[cfg(test)]
mod tests;
