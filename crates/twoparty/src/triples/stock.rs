//! Counting, making and handing out material.

use super::gilboa::Shape;
use super::{Ands, DoublyShared, Matrices, MatrixShape, Products, Provider, Selections, Squares};
use crate::ShareError;
use std::collections::BTreeMap;
use tacit_math::Bits;
use tacit_net::Channel;

/// How much of each material a run takes; widths are keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// ANDs.
    pub ands: u64,
    /// Choices between words.
    pub selections: BTreeMap<u32, u64>,
    /// Products.
    pub products: BTreeMap<u32, u64>,
    /// Squares.
    pub squares: BTreeMap<u32, u64>,
    /// Matrix products.
    pub matrices: BTreeMap<MatrixShape, u64>,
    /// Words converted from `bool` to `arith`.
    pub doubly_shared: BTreeMap<u32, u64>,
}

impl Demand {
    /// Adds what `other` takes, `times` over; counts stay at the largest number rather than wrap.
    pub fn add(&mut self, other: &Demand, times: u64) {
        self.ands = self.ands.saturating_add(other.ands.saturating_mul(times));
        add(&mut self.selections, &other.selections, times);
        add(&mut self.products, &other.products, times);
        add(&mut self.squares, &other.squares, times);
        add(&mut self.matrices, &other.matrices, times);
        add(&mut self.doubly_shared, &other.doubly_shared, times);
    }

    /// Whether nothing is needed.
    pub fn is_empty(&self) -> bool {
        *self == Demand::default()
    }

    /// OTs in which the first party, and in which the second party is the sender, when [`super::Ots`] provides.
    pub fn ots(&self) -> [u64; 2] {
        let words = |counts: &BTreeMap<u32, u64>, each: fn(u32) -> u64| -> u64 {
            counts.iter().map(|(bits, count)| each(*bits).saturating_mul(*count)).fold(0, u64::saturating_add)
        };
        let matrices =
            self.matrices.iter().map(|(shape, count)| (shape.words().ots() as u64).saturating_mul(*count));
        let both = self
            .ands
            .saturating_add(words(&self.selections, |_| 1))
            .saturating_add(words(&self.products, u64::from))
            .saturating_add(matrices.fold(0, u64::saturating_add));
        let one = |bits: u32| u64::from(bits) - 1;
        let first = words(&self.squares, one).saturating_add(words(&self.doubly_shared, one));
        [both.saturating_add(first), both]
    }

    /// Bytes of messages besides those of the OTs that the first and that the second party sends, when [`super::Ots`]
    /// provides. Exact.
    pub fn message_bytes(&self) -> [u64; 2] {
        let windows = |shape: Shape| -> u64 {
            let (window, count) = (shape.window() as u64, shape.count as u64);
            let bytes =
                |count: u64| (Shape { count: count as usize, ..shape }.message_bits() as u64).div_ceil(8);
            count / window * bytes(window)
                + if count.is_multiple_of(window) { 0 } else { bytes(count % window) }
        };
        let each = |bits: u32, count: u64| windows(Shape { bits, count: count as usize, span: 1 });
        let both: u64 = self.products.iter().map(|(bits, count)| each(*bits, *count)).sum::<u64>()
            + self.matrices.iter().map(|(shape, count)| windows(shape.words()) * count).sum::<u64>();
        let squares: u64 = self
            .squares
            .iter()
            .filter(|(bits, _)| **bits > 1)
            .map(|(bits, count)| each(bits - 1, *count))
            .sum();
        let doubly = |(&bits, &count): (&u32, &u64)| {
            let window = super::doubly_shared::window(bits) as u64;
            let bytes =
                |count: u64| (super::doubly_shared::message_bits(bits, count as usize) as u64).div_ceil(8);
            count / window * bytes(window) + bytes(count % window)
        };
        [both + squares + self.doubly_shared.iter().map(doubly).sum::<u64>(), both]
    }

    /// Bytes that each party keeps until the run takes them.
    pub fn stored_bytes(&self) -> u64 {
        let words = |counts: &BTreeMap<u32, u64>, each: u64| {
            counts.values().fold(0u64, |sum, count| sum.saturating_add(count.saturating_mul(each)))
        };
        let matrices = self.matrices.iter().map(|(shape, count)| {
            (16 * (shape.left() + shape.right() + shape.product()) as u64).saturating_mul(*count)
        });
        let doubly = self
            .doubly_shared
            .iter()
            .map(|(bits, count)| count.saturating_mul(16 + u64::from(bits * (bits + 1)) / 16 + 1));
        (self.ands / 8 * 3)
            .saturating_add(words(&self.selections, 33))
            .saturating_add(words(&self.products, 48))
            .saturating_add(words(&self.squares, 32))
            .saturating_add(matrices.fold(0, u64::saturating_add))
            .saturating_add(doubly.fold(0, u64::saturating_add))
    }
}

fn add<K: Copy + Ord>(counts: &mut BTreeMap<K, u64>, other: &BTreeMap<K, u64>, times: u64) {
    for (key, count) in other {
        let sum = counts.entry(*key).or_default();
        *sum = sum.saturating_add(count.saturating_mul(times));
    }
}

/// Material that setup has made and the run takes, each piece once and in order.
#[derive(Default)]
pub struct Stock {
    ands: Taken<Ands>,
    selections: BTreeMap<u32, Taken<Selections>>,
    products: BTreeMap<u32, Taken<Products>>,
    squares: BTreeMap<u32, Taken<Squares>>,
    matrices: BTreeMap<MatrixShape, Taken<Matrices>>,
    doubly_shared: BTreeMap<u32, Taken<DoublyShared>>,
}

/// Material of one kind, and how many pieces of it are spent.
#[derive(Default)]
struct Taken<T> {
    material: T,
    spent: usize,
    made: usize,
}

