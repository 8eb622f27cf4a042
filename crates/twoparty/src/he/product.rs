//! Products of two encrypted words, in one round.
//!
//! | | holder | key's owner |
//! |---|---|---|
//! | 1 | draws r and s, packs and sends [x + r], [y + s] | decrypts, multiplies |
//! | 2 | | encrypts and sends [(x + r)(y + s)] |
//! | 3 | subtracts [x]·s + [y]·r + r·s | |
//!
//! For products of matrices, each entry is blinded once, and the owner sums up the terms of a result.
//!
//! Source: TASTY (CCS'10), §2.1 and §4.3.1; Kolesnikov, Sadeghi, Schneider, "Modular design of efficient secure function evaluation protocols"
//! (2010), §3.1. Differs: the integers x and y are as large as their bounds, and masks are longer by the statistical parameter, so that no
//! number wraps modulo n.
//! Security: semi-honest. The owner sees masked words, with fresh randomness, and the holder fresh encryptions.

use std::sync::Arc;

use tacit_he::paillier::{Ciphertext, PublicKey, SecretKey};
use tacit_he::{Natural, PublicKey as _, Threads};
use zeroize::Zeroizing;

use super::key::HeMaterial;
use super::lane::Lane;
use super::masked::masked;
use super::parameters::HeParameters;
use crate::error::{expect, found};
use crate::{End, ShareError};

/// Products of matrices, one after the other: `rows x inner` by `inner x columns`, row-major.
#[derive(Clone, Copy)]
pub(crate) struct Product<'a> {
    pub left: &'a [Lane],
    pub right: &'a [Lane],
    pub rows: usize,
    pub inner: usize,
    pub columns: usize,
    /// Width of the words.
    pub bits: u32,
    /// Bits of the encrypted numbers.
    pub factor_bits: u32,
}

/// Masks of all factors of a product.
pub(super) struct Blinding {
    left: Vec<Natural>,
    right: Vec<Natural>,
}

