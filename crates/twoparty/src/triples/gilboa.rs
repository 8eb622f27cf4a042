//! Products of words of one party with words of the other, by correlated OTs on ever shorter strings; from them
//! triples and squares.
//!
//! The receiver's word f is random: its bit i is the choice of an OT. Of a word v of the sender the OT hands over
//! f\[i\]·v, shared by sum and modulo 2^(bits-i), since it counts 2^i: the sender has the random strings x0 and x1 and
//! keeps -x0; it sends x0 + v - x1, which the receiver adds to its string if its choice is one. Several words of the
//! sender may be multiplied by one f; then the strings are as much longer.
//!
//! Source: Gilboa, *Two Party RSA Key Generation* (CRYPTO'99), §4.1, in the form of ABY (NDSS'15), §III-A5, with
//! shortened strings. Differs: strings and choices come from random OT, so the receiver's words are random.
//! Security: that of random OT; the sender's message is masked by the string that the receiver does not have.
//! Cost of a product of one f and `span` words v: `bits` OTs and span·bits·(bits+1)/2 bits from sender to receiver.

use super::Ots;
use super::boolean::WINDOW;
use crate::pack::{Reader, Writer, mask};
use crate::{Party, ShareError, exchange};
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use tacit_ot::rot;
use zeroize::{Zeroize, Zeroizing};

/// Shares of random words a, b and c = a·b modulo 2^bits.
#[derive(Default)]
pub struct Products {
    /// The first factors.
    pub a: Vec<u128>,
    /// The second factors.
    pub b: Vec<u128>,
    /// The products.
    pub c: Vec<u128>,
}

/// Shares of random words a and c = a² modulo 2^bits.
#[derive(Default)]
pub struct Squares {
    /// The roots.
    pub a: Vec<u128>,
    /// The squares.
    pub c: Vec<u128>,
}

impl Drop for Products {
    fn drop(&mut self) {
        [&mut self.a, &mut self.b, &mut self.c].into_iter().for_each(Zeroize::zeroize);
    }
}

impl Drop for Squares {
    fn drop(&mut self) {
        [&mut self.a, &mut self.c].into_iter().for_each(Zeroize::zeroize);
    }
}

/// How many words of the receiver meet how many words of the sender each.
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
    pub(super) fn message_bits(self) -> usize {
        let bits = self.bits as usize;
        self.count * self.span * (bits * (bits + 1) / 2)
    }

    /// Whether each OT has one string, of at most a word.
    fn is_plain(self) -> bool {
        self.span == 1 && (1..=64).contains(&self.bits)
    }

    /// Words of the receiver between two turns.
    pub(super) fn window(self) -> usize {
        let bits = self.bits as usize;
        let most = 64 * exchange::WINDOW / (self.span * bits * (bits + 1) / 2).max(1);
        (WINDOW / bits.max(1)).min(most).max(1)
    }
}

/// The receiver's OTs while the sender's message is on its way.
pub(super) struct Pending {
    choices: Bits,
    blocks: Zeroizing<Vec<Block>>,
}

/// The receiver's start: what the sender needs for the OTs.
pub(super) async fn begin(
    channel: &mut Channel,
    ots: &mut rot::Receiver,
    shape: Shape,
) -> Result<Pending, ShareError> {
    let mut blocks = Zeroizing::new(vec![Block::ZERO; shape.ots()]);
    let choices = ots.extend(channel, &mut blocks).await?;
    channel.flush().await?;
    Ok(Pending { choices, blocks })
}

/// Both strings of the sender's OTs.
pub(super) struct Strings {
    zeros: Zeroizing<Vec<Block>>,
    ones: Zeroizing<Vec<Block>>,
}

