//! Shared bits to words, shared by sum.

use crate::correlations::{DaBits, check_width};
use crate::cost::Cost;
use crate::end::End;
use crate::{Party, ShareError, exchange};
use tacit_math::Bits;

/// Shares by sum of shared bits; each vector has a width of its own, modulo 2 to the power of which it is
/// shared.
///
/// Each bit is opened under a random bit r that is shared in both ways, v = x ^ r, and x = v + r·(1 - 2v).
///
/// Source: ABY (NDSS'15), §IV-E, with its correlated OTs in setup ([`crate::correlations::DaBits`]).
/// Security: v is masked by a bit that neither party knows.
/// Cost: [`bits_to_arith_cost`]: for a bit a random bit with shares by sum and a bit each way; one round for all.
///
/// # Errors
/// [`ShareError::Width`], [`ShareError::Exhausted`], [`ShareError::Padding`]; failures of the channel.
pub async fn bits_to_arith(end: &mut End, vectors: &[(&Bits, u32)]) -> Result<Vec<Vec<u128>>, ShareError> {
    // 1. v = x ^ r is opened.
    let (mut message, mut random) = (Bits::default(), Vec::with_capacity(vectors.len()));
    for (bits, width) in vectors {
        check_width(*width)?;
        let made = end.pool.take::<DaBits>(*width, bits.len())?;
        let mut masked = (*bits).clone();
        masked ^= &made.bits;
        message.extend_bits(&masked);
        random.push(made);
    }
    let mut opened = exchange::exchange(&mut end.channel, &message).await?;
    opened ^= &message;
    // 2. v + r·(1 - 2v).
    let first = u128::from(end.party == Party::First);
    let mut position = 0;
    let mut words = Vec::with_capacity(vectors.len());
    for (made, (_, width)) in random.iter().zip(vectors) {
        let opened = opened.slice(position..position + made.sums.len());
        position += made.sums.len();
        let word = |(v, r): (u128, &u128)| {
            let signed = (r ^ v.wrapping_neg()).wrapping_add(v);
            signed.wrapping_add(v & first.wrapping_neg()) & crate::mask(*width)
        };
        words.push(opened.iter().map(u128::from).zip(made.sums.iter()).map(word).collect());
    }
    Ok(words)
}

/// The cost of [`bits_to_arith`] for vectors with these widths and lanes.
pub fn bits_to_arith_cost(vectors: &[(u32, u64)]) -> Cost {
    let mut cost = Cost::default();
    for (width, lanes) in vectors {
        cost.requirement.require::<DaBits>(*width, *lanes);
    }
    let bits: u64 = vectors.iter().map(|(_, lanes)| lanes).sum();
    cost.exchange([bits.div_ceil(8); 2]);
    cost
}
