//! Words to encryption and back.
//!
//! | step | holder | key's owner |
//! |---|---|---|
//! | to encryption | adds its share | encrypts its share, a ciphertext for each word |
//! | back | adds a mask r to x, packs, sends; keeps -r | decrypts x + r, unpacks, keeps it |
//! | product | see [`super::product`] | |
//!
//! Source: TASTY (CCS'10), §4.3.1 and figure 4; packing: see [`tacit_he::Slots`].

use tacit_he::paillier::Ciphertext;
use tacit_he::{Natural, PublicKey as _, SecretKey as _, Threads};
use zeroize::Zeroizing;

use super::key::HeMaterial;
use super::lane::Lane;
use super::masked::masked;
use super::product::Product;
use crate::error::found;
use crate::{End, Party, ShareError, mask};

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

/// What comes of words that were encrypted, of those that are not any more, and of products.
type Exchanged = (Vec<Vec<Lane>>, Vec<Zeroizing<Vec<u128>>>, Vec<Vec<Lane>>);

/// Brings words to encryption and back, in one message each way, and multiplies encrypted ones, for which the owner sends another.
///
/// Cost: a ciphertext from the owner for each word that is encrypted; from the holder one for as many as fit into a plaintext. The owner
/// decrypts each of these; both are one or two exponentiations. Products: see [`super::product`].
///
/// # Errors
/// [`ShareError::NoKey`]; [`tacit_he::HeError`] for ciphertexts that are none, and numbers that do not fit; failures of the channel.
pub(crate) async fn exchange(
    end: &mut End,
    into: &[IntoHe<'_>],
    from: &[FromHe<'_>],
    products: &[Product<'_>],
) -> Result<Exchanged, ShareError> {
    let mut material = end.he.take().ok_or(ShareError::NoKey)?;
    let done = match end.party() {
        Party::First => hold(end, &mut material, into, from, products).await,
        Party::Second => own(end, &mut material, into, from, products).await,
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
    products: &[Product<'_>],
) -> Result<Exchanged, ShareError> {
    let key = material.holder()?;
    let (mut replies, mut kept) = (Vec::new(), Vec::new());
    for words in from {
        let mut shares = Zeroizing::new(Vec::with_capacity(words.lanes.len()));
        let slots = material.parameters().slots(words.value_bits)?;
        for (reply, masks) in masked(end, material, &key, (words.lanes, words.bits), &slots)? {
            replies.push(reply);
            shares.extend(masks.iter().map(|one| low(one).wrapping_neg() & mask(words.bits)));
        }
        kept.push(shares);
    }
    let mut blindings = Vec::with_capacity(products.len());
    for product in products {
        blindings.push(product.blind(end, material, &key, &mut replies)?);
    }
    let count = into.iter().map(|words| words.shares.len()).sum();
    let mut received = vec![0; count * key.ciphertext_bytes()];
    end.channel.exchange(&key.encode(&replies)?, &mut received).await?;
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
    if products.is_empty() {
        return Ok((encrypted, kept, Vec::new()));
    }
    let mut multiplied = Vec::with_capacity(products.len());
    let count = products.iter().map(Product::results).sum::<usize>();
    let mut received = vec![0; count * key.ciphertext_bytes()];
    end.channel.receive_into(&mut received).await?;
    let mut answers = key.decode(count, &received)?.into_iter();
    for (product, blinding) in products.iter().zip(&blindings) {
        let own: Vec<Ciphertext> = answers.by_ref().take(product.results()).collect();
        multiplied.push(product.unblind(end, &key, blinding, own)?);
    }
    Ok((encrypted, kept, multiplied))
}

/// The second party.
async fn own(
    end: &mut End,
    material: &mut HeMaterial,
    into: &[IntoHe<'_>],
    from: &[FromHe<'_>],
    products: &[Product<'_>],
) -> Result<Exchanged, ShareError> {
    let key = material.owner()?;
    let mut sent = Vec::new();
    let encrypted = into.iter().map(|words| words.shares.len()).sum::<usize>();
    let count = encrypted + products.iter().map(Product::results).sum::<usize>();
    material.reserve(&key, count, &mut end.own)?;
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
    let blinded = products.iter().map(|product| product.blinded(&parameters));
    let count = chunks.chain(blinded).sum::<Result<usize, ShareError>>()?;
    let mut received = vec![0; count * key.public().ciphertext_bytes()];
    end.channel.exchange(&key.public().encode(&sent)?, &mut received).await?;
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
    let mut answers = Vec::new();
    for product in products {
        product.answer(end, material, &key, &mut plains, &mut answers)?;
    }
    if !products.is_empty() {
        end.channel.send(&key.public().encode(&answers)?).await?;
        end.channel.flush().await?;
    }
    // What is encrypted is with the other party.
    let with_holder = |count: usize| vec![Lane::default(); count];
    Ok((
        into.iter().map(|words| with_holder(words.shares.len())).collect(),
        opened,
        products.iter().map(|product| with_holder(product.results())).collect(),
    ))
}

/// The low 128 bits.
fn low(number: &Natural) -> u128 {
    let bytes = number.to_le_bytes();
    let mut word = Zeroizing::new([0; 16]);
    let count = bytes.len().min(16);
    word[..count].copy_from_slice(&bytes[..count]);
    u128::from_le_bytes(*word)
}
