//! Conversion of words to encryption and back.
//!
//! | step | holder | key's owner |
//! |---|---|---|
//! | to encryption | adds its share | encrypts its share, a ciphertext for each word |
//! | back | adds a mask r to x, packs, sends; keeps -r | decrypts x + r, unpacks, keeps it |
//! | product | see [`super::product`] | |
//! | comparison | see [`super::comparison`] | |
//!
//! Source: TASTY (CCS'10), §4.3.1 and figure 4; packing: see [`tacit_he::Slots`].

use std::sync::Arc;

use tacit_he::paillier::{Ciphertext, PublicKey, SecretKey};
use tacit_he::{Natural, PublicKey as _, SecretKey as _, Threads};
use zeroize::Zeroizing;

use super::comparison::{self, Comparison};
use super::key::HeMaterial;
use super::lane::Lane;
use super::masked::{low, masked};
use super::product::{Blinding, Product};
use crate::error::found;
use crate::{End, Party, ShareError, mask};

/// Shares of words to encrypt.
#[derive(Clone, Copy)]
pub(crate) struct IntoHe<'a> {
    pub shares: &'a [u128],
    pub bits: u32,
}

/// Encrypted words to convert to shares.
#[derive(Clone, Copy)]
pub(crate) struct FromHe<'a> {
    pub lanes: &'a [Lane],
    pub bits: u32,
    /// Bits of the encrypted numbers.
    pub value_bits: u32,
}

tacit_math::redacted!(IntoHe<'_>, FromHe<'_>);

/// What one exchange does; both parties have the same.
#[derive(Clone, Copy, Default)]
pub(crate) struct Asked<'a> {
    pub into: &'a [IntoHe<'a>],
    pub from: &'a [FromHe<'a>],
    pub products: &'a [Product<'a>],
    pub comparisons: &'a [Comparison<'a>],
}

/// The results of an exchange.
#[derive(Default)]
pub(crate) struct Exchanged {
    pub encrypted: Vec<Vec<Lane>>,
    pub shares: Vec<Zeroizing<Vec<u128>>>,
    pub multiplied: Vec<Vec<Lane>>,
    pub compared: Vec<Vec<Lane>>,
}

