//! Triples of bits, and of a bit and several bits, from two random OTs each.
//!
//! In one of the OTs this party is the receiver: its choice is its share of a, and it gets u = x_a of the peer's x0
//! and x1. In the other it is the sender of x0 and x1: x0 ^ x1 is its share of b, and v = x0. One party's u and the
//! other's v differ by the product of the receiver's a and the sender's b, so c = a·b ^ u ^ v is its share of the
//! product.
//!
//! Source: Asharov, Lindell, Schneider and Zohner, *More Efficient Oblivious Transfer* (CCS'13), §5.1; with several bits
//! b: the vector triples of ABY (NDSS'15), §III-B2, for any ANDs that share an operand.
//! Security: that of random OT.
//! Cost: an OT in each direction and nothing else; the direction of sending changes once for each [`FLIP`] of
//! them.

use super::ots::supplied;
use super::{Columns, CorrelationKind, Ots, PieceCounts, Pool, Provider};
use crate::error::expect;
use crate::{Dialogue, ShareError, wires};
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use tacit_schedule::{Consumed, Unit};
use zeroize::{Zeroize, Zeroizing};

/// OTs made at a time, which stay in cache.
pub(crate) const WINDOW: usize = 1 << 15;
/// OTs between two changes of the direction of sending, half a MiB by SoftSpokenOT: few enough to stay in cache and within a
/// channel's credit, and enough that distant parties seldom wait for each other.
pub(crate) const FLIP: usize = if cfg!(feature = "skewed") { 2 } else { 4 } * WINDOW;

/// Maximum products of a triple.
const MOST_PRODUCTS: u32 = 128;

/// Shares of random bits a, and for each of them, of one or several random bits b and of c = a·b: several ANDs with a
/// common operand for the price of one.
#[derive(Default)]
pub struct BitTriples {
    /// The common factors.
    pub a: Bits,
    /// The other factors: the first of each triple, the second of each, and so on.
    pub b: Vec<Bits>,
    /// The products.
    pub c: Vec<Bits>,
}

impl CorrelationKind for BitTriples {
    const NAME: &'static str = "AND triples";

    /// The number of products of a triple, 1 to 128.
    type Shape = u32;

    fn check(products: u32) -> Result<(), ShareError> {
        match (1..=MOST_PRODUCTS).contains(&products) {
            true => Ok(()),
            false => expect("ANDs with a common operand", products as usize, MOST_PRODUCTS as usize),
        }
    }

    fn consumed(kind: Consumed) -> Option<u32> {
        if let Consumed::Ands { size } = kind { Some(size) } else { None }
    }

    fn columns(&self, products: u32, by: &mut impl Columns) -> BitTriples {
        let count = products as usize;
        BitTriples { a: by.bits(&self.a, 1), b: by.planes(&self.b, count), c: by.planes(&self.c, count) }
    }
}

impl Provider<BitTriples> for Ots {
    fn price(counts: &PieceCounts<BitTriples>) -> Dialogue {
        let count = counts.values().fold(0u64, |sum, count| sum.saturating_add(*count));
        let products = |(products, count): (&u32, &u64)| count.saturating_mul((*products).into());
        let products = counts.iter().map(products).fold(0, u64::saturating_add);
        supplied(count, (FLIP as u64, 1), |count| Dialogue::default().transfer([count; 2]))
            .compute(Unit::AndTriple, products)
    }

    /// Makes the triples of all shapes in one sequence of OTs.
    async fn make(
        &mut self,
        channel: &mut Channel,
        counts: &PieceCounts<BitTriples>,
        _pool: &mut Pool,
    ) -> Result<Vec<BitTriples>, ShareError> {
        let mut all: Vec<BitTriples> = counts.keys().map(|products| BitTriples::none(*products)).collect();
        let mut left: Vec<usize> = counts.values().map(|count| *count as usize).collect();
        let total = left.iter().sum();
        let mut now = 0;
        let take = |a: Bits, b: &[Block], sums: &[Block]| {
            let mut start = 0;
            while start < b.len() {
                if left[now] == 0 {
                    now += 1;
                    continue;
                }
                let range = start..b.len().min(start + left[now]);
                all[now].extend(&a.slice(range.clone()), &b[range.clone()], &sums[range.clone()]);
                left[now] -= range.len();
                start = range.end;
            }
        };
        windows(self, channel, total, take).await?;
        Ok(all)
    }
}

