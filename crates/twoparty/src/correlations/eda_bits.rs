//! EdaBits: the random bits of words, shared both by exclusive or and by sum.
//!
//! A random bit r = r0 ^ r1 is r0 + r1 - 2·r0·r1, so its shares by sum only take a product of a bit of one party with
//! a bit of the other, modulo half of the bit's modulus. Bit i of a word has the factor 2^i, and so is shared modulo
//! 2^(bits-i).
//!
//! EdaBits of Escudero et al. (CRYPTO'20) have one share by sum for the whole word; here each bit has one of its own, so
//! that no adder runs when a word is converted.
//!
//! Source: the conversion B2A of ABY (NDSS'15), §IV-E, with its correlated OTs on shortened strings moved to setup, in
//! the form of Rotaru and Wood, *MArBled Circuits* (INDOCRYPT'19).
//! Security: that of random OT.
//! Cost for a word of `bits` bits: bits-1 OTs whose sender is the first party, and bits·(bits-1)/2 bits from it to the
//! second.

use super::gilboa::random_words;
use super::{Columns, CorrelationKind, OtKind, Ots, bit_triples, check_width};
use crate::pack::{WordReader, WordWriter, mask};
use crate::{Dialogue, Party, ShareError, exchange};
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use tacit_schedule::{Consumed, Unit};
use zeroize::Zeroizing;

/// Shares of random bits, those of a word together.
#[derive(Default)]
pub struct EdaBits {
    /// Shares by exclusive or: bit i of a word here is bit i of the word.
    pub words: Zeroizing<Vec<u128>>,
    /// Shares by sum, packed: for each word those of bit 0 modulo 2^bits, of bit 1 modulo 2^(bits-1), and so
    /// on.
    pub sums: Bits,
}

impl CorrelationKind for EdaBits {
    const NAME: &'static str = "edaBits";

    /// Bits of a word.
    type Shape = u32;

    fn check(bits: u32) -> Result<(), ShareError> {
        check_width(bits)
    }

    fn consumed(kind: Consumed) -> Option<u32> {
        if let Consumed::Word { bits } = kind { Some(bits) } else { None }
    }

    fn columns(&self, bits: u32, by: &mut impl Columns) -> EdaBits {
        let sums = bits as usize * (bits as usize + 1) / 2;
        EdaBits { words: by.words(&self.words, 1, bits), sums: by.bits(&self.sums, sums) }
    }
}

impl OtKind for EdaBits {
    fn price(bits: u32, count: u64) -> Dialogue {
        Dialogue::default().windows(count, window(bits) as u64, |count| {
            let bytes = message_bits(bits, count as usize).div_ceil(8) as u64;
            let ots = count * u64::from(bits - 1);
            Dialogue::default().transfer([ots, 0]).compute(Unit::MaskedWord, ots).send(Party::First, bytes)
        })
    }

    async fn make(
        ots: &mut Ots,
        channel: &mut Channel,
        bits: u32,
        count: usize,
    ) -> Result<EdaBits, ShareError> {
        let mut words = random_words(&mut ots.own, bits, count);
        let mut sums = WordWriter::with_capacity(message_bits(bits, count) + count * bits as usize);
        for words in words.chunks_mut(window(bits)) {
            match ots.party {
                Party::First => send(ots, channel, bits, words, &mut sums).await?,
                Party::Second => receive(ots, channel, bits, words, &mut sums).await?,
            }
        }
        Ok(EdaBits { words, sums: sums.finish() })
    }
}

/// Words between two changes of the direction.
fn window(bits: u32) -> usize {
    (bit_triples::WINDOW / bits.max(2) as usize).max(1)
}

/// Bits that the first party sends for `count` words.
fn message_bits(bits: u32, count: usize) -> usize {
    count * (bits as usize * (bits as usize - 1) / 2)
}

/// Sends the messages for bit i of every word, except the last bit: keeps r0 + 2·x0, and sends x0 + r0 - x1.
async fn send(
    ots: &mut Ots,
    channel: &mut Channel,
    bits: u32,
    words: &[u128],
    sums: &mut WordWriter,
) -> Result<(), ShareError> {
    let count = words.len() * (bits - 1) as usize;
    let mut strings = Zeroizing::new([vec![Block::ZERO; count], vec![Block::ZERO; count]]);
    let [zeros, ones] = &mut *strings;
    ots.sender.extend(channel, zeros, ones).await?;
    let mut pairs = zeros.iter().zip(&*ones);
    let mut message = WordWriter::with_capacity(message_bits(bits, words.len()));
    for word in words {
        for (i, (zero, one)) in (0..bits - 1).zip(&mut pairs) {
            let (width, bit) = (bits - 1 - i, word >> i & 1);
            message.push(zero.0.wrapping_add(bit).wrapping_sub(one.0) & mask(width), width);
            sums.push(bit.wrapping_add(zero.0 << 1) & mask(width + 1), width + 1);
        }
        sums.push(word >> (bits - 1), 1);
    }
    exchange::send(channel, &message.finish()).await
}

/// Receives the messages for bit i of every word, except the last bit: the bit is the choice of an OT, and
/// the share r1 - 2·(x0 + r0·r1).
async fn receive(
    ots: &mut Ots,
    channel: &mut Channel,
    bits: u32,
    words: &mut [u128],
    sums: &mut WordWriter,
) -> Result<(), ShareError> {
    let mut strings = Zeroizing::new(vec![Block::ZERO; words.len() * (bits - 1) as usize]);
    let choices = ots.receiver.extend(channel, &mut strings).await?;
    let message = exchange::receive(channel, message_bits(bits, words.len())).await?;
    let (mut choices, mut message) = (WordReader::new(choices.words()), WordReader::new(message.words()));
    let mut strings = strings.iter();
    for word in words {
        *word = choices.take(bits - 1) | *word >> (bits - 1) << (bits - 1);
        for (i, string) in (0..bits - 1).zip(&mut strings) {
            let (width, bit) = (bits - 1 - i, *word >> i & 1);
            let got = string.0.wrapping_add(message.take(width) & bit.wrapping_neg());
            sums.push(bit.wrapping_sub(got << 1) & mask(width + 1), width + 1);
        }
        sums.push(*word >> (bits - 1), 1);
    }
    Ok(())
}
