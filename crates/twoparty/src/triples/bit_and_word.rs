//! Random bits with shares by sum, and their products with random words.
//!
//! A random bit r = r0 ^ r1 is r0 + r1 - 2·r0·r1, and times a word v of one party, who holds r1, it is
//! r1·v + r0·(1 - 2·r1)·v. So an OT whose choice is r0 gives both: the sender, who has the random strings x0 and x1,
//! keeps -x0 and sends x0 + d - x1, where d is r1 or (1 - 2·r1)·v; the receiver has x0 + r0·d.
//!
//! Source: the multiplexer of Rathee et al., *CrypTFlow2* (CCS'20), §3.1.2 (its correlated-OT form is *SiRnn*, S&P'21,
//! §4.1), and the conversion B2A of ABY (NDSS'15), §IV-E. Differs: on random bits and words, in setup.
//! Security: that of random OT; what is sent is masked by the string that the receiver does not have.
//! Cost of a bit with shares by sum modulo 2^bits: an OT of which the first party is the sender and bits-1 bits from it.
//! Of a product of such a bit and a word: an OT in each direction, 2·bits-1 bits from the first party and `bits` back.

use super::Ots;
use super::boolean;
use super::gilboa::{Expansion, random_words};
use crate::pack::{Reader, Writer, mask};
use crate::{Party, ShareError, exchange};
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use zeroize::{Zeroize, Zeroizing};

/// Pieces made at a time: the messages that both parties send at once stay within a channel's credit.
pub(crate) const WINDOW: usize = boolean::WINDOW / 8;

/// Shares of random bits, by exclusive or and by sum.
#[derive(Default)]
pub struct SummedBits {
    /// Shares by exclusive or.
    pub bits: Bits,
    /// Shares by sum.
    pub sums: Vec<u128>,
}

/// Shares of random bits r, random words b, and c = r·b modulo 2^bits.
#[derive(Default)]
pub struct Scalings {
    /// The bits, by exclusive or.
    pub r: Bits,
    /// The bits, by sum.
    pub sums: Vec<u128>,
    /// The words.
    pub b: Vec<u128>,
    /// The words where the bit is one, else zero.
    pub c: Vec<u128>,
}

impl Drop for SummedBits {
    fn drop(&mut self) {
        self.bits.zeroize();
        self.sums.zeroize();
    }
}

impl Drop for Scalings {
    fn drop(&mut self) {
        self.r.zeroize();
        [&mut self.sums, &mut self.b, &mut self.c].into_iter().for_each(Zeroize::zeroize);
    }
}

/// Bits that the first party sends for `count` bits with shares by sum.
pub(super) fn summed_message_bits(bits: u32, count: usize) -> usize {
    (bits as usize - 1) * count
}

/// Bits that the first and the second party send for `count` products.
pub(super) fn scaling_message_bits(bits: u32, count: usize) -> [usize; 2] {
    [(2 * bits as usize - 1) * count, bits as usize * count]
}

fn blocks(count: usize) -> Zeroizing<Vec<Block>> {
    Zeroizing::new(vec![Block::ZERO; count])
}

/// x0 + d - x1.
fn correction(zero: u128, d: u128, one: u128, bits: u32) -> u128 {
    zero.wrapping_add(d).wrapping_sub(one) & mask(bits)
}

/// The sender's share of the sum of its bit and the receiver's less twice their product, where x0 and x1 are the OT's strings;
/// what the receiver needs goes to the message.
fn give_sum(message: &mut Writer, bit: u128, [x0, x1]: [u128; 2], bits: u32) -> u128 {
    message.push(correction(x0, bit, x1, bits - 1), bits - 1);
    bit.wrapping_add(x0 << 1) & mask(bits)
}

/// The receiver's share for [`give_sum`], where `string` is what the OT gave for its bit.
fn take_sum(message: &mut Reader<'_>, bit: u128, string: u128, bits: u32) -> u128 {
    let got = string.wrapping_add(message.take(bits - 1) & bit.wrapping_neg());
    bit.wrapping_sub(got << 1) & mask(bits)
}