/// The sender's start: its OTs, from what the receiver sent in [`begin`]. Nothing else may be read before.
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
/// share of the product of the two, modulo 2^bits but with higher bits left as they come.
pub(super) async fn send(
    channel: &mut Channel,
    Strings { zeros, ones }: Strings,
    shape: Shape,
    value: impl Fn(usize, usize) -> u128,
    mut add: impl FnMut(usize, usize, u128),
) -> Result<(), ShareError> {
    let Shape { bits, count, span } = shape;
    let mut message = Writer::with_capacity(shape.message_bits());
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
    pending: Pending,
    shape: Shape,
    mut word: impl FnMut(usize, u128),
    mut add: impl FnMut(usize, usize, u128),
) -> Result<(), ShareError> {
    let Shape { bits, count, span } = shape;
    let message = exchange::receive(channel, shape.message_bits()).await?;
    let mut message = Reader::new(message.words());
    let mut choices = Reader::new(pending.choices.words());
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

/// What [`send`] sends for one word `v` of the sender, and its share, where strings are short and there is one each.
fn give_plain(v: u64, zeros: &[Block], ones: &[Block], message: &mut Writer) -> u64 {
    let bits = zeros.len() as u32;
    (0..bits).zip(zeros.iter().zip(ones)).fold(0, |share, (i, (zero, one))| {
        let (zero, one) = (zero.0 as u64, one.0 as u64);
        let width = bits - i;
        message.push_word(zero.wrapping_add(v).wrapping_sub(one) & u64::MAX >> (64 - width), width);
        share.wrapping_sub(zero << i)
    })
}

/// The receiver's share of what [`give_plain`] sends.
fn take_plain(factor: u64, blocks: &[Block], message: &mut Reader<'_>) -> u64 {
    let bits = blocks.len() as u32;
    (0..bits).zip(blocks).fold(0, |share, (i, block)| {
        let chosen = (factor >> i & 1).wrapping_neg();
        let got = (block.0 as u64).wrapping_add(message.take_word(bits - i) & chosen);
        share.wrapping_add(got << i)
    })
}

/// The string of an OT: its block, or where that is too short what a PRG makes of it.
#[derive(Default)]
pub(super) struct Expansion {
    blocks: Zeroizing<Vec<Block>>,
    words: Zeroizing<Vec<u64>>,
}

impl Expansion {
    #[inline]
    pub(super) fn of(&mut self, block: Block, span: usize, width: u32) -> Reader<'_> {
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
        Reader::new(&self.words)
    }
}

/// Random words of `bits` bits.
pub(super) fn random_words(prg: &mut Prg, bits: u32, count: usize) -> Vec<u128> {
    let mut blocks = Zeroizing::new(vec![Block::ZERO; count]);
    prg.fill(&mut blocks);
    blocks.iter().map(|block| block.0 & mask(bits)).collect()
}

pub(super) async fn products(
    ots: &mut Ots,
    channel: &mut Channel,
    bits: u32,
    count: usize,
) -> Result<Products, ShareError> {
    let mut triples = Products {
        a: Vec::with_capacity(count),
        b: random_words(&mut ots.own, bits, count),
        c: Vec::with_capacity(count),
    };
    let whole = Shape { bits, count, span: 1 };
    for start in (0..count).step_by(whole.window()) {
        let shape = Shape { count: whole.window().min(count - start), ..whole };
        let Products { a, b, c } = &mut triples;
        c.resize(start + shape.count, 0);
        let (b, c) = (&b[start..], &mut c[start..]);
        // a of one party times b of the other, in both directions at once.
        ots.supply(channel, shape.ots(), (count - start) * bits as usize).await?;
        let pending = begin(channel, &mut ots.receiver, shape).await?;
        let strings = draw(channel, &mut ots.sender, shape).await?;
        let add = |t: usize, _, share: u128| c[t] = c[t].wrapping_add(share);
        send(channel, strings, shape, |t, _| b[t], add).await?;
        let word = |_, word| a.push(word);
        end(channel, pending, shape, word, |t, _, share| c[t] = c[t].wrapping_add(share)).await?;
    }
    for ((c, a), b) in triples.c.iter_mut().zip(&triples.a).zip(&triples.b) {
        *c = c.wrapping_add(a.wrapping_mul(*b)) & mask(bits);
    }
    Ok(triples)
}

/// (a0 + a1)² = a0² + 2·a0·a1 + a1²: one product, and that modulo 2^(bits-1).
///
/// Cost: `bits - 1` OTs of which the first party is the sender, and bits·(bits-1)/2 bits from it to the second.
pub(super) async fn squares(
    ots: &mut Ots,
    channel: &mut Channel,
    bits: u32,
    count: usize,
) -> Result<Squares, ShareError> {
    let mut a = random_words(&mut ots.own, bits, count);
    let mut c = vec![0u128; count];
    let whole = Shape { bits: bits - 1, count, span: 1 };
    for start in (0..if bits > 1 { count } else { 0 }).step_by(whole.window()) {
        let shape = Shape { count: whole.window().min(count - start), ..whole };
        let (a, c) = (&mut a[start..], &mut c[start..]);
        let add = |t: usize, _, share: u128| c[t] = c[t].wrapping_add(share);
        match ots.party {
            Party::First => {
                let strings = draw(channel, &mut ots.sender, shape).await?;
                send(channel, strings, shape, |t, _| a[t], add).await?;
            }
            Party::Second => {
                let pending = begin(channel, &mut ots.receiver, shape).await?;
                let low = mask(bits - 1);
                end(channel, pending, shape, |t, word| a[t] = a[t] & !low | word, add).await?;
            }
        }
    }
    for (c, a) in c.iter_mut().zip(&a) {
        *c = a.wrapping_mul(*a).wrapping_add(*c << 1) & mask(bits);
    }
    Ok(Squares { a, c })
}
