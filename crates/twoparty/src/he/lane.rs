//! What the holder of ciphertexts does alone.

use std::sync::Arc;

use tacit_he::paillier::{Ciphertext, PublicKey};
use tacit_he::{HeError, Natural, PublicKey as _, Threads};

use crate::{ShareError, mask};

/// A word that the holder has: a public constant, or a ciphertext. The key's owner has constants alone.
#[derive(Clone)]
pub enum Lane {
    /// The word.
    Public(u128),
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
    pub(super) fn sealed(key: &Arc<PublicKey>, ciphertext: Ciphertext) -> Lane {
        Lane::Sealed(Arc::new(Sealed { key: key.clone(), ciphertext }))
    }
}

/// A number of few words of capacity where it is small; how large it is counts as public.
pub(super) fn public(number: u128) -> Natural {
    match u64::try_from(number) {
        Ok(small) => Natural::from(small),
        Err(_) => Natural::from_le_bytes(&number.to_le_bytes()),
    }
}

/// Two to the power of `exponent`.
pub(super) fn power_of_two(exponent: u32) -> Natural {
    let mut bytes = vec![0u8; exponent as usize / 8 + 1];
    bytes[exponent as usize / 8] = 1 << (exponent % 8);
    Natural::from_le_bytes(&bytes)
}

/// The sum of two words of `bits` bits.
///
/// # Errors
/// [`HeError::OtherKey`].
pub(crate) fn add(x: &Lane, y: &Lane, bits: u32) -> Result<Lane, HeError> {
    Ok(match (x, y) {
        (Lane::Public(x), Lane::Public(y)) => Lane::Public(x.wrapping_add(*y) & mask(bits)),
        (Lane::Sealed(x), Lane::Public(y)) | (Lane::Public(y), Lane::Sealed(x)) => {
            Lane::sealed(&x.key, x.key.add_plain(&x.ciphertext, &public(*y))?)
        }
        (Lane::Sealed(x), Lane::Sealed(y)) => Lane::sealed(&x.key, x.key.add(&x.ciphertext, &y.ciphertext)?),
    })
}

/// The negative of a word of `bits` bits, with 2^`lift` added so that no number is below zero.
///
/// # Errors
/// [`HeError::NotCoprime`], [`HeError::Range`] for a power beyond the modulus.
pub(crate) fn negate(x: &Lane, bits: u32, lift: u32) -> Result<Lane, HeError> {
    Ok(match x {
        Lane::Public(x) => Lane::Public(x.wrapping_neg() & mask(bits)),
        Lane::Sealed(x) => {
            let negative = x.key.negate(&x.ciphertext)?;
            Lane::sealed(&x.key, x.key.add_plain(&negative, &power_of_two(lift))?)
        }
    })
}

/// A product that is to be computed.
struct Product {
    at: usize,
    negative: bool,
}

/// The products of pairs of words of `bits` bits, of each of which one is public: by the nearer one to zero of the two numbers that it may stand
/// for, so that small negative factors are small.
///
/// Cost: a squaring for each bit of a factor, at least 64, and an inversion for each negative factor.
///
/// # Errors
/// [`ShareError::NotPublic`] where neither is; [`HeError::OtherKey`].
pub(crate) fn multiply(pairs: &[(&Lane, &Lane)], bits: u32, lift: u32) -> Result<Vec<Lane>, ShareError> {
    let mut results = vec![Lane::default(); pairs.len()];
    let (mut products, mut ciphertexts, mut factors) = (Vec::new(), Vec::new(), Vec::new());
    let mut key = None;
    for (at, pair) in pairs.iter().enumerate() {
        let (sealed, factor) = match pair {
            (Lane::Public(x), Lane::Public(y)) => {
                results[at] = Lane::Public(x.wrapping_mul(*y) & mask(bits));
                continue;
            }
            (Lane::Sealed(sealed), Lane::Public(factor)) | (Lane::Public(factor), Lane::Sealed(sealed)) => {
                (sealed, *factor & mask(bits))
            }
            (Lane::Sealed(_), Lane::Sealed(_)) => return Err(ShareError::NotPublic),
        };
        if factor == 0 {
            continue;
        }
        let opposite = factor.wrapping_neg() & mask(bits);
        key = Some(&sealed.key);
        products.push(Product { at, negative: opposite < factor });
        ciphertexts.push(sealed.ciphertext.clone());
        factors.push(public(factor.min(opposite)));
    }
    let Some(key) = key else { return Ok(results) };
    let found = key.multiply_all(&ciphertexts, &factors, Threads::all())?;
    for (Product { at, negative }, ciphertext) in products.into_iter().zip(found) {
        let product = Lane::sealed(key, ciphertext);
        results[at] = if negative { negate(&product, bits, lift)? } else { product };
    }
    Ok(results)
}
