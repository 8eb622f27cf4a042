//! Several numbers in one plaintext.

use tacit_crypto::Prg;

use crate::scheme::check_count;
use crate::{HeError, Natural, ParameterFault, PublicKey};

/// How numbers of `value_bits` bits share an integer plaintext: slot i is worth `2^(i · slot_bits)`.
///
/// Each slot has room for a value, a mask that hides it statistically, and the carry of their sum:
/// `slot_bits = value_bits + statistical_bits + 1`. So a peer may add [`Slots::masks`] to a packed ciphertext and let the
/// key's owner decrypt: no slot overflows into the next, and the statistical distance of what the owner sees from uniform masks
/// is at most `2^-statistical_bits` per slot. `value_bits` must hold every value computed in a slot, not only inputs.
///
/// Source: Sadeghi, Schneider and Wehrenberg, “Efficient privacy-preserving face recognition” (ICISC'09), section 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    value_bits: u32,
    slot_bits: u32,
    count: u32,
}

impl Slots {
    /// Slots in a plaintext space of all numbers of `plain_bits` bits.
    ///
    /// # Errors
    /// [`ParameterFault::Slots`] if not even one fits.
    pub fn new(plain_bits: u32, value_bits: u32, statistical_bits: u32) -> Result<Slots, HeError> {
        let slot_bits = value_bits.saturating_add(statistical_bits).saturating_add(1);
        let count = plain_bits / slot_bits;
        if count == 0 || value_bits == 0 {
            return Err(ParameterFault::Slots { slot_bits, plain_bits }.into());
        }
        Ok(Slots { value_bits, slot_bits, count })
    }

    /// How many numbers one plaintext holds.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// Bits of a slot.
    pub fn slot_bits(&self) -> u32 {
        self.slot_bits
    }

    /// The plaintext of up to [`Slots::count`] values; further slots are zero.
    ///
    /// # Errors
    /// [`HeError::Range`] for a value of more than `value_bits` bits, [`HeError::Count`] for too many.
    pub fn pack(&self, values: &[Natural]) -> Result<Natural, HeError> {
        if values.iter().any(|value| !value.fits(self.value_bits)) {
            return Err(HeError::Range { what: "a value of a slot" });
        }
        self.join(values)
    }

    fn join(&self, values: &[Natural]) -> Result<Natural, HeError> {
        if values.len() > self.count() {
            return Err(HeError::Count { what: "values", given: values.len(), expected: self.count() });
        }
        let mut plain = Natural::zero(self.slot_bits * values.len() as u32);
        for (i, value) in values.iter().enumerate() {
            plain.insert(value, i as u32 * self.slot_bits);
        }
        Ok(plain)
    }

    /// The first `used` slots of a plaintext, each whole: a value, with its mask if one was added.
    ///
    /// # Errors
    /// [`HeError::Range`] if the plaintext reaches beyond these slots; [`HeError::Count`] for more slots than there are.
    pub fn unpack(&self, plain: &Natural, used: usize) -> Result<Vec<Natural>, HeError> {
        if used > self.count() {
            return Err(HeError::Count { what: "slots", given: used, expected: self.count() });
        }
        if !plain.fits(self.slot_bits * used as u32) {
            return Err(HeError::Range { what: "a packed plaintext" });
        }
        Ok((0..used as u32).map(|i| plain.slice(i * self.slot_bits, self.slot_bits)).collect())
    }

    /// Masks for the first `used` slots, each uniform in `value_bits + statistical_bits` bits, and their plaintext.
    ///
    /// # Errors
    /// [`HeError::Count`] for more slots than there are.
    pub fn masks(&self, used: usize, prg: &mut Prg) -> Result<(Vec<Natural>, Natural), HeError> {
        let masks: Vec<Natural> = (0..used).map(|_| Natural::random(self.slot_bits - 1, prg)).collect();
        let plain = self.join(&masks)?;
        Ok((masks, plain))
    }

    /// A ciphertext of all plaintexts, one per slot, by Horner's rule. The plaintexts must fit into slots.
    ///
    /// Cost: a multiplication by `2^slot_bits` and an addition for each ciphertext after the first.
    ///
    /// # Errors
    /// [`HeError::Count`] for none or too many ciphertexts, and the errors of the scheme.
    pub fn gather<K: PublicKey<Factor = Natural>>(
        &self,
        key: &K,
        ciphertexts: &[K::Ciphertext],
    ) -> Result<K::Ciphertext, HeError> {
        let (last, others) = ciphertexts.split_last().ok_or(HeError::Count {
            what: "ciphertexts",
            given: 0,
            expected: self.count(),
        })?;
        if ciphertexts.len() > self.count() {
            check_count("ciphertexts", ciphertexts.len(), self.count())?;
        }
        let mut step = Natural::zero(self.slot_bits + 1);
        step.insert(&Natural::from(1u64), self.slot_bits);
        others.iter().rev().try_fold(last.clone(), |sum, next| key.add(&key.multiply(&sum, &step)?, next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_math::Block;

    #[test]
    fn slots_hold_value_mask_and_carry() {
        let slots = Slots::new(2047, 64, 40).unwrap();
        assert_eq!((slots.slot_bits(), slots.count()), (105, 19));
        let values: Vec<Natural> = (0..19u64).map(|i| Natural::from(u64::MAX - i)).collect();
        let packed = slots.pack(&values).unwrap();
        let back: Vec<_> = slots.unpack(&packed, 19).unwrap().iter().map(Natural::to_u64).collect();
        assert_eq!(back, values.iter().map(Natural::to_u64).collect::<Vec<_>>());
        let (masks, joined) = slots.masks(19, &mut Prg::new(Block(1))).unwrap();
        assert!(masks.iter().all(|mask| mask.fits(104)));
        assert_eq!(
            slots.unpack(&joined, 19).unwrap().iter().map(Natural::to_u128).collect::<Vec<_>>(),
            masks.iter().map(Natural::to_u128).collect::<Vec<_>>()
        );
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(
            Slots::new(100, 64, 40),
            Err(HeError::Parameters(ParameterFault::Slots { slot_bits: 105, plain_bits: 100 }))
        );
        let slots = Slots::new(100, 8, 40).unwrap();
        assert_eq!(slots.pack(&[Natural::from(256u64)]), Err(HeError::Range { what: "a value of a slot" }));
        let three = [1u64, 2, 3].map(Natural::from);
        assert!(matches!(slots.pack(&three), Err(HeError::Count { given: 3, expected: 2, .. })));
        let packed = slots.pack(&three[..2]).unwrap();
        assert!(matches!(slots.unpack(&packed, 1), Err(HeError::Range { .. })));
        assert!(matches!(slots.unpack(&packed, 3), Err(HeError::Count { .. })));
    }
}