tacit_math::redacted!(Asked<'_>, Exchanged);

/// Converts words to encryption and back, in one message each way; multiplies encrypted words, for which the owner sends another
/// message; and compares them, which takes a further round and message.
///
/// Cost: a ciphertext from the owner for each word to encrypt; from the holder, one for as many words as fit into a plaintext, which the
/// owner decrypts. Both take one or two exponentiations. Products: see [`super::product`]; comparisons: [`super::comparison`].
///
/// # Errors
/// [`ShareError::NoKey`]; [`tacit_he::HeError`] for invalid ciphertexts, and for numbers that do not fit; failures of the channel.
pub(crate) async fn exchange(end: &mut End, asked: Asked<'_>) -> Result<Exchanged, ShareError> {
    let mut material = end.he.take().ok_or(ShareError::NoKey)?;
    let done = match end.party() {
        Party::First => hold(end, &mut material, asked).await,
        Party::Second => own(end, &mut material, asked).await,
    };
    end.he = Some(material);
    done
}

/// The first party's part.
async fn hold(end: &mut End, material: &mut HeMaterial, asked: Asked<'_>) -> Result<Exchanged, ShareError> {
    let key = material.holder()?;
    let mut done = Exchanged::default();
    let mut replies = Vec::new();
    for words in asked.from {
        let mut shares = Zeroizing::new(Vec::with_capacity(words.lanes.len()));
        let slots = material.parameters().slots(words.value_bits)?;
        for (reply, masks) in masked(end, material, &key, (words.lanes, words.bits), &slots)? {
            replies.push(reply);
            shares.extend(masks.iter().map(|one| low(one).wrapping_neg() & mask(words.bits)));
        }
        done.shares.push(shares);
    }
    let mut blindings = Vec::with_capacity(asked.products.len());
    for product in asked.products {
        blindings.push(product.blind(end, material, &key, &mut replies)?);
    }
    let mut differences = Vec::with_capacity(asked.comparisons.len());
    for comparison in asked.comparisons {
        differences.push(comparison.blind(end, material, &key, &mut replies)?);
    }
    let count = asked.into.iter().map(|words| words.shares.len()).sum();
    let mut received = vec![0; count * key.ciphertext_bytes()];
    end.channel.exchange(&key.encode(&replies)?, &mut received).await?;
    let mut theirs = key.decode(count, &received)?.into_iter();
    for words in asked.into {
        let add = |share: &u128| {
            let share = Natural::from_le_bytes(&(share & mask(words.bits)).to_le_bytes());
            let theirs = found("encrypted shares", theirs.next())?;
            Ok(Lane::sealed(&key, key.add_plain(&theirs, &share)?))
        };
        done.encrypted.push(words.shares.iter().map(add).collect::<Result<Vec<_>, ShareError>>()?);
    }
    if !asked.products.is_empty() {
        done.multiplied = answered(end, &key, asked.products, &blindings).await?;
    }
    if !differences.is_empty() {
        done.compared = comparison::hold(end, material, &key, &differences).await?;
    }
    Ok(done)
}

/// Products, from the owner's answers.
async fn answered(
    end: &mut End,
    key: &Arc<PublicKey>,
    products: &[Product<'_>],
    blindings: &[Blinding],
) -> Result<Vec<Vec<Lane>>, ShareError> {
    let mut multiplied = Vec::with_capacity(products.len());
    let count = products.iter().map(Product::results).sum::<usize>();
    let mut received = vec![0; count * key.ciphertext_bytes()];
    end.channel.receive_into(&mut received).await?;
    let mut answers = key.decode(count, &received)?.into_iter();
    for (product, blinding) in products.iter().zip(blindings) {
        let own: Vec<Ciphertext> = answers.by_ref().take(product.results()).collect();
        multiplied.push(product.unblind(end, key, blinding, own)?);
    }
    Ok(multiplied)
}

/// The second party's part.
async fn own(end: &mut End, material: &mut HeMaterial, asked: Asked<'_>) -> Result<Exchanged, ShareError> {
    let key = material.owner()?;
    let sent = encrypted(end, material, &key, asked)?;
    let parameters = material.parameters();
    let chunks = asked
        .from
        .iter()
        .map(|words| Ok(words.lanes.len().div_ceil(parameters.slots(words.value_bits)?.count())));
    let blinded = asked.products.iter().map(|product| product.blinded(&parameters));
    let compared = asked.comparisons.iter().map(|comparison| comparison.replies(&parameters));
    let count = chunks.chain(blinded).chain(compared).sum::<Result<usize, ShareError>>()?;
    let mut received = vec![0; count * key.public().ciphertext_bytes()];
    end.channel.exchange(&key.public().encode(&sent)?, &mut received).await?;
    let replies = key.public().decode(count, &received)?;
    let mut plains = key.decrypt_all(&replies, Threads::all())?.into_iter();
    let mut done = Exchanged::default();
    for words in asked.from {
        let slots = parameters.slots(words.value_bits)?;
        let mut shares = Zeroizing::new(Vec::with_capacity(words.lanes.len()));
        for chunk in words.lanes.chunks(slots.count()) {
            let plain = found("decrypted words", plains.next())?;
            shares.extend(slots.unpack(&plain, chunk.len())?.iter().map(|one| low(one) & mask(words.bits)));
        }
        done.shares.push(shares);
    }
    let mut answers = Vec::new();
    for product in asked.products {
        product.answer(end, material, &key, &mut plains, &mut answers)?;
    }
    let open = |comparison: &Comparison<'_>| comparison.open(&parameters, &mut plains);
    let differences = asked.comparisons.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    if !answers.is_empty() {
        end.channel.send(&key.public().encode(&answers)?).await?;
        end.channel.flush().await?;
    }
    if !differences.is_empty() {
        comparison::own(end, material, &key, &differences).await?;
    }
    // The other party has the ciphertexts.
    let with_holder = |count: usize| vec![Lane::default(); count];
    done.encrypted = asked.into.iter().map(|words| with_holder(words.shares.len())).collect();
    done.multiplied = asked.products.iter().map(|product| with_holder(product.results())).collect();
    done.compared = asked.comparisons.iter().map(|comparison| with_holder(comparison.left.len())).collect();
    Ok(done)
}

/// The owner's shares, encrypted; afterwards there is randomness to encrypt its answers.
fn encrypted(
    end: &mut End,
    material: &mut HeMaterial,
    key: &SecretKey,
    asked: Asked<'_>,
) -> Result<Vec<Ciphertext>, ShareError> {
    let count = asked.into.iter().map(|words| words.shares.len()).sum::<usize>();
    let products = asked.products.iter().map(Product::results).sum::<usize>();
    material.reserve(key, count + products, &mut end.own)?;
    let mut sent = Vec::with_capacity(count);
    for IntoHe { shares, bits } in asked.into {
        for share in *shares {
            let share = Natural::from_le_bytes(&(share & mask(*bits)).to_le_bytes());
            let randomness = material.randomness(key, &mut end.own)?;
            sent.push(key.public().encrypt_with(&share, randomness)?);
        }
    }
    Ok(sent)
}
