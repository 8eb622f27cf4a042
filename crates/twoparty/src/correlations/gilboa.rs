//! Products of words of one party with words of the other, by correlated OTs on ever shorter strings. Triples
//! and squares are made from them.
//!
//! The receiver's word f is random: its bit i is the choice of an OT. For a word v of the sender, the OT yields
//! f\[i\]·v, shared by sum and modulo 2^(bits-i), since its factor is 2^i: the sender has the random strings x0 and x1
//! and keeps -x0; it sends x0 + v - x1, which the receiver adds to its string if its choice is one. Several words of
//! the sender may be multiplied by one f; then the strings are longer by that factor.
//!
//! Source: Gilboa, *Two Party RSA Key Generation* (CRYPTO'99), §4.1, in the form of ABY (NDSS'15), §III-A5, with
//! shortened strings. Differs: strings and choices come from random OT, so the receiver's words are random.
//! Security: that of random OT; the sender's message is masked by the string that the receiver does not have.
//! Cost of a product of one f and `span` words v: `bits` OTs and span·bits·(bits+1)/2 bits from sender to receiver.

use super::bit_triples::WINDOW;
use crate::pack::{WordReader, WordWriter, mask};
use crate::{ShareError, exchange};
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use tacit_ot::rot;
use tacit_schedule::Unit;
use zeroize::Zeroizing;

/// Bits that a party sends between two changes of the direction, unless they belong to one word of the
/// receiver.
pub(crate) const MOST_BITS: usize = 1 << 23;

/// How many words of the receiver are multiplied with how many words of the sender each.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// Products are modulo 2^bits.
    pub bits: u32,
    /// Words of the receiver.
    pub count: usize,
    /// Words of the sender for each word of the receiver.
    pub span: usize,
}

impl Shape {
    pub(super) fn ots(self) -> usize {
        self.count * self.bits as usize
    }

    /// Bits that the sender sends.
    fn message_bits(self) -> usize {
        let bits = self.bits as usize;
        self.count * self.span * (bits * (bits + 1) / 2)
    }

    /// Bytes that the sender sends.
    pub(super) fn message_bytes(self) -> u64 {
        self.message_bits().div_ceil(8) as u64
    }

    /// The computing of masking the sender's words and removing the masks.
    pub(super) fn masking(self) -> (Unit, u64) {
        match self.is_plain() {
            true => (Unit::MaskedWord, self.ots() as u64),
            false => (Unit::MaskedByte, self.message_bytes()),
        }
    }

    /// Whether each OT has one string, of at most a word.
    fn is_plain(self) -> bool {
        self.span == 1 && (1..=64).contains(&self.bits)
    }

    /// Words of the receiver between two changes of the direction.
    pub(super) fn window(self) -> usize {
        let bits = self.bits as usize;
        let most = MOST_BITS / (self.span * bits * (bits + 1) / 2).max(1);
        (WINDOW / bits.max(1)).min(most).max(1)
    }
}

/// The receiver's OTs while the sender's message is on its way.
pub(super) struct PendingProducts {
    choices: Bits,
    blocks: Zeroizing<Vec<Block>>,
}

/// The receiver's start: sends what the sender needs for the OTs.
pub(super) async fn begin(
    channel: &mut Channel,
    ots: &mut rot::Receiver,
    shape: Shape,
) -> Result<PendingProducts, ShareError> {
    let mut blocks = Zeroizing::new(vec![Block::ZERO; shape.ots()]);
    let choices = ots.extend(channel, &mut blocks).await?;
    channel.flush().await?;
    Ok(PendingProducts { choices, blocks })
}

/// Both strings of the sender's OTs.
pub(super) struct Strings {
    zeros: Zeroizing<Vec<Block>>,
    ones: Zeroizing<Vec<Block>>,
}

/// The sender's start: its OTs, from the receiver's message in [`begin`]. Nothing else may be read before.
pub(super) async fn draw(
    channel: &mut Channel,
    ots: &mut rot::Sender,
    shape: Shape,
) -> Result<Strings, ShareError> {
    let blocks = || Zeroizing::new(vec![Block::ZERO; shape.ots()]);
    let (mut zeros, mut ones) = (blocks(), blocks());
    ots.extend(channel, &mut zeros, &mut ones).await?;
    Ok(Strings { zeros, ones })
}

