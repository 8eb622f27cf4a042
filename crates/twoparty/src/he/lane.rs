//! Local operations of the holder of ciphertexts.

use std::sync::Arc;

use tacit_he::paillier::{Ciphertext, PublicKey};
use tacit_he::{HeError, Natural, PublicKey as _, Threads};

use crate::{ShareError, mask};
use zeroize::Zeroizing;

/// A word at the holder: a public constant, a word of its own, or a ciphertext. The key's owner only has constants.
#[derive(Clone)]
pub enum Lane {
    /// The word.
    Public(u128),
    /// The word, which only the holder knows.
    Held(Zeroizing<u128>),
    /// A ciphertext, and its key.
    Sealed(Arc<Sealed>),
}

/// A ciphertext, and its key.
pub struct Sealed {
    pub(super) key: Arc<PublicKey>,
    pub(super) ciphertext: Ciphertext,
}

tacit_math::redacted!(Lane, Sealed);

impl Default for Lane {
    fn default() -> Lane {
        Lane::Public(0)
    }
}

impl Lane {
    /// A word of the holder.
    pub(crate) fn held(word: u128) -> Lane {
        Lane::Held(Zeroizing::new(word))
    }

    /// The number with this many bits, if it is not a ciphertext; with small capacity if it is small and
    /// public.
    pub(super) fn plain(&self, bits: u32) -> Option<Natural> {
        match self {
            Lane::Public(word) => Some(public(word & mask(bits))),
            Lane::Held(word) => Some(secret(**word & mask(bits), bits)),
            Lane::Sealed(_) => None,
        }
    }

    /// The result of an operation on words for two lanes without ciphertexts: public if both are.
    fn with(&self, other: &Lane, compute: impl FnOnce(u128, u128) -> u128) -> Option<Lane> {
        Some(match (self, other) {
            (Lane::Public(x), Lane::Public(y)) => Lane::Public(compute(*x, *y)),
            (Lane::Public(x), Lane::Held(y)) => Lane::held(compute(*x, **y)),
            (Lane::Held(x), Lane::Public(y)) => Lane::held(compute(**x, *y)),
            (Lane::Held(x), Lane::Held(y)) => Lane::held(compute(**x, **y)),
            _ => return None,
        })
    }

    pub(super) fn sealed(key: &Arc<PublicKey>, ciphertext: Ciphertext) -> Lane {
        Lane::Sealed(Arc::new(Sealed { key: key.clone(), ciphertext }))
    }
}

/// A number with the capacity of few words if it is small; its size counts as public.
pub(super) fn public(number: u128) -> Natural {
    match u64::try_from(number) {
        Ok(small) => Natural::from(small),
        Err(_) => Natural::from_le_bytes(&number.to_le_bytes()),
    }
}

/// A secret number with the capacity of all its bits.
fn secret(number: u128, bits: u32) -> Natural {
    match bits <= u64::BITS {
        true => Natural::from(number as u64),
        false => Natural::from(number),
    }
}

/// Two to the power of `exponent`.
fn power_of_two(exponent: u32) -> Natural {
    let mut bytes = vec![0u8; exponent as usize / 8 + 1];
    bytes[exponent as usize / 8] = 1 << (exponent % 8);
    Natural::from_le_bytes(&bytes)
}

/// The sum of two words of `bits` bits.
///
/// # Errors
/// [`HeError::OtherKey`].
pub(crate) fn add(x: &Lane, y: &Lane, bits: u32) -> Result<Lane, HeError> {
    if let Some(sum) = x.with(y, |x, y| x.wrapping_add(y) & mask(bits)) {
        return Ok(sum);
    }
    Ok(match (x, y) {
        (Lane::Sealed(x), Lane::Sealed(y)) => Lane::sealed(&x.key, x.key.add(&x.ciphertext, &y.ciphertext)?),
        (Lane::Sealed(x), plain) | (plain, Lane::Sealed(x)) => {
            let plain = plain.plain(bits).ok_or(HeError::Fault)?;
            Lane::sealed(&x.key, x.key.add_plain(&x.ciphertext, &plain)?)
        }
        _ => return Err(HeError::Fault),
    })
}

