//! The arithmetic of a key's owner modulo one of the primes.

use std::sync::OnceLock;

use crypto_bigint::{BoxedUint, ConcatenatingMul, CtEq};
use zeroize::{Zeroize, Zeroizing};

use crate::HeError;
use crate::modular::{Eights, FixedBase, Modulus, Residue, told};

/// Bits of a digit of exponents in the owner's tables, whose residues are half as long as those of the public tables.
const WINDOW: u32 = 6;

/// The prime modulo which both halves of an owner's encryption are also computed, as a check.
pub(super) const CHECK: u64 = 0xffff_ffff_ffff_ffc5;

/// The values with which a key's owner computes modulo one prime p.
pub(super) struct Half {
    pub(super) prime: Modulus,
    /// p².
    pub(super) square: Modulus,
    /// p - 1.
    pub(super) order: BoxedUint,
    /// Its bits, which are the same for all keys of one size.
    order_bits: u32,
    /// `1 / p` modulo 2^(bits of storage).
    pub(super) inverse: BoxedUint,
    /// `1 / L(g^(p-1) mod p²)` modulo p, which for `g = 1 + n` is `-1 / q`.
    factor: Residue,
    /// `p² · CHECK`.
    pub(super) checked: Modulus,
    pub(super) table: OnceLock<FixedBase>,
    /// Arithmetic modulo p² for batches.
    eights: OnceLock<Option<Eights>>,
}

impl Half {
    pub(super) fn new(prime: &BoxedUint, other: &BoxedUint) -> Option<Half> {
        let modulus = Modulus::new(prime)?;
        let wide = prime.concatenating_mul(prime);
        let square = Modulus::new(&wide)?;
        let checked = Modulus::new(&wide.concatenating_mul(BoxedUint::from(CHECK)))?;
        let minus_other =
            modulus.subtract(&BoxedUint::zero_with_precision(modulus.precision()), &modulus.reduce(other));
        let factor = modulus.inverse(&minus_other)?;
        let order = modulus.value().wrapping_sub(BoxedUint::one_with_precision(modulus.precision()));
        let (inverse, odd) = modulus.value().invert_mod2k(modulus.precision());
        bool::from(odd).then_some(())?;
        Some(Half {
            prime: modulus,
            square,
            order_bits: order.bits(),
            order,
            inverse,
            factor,
            checked,
            table: OnceLock::new(),
            eights: OnceLock::new(),
        })
    }

    /// The plaintext modulo p, by `L(c^(p-1) mod p²) · factor` with `L(x) = (x - 1) / p`.
    pub(super) fn decrypt(&self, ciphertext: &BoxedUint) -> Result<Zeroizing<BoxedUint>, HeError> {
        let base = self.square.residue(ciphertext);
        let mut power = self.square.power(&base, &self.order, self.order_bits);
        let number = Zeroizing::new(power.retrieve());
        power.zeroize();
        self.plain(&number)
    }

    /// [`Half::decrypt`] for up to eight.
    pub(super) fn decrypt_eight(
        &self,
        eights: &Eights,
        ciphertexts: &[BoxedUint],
    ) -> Result<Vec<Zeroizing<BoxedUint>>, HeError> {
        let bases: Vec<_> =
            ciphertexts.iter().map(|ciphertext| Zeroizing::new(self.square.reduce(ciphertext))).collect();
        let exponents = vec![&self.order; bases.len()];
        let powers = eights.powers(&bases, &exponents, self.order_bits);
        powers.iter().map(|power| self.plain(power)).collect()
    }

    /// The memory of the secrets from which all others are computed.
    pub(super) fn memory(&self) -> Vec<&[u64]> {
        let mut memory =
            vec![self.order.as_words(), self.inverse.as_words(), self.factor.as_montgomery().as_words()];
        memory.extend([&self.prime, &self.square, &self.checked].map(Modulus::memory));
        memory
    }

    pub(super) fn eights(&self) -> Option<&Eights> {
        self.eights.get_or_init(|| Eights::new(&self.square)).as_ref()
    }

    /// The plaintext modulo p from `c^(p-1) mod p²`.
    fn plain(&self, power: &BoxedUint) -> Result<Zeroizing<BoxedUint>, HeError> {
        let one = BoxedUint::one_with_precision(self.square.precision());
        let numerator = Zeroizing::new(power.wrapping_sub(one));
        // The division is exact, by Fermat's theorem, so the low half of the quotient is all of it; the product checks this.
        let low = numerator.as_words()[..self.inverse.nlimbs()].iter().copied();
        let quotient = Zeroizing::new(BoxedUint::from_words(low).wrapping_mul(&self.inverse));
        let exact = Zeroizing::new(quotient.concatenating_mul(self.prime.value()));
        if !told(exact.ct_eq(&*numerator).to_bool()) {
            return Err(HeError::Fault);
        }
        let mut plain = self.prime.residue(&quotient).mul(&self.factor);
        let result = Zeroizing::new(plain.retrieve());
        plain.zeroize();
        Ok(result)
    }

    /// `base^exponent` modulo p² times the check's prime, for the key's only base.
    pub(super) fn power(&self, base: &Residue, bits: u32, exponent: &BoxedUint) -> Zeroizing<BoxedUint> {
        let table = self.table.get_or_init(|| {
            FixedBase::new(&self.checked, &self.checked.residue(&base.retrieve()), bits, WINDOW)
        });
        let mut power = table.power(exponent);
        let result = Zeroizing::new(power.retrieve());
        power.zeroize();
        result
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        self.order.zeroize();
        self.inverse.zeroize();
        self.factor.zeroize();
    }
}
