//! Products of words and bits, and selection between two words.

use crate::ShareError;
use crate::correlations::{BitWordTriples, check_width};
use crate::cost::Cost;
use crate::end::End;
use crate::error::expect;
use crate::exchange;
use crate::pack::{WordReader, WordWriter, mask};
use tacit_math::Bits;

/// Shares of the words of `x` where the bit is one, else of zero; bits are shared by exclusive or.
///
/// There is a random bit r, shared in both ways, a random word b, and c = r·b. Both parties open v = bit ^ r and e =
/// x - b; then r·x = c + r·e, and bit·x = v·x + (1 - 2v)·r·x.
///
/// Source: the multiplexer of CrypTFlow2 (CCS'20), §3.1.2, in the form of Beaver's triples; see [`crate::correlations::BitWordTriples`].
/// Security: semi-honest; v and e are masked by a bit and a word that neither party knows.
/// Cost for a word: a scaling, bits+1 bits each way, packed; one round for all.
///
/// # Errors
/// [`ShareError::Width`], [`ShareError::Shape`] if there are not as many bits as words, [`ShareError::Exhausted`],
/// [`ShareError::Padding`]; failures of the channel.
pub async fn scale(end: &mut End, bit: &Bits, x: &[u128], bits: u32) -> Result<Vec<u128>, ShareError> {
    check_width(bits)?;
    expect("bits to multiply by", bit.len(), x.len())?;
    let made = end.pool.take::<BitWordTriples>(bits, x.len())?;
    // 1. Both parties open v and e.
    let mut message = bit.clone();
    message ^= &made.r;
    let mut differences = WordWriter::with_capacity(x.len() * bits as usize);
    x.iter().zip(made.b.iter()).for_each(|(x, b)| differences.push(x.wrapping_sub(*b) & mask(bits), bits));
    message.extend_bits(&differences.finish());
    let theirs = exchange::exchange(&mut end.channel, &message).await?;
    // 2. v·x + (1 - 2v)·(c + r·e).
    let (mut own, mut theirs) = (WordReader::new(message.words()), WordReader::new(theirs.words()));
    let opened: Bits = (0..x.len()).map(|_| own.take(1) ^ theirs.take(1) == 1).collect();
    let word = |(i, v): (usize, bool)| {
        let e = own.take(bits).wrapping_add(theirs.take(bits));
        let product = made.c[i].wrapping_add(made.sums[i].wrapping_mul(e));
        let v = u128::from(v);
        let signed = (product ^ v.wrapping_neg()).wrapping_add(v);
        (x[i] & v.wrapping_neg()).wrapping_add(signed) & mask(bits)
    };
    Ok(opened.iter().enumerate().map(word).collect())
}

/// Shares of the words of `x` where the condition is one, else of those of `y`: [`scale`] of x - y.
///
/// Cost and errors: as there.
pub async fn select(
    end: &mut End,
    condition: &Bits,
    x: &[u128],
    y: &[u128],
    bits: u32,
) -> Result<Vec<u128>, ShareError> {
    expect("words to choose instead", y.len(), x.len())?;
    let chosen = scale(end, condition, &super::subtract(x, y, bits), bits).await?;
    Ok(super::add(&chosen, y, bits))
}

/// The cost of [`scale`] and [`select`].
pub fn scale_cost(bits: u32, lanes: u64) -> Cost {
    let mut cost = Cost::default();
    cost.requirement.require::<BitWordTriples>(bits, lanes);
    cost.exchange([((u64::from(bits) + 1) * lanes).div_ceil(8); 2]);
    cost
}
