//! The holder's messages to the owner of the key.

use std::sync::Arc;

use tacit_he::paillier::{Ciphertext, PublicKey};
use tacit_he::{HeError, Natural, PublicKey as _, Slots, Threads};

use super::key::HeMaterial;
use super::lane::Lane;
use crate::{End, ShareError};
use zeroize::Zeroizing;

/// Ciphertexts of masked words, as many to each as fit into `slots`, and the masks of each. They reveal nothing else to the owner of the key: each
/// mask is longer than its word by the statistical parameter, and is encrypted with randomness that hides how the words were computed.
pub(super) fn masked(
    end: &mut End,
    material: &mut HeMaterial,
    key: &Arc<PublicKey>,
    (lanes, bits): (&[Lane], u32),
    slots: &Slots,
) -> Result<Vec<(Ciphertext, Vec<Natural>)>, ShareError> {
    let chunks: Vec<&[Lane]> = lanes.chunks(slots.count()).collect();
    let mut replies = Vec::with_capacity(chunks.len());
    for (chunk, sum) in chunks.iter().zip(packed(key, &chunks, slots)?) {
        let constants: Vec<Natural> =
            chunk.iter().map(|lane| lane.plain(bits).unwrap_or(Natural::from(0u64))).collect();
        let (masks, mask_plain) = slots.masks(chunk.len(), &mut end.own)?;
        let randomness = material.hiding_randomness(key, &mut end.own)?;
        let fresh = key.encrypt_with(&mask_plain, randomness)?;
        let sum = match sum {
            Some(sum) => key.add(&sum, &fresh)?,
            None => fresh,
        };
        let reply = key.add_plain(&sum, &slots.pack(&constants)?)?;
        replies.push((reply, masks));
    }
    Ok(replies)
}

/// The ciphertexts of each chunk, packed by Horner's rule, slot by slot for all chunks at once.
fn packed(
    key: &Arc<PublicKey>,
    chunks: &[&[Lane]],
    slots: &Slots,
) -> Result<Vec<Option<Ciphertext>>, HeError> {
    let mut sums: Vec<Option<Ciphertext>> = vec![None; chunks.len()];
    for place in (0..slots.count()).rev() {
        let begun: Vec<Ciphertext> = sums.iter().flatten().cloned().collect();
        let mut shifted = key.shift_all(&begun, slots.slot_bits(), Threads::all())?.into_iter();
        for (sum, chunk) in sums.iter_mut().zip(chunks) {
            if sum.is_some() {
                *sum = shifted.next();
            }
            let Some(Lane::Sealed(lane)) = chunk.get(place) else { continue };
            *sum = Some(match sum.take() {
                Some(sum) => key.add(&sum, &lane.ciphertext)?,
                None => lane.ciphertext.clone(),
            });
        }
    }
    Ok(sums)
}

/// The low 128 bits of a number.
pub(super) fn low(number: &Natural) -> u128 {
    let bytes = number.to_le_bytes();
    let mut word = Zeroizing::new([0; 16]);
    let count = bytes.len().min(16);
    word[..count].copy_from_slice(&bytes[..count]);
    u128::from_le_bytes(*word)
}
