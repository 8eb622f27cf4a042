//! DaBits: random bits that are shared both by exclusive or and by sum.
//!
//! A random bit r = r0 ^ r1 is r0 + r1 - 2·r0·r1. So an OT whose choice is r0 yields the shares by sum: the sender, who
//! has the random strings x0 and x1, keeps r1 + 2·x0 and sends x0 + r1 - x1; the receiver gets x0 + r0·r1.
//!
//! Source: the conversion B2A of ABY (NDSS'15), §IV-E, in the form of Rotaru and Wood, *MArBled Circuits*
//! (INDOCRYPT'19). Differs: on random bits, in setup.
//! Security: that of random OT; what is sent is masked by the string that the receiver does not have.
//! Cost of a bit modulo 2^bits: an OT whose sender is the first party, and bits-1 bits from it.

use super::{Columns, CorrelationKind, OtKind, Ots, bit_triples, check_width};
use crate::pack::{WordReader, WordWriter, mask};
use crate::{Dialogue, Party, ShareError, exchange};
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use tacit_schedule::Unit;
use zeroize::Zeroizing;

/// Pieces made at a time, here and in [`super::BitWordTriples`]: few enough that the messages that both parties send at
/// once stay within a channel's credit.
pub(crate) const WINDOW: usize = bit_triples::WINDOW / 8;

/// Shares of random bits, by exclusive or and by sum.
#[derive(Default)]
pub struct DaBits {
    /// Shares by exclusive or.
    pub bits: Bits,
    /// Shares by sum.
    pub sums: Zeroizing<Vec<u128>>,
}

impl CorrelationKind for DaBits {
    const NAME: &'static str = "daBits";

    /// Bits of the sums.
    type Shape = u32;

    fn check(bits: u32) -> Result<(), ShareError> {
        check_width(bits)
    }

    fn columns(&self, bits: u32, by: &mut impl Columns) -> DaBits {
        DaBits { bits: by.bits(&self.bits, 1), sums: by.words(&self.sums, 1, bits) }
    }
}

impl OtKind for DaBits {
    fn price(bits: u32, count: u64) -> Dialogue {
        if bits == 1 {
            return Dialogue::default();
        }
        Dialogue::default().windows(count, WINDOW as u64, |count| {
            let bytes = message_bits(bits, count as usize).div_ceil(8) as u64;
            Dialogue::default()
                .transfer([count, 0])
                .compute(Unit::MaskedWord, count)
                .send(Party::First, bytes)
        })
    }

    async fn make(
        ots: &mut Ots,
        channel: &mut Channel,
        bits: u32,
        count: usize,
    ) -> Result<DaBits, ShareError> {
        let mut made = DaBits { bits: Bits::default(), sums: Zeroizing::new(Vec::with_capacity(count)) };
        if bits == 1 {
            made.bits = ots.own.next_bits(count);
            made.sums.extend(made.bits.iter().map(u128::from));
            return Ok(made);
        }
        for start in (0..count).step_by(WINDOW) {
            let size = WINDOW.min(count - start);
            match ots.party {
                Party::First => send_sums(ots, channel, bits, size, &mut made).await?,
                Party::Second => receive_sums(ots, channel, bits, size, &mut made).await?,
            }
        }
        Ok(made)
    }
}

/// Bits that the first party sends for `count` bits.
fn message_bits(bits: u32, count: usize) -> usize {
    (bits as usize - 1) * count
}

/// Room for the strings of OTs.
pub(super) fn blocks(count: usize) -> Zeroizing<Vec<Block>> {
    Zeroizing::new(vec![Block::ZERO; count])
}

/// Returns x0 + d - x1.
pub(super) fn correction(zero: u128, d: u128, one: u128, bits: u32) -> u128 {
    zero.wrapping_add(d).wrapping_sub(one) & mask(bits)
}

/// The sender's share of its bit plus the receiver's less twice their product, where x0 and x1 are the OT's strings; appends
/// what the receiver needs to the message.
pub(super) fn give_sum(message: &mut WordWriter, bit: u128, [x0, x1]: [u128; 2], bits: u32) -> u128 {
    message.push(correction(x0, bit, x1, bits - 1), bits - 1);
    bit.wrapping_add(x0 << 1) & mask(bits)
}

/// The receiver's share for [`give_sum`], where `string` is what the OT returned for its bit.
pub(super) fn take_sum(message: &mut WordReader<'_>, bit: u128, string: u128, bits: u32) -> u128 {
    let got = string.wrapping_add(message.take(bits - 1) & bit.wrapping_neg());
    bit.wrapping_sub(got << 1) & mask(bits)
}

async fn send_sums(
    ots: &mut Ots,
    channel: &mut Channel,
    bits: u32,
    count: usize,
    made: &mut DaBits,
) -> Result<(), ShareError> {
    let own = ots.own.next_bits(count);
    let (mut zeros, mut ones) = (blocks(count), blocks(count));
    ots.sender.extend(channel, &mut zeros, &mut ones).await?;
    let mut message = WordWriter::with_capacity(message_bits(bits, count));
    for ((zero, one), bit) in zeros.iter().zip(&*ones).zip(own.iter().map(u128::from)) {
        made.sums.push(give_sum(&mut message, bit, [zero.0, one.0], bits));
    }
    made.bits.extend_bits(&own);
    exchange::send(channel, &message.finish()).await
}

async fn receive_sums(
    ots: &mut Ots,
    channel: &mut Channel,
    bits: u32,
    count: usize,
    made: &mut DaBits,
) -> Result<(), ShareError> {
    let mut strings = blocks(count);
    let choices = ots.receiver.extend(channel, &mut strings).await?;
    let message = exchange::receive(channel, message_bits(bits, count)).await?;
    let mut message = WordReader::new(message.words());
    for (string, bit) in strings.iter().zip(choices.iter().map(u128::from)) {
        made.sums.push(take_sum(&mut message, bit, string.0, bits));
    }
    made.bits.extend_bits(&choices);
    Ok(())
}
