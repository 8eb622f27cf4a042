//! Sums of encrypted words, weighted by words of the holder: many sums of the same words at once.

use std::sync::Arc;

use tacit_he::paillier::Ciphertext;
use tacit_he::{HeError, Threads};
use zeroize::Zeroizing;

use super::lane::{Lane, Sealed};
use crate::ShareError;

/// For each list of weights, the sum of the words times their weights, if all words are ciphertexts and all weights are the holder's own
/// words of at most `bits` bits; otherwise `None`. There are several lists of weights.
///
/// A sum reveals to the owner of the key how it was computed, until an encryption of zero is added, as is done with everything that is sent to
/// it. Constant time in the weights.
///
/// Cost: see [`tacit_he::paillier::PublicKey::sums_of_products`].
///
/// # Errors
/// [`HeError::OtherKey`], [`HeError::Count`].
pub(crate) fn weighted<'a>(
    words: impl Iterator<Item = &'a Lane>,
    weights: impl Iterator<Item = Vec<&'a Lane>>,
    bits: u32,
) -> Result<Option<Vec<Lane>>, ShareError> {
    let Some(words) = words.map(sealed).collect::<Option<Vec<&Sealed>>>() else { return Ok(None) };
    let Some(weights) = weights.map(|list| held(&list)).collect::<Option<Vec<_>>>() else { return Ok(None) };
    let Some(key) = words.first().map(|word| &word.key).filter(|_| weights.len() > 1) else {
        return Ok(None);
    };
    let ciphertexts: Vec<Ciphertext> = words.iter().map(|word| word.ciphertext.clone()).collect();
    let lists: Vec<&[u128]> = weights.iter().map(|list| list.as_slice()).collect();
    let sums: Result<_, HeError> = key.sums_of_products(&ciphertexts, &lists, bits, Threads::all());
    Ok(Some(sums?.into_iter().map(|sum| Lane::sealed(key, sum)).collect()))
}

fn sealed(lane: &Lane) -> Option<&Sealed> {
    match lane {
        Lane::Sealed(sealed) => Some(Arc::as_ref(sealed)),
        _ => None,
    }
}

fn held(lanes: &[&Lane]) -> Option<Zeroizing<Vec<u128>>> {
    let mut words = Zeroizing::new(Vec::with_capacity(lanes.len()));
    for lane in lanes {
        let Lane::Held(word) = lane else { return None };
        words.push(**word);
    }
    Some(words)
}