/// The negatives of words of `bits` bits, with 2^`lift` added so that no number is below zero.
///
/// Cost: an inversion for all, and four multiplications for each.
///
/// # Errors
/// [`HeError::NotCoprime`], [`HeError::Range`] for a power beyond the modulus.
pub(crate) fn negate_all<'a>(
    lanes: impl IntoIterator<Item = &'a Lane>,
    bits: u32,
    lift: u32,
) -> Result<Vec<Lane>, HeError> {
    let (mut negatives, mut sealed) = (Vec::new(), Vec::new());
    let mut key = None;
    for lane in lanes {
        negatives.push(match lane {
            Lane::Public(x) => Some(Lane::Public(x.wrapping_neg() & mask(bits))),
            Lane::Held(x) => Some(Lane::held(x.wrapping_neg() & mask(bits))),
            Lane::Sealed(x) => {
                key = Some(&x.key);
                sealed.push(x.ciphertext.clone());
                None
            }
        });
    }
    let mut inverses = match key {
        Some(key) => key.negate_all(&sealed)?.into_iter(),
        None => Vec::new().into_iter(),
    };
    let power = power_of_two(lift);
    let filled = |negative: Option<Lane>| match (negative, key) {
        (Some(plain), _) => Ok(plain),
        (None, Some(key)) => {
            let inverse = inverses.next().ok_or(HeError::Fault)?;
            Ok(Lane::sealed(key, key.add_plain(&inverse, &power)?))
        }
        (None, None) => Err(HeError::Fault),
    };
    negatives.into_iter().map(filled).collect()
}

/// A product to compute.
struct Product {
    at: usize,
    negative: bool,
}

/// For a public word of this many bits: among the two representatives modulo 2^bits around zero, the magnitude of the nearer one, and
/// whether it is negative.
fn nearer(word: u128, bits: u32) -> (u128, bool) {
    let word = word & mask(bits);
    let opposite = word.wrapping_neg() & mask(bits);
    (word.min(opposite), opposite < word)
}

/// The products of pairs of words of `bits` bits, one of which the holder has in the clear. If that is public, the representative nearer to zero
/// is the factor, so that small negative factors are small; if it is the holder's own, the time only depends on `bits`.
///
/// A product reveals to the owner of the key how it was computed, until an encryption of zero is added, as is done with everything that
/// is sent to it.
///
/// Cost: a squaring for each bit of a factor, at least 64, and an inversion for all negative public factors.
///
/// # Errors
/// [`ShareError::NotPublic`] if both are encrypted; [`HeError::OtherKey`].
pub(crate) fn multiply(pairs: &[(&Lane, &Lane)], bits: u32, lift: u32) -> Result<Vec<Lane>, ShareError> {
    let mut results = vec![Lane::default(); pairs.len()];
    let (mut products, mut ciphertexts, mut factors) = (Vec::new(), Vec::new(), Vec::new());
    let mut key = None;
    for (at, pair) in pairs.iter().enumerate() {
        if let Some(product) = pair.0.with(pair.1, |x, y| x.wrapping_mul(y) & mask(bits)) {
            results[at] = product;
            continue;
        }
        let (sealed, (factor, negative)) = match pair {
            (Lane::Sealed(sealed), Lane::Public(factor)) | (Lane::Public(factor), Lane::Sealed(sealed)) => {
                match nearer(*factor, bits) {
                    (0, _) => continue,
                    (factor, negative) => (sealed, (public(factor), negative)),
                }
            }
            (Lane::Sealed(sealed), Lane::Held(factor)) | (Lane::Held(factor), Lane::Sealed(sealed)) => {
                (sealed, (secret(**factor & mask(bits), bits), false))
            }
            _ => return Err(ShareError::NotPublic),
        };
        key = Some(&sealed.key);
        products.push(Product { at, negative });
        ciphertexts.push(sealed.ciphertext.clone());
        factors.push(factor);
    }
    let Some(key) = key else { return Ok(results) };
    let found = key.multiply_all(&ciphertexts, &factors, Threads::all())?;
    let mut negatives = Vec::new();
    for (Product { at, negative }, ciphertext) in products.into_iter().zip(found) {
        results[at] = Lane::sealed(key, ciphertext);
        if negative {
            negatives.push(at);
        }
    }
    let negated = negate_all(negatives.iter().map(|at| &results[*at]), bits, lift)?;
    negatives.into_iter().zip(negated).for_each(|(at, negative)| results[at] = negative);
    Ok(results)
}