tacit_math::redacted!(Product<'_>, Blinding);

impl Product<'_> {
    /// Number of results.
    pub(super) fn results(&self) -> usize {
        self.left.len() / self.inner.max(1) * self.columns
    }

    /// Number of ciphertexts that the holder sends.
    pub(super) fn blinded(&self, parameters: &HeParameters) -> Result<usize, ShareError> {
        let factors = self.left.len() + self.right.len();
        Ok(factors.div_ceil(parameters.slots(self.factor_bits)?.count()))
    }

    /// The places of the factors of the terms of a result.
    fn terms(&self, result: usize) -> impl Iterator<Item = (usize, usize)> + use<'_> {
        let (row, column) = (result / self.columns, result % self.columns);
        let matrix = row / self.rows;
        (0..self.inner)
            .map(move |k| (row * self.inner + k, (matrix * self.inner + k) * self.columns + column))
    }

    /// Step 1: appends all masked factors, as many to a ciphertext as fit.
    pub(super) fn blind(
        &self,
        end: &mut End,
        material: &mut HeMaterial,
        key: &Arc<PublicKey>,
        replies: &mut Vec<Ciphertext>,
    ) -> Result<Blinding, ShareError> {
        let slots = material.parameters().slots(self.factor_bits)?;
        let factors: Vec<Lane> = self.left.iter().chain(self.right).cloned().collect();
        let mut left = Vec::with_capacity(factors.len());
        for (reply, masks) in masked(end, material, key, (&factors, self.bits), &slots)? {
            replies.push(reply);
            left.extend(masks);
        }
        let right = left.split_off(self.left.len());
        Ok(Blinding { left, right })
    }

    /// Step 2: appends an encryption of each result of the blinded factors.
    pub(super) fn answer(
        &self,
        end: &mut End,
        material: &mut HeMaterial,
        key: &SecretKey,
        plains: &mut impl Iterator<Item = Natural>,
        answers: &mut Vec<Ciphertext>,
    ) -> Result<(), ShareError> {
        use tacit_he::SecretKey as _;
        let slots = material.parameters().slots(self.factor_bits)?;
        let mut factors = Vec::with_capacity(self.left.len() + self.right.len());
        while factors.len() < self.left.len() + self.right.len() {
            let used = slots.count().min(self.left.len() + self.right.len() - factors.len());
            factors.extend(slots.unpack(&found("blinded factors", plains.next())?, used)?);
        }
        let (left, right) = factors.split_at(self.left.len());
        for result in 0..self.results() {
            let terms = self.terms(result).map(|(i, j)| (&left[i], &right[j]));
            let sum = Natural::sum_of_products(terms, self.sum_bits(slots.slot_bits()));
            let randomness = material.randomness(key, &mut end.own)?;
            answers.push(key.public().encrypt_with(&sum, randomness)?);
        }
        Ok(())
    }

    /// Bits of the sum of this many products of slots.
    fn sum_bits(&self, slot_bits: u32) -> u32 {
        2 * slot_bits + self.inner.next_power_of_two().trailing_zeros()
    }

    /// Step 3: removes the masks from the answers.
    pub(super) fn unblind(
        &self,
        end: &mut End,
        key: &Arc<PublicKey>,
        blinding: &Blinding,
        answers: Vec<Ciphertext>,
    ) -> Result<Vec<Lane>, ShareError> {
        expect("products", answers.len(), self.results())?;
        let mut products = Vec::with_capacity(answers.len());
        // This many results are in memory at a time, to bound the number of terms.
        let at_a_time = ((1 << 10) / (2 * self.inner).max(1)).max(1);
        for (chunk, answers) in answers.chunks(at_a_time).enumerate() {
            let first = chunk * at_a_time;
            let masks = self.masks(end, key, blinding, first..first + answers.len())?;
            let negatives = Zeroizing::new(key.negate_all(&masks)?);
            for (answer, negative) in answers.iter().zip(&*negatives) {
                products.push(Lane::sealed(key, key.add(answer, negative)?));
            }
        }
        Ok(products)
    }

    /// Encryptions of what is subtracted from some of the results.
    fn masks(
        &self,
        end: &mut End,
        key: &Arc<PublicKey>,
        blinding: &Blinding,
        results: std::ops::Range<usize>,
    ) -> Result<Zeroizing<Vec<Ciphertext>>, ShareError> {
        let (mut ciphertexts, mut factors, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        let mut sums = Vec::with_capacity(results.len());
        for result in results {
            // Lanes without a ciphertext are multiplied in the clear.
            let mut plain = Vec::new();
            let before = factors.len();
            for (i, j) in self.terms(result) {
                let (r, s) = (&blinding.left[i], &blinding.right[j]);
                plain.push((r.clone(), s.clone()));
                for (factor, mask) in [(&self.left[i], s), (&self.right[j], r)] {
                    match factor {
                        Lane::Sealed(sealed) => {
                            ciphertexts.push(sealed.ciphertext.clone());
                            factors.push(mask.clone());
                        }
                        known => plain.push((found("a factor", known.plain(self.bits))?, mask.clone())),
                    }
                }
            }
            counts.push(factors.len() - before);
            let bits = 2 * self.factor_bits.max(self.bits) + key.size().bits();
            sums.push(Natural::sum_of_products(plain.iter().map(|(x, y)| (x, y)), bits));
        }
        let scaled = Zeroizing::new(key.multiply_all(&ciphertexts, &factors, Threads::all())?);
        let mut scaled = scaled.iter();
        let mut masks = Zeroizing::new(Vec::with_capacity(sums.len()));
        for (sum, count) in sums.iter().zip(counts) {
            let start = key.encrypt(sum, &mut end.own)?;
            let mask = scaled.by_ref().take(count).try_fold(start, |all, one| key.add(&all, one))?;
            masks.push(mask);
        }
        Ok(masks)
    }
}
