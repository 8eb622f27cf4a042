//! Arithmetic on one number.

/// The lowest 52 bits.
pub(super) const MASK: u64 = (1 << 52) - 1;

/// An odd modulus of at most 50 bits, with precomputed values.
#[derive(Clone, Copy)]
pub(super) struct Scalar {
    pub q: u64,
    /// `1 / q` modulo 2^52.
    pub inverse: u64,
    /// `2^104` modulo q.
    pub square: u64,
    /// `floor(2^64 / q)`.
    barrett: u64,
    /// `2^63` modulo q.
    pub two_to_63: u64,
}

impl Scalar {
    pub fn new(q: u64) -> Scalar {
        let mut inverse = q;
        // Newton's iteration doubles the number of correct bits, which is 3 at first.
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(q.wrapping_mul(inverse)));
        }
        let wide = u128::from(q);
        Scalar {
            q,
            inverse: inverse & MASK,
            square: ((1u128 << 104) % wide) as u64,
            barrett: ((1u128 << 64) / wide) as u64,
            two_to_63: ((1u128 << 63) % wide) as u64,
        }
    }

    /// `floor(factor · 2^52 / q)` for a public factor.
    pub fn quotient(&self, factor: u64) -> u64 {
        ((u128::from(factor) << 52) / u128::from(self.q)) as u64
    }

    /// A number below 2q, reduced.
    #[inline(always)]
    pub fn once(&self, x: u64) -> u64 {
        below(x, self.q)
    }

    #[inline(always)]
    pub fn subtract(&self, a: u64, b: u64) -> u64 {
        self.once(a + self.q - b)
    }

    #[inline(always)]
    pub fn reduce(&self, x: u64) -> u64 {
        let quotient = ((u128::from(x) * u128::from(self.barrett)) >> 64) as u64;
        self.once(x.wrapping_sub(quotient.wrapping_mul(self.q)))
    }

    /// `a · b / 2^52`, below 2q; both are below 2^52, and one below q.
    #[inline(always)]
    pub fn montgomery(&self, a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        let factor = (product as u64 & MASK).wrapping_mul(self.inverse) & MASK;
        let high = ((u128::from(factor) * u128::from(self.q)) >> 52) as u64;
        (product >> 52) as u64 + self.q - high
    }

    /// The product of two numbers below q.
    #[inline(always)]
    pub fn multiply(&self, a: u64, b: u64) -> u64 {
        self.once(self.montgomery(self.montgomery(a, b), self.square))
    }

    /// `x · factor` below 2q, for x below 2^52, with the factor's quotient (Shoup).
    #[inline(always)]
    pub fn shoup(&self, x: u64, factor: u64, quotient: u64) -> u64 {
        let estimate = ((u128::from(x) * u128::from(quotient)) >> 52) as u64;
        x.wrapping_mul(factor).wrapping_sub(estimate.wrapping_mul(self.q)) & MASK
    }

    /// A power of a public number.
    pub fn power(&self, base: u64, mut exponent: u64) -> u64 {
        let (mut square, mut power) = (self.reduce(base), 1);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = self.multiply(power, square);
            }
            square = self.multiply(square, square);
            exponent >>= 1;
        }
        power
    }
}

/// Subtracts `bound` if the number is not below it, for numbers below 2^63. No branch.
#[inline(always)]
pub(super) fn below(x: u64, bound: u64) -> u64 {
    x.min(x.wrapping_sub(bound))
}
