//! Products of random bits, shared both by exclusive or and by sum, with random words.
//!
//! With r = r0 ^ r1 and a word v of the party that holds r1, r·v is r1·v + r0·(1 - 2·r1)·v. So an OT whose choice is r0
//! yields shares of it: the sender, who has the random strings x0 and x1, keeps r1·v - x0 and sends x0 + d - x1, where d
//! is (1 - 2·r1)·v; the receiver gets x0 + r0·d. The same OT in one direction yields the shares of r by sum, as for
//! [`super::DaBits`].
//!
//! Source: the multiplexer of Rathee et al., *CrypTFlow2* (CCS'20), §3.1.2 (its correlated-OT form is *SiRnn*, S&P'21,
//! §4.1), and the conversion B2A of ABY (NDSS'15), §IV-E. Differs: on random bits and words, in setup.
//! Security: that of random OT; what is sent is masked by the string that the receiver does not have.
//! Cost of a product: an OT in each direction, 2·bits-1 bits from the first party and `bits` back.

use super::da_bits::{WINDOW, blocks, correction, give_sum, take_sum};
use super::gilboa::{Expansion, random_words};
use super::{Columns, CorrelationKind, OtKind, Ots, check_width};
use crate::pack::{WordReader, WordWriter, mask};
use crate::{Dialogue, Party, ShareError, exchange};
use tacit_math::Bits;
use tacit_net::Channel;
use tacit_schedule::Unit;
use zeroize::Zeroizing;

/// Shares of random bits r, random words b, and c = r·b modulo 2^bits.
#[derive(Default)]
pub struct BitWordTriples {
    /// The bits, by exclusive or.
    pub r: Bits,
    /// The bits, by sum.
    pub sums: Zeroizing<Vec<u128>>,
    /// The words.
    pub b: Zeroizing<Vec<u128>>,
    /// The words where the bit is one, else zero.
    pub c: Zeroizing<Vec<u128>>,
}

impl CorrelationKind for BitWordTriples {
    const NAME: &'static str = "products of a bit and a word";

    /// Bits of a word.
    type Shape = u32;

    fn check(bits: u32) -> Result<(), ShareError> {
        check_width(bits)
    }

    fn columns(&self, bits: u32, by: &mut impl Columns) -> BitWordTriples {
        let r = by.bits(&self.r, 1);
        let mut words = |column: &[u128]| by.words(column, 1, bits);
        BitWordTriples { r, sums: words(&self.sums), b: words(&self.b), c: words(&self.c) }
    }
}

impl OtKind for BitWordTriples {
    fn price(bits: u32, count: u64) -> Dialogue {
        Dialogue::default().windows(count, WINDOW as u64, |count| {
            let bytes = message_bits(bits, count as usize).map(|bits| (bits as u64).div_ceil(8));
            let transfers = Dialogue::default().supply(count, count).transfer([count; 2]);
            transfers.compute(Unit::MaskedWord, 2 * count).exchange(bytes)
        })
    }

    async fn make(
        ots: &mut Ots,
        channel: &mut Channel,
        bits: u32,
        count: usize,
    ) -> Result<BitWordTriples, ShareError> {
        let words = || Zeroizing::new(Vec::with_capacity(count));
        let b = random_words(&mut ots.own, bits, count);
        let mut made = BitWordTriples { r: Bits::default(), sums: words(), b, c: words() };
        for start in (0..count).step_by(WINDOW) {
            scale(ots, channel, bits, WINDOW.min(count - start), &mut made).await?;
        }
        Ok(made)
    }
}

/// Bits that the first and the second party send for `count` products.
fn message_bits(bits: u32, count: usize) -> [usize; 2] {
    [(2 * bits as usize - 1) * count, bits as usize * count]
}

/// Makes the next `count` products.
async fn scale(
    ots: &mut Ots,
    channel: &mut Channel,
    bits: u32,
    count: usize,
    made: &mut BitWordTriples,
) -> Result<(), ShareError> {
    let (mut zeros, mut ones, mut chosen) = (blocks(count), blocks(count), blocks(count));
    ots.supply(channel, count, count).await?;
    let r = ots.receiver.extend(channel, &mut chosen).await?;
    ots.sender.extend(channel, &mut zeros, &mut ones).await?;
    let party = ots.party;
    let start = made.c.len();
    let (mut first, mut second) = (Expansion::default(), Expansion::default());
    // 1. As the sender: the correlation is (1 - 2r)·b, and at the first party also r.
    let mut message = WordWriter::with_capacity(message_bits(bits, count)[party.index()]);
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
    let [from_first, from_second] = message_bits(bits, count);
    let expected = if party == Party::First { from_second } else { from_first };
    let theirs = exchange::exchange_lengths(channel, &message.finish(), expected).await?;
    // 2. As the receiver.
    let mut theirs = WordReader::new(theirs.words());
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
