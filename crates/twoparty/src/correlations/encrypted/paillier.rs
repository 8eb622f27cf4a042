//! Triples by Paillier's cryptosystem: many masked sums are returned in one ciphertext.

use tacit_crypto::Prg;
use tacit_he::paillier::{Ciphertext, ModulusSize, PublicKey, SecretKey};
use tacit_he::{Natural, PublicKey as _, SecretKey as _, Slots, Threads};
use zeroize::Zeroizing;

use super::{Masked, TripleScheme, low_bits};
use crate::ShareError;

/// Statistical security of masks, in bits.
pub(crate) const STATISTICAL_BITS: u32 = 40;

/// Packed ciphertexts that are processed at a time.
pub(crate) const TOGETHER: usize = 8;

/// Triples by Paillier's cryptosystem.
///
/// Source: as the module; packing by Sadeghi, Schneider and Wehrenberg (ICISC'09).
/// Security: a sum of two products has 2·bits + 1 bits, its mask 40 more; so each sum that the key's owner sees is within 2^-40 of uniform. The
/// randomness of replies is within 2^-73 of uniform in its group.
/// Cost: a ciphertext for every ⌊plaintext bits / (2·bits + 42)⌋ triples from the first party.
pub struct PaillierTriples {
    bits: u32,
    slots: Slots,
}

impl TripleScheme for PaillierTriples {
    type Secret = SecretKey;

    fn of(size: &ModulusSize, bits: u32) -> Result<PaillierTriples, ShareError> {
        let slots = Slots::new(size.bits() - 1, 2 * bits + 1, STATISTICAL_BITS)?;
        Ok(PaillierTriples { bits, slots })
    }

    fn window(&self) -> usize {
        TOGETHER * self.slots.count()
    }

    fn replies(&self, count: usize) -> usize {
        count.div_ceil(self.slots.count())
    }

    fn mask(
        &self,
        key: &PublicKey,
        sums: Vec<Ciphertext>,
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Masked<Self>, ShareError> {
        let mut masks = Zeroizing::new(Vec::with_capacity(sums.len()));
        let mut fresh = key.hiding_randomness_all(self.replies(sums.len()), threads, prg).into_iter();
        let mut replies = Vec::new();
        for (packed, used) in self.packed(key, &sums, threads)? {
            let (numbers, joined) = self.slots.masks(used, prg)?;
            masks.extend(numbers.iter().map(|number| low_bits(number, self.bits)));
            let randomness = fresh.next().ok_or(ShareError::Missing { what: "randomness of replies" })?;
            replies.push(key.add(&packed, &key.encrypt_with(&joined, randomness)?)?);
        }
        Ok((replies, masks))
    }

    fn open(
        &self,
        key: &SecretKey,
        replies: &[Ciphertext],
        count: usize,
        threads: Threads,
    ) -> Result<Zeroizing<Vec<u128>>, ShareError> {
        let mut sums = Zeroizing::new(Vec::with_capacity(count));
        for plain in key.decrypt_all(replies, threads)? {
            let used = self.slots.count().min(count - sums.len());
            let values: Vec<Natural> = self.slots.unpack(&plain, used)?;
            sums.extend(values.iter().map(|value| low_bits(value, self.bits)));
        }
        Ok(sums)
    }
}

impl PaillierTriples {
    /// Packs numbers into ciphertexts, as many to each as it has slots; by Horner's rule, for all packed ciphertexts at once.
    fn packed(
        &self,
        key: &PublicKey,
        sums: &[Ciphertext],
        threads: Threads,
    ) -> Result<Vec<(Ciphertext, usize)>, ShareError> {
        let each = self.slots.count();
        let groups: Vec<&[Ciphertext]> = sums.chunks(each).collect();
        let last = |group: &&[Ciphertext]| group.last().cloned();
        let mut packed: Vec<Ciphertext> = groups.iter().filter_map(last).collect();
        for place in (0..each.min(sums.len()) - 1).rev() {
            // A group that is not full begins later.
            let begun = groups.iter().take_while(|group| place + 1 < group.len()).count();
            let shifted = key.shift_all(&packed[..begun], self.slots.slot_bits(), threads)?;
            let next: Vec<Ciphertext> = groups[..begun].iter().map(|group| group[place].clone()).collect();
            packed.splice(..begun, key.add_all(&shifted, &next, threads)?);
        }
        Ok(packed.into_iter().zip(groups.iter().map(|group| group.len())).collect())
    }
}
