//! Randomness that nobody knows.

use tacit_math::field::Field;
use tacit_math::zeros;

use crate::error::RunError;
use crate::program::{Task, Value};
use crate::protocol::power::inverse_roots;
use crate::prss::Purpose;
use crate::randomness::Randomness;

/// Up to this many sets of parties, random bits are sums modulo 2 of bits that each set knows.
pub(crate) const FEW_SETS: usize = 4;

impl<F: Field> Task<F> {
    /// Uniform elements.
    ///
    /// Cost: with common keys no message; dealt, (n - t - 1) / (n - t) elements from each party for each element, in one
    /// round.
    ///
    /// Errors: the computation has ended.
    pub fn random(&self, length: usize) -> Result<Value<F>, RunError> {
        let first = self.draw(length);
        if self.scheme().randomness() == Randomness::Dealt {
            return self.dealt(length);
        }
        self.local(length, false, 0x72, &[], move |prss, _| {
            let mut shares = zeros(length);
            prss.random(Purpose::RANDOM, first, &mut shares);
            shares
        })
    }

    /// Uniform bits; those prepared by [`Task::prepare_bits`] are used first.
    ///
    /// Source: Cramer, Damgård and Ishai (TCC 2005) for bits that sets know; Damgård, Fitzi, Kiltz, Nielsen and Toft (TCC 2006), section 3.1, for
    /// signs of square roots, if there are many sets.
    /// Cost: no message in GF(2^8); with 3 parties 2 products in 2 rounds; with many sets of parties one product and one opening.
    ///
    /// Errors: the computation has ended.
    pub fn random_bits(&self, length: usize) -> Result<Value<F>, RunError> {
        match self.pooled_bits(length)? {
            Some(bits) => Ok(bits),
            None => self.new_random_bits(length),
        }
    }

    pub(super) fn new_random_bits(&self, length: usize) -> Result<Value<F>, RunError> {
        let many = self.scheme().randomness() == Randomness::Dealt || self.contributor_count()? > FEW_SETS;
        if many && self.is_large() {
            return self.random_signs(length);
        }
        let first = self.draw(length);
        let mut bits = self.contributions(first, (length, 0x62), move |prss, set| {
            let mut shares = zeros(length);
            prss.set_bits(set, Purpose::BIT, first, &mut shares);
            shares
        })?;
        while bits.len() > 1 {
            let pairs = bits.chunks(2).map(|pair| match pair {
                [a, b] => self.xor(a, b),
                rest => self.scale(&rest[0], self.field().one()),
            });
            bits = pairs.collect::<Result<_, _>>()?;
        }
        bits.pop().ok_or(RunError::Over)
    }

    /// Bits from the signs of roots of opened squares. The field is so large that none is zero, except with
    /// negligible probability.
    fn random_signs(&self, length: usize) -> Result<Value<F>, RunError> {
        let (a, field) = (self.random(length)?, self.field().clone());
        let square = self.open(&self.mul(&a, &a)?)?;
        self.local(length, false, 0x67, &[&a, &square], move |_, given| {
            let half = field.inverse(field.add(field.one(), field.one()));
            // The opened elements are squares if all parties follow the protocol.
            let inverses = inverse_roots(&field, given[1]);
            let bit = |(a, inverse): (&F::Element, &F::Element)| {
                field.mul(field.add(field.mul(*a, *inverse), field.one()), half)
            };
            given[0].iter().zip(&inverses).map(bit).collect()
        })
    }
}
