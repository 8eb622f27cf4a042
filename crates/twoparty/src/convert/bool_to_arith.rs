//! Conversion of shares of bits to shares by sum.

use crate::correlations::{EdaBits, check_width};
use crate::end::End;
use crate::error::expect;
use crate::masked::Masked;
use crate::pack::{WordReader, mask};
use crate::{Party, ShareError, wires};
use tacit_math::{Bits, Wiped};

/// Shares by sum of words whose bits are shared by exclusive or, `bits` wires of `lanes` lanes.
///
/// Each bit is opened under a random bit r that is shared in both ways, v = x ^ r, and x = v + r·(1 - 2v).
///
/// Source: ABY (NDSS'15), §IV-E. Differs: the correlated OTs run in setup ([`crate::correlations::EdaBits`]), so that
/// only a bit each way remains online.
/// Security: v is masked by a bit that neither party knows.
/// Cost for a word: a doubly shared word, `bits` bits each way, packed; one round for all.
///
/// # Errors
/// [`ShareError::Width`], [`ShareError::Shape`], [`ShareError::Exhausted`], [`ShareError::Padding`]; failures of the
/// channel.
pub async fn b2a(end: &mut End, shares: &Bits, bits: u32, lanes: usize) -> Result<Vec<u128>, ShareError> {
    mask_b2a(end, shares, bits, lanes)?.open(end).await
}

pub(crate) fn mask_b2a(end: &mut End, shares: &Bits, bits: u32, lanes: usize) -> Result<Masked, ShareError> {
    check_width(bits)?;
    expect("wires to convert", shares.len(), bits as usize * lanes)?;
    let random = end.pool.take::<EdaBits>(bits, lanes)?;
    // 1. v = x ^ r is opened.
    let mut own = wires::from_words(&random.words, bits);
    own ^= shares;
    let first = end.party == Party::First;
    Ok(Masked::new(own, move |own, theirs| {
        let mut opened = own.clone();
        opened ^= theirs;
        // 2. The factor of bit i, v + r·(1 - 2v), is 2^i.
        let mut sums = WordReader::new(random.sums.words());
        let word = |opened: u128| {
            let bit = |sum: u128, i: u32| {
                let (v, r) = (opened >> i & 1, sums.take(bits - i));
                // -r where v is one, else r, without a branch on either.
                let signed = (r ^ v.wrapping_neg()).wrapping_add(v);
                sum.wrapping_add(signed << i)
            };
            let sum = (0..bits).fold(0, bit);
            sum.wrapping_add(if first { opened } else { 0 }) & mask(bits)
        };
        Wiped::from(wires::to_words(&opened, bits)).iter().copied().map(word).collect()
    }))
}
