//! Triples of bits, and of a bit and several bits, from two random OTs each.
//!
//! In one of the OTs this party is the receiver: its choice is its share of a, and it holds u = x_a of the peer's x0
//! and x1. In the other it is the sender of x0 and x1: x0 ^ x1 is its share of b, and v = x0. What one party calls u
//! and the other v differ by the one's a times the other's b, so c = a·b ^ u ^ v is its share of the product.
//!
//! Source: Asharov, Lindell, Schneider and Zohner, *More Efficient Oblivious Transfer* (CCS'13), §5.1; with words for
//! b: the vector triples of ABY (NDSS'15), §III-B2.
//! Security: that of random OT.
//! Cost: an OT in each direction and nothing else; the direction of sending turns once for each [`WINDOW`] of them.

use super::Ots;
use crate::ShareError;
use crate::pack::mask;
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use zeroize::{Zeroize, Zeroizing};

/// OTs made at a time: what both parties send before either reads stays within a channel's credit.
pub(super) const WINDOW: usize = 1 << 15;

/// Shares of random bits a, b and c = a·b.
#[derive(Default)]
pub struct Ands {
    /// The first factors.
    pub a: Bits,
    /// The second factors.
    pub b: Bits,
    /// The products.
    pub c: Bits,
}

/// Shares of random bits a, b0, b1 and c = a·b0, a·b1: two triples with a common operand for the price of one.
#[derive(Default)]
pub struct AndPairs {
    /// The common factors.
    pub a: Bits,
    /// The other factors.
    pub b: [Bits; 2],
    /// The products.
    pub c: [Bits; 2],
}

/// Shares of random bits a, random words b, and c = a·b.
#[derive(Default)]
pub struct Selections {
    /// The bits.
    pub a: Bits,
    /// The words.
    pub b: Vec<u128>,
    /// The words where the bit is one, else zero.
    pub c: Vec<u128>,
}

impl Drop for Ands {
    fn drop(&mut self) {
        [&mut self.a, &mut self.b, &mut self.c].into_iter().for_each(Zeroize::zeroize);
    }
}

impl Drop for AndPairs {
    fn drop(&mut self) {
        self.a.zeroize();
        self.b.iter_mut().chain(&mut self.c).for_each(Zeroize::zeroize);
    }
}

impl Drop for Selections {
    fn drop(&mut self) {
        self.a.zeroize();
        [&mut self.b, &mut self.c].into_iter().for_each(Zeroize::zeroize);
    }
}

/// Blocks of as many OTs as are made at a time.
pub(super) fn blocks(count: usize) -> Zeroizing<Vec<Block>> {
    Zeroizing::new(vec![Block::ZERO; count.min(WINDOW)])
}

/// [`AndPairs`] without names: the common operand, the others, and the products.
pub(super) struct Products<const N: usize> {
    pub(super) a: Bits,
    pub(super) b: [Bits; N],
    pub(super) c: [Bits; N],
}

/// Shares of random bits a, of N random bits b each, and of the products a·b.
pub(super) async fn products<const N: usize>(
    ots: &mut Ots,
    channel: &mut Channel,
    count: usize,
) -> Result<Products<N>, ShareError> {
    let none = || std::array::from_fn(|_| Bits::default());
    let mut made = Products { a: Bits::default(), b: none(), c: none() };
    let (mut zeros, mut ones, mut chosen) = (blocks(count), blocks(count), blocks(count));
    for start in (0..count).step_by(WINDOW) {
        let size = WINDOW.min(count - start);
        let (zeros, ones, chosen) = (&mut zeros[..size], &mut ones[..size], &mut chosen[..size]);
        ots.supply(channel, size, count - start).await?;
        let a = ots.receiver.extend(channel, chosen).await?;
        ots.sender.extend(channel, zeros, ones).await?;
        // b = x0 ^ x1, c = a·b ^ u ^ v.
        ones.iter_mut().zip(&*zeros).for_each(|(one, zero)| *one ^= *zero);
        zeros.iter_mut().zip(&*chosen).for_each(|(zero, u)| *zero ^= *u);
        for (i, (all_b, all_c)) in made.b.iter_mut().zip(&mut made.c).enumerate() {
            let (b, sums) = (plane(ones, i), plane(zeros, i));
            let mut c = a.clone();
            c &= &b;
            c ^= &sums;
            all_b.extend_bits(&b);
            all_c.extend_bits(&c);
        }
        made.a.extend_bits(&a);
    }
    channel.flush().await?;
    Ok(made)
}

pub(super) async fn ands(ots: &mut Ots, channel: &mut Channel, count: usize) -> Result<Ands, ShareError> {
    let Products { a, b: [b], c: [c] } = products(ots, channel, count).await?;
    Ok(Ands { a, b, c })
}

pub(super) async fn and_pairs(
    ots: &mut Ots,
    channel: &mut Channel,
    count: usize,
) -> Result<AndPairs, ShareError> {
    let Products { a, b, c } = products(ots, channel, count).await?;
    Ok(AndPairs { a, b, c })
}

pub(super) async fn selections(
    ots: &mut Ots,
    channel: &mut Channel,
    bits: u32,
    count: usize,
) -> Result<Selections, ShareError> {
    let (b, c) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let mut triples = Selections { a: Bits::default(), b, c };
    let (mut zeros, mut ones, mut chosen) = (blocks(count), blocks(count), blocks(count));
    for start in (0..count).step_by(WINDOW) {
        let size = WINDOW.min(count - start);
        let (zeros, ones, chosen) = (&mut zeros[..size], &mut ones[..size], &mut chosen[..size]);
        ots.supply(channel, size, count - start).await?;
        let a = ots.receiver.extend(channel, chosen).await?;
        ots.sender.extend(channel, zeros, ones).await?;
        let words = zeros.iter().zip(&*ones).zip(&*chosen).zip(a.iter());
        for (((zero, one), u), a) in words {
            let b = *zero ^ *one;
            let c = (b & Block::mask(a)) ^ *u ^ *zero;
            triples.b.push(b.0 & mask(bits));
            triples.c.push(c.0 & mask(bits));
        }
        triples.a.extend_bits(&a);
    }
    channel.flush().await?;
    Ok(triples)
}

/// Bit `bit` of each block, below 64.
pub(super) fn plane(blocks: &[Block], bit: usize) -> Bits {
    let word =
        |chunk: &[Block]| chunk.iter().rev().fold(0, |word, block| word << 1 | (block.0 as u64 >> bit & 1));
    Bits::from_words(blocks.chunks(64).map(word).collect(), blocks.len())
}
