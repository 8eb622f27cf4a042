//! Conversion of words into shares and back.

use crate::correlations::check_width;
use crate::end::End;
use crate::error::expect;
use crate::pack::{mask, pack, unpack};
use crate::yao::RevealTo;
use crate::{Party, ShareError, gmw};
use tacit_crypto::Prg;
use tacit_math::Block;
use zeroize::Zeroizing;

/// Shares of `count` words of `bits` bits that one party gives: `own` are its words at that party, `None` at the
/// other.
///
/// Security: `own` is secret; the shares are masked by randomness common to both.
/// Cost: nothing is sent.
///
/// # Errors
/// [`ShareError::Shape`] if there are not `count` words; [`ShareError::Width`].
pub fn input(end: &mut End, own: Option<&[u128]>, bits: u32, count: usize) -> Result<Vec<u128>, ShareError> {
    check_width(bits)?;
    let mut masks = words(&mut end.common, bits, count);
    let Some(own) = own else { return Ok(masks) };
    expect("input words", own.len(), count)?;
    masks.iter_mut().zip(own).for_each(|(by, own)| *by = own.wrapping_sub(*by) & mask(bits));
    Ok(masks)
}

/// Shares of words that both parties know: the words at the first, zeros at the second.
pub fn constant(party: Party, words: &[u128], bits: u32) -> Vec<u128> {
    match party {
        Party::First => words.iter().map(|word| word & mask(bits)).collect(),
        Party::Second => vec![0; words.len()],
    }
}

/// Shares of words of `bits` bits that neither party knows.
///
/// Cost: nothing is sent.
///
/// # Errors
/// [`ShareError::Width`].
pub fn random(end: &mut End, bits: u32, count: usize) -> Result<Vec<u128>, ShareError> {
    check_width(bits)?;
    Ok(words(&mut end.own, bits, count))
}

fn words(prg: &mut Prg, bits: u32, count: usize) -> Vec<u128> {
    let mut blocks = Zeroizing::new(vec![Block::ZERO; count]);
    prg.fill(&mut blocks);
    blocks.iter().map(|block| block.0 & mask(bits)).collect()
}

/// Opens words to `recipients`; returns the words if this party is one of them.
///
/// Cost: `bits` bits to each recipient for a word, packed; at most one round.
///
/// # Errors
/// [`ShareError::Width`], [`ShareError::Padding`] for bits past the end; failures of the channel.
pub async fn open(
    end: &mut End,
    recipients: RevealTo,
    shares: &[u128],
    bits: u32,
) -> Result<Option<Vec<u128>>, ShareError> {
    check_width(bits)?;
    // The channel sends the packed shares as bits; the sum of shares is computed on words.
    let packed = pack(shares, bits);
    let Some(mut theirs) = gmw::open(end, recipients, &packed).await? else { return Ok(None) };
    theirs ^= &packed;
    let mut words = Vec::with_capacity(shares.len());
    unpack(&theirs, bits, shares.len(), &mut words);
    words.iter_mut().zip(shares).for_each(|(word, share)| *word = word.wrapping_add(*share) & mask(bits));
    Ok(Some(words))
}
