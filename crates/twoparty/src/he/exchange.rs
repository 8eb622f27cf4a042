//! Words to encryption and back.
//!
//! | step | holder | key's owner |
//! |---|---|---|
//! | to encryption | adds its share | encrypts its share, a ciphertext for each word |
//! | back | adds a mask r to x, packs, sends; keeps -r | decrypts x + r, unpacks, keeps it |
//!
//! Source: TASTY (CCS'10), §4.3.1 and figure 4; packing: see [`tacit_he::Slots`].

use std::sync::Arc;

use tacit_he::paillier::{Ciphertext, PublicKey};
use tacit_he::{Natural, PublicKey as _, SecretKey as _, Threads};
use zeroize::Zeroizing;

use super::key::HeMaterial;
use super::lane::{Lane, power_of_two, public};
use crate::error::found;
use crate::{End, Party, ShareError, exchange::exchange_bytes, mask};

/// Shares of words that are to be encrypted.
#[derive(Clone, Copy)]
pub(crate) struct IntoHe<'a> {
    pub shares: &'a [u128],
    pub bits: u32,
}

/// Encrypted words that become shares.
#[derive(Clone, Copy)]
pub(crate) struct FromHe<'a> {
    pub lanes: &'a [Lane],
    pub bits: u32,
    /// Bits of the encrypted numbers.
    pub value_bits: u32,
}

tacit_math::redacted!(IntoHe<'_>, FromHe<'_>);

/// What comes of words that were encrypted, and of those that were not any more.
type Exchanged = (Vec<Vec<Lane>>, Vec<Zeroizing<Vec<u128>>>);

/// Brings words to encryption and back, in one message each way.
///
/// Cost: a ciphertext from the owner for each word that is encrypted; from the holder one for as many as fit into a plaintext. The owner
/// decrypts each of these; both are one or two exponentiations.
///
/// # Errors
/// [`ShareError::NoKey`]; [`tacit_he::HeError`] for ciphertexts that are none, and numbers that do not fit; failures of the channel.
pub(crate) async fn exchange(
    end: &mut End,
    into: &[IntoHe<'_>],
    from: &[FromHe<'_>],
) -> Result<Exchanged, ShareError> {
    let mut material = end.he.take().ok_or(ShareError::NoKey)?;
    let done = match end.party() {
        Party::First => hold(end, &mut material, into, from).await,
        Party::Second => own(end, &mut material, into, from).await,
    };
    end.he = Some(material);
    done
}

/// The first party.
async fn hold(
    end: &mut End,
    material: &mut HeMaterial,
    into: &[IntoHe<'_>],
    from: &[FromHe<'_>],
) -> Result<Exchanged, ShareError> {
    let key = material.holder()?;
    let (mut replies, mut kept) = (Vec::new(), Vec::new());
    for words in from {
        let mut shares = Zeroizing::new(Vec::with_capacity(words.lanes.len()));
        for chunk in words.lanes.chunks(material.parameters().slots(words.value_bits)?.count()) {
            replies.push(masked(end, material, &key, FromHe { lanes: chunk, ..*words }, &mut shares)?);
        }
        kept.push(shares);
    }
    let count = into.iter().map(|words| words.shares.len()).sum();
    let mut received = vec![0; count * key.ciphertext_bytes()];
    exchange_bytes(&mut end.channel, &key.encode(&replies)?, &mut received).await?;
    let mut theirs = key.decode(count, &received)?.into_iter();
    let mut encrypted = Vec::new();
    for words in into {
        let add = |share: &u128| {
            let share = Natural::from_le_bytes(&(share & mask(words.bits)).to_le_bytes());
            let theirs = found("encrypted shares", theirs.next())?;
            Ok(Lane::sealed(&key, key.add_plain(&theirs, &share)?))
        };
        encrypted.push(words.shares.iter().map(add).collect::<Result<Vec<_>, ShareError>>()?);
    }
    Ok((encrypted, kept))
}

/// A ciphertext of words with masks, as many as fit; the negative masks go to `shares`.
fn masked(
    end: &mut End,
    material: &mut HeMaterial,
    key: &Arc<PublicKey>,
    words: FromHe<'_>,
    shares: &mut Vec<u128>,
) -> Result<Ciphertext, ShareError> {
    let FromHe { lanes, bits, value_bits } = words;
    let slots = material.parameters().slots(value_bits)?;
    let step = power_of_two(slots.slot_bits());
    let mut sum: Option<Ciphertext> = None;
    let mut constants = Vec::with_capacity(lanes.len());
    for lane in lanes.iter().rev() {
        sum = sum.map(|sum| key.multiply(&sum, &step)).transpose()?;
        let constant = match lane {
            Lane::Sealed(lane) => {
                sum = Some(match sum {
                    Some(sum) => key.add(&sum, &lane.ciphertext)?,
                    None => lane.ciphertext.clone(),
                });
                0
            }
            Lane::Public(word) => *word,
        };
        constants.push(public(constant));
    }
    constants.reverse();
    let (masks, mask_plain) = slots.masks(lanes.len(), &mut end.own)?;
    shares.extend(masks.iter().map(|one| low(one).wrapping_neg() & mask(bits)));
    let fresh = material.zero(key, &mut end.own)?;
    let sum = match sum {
        Some(sum) => key.add(&sum, &fresh)?,
        None => fresh,
    };
    Ok(key.add_plain(&key.add_plain(&sum, &slots.pack(&constants)?)?, &mask_plain)?)
}

/// The second party.
async fn own(
    end: &mut End,
    material: &mut HeMaterial,
    into: &[IntoHe<'_>],
    from: &[FromHe<'_>],
) -> Result<Exchanged, ShareError> {
    let key = material.owner()?;
    let mut sent = Vec::new();
    material.reserve(&key, into.iter().map(|words| words.shares.len()).sum(), &mut end.own)?;
    for IntoHe { shares, bits } in into {
        for share in *shares {
            let share = Natural::from_le_bytes(&(share & mask(*bits)).to_le_bytes());
            let randomness = material.randomness(&key, &mut end.own)?;
            sent.push(key.public().encrypt_with(&share, randomness)?);
        }
    }
    let parameters = material.parameters();
    let chunks =
        from.iter().map(|words| Ok(words.lanes.len().div_ceil(parameters.slots(words.value_bits)?.count())));
    let count = chunks.sum::<Result<usize, ShareError>>()?;
    let mut received = vec![0; count * key.public().ciphertext_bytes()];
    exchange_bytes(&mut end.channel, &key.public().encode(&sent)?, &mut received).await?;
    let replies = key.public().decode(count, &received)?;
    let mut plains = key.decrypt_all(&replies, Threads::all())?.into_iter();
    let mut opened = Vec::new();
    for words in from {
        let slots = parameters.slots(words.value_bits)?;
        let mut shares = Zeroizing::new(Vec::with_capacity(words.lanes.len()));
        for chunk in words.lanes.chunks(slots.count()) {
            let plain = found("decrypted words", plains.next())?;
            shares.extend(slots.unpack(&plain, chunk.len())?.iter().map(|one| low(one) & mask(words.bits)));
        }
        opened.push(shares);
    }
    // What is encrypted is with the other party.
    Ok((into.iter().map(|words| vec![Lane::default(); words.shares.len()]).collect(), opened))
}

/// The low 128 bits.
fn low(number: &Natural) -> u128 {
    let bytes = number.to_le_bytes();
    let mut word = Zeroizing::new([0; 16]);
    let count = bytes.len().min(16);
    word[..count].copy_from_slice(&bytes[..count]);
    u128::from_le_bytes(*word)
}
