//! What the holder sends to the owner of the key.

use std::sync::Arc;

use tacit_he::paillier::{Ciphertext, PublicKey};
use tacit_he::{Natural, PublicKey as _, Slots};

use super::key::HeMaterial;
use super::lane::{Lane, power_of_two};
use crate::{End, ShareError};

/// A ciphertext of words with masks, as many as fit into `slots`, and the masks. It tells the owner of the key nothing else: each mask is longer than
/// its word by the statistical parameter, and the zero that is added hides how the words were computed.
pub(super) fn masked(
    end: &mut End,
    material: &mut HeMaterial,
    key: &Arc<PublicKey>,
    (lanes, bits): (&[Lane], u32),
    slots: &Slots,
) -> Result<(Ciphertext, Vec<Natural>), ShareError> {
    let step = power_of_two(slots.slot_bits());
    let mut sum: Option<Ciphertext> = None;
    let mut constants = Vec::with_capacity(lanes.len());
    for lane in lanes.iter().rev() {
        sum = sum.map(|sum| key.multiply(&sum, &step)).transpose()?;
        if let Lane::Sealed(lane) = lane {
            sum = Some(match sum {
                Some(sum) => key.add(&sum, &lane.ciphertext)?,
                None => lane.ciphertext.clone(),
            });
        }
        constants.push(lane.plain(bits).unwrap_or(Natural::from(0u64)));
    }
    constants.reverse();
    let (masks, mask_plain) = slots.masks(lanes.len(), &mut end.own)?;
    let fresh = material.zero(key, &mut end.own)?;
    let sum = match sum {
        Some(sum) => key.add(&sum, &fresh)?,
        None => fresh,
    };
    Ok((key.add_plain(&key.add_plain(&sum, &slots.pack(&constants)?)?, &mask_plain)?, masks))
}