impl<T> Taken<T> {
    fn new(material: T, made: usize) -> Taken<T> {
        Taken { material, spent: 0, made }
    }

    /// Spends `count` pieces; the material and the first of them.
    fn take(&mut self, what: &'static str, count: usize) -> Result<(&T, usize), ShareError> {
        let left = self.made - self.spent;
        if count > left {
            return Err(ShareError::Exhausted { what, asked: count as u64, left: left as u64 });
        }
        let start = self.spent;
        self.spent += count;
        Ok((&self.material, start))
    }
}

/// The entry of a width or shape.
fn entry<'a, K: Ord, T>(
    entries: &'a mut BTreeMap<K, Taken<T>>,
    key: &K,
    what: &'static str,
    count: usize,
) -> Result<&'a mut Taken<T>, ShareError> {
    entries.get_mut(key).ok_or(ShareError::Exhausted { what, asked: count as u64, left: 0 })
}

impl Stock {
    /// Makes all that `demand` counts. The peer does the same.
    ///
    /// Cost: with [`super::Ots`] the OTs of [`Demand::ots`] and the bytes of [`Demand::message_bytes`].
    ///
    /// # Errors
    /// Those of the provider.
    pub async fn make(
        provider: &mut impl Provider,
        channel: &mut Channel,
        demand: &Demand,
    ) -> Result<Stock, ShareError> {
        let mut stock = Stock::default();
        let count = demand.ands as usize;
        stock.ands = Taken::new(provider.ands(channel, count).await?, count);
        for (&bits, &count) in &demand.selections {
            let made = provider.selections(channel, bits, count as usize).await?;
            stock.selections.insert(bits, Taken::new(made, count as usize));
        }
        for (&bits, &count) in &demand.products {
            let made = provider.products(channel, bits, count as usize).await?;
            stock.products.insert(bits, Taken::new(made, count as usize));
        }
        for (&bits, &count) in &demand.squares {
            let made = provider.squares(channel, bits, count as usize).await?;
            stock.squares.insert(bits, Taken::new(made, count as usize));
        }
        for (&shape, &count) in &demand.matrices {
            let made = provider.matrices(channel, shape, count as usize).await?;
            stock.matrices.insert(shape, Taken::new(made, count as usize));
        }
        for (&bits, &count) in &demand.doubly_shared {
            let made = provider.doubly_shared(channel, bits, count as usize).await?;
            stock.doubly_shared.insert(bits, Taken::new(made, count as usize));
        }
        Ok(stock)
    }

    /// The next AND triples.
    ///
    /// # Errors
    /// [`ShareError::Exhausted`] if fewer are left; so for all other methods.
    pub fn ands(&mut self, count: usize) -> Result<Ands, ShareError> {
        let (Ands { a, b, c }, start) = self.ands.take("AND triples", count)?;
        let part = |bits: &Bits| bits.slice(start..start + count);
        Ok(Ands { a: part(a), b: part(b), c: part(c) })
    }

    /// The next triples for choices.
    ///
    /// # Errors
    /// [`ShareError::Exhausted`].
    pub fn selections(&mut self, bits: u32, count: usize) -> Result<Selections, ShareError> {
        let what = "selection triples";
        let (made, start) = entry(&mut self.selections, &bits, what, count)?.take(what, count)?;
        let range = start..start + count;
        Ok(Selections {
            a: made.a.slice(range.clone()),
            b: made.b[range.clone()].to_vec(),
            c: made.c[range].to_vec(),
        })
    }

    /// The next triples modulo 2^bits.
    ///
    /// # Errors
    /// [`ShareError::Exhausted`].
    pub fn products(&mut self, bits: u32, count: usize) -> Result<Products, ShareError> {
        let what = "multiplication triples";
        let (made, start) = entry(&mut self.products, &bits, what, count)?.take(what, count)?;
        let part = |words: &[u128]| words[start..start + count].to_vec();
        Ok(Products { a: part(&made.a), b: part(&made.b), c: part(&made.c) })
    }

    /// The next squares modulo 2^bits.
    ///
    /// # Errors
    /// [`ShareError::Exhausted`].
    pub fn squares(&mut self, bits: u32, count: usize) -> Result<Squares, ShareError> {
        let what = "square pairs";
        let (made, start) = entry(&mut self.squares, &bits, what, count)?.take(what, count)?;
        let part = |words: &[u128]| words[start..start + count].to_vec();
        Ok(Squares { a: part(&made.a), c: part(&made.c) })
    }

    /// The next matrix triples of a shape, `count` of them.
    ///
    /// # Errors
    /// [`ShareError::Exhausted`].
    pub fn matrices(&mut self, shape: MatrixShape, count: usize) -> Result<Matrices, ShareError> {
        let what = "matrix triples";
        let (made, start) = entry(&mut self.matrices, &shape, what, count)?.take(what, count)?;
        let part = |words: &[u128], size: usize| words[start * size..(start + count) * size].to_vec();
        Ok(Matrices {
            a: part(&made.a, shape.left()),
            b: part(&made.b, shape.right()),
            c: part(&made.c, shape.product()),
        })
    }

    /// The next bits shared in both ways, for `count` words of `bits` bits.
    ///
    /// # Errors
    /// [`ShareError::Exhausted`].
    pub fn doubly_shared(&mut self, bits: u32, count: usize) -> Result<DoublyShared, ShareError> {
        let what = "doubly shared words";
        let (made, start) = entry(&mut self.doubly_shared, &bits, what, count)?.take(what, count)?;
        let size = bits as usize * (bits as usize + 1) / 2;
        Ok(DoublyShared {
            words: made.words[start..start + count].to_vec(),
            sums: made.sums.slice(start * size..(start + count) * size),
        })
    }
}
