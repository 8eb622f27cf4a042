//! Random bits with the products of all their subsets, for ANDs of several operands at once.
//!
//! The products of all subsets of n - 1 bits, with those bits themselves, are 2^(n-1) - 1 shared bits w. A further bit
//! a times each of them needs a random OT in each direction: the receiver's choice is its share of a, the sender
//! corrects its random strings x0 and x1 to its share of w by sending x0 ^ x1 ^ w. The first two bits need no
//! correction, since they are random as well.
//!
//! Source: Patra, Schneider, Suresh and Yalame, *ABY2.0* (USENIX Security'21), §3.1.3, products of several operands.
//! Differs: masks are those of triples, not of wires, so that setup knows no circuit and makes any number in the same
//! three steps; each operand is opened under its mask, a bit each way, where ABY2.0 opens the result alone.
//! Security: that of random OT; corrections are masked by the string that the receiver does not have.
//! Cost of an AND of n operands: n - 1 OTs and the 2^n - 2n bits of the corrections in each direction.

use super::boolean::{self, WINDOW, blocks, plane};
use super::{Ands, Ots};
use crate::{ShareError, exchange};
use tacit_math::Bits;
use tacit_net::Channel;
use zeroize::Zeroize;

/// Shares of random bits and of the products of their subsets.
#[derive(Default)]
pub struct Conjunctions {
    /// The product over the subset s of the operands, written as a number from 1 to 2^n - 1, stands at s - 1: operand i
    /// itself at 2^i - 1.
    pub products: Vec<Bits>,
}

impl Drop for Conjunctions {
    fn drop(&mut self) {
        self.products.iter_mut().for_each(Zeroize::zeroize);
    }
}

/// Bits that each party sends to take a further bit to the products of `known` bits.
pub(super) fn message_bits(known: u32, count: usize) -> usize {
    ((1 << known) - 1) * count
}

pub(super) async fn make(
    ots: &mut Ots,
    channel: &mut Channel,
    operands: u32,
    count: usize,
) -> Result<Conjunctions, ShareError> {
    if !(2..=4).contains(&operands) {
        return Err(ShareError::Shape { what: "operands of an AND", given: operands.into(), expected: 4 });
    }
    let Ands { a, b, c } = &mut boolean::ands(ots, channel, count).await?;
    let mut all = Conjunctions { products: [a, b, c].map(std::mem::take).into() };
    for _ in 2..operands {
        let mut more: Vec<Bits> = vec![Bits::default(); 1 + all.products.len()];
        for start in (0..count).step_by(WINDOW) {
            let range = start..count.min(start + WINDOW);
            let known: Vec<Bits> = all.products.iter().map(|bits| bits.slice(range.clone())).collect();
            let made = times_a_bit(ots, channel, &known, range.len()).await?;
            more.iter_mut().zip(&made).for_each(|(all, part)| all.extend_bits(part));
        }
        all.products.append(&mut more);
    }
    channel.flush().await?;
    Ok(all)
}

/// A fresh random bit, and its products with each of the shared bits `known`.
async fn times_a_bit(
    ots: &mut Ots,
    channel: &mut Channel,
    known: &[Bits],
    count: usize,
) -> Result<Vec<Bits>, ShareError> {
    let (mut zeros, mut ones, mut chosen) = (blocks(count), blocks(count), blocks(count));
    ots.supply(channel, count, count).await?;
    let a = ots.receiver.extend(channel, &mut chosen).await?;
    ots.sender.extend(channel, &mut zeros, &mut ones).await?;
    // 1. The sender of each direction corrects x0 ^ x1 to its share w.
    let mut corrections = Bits::default();
    for (i, w) in known.iter().enumerate() {
        let mut correction = plane(&zeros, i);
        correction ^= &plane(&ones, i);
        correction ^= w;
        corrections.extend_bits(&correction);
    }
    let theirs = exchange::exchange(channel, &corrections).await?;
    // 2. a·w = a·w (own) ^ x0 (as the sender) ^ x_a ^ a·correction (as the receiver).
    let mut made = vec![a];
    for (i, w) in known.iter().enumerate() {
        let mut product = theirs.slice(i * count..(i + 1) * count);
        product ^= w;
        product &= &made[0];
        product ^= &plane(&zeros, i);
        product ^= &plane(&chosen, i);
        made.push(product);
    }
    Ok(made)
}
