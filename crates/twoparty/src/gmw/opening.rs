//! Conversion of bits into shares and back.

use crate::end::End;
use crate::yao::RevealTo;
use crate::{Party, ShareError, exchange};
use tacit_math::Bits;

/// Shares of `count` bits that one party gives: `own` are the bits at that party, `None` at the other.
///
/// Security: `own` is secret; the shares are masked by randomness common to both.
/// Cost: nothing is sent.
///
/// # Errors
/// [`ShareError::Shape`] if there are not `count` bits.
pub fn input(end: &mut End, own: Option<&Bits>, count: usize) -> Result<Bits, ShareError> {
    let mut shares = end.common.next_bits(count);
    if let Some(own) = own {
        crate::error::expect("input bits", own.len(), count)?;
        shares ^= own;
    }
    Ok(shares)
}

/// Shares of bits that both parties know: the bits at the first, zeros at the second.
pub fn constant(party: Party, bits: &Bits) -> Bits {
    match party {
        Party::First => bits.clone(),
        Party::Second => Bits::zeros(bits.len()),
    }
}

/// Shares of bits that neither party knows.
///
/// Cost: nothing is sent.
pub fn random(end: &mut End, count: usize) -> Bits {
    end.own.next_bits(count)
}

/// Opens bits to `recipients`; returns the bits if this party is one of them, and its shares if nobody is.
///
/// Cost: a bit to each recipient for each bit, packed; at most one round.
///
/// # Errors
/// [`ShareError::Padding`] for bits past the end; failures of the channel.
pub async fn open(end: &mut End, recipients: RevealTo, shares: &Bits) -> Result<Option<Bits>, ShareError> {
    let (to_first, to_second) = (recipients.include_garbler(), recipients.include_evaluator());
    let (to_me, to_peer) = match end.party {
        Party::First => (to_first, to_second),
        Party::Second => (to_second, to_first),
    };
    let theirs = match (to_me, to_peer) {
        (true, true) => Some(exchange::exchange(&mut end.channel, shares).await?),
        (true, false) => Some(exchange::receive(&mut end.channel, shares.len()).await?),
        (false, false) => return Ok(Some(shares.clone())),
        (false, true) => {
            exchange::send(&mut end.channel, shares).await?;
            None
        }
    };
    Ok(theirs.map(|mut bits| {
        bits ^= shares;
        bits
    }))
}