/// The sender's message: `value(t, s)` is its s-th word for the receiver's word t, and `add(t, s, share)` takes its
/// share of the product of the two, modulo 2^bits with arbitrary higher bits.
pub(super) async fn send(
    channel: &mut Channel,
    Strings { zeros, ones }: Strings,
    shape: Shape,
    value: impl Fn(usize, usize) -> u128,
    mut add: impl FnMut(usize, usize, u128),
) -> Result<(), ShareError> {
    let Shape { bits, count, span } = shape;
    let mut message = WordWriter::with_capacity(shape.message_bits());
    if shape.is_plain() {
        let pairs = zeros.chunks_exact(bits as usize).zip(ones.chunks_exact(bits as usize));
        for (t, (zeros, ones)) in pairs.enumerate() {
            add(t, 0, give_plain(value(t, 0) as u64, zeros, ones, &mut message).into());
        }
        return exchange::send(channel, &message.finish()).await;
    }
    let (mut first, mut second) = (Expansion::default(), Expansion::default());
    let pairs = zeros.chunks_exact(bits as usize).zip(ones.chunks_exact(bits as usize));
    for (t, (zeros, ones)) in (0..count).zip(pairs) {
        for (i, (zero, one)) in (0..bits).zip(zeros.iter().zip(ones)) {
            let width = bits - i;
            let [mut zero, mut one] = [first.of(*zero, span, width), second.of(*one, span, width)];
            for s in 0..span {
                let (zero, one) = (zero.take(width), one.take(width));
                let sent = zero.wrapping_add(value(t, s)).wrapping_sub(one) & mask(width);
                message.push(sent, width);
                add(t, s, zero.wrapping_neg() << i);
            }
        }
    }
    exchange::send(channel, &message.finish()).await
}

/// The receiver's end: `word(t, f)` takes its random word t, and `add(t, s, share)` as for [`send`].
pub(super) async fn end(
    channel: &mut Channel,
    pending: PendingProducts,
    shape: Shape,
    mut word: impl FnMut(usize, u128),
    mut add: impl FnMut(usize, usize, u128),
) -> Result<(), ShareError> {
    let Shape { bits, count, span } = shape;
    let message = exchange::receive(channel, shape.message_bits()).await?;
    let mut message = WordReader::new(message.words());
    let mut choices = WordReader::new(pending.choices.words());
    let mut strings = Expansion::default();
    for (t, blocks) in (0..count).zip(pending.blocks.chunks_exact(bits as usize)) {
        let factor = choices.take(bits);
        word(t, factor);
        if shape.is_plain() {
            add(t, 0, take_plain(factor as u64, blocks, &mut message).into());
            continue;
        }
        for (i, block) in (0..bits).zip(blocks) {
            let width = bits - i;
            let chosen = (factor >> i & 1).wrapping_neg();
            let mut string = strings.of(*block, span, width);
            for s in 0..span {
                let got = string.take(width).wrapping_add(message.take(width) & chosen);
                add(t, s, got << i);
            }
        }
    }
    Ok(())
}

/// The message of [`send`] for one word `v` of the sender, and its share, if strings are short and each OT has one.
fn give_plain(v: u64, zeros: &[Block], ones: &[Block], message: &mut WordWriter) -> u64 {
    let bits = zeros.len() as u32;
    (0..bits).zip(zeros.iter().zip(ones)).fold(0, |share, (i, (zero, one))| {
        let (zero, one) = (zero.0 as u64, one.0 as u64);
        let width = bits - i;
        message.push_word(zero.wrapping_add(v).wrapping_sub(one) & u64::MAX >> (64 - width), width);
        share.wrapping_sub(zero << i)
    })
}

/// The receiver's share from the message of [`give_plain`].
fn take_plain(factor: u64, blocks: &[Block], message: &mut WordReader<'_>) -> u64 {
    let bits = blocks.len() as u32;
    (0..bits).zip(blocks).fold(0, |share, (i, block)| {
        let chosen = (factor >> i & 1).wrapping_neg();
        let got = (block.0 as u64).wrapping_add(message.take_word(bits - i) & chosen);
        share.wrapping_add(got << i)
    })
}

/// The string of an OT: its block, or if that is too short, a PRG's output from it.
#[derive(Default)]
pub(super) struct Expansion {
    blocks: Zeroizing<Vec<Block>>,
    words: Zeroizing<Vec<u64>>,
}

impl Expansion {
    #[inline]
    pub(super) fn of(&mut self, block: Block, span: usize, width: u32) -> WordReader<'_> {
        let count = (span * width as usize).div_ceil(128);
        self.words.clear();
        if self.words.capacity() < 2 * count.max(1) {
            self.words = Zeroizing::new(Vec::with_capacity(2 * count.max(1)));
        }
        if count <= 1 {
            self.words.extend([block.0 as u64, (block.0 >> 64) as u64]);
        } else {
            if self.blocks.len() != count {
                self.blocks = Zeroizing::new(vec![Block::ZERO; count]);
            }
            Prg::new(block).fill(&mut self.blocks);
            self.words.extend(self.blocks.iter().flat_map(|block| [block.0 as u64, (block.0 >> 64) as u64]));
        }
        WordReader::new(&self.words)
    }
}

/// Random words of `bits` bits.
pub(super) fn random_words(prg: &mut Prg, bits: u32, count: usize) -> Zeroizing<Vec<u128>> {
    let mut blocks = Zeroizing::new(vec![Block::ZERO; count]);
    prg.fill(&mut blocks);
    Zeroizing::new(blocks.iter().map(|block| block.0 & mask(bits)).collect())
}