pub(super) async fn summed_bits(
    ots: &mut Ots,
    channel: &mut Channel,
    bits: u32,
    count: usize,
) -> Result<SummedBits, ShareError> {
    let mut made = SummedBits { bits: Bits::default(), sums: Vec::with_capacity(count) };
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

async fn send_sums(
    ots: &mut Ots,
    channel: &mut Channel,
    bits: u32,
    count: usize,
    made: &mut SummedBits,
) -> Result<(), ShareError> {
    let own = ots.own.next_bits(count);
    let (mut zeros, mut ones) = (blocks(count), blocks(count));
    ots.sender.extend(channel, &mut zeros, &mut ones).await?;
    let mut message = Writer::with_capacity(summed_message_bits(bits, count));
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
    made: &mut SummedBits,
) -> Result<(), ShareError> {
    let mut strings = blocks(count);
    let choices = ots.receiver.extend(channel, &mut strings).await?;
    let message = exchange::receive(channel, summed_message_bits(bits, count)).await?;
    let mut message = Reader::new(message.words());
    for (string, bit) in strings.iter().zip(choices.iter().map(u128::from)) {
        made.sums.push(take_sum(&mut message, bit, string.0, bits));
    }
    made.bits.extend_bits(&choices);
    Ok(())
}

pub(super) async fn scalings(
    ots: &mut Ots,
    channel: &mut Channel,
    bits: u32,
    count: usize,
) -> Result<Scalings, ShareError> {
    let (sums, c) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let b = random_words(&mut ots.own, bits, count);
    let mut made = Scalings { r: Bits::default(), sums, b, c };
    for start in (0..count).step_by(WINDOW) {
        scale(ots, channel, bits, WINDOW.min(count - start), &mut made).await?;
    }
    Ok(made)
}

/// The next `count` products.
async fn scale(
    ots: &mut Ots,
    channel: &mut Channel,
    bits: u32,
    count: usize,
    made: &mut Scalings,
) -> Result<(), ShareError> {
    let (mut zeros, mut ones, mut chosen) = (blocks(count), blocks(count), blocks(count));
    ots.supply(channel, count, count).await?;
    let r = ots.receiver.extend(channel, &mut chosen).await?;
    ots.sender.extend(channel, &mut zeros, &mut ones).await?;
    let party = ots.party;
    let start = made.c.len();
    let (mut first, mut second) = (Expansion::default(), Expansion::default());
    // 1. As the sender: the correlation is (1 - 2r)·b, and at the first party also r.
    let mut message = Writer::with_capacity(scaling_message_bits(bits, count)[party.index()]);
    for (i, ((zero, one), bit)) in zeros.iter().zip(&*ones).zip(r.iter().map(u128::from)).enumerate() {
        let b = made.b[start + i];
        let (mut zero, mut one) = (first.of(*zero, 2, bits), second.of(*one, 2, bits));
        let x0 = zero.take(bits);
        let signed = (b ^ bit.wrapping_neg()).wrapping_add(bit);
        message.push(correction(x0, signed, one.take(bits), bits), bits);
        made.c.push((b & bit.wrapping_neg()).wrapping_sub(x0));
        if party == Party::First {
            let strings = [zero.take(bits - 1), one.take(bits - 1)];
            made.sums.push(give_sum(&mut message, bit, strings, bits));
        }
    }
    let [from_first, from_second] = scaling_message_bits(bits, count);
    let expected = if party == Party::First { from_second } else { from_first };
    let theirs = exchange::exchange_lengths(channel, &message.finish(), expected).await?;
    // 2. As the receiver.
    let mut theirs = Reader::new(theirs.words());
    for (i, (string, bit)) in chosen.iter().zip(r.iter().map(u128::from)).enumerate() {
        let mut string = first.of(*string, 2, bits);
        let product = string.take(bits).wrapping_add(theirs.take(bits) & bit.wrapping_neg());
        made.c[start + i] = made.c[start + i].wrapping_add(product) & mask(bits);
        if party == Party::Second {
            made.sums.push(take_sum(&mut theirs, bit, string.take(bits - 1), bits));
        }
    }
    made.r.extend_bits(&r);
    Ok(())
}