impl BitTriples {
    /// No triples, with this many products for each common factor.
    fn none(products: u32) -> BitTriples {
        let planes = || vec![Bits::default(); products as usize];
        BitTriples { a: Bits::default(), b: planes(), c: planes() }
    }

    /// Adds the common factors `a`, from the blocks of b and of c ^ a·b.
    fn extend(&mut self, a: &Bits, b: &[Block], sums: &[Block]) {
        let (b, sums) = (planes(b, self.b.len()), planes(sums, self.b.len()));
        for (((all_b, all_c), b), mut sum) in self.b.iter_mut().zip(&mut self.c).zip(b).zip(sums) {
            all_b.extend_bits(&b);
            let mut c = b;
            c &= a;
            c ^= &sum;
            all_c.extend_bits(&c);
            sum.zeroize();
            c.zeroize();
        }
        self.a.extend_bits(a);
    }
}

/// Room for as many OTs as are made at a time.
fn blocks(count: usize) -> Zeroizing<Vec<Block>> {
    Zeroizing::new(vec![Block::ZERO; count.min(WINDOW)])
}

/// Makes random OTs in both directions, window by window: `take` receives the shares of a, and blocks of b and
/// of c ^ a·b.
async fn windows(
    ots: &mut Ots,
    channel: &mut Channel,
    count: usize,
    mut take: impl FnMut(Bits, &[Block], &[Block]) + Send,
) -> Result<(), ShareError> {
    let (mut zeros, mut ones) = (blocks(count), blocks(count));
    for start in (0..count).step_by(FLIP) {
        let batch = FLIP.min(count - start);
        ots.supply(channel, batch, count - start).await?;
        // This party's messages as a receiver, before it waits for the peer's.
        let mut received = Vec::new();
        for first in (0..batch).step_by(WINDOW) {
            let mut chosen = blocks(batch - first);
            received.push((ots.receiver.extend(channel, &mut chosen).await?, chosen));
        }
        for (a, chosen) in received {
            let (zeros, ones) = (&mut zeros[..chosen.len()], &mut ones[..chosen.len()]);
            ots.sender.extend(channel, zeros, ones).await?;
            // b = x0 ^ x1, c = a·b ^ u ^ v.
            ones.iter_mut().zip(&*zeros).for_each(|(one, zero)| *one ^= *zero);
            zeros.iter_mut().zip(chosen.iter()).for_each(|(zero, u)| *zero ^= *u);
            take(a, ones, zeros);
        }
    }
    Ok(channel.flush().await?)
}

/// Bit `bit` of each block, where `bit` is below 64.
fn plane(blocks: &[Block], bit: usize) -> Bits {
    let word =
        |chunk: &[Block]| chunk.iter().rev().fold(0, |word, block| word << 1 | (block.0 as u64 >> bit & 1));
    Bits::from_words(blocks.chunks(64).map(word).collect(), blocks.len())
}

/// The lowest bits of each block: all of bit 0, all of bit 1, and so on.
fn planes(blocks: &[Block], bits: usize) -> Vec<Bits> {
    if let ..=2 = bits {
        return (0..bits).map(|bit| plane(blocks, bit)).collect();
    }
    let mut planes = vec![Bits::default(); bits];
    let mut rest = planes.iter_mut();
    wires::each_row(blocks.iter().copied(), bits, |row| {
        if let Some(plane) = rest.next() {
            plane.extend_words(row, blocks.len());
        }
    });
    planes
}
