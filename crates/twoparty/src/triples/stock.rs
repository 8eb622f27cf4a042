//! Making and handing out material.

use super::{
    Ands, Conjunctions, Demand, DoublyShared, Lookups, Matrices, MatrixShape, Products, Provider, Scalings,
    Squares, SummedBits, Vectors, conjunctions,
};
use crate::ShareError;
use crate::error::found;
use std::collections::BTreeMap;
use std::ops::Range;
use tacit_math::Bits;
use tacit_net::Channel;

/// Material that setup has made and the run takes, each piece once and in order.
#[derive(Default)]
pub struct Stock {
    pub(super) ands: Taken<Ands>,
    pub(super) vectors: BTreeMap<u32, Taken<Vectors>>,
    pub(super) products: BTreeMap<u32, Taken<Products>>,
    pub(super) squares: BTreeMap<u32, Taken<Squares>>,
    pub(super) matrices: BTreeMap<MatrixShape, Taken<Matrices>>,
    pub(super) doubly_shared: BTreeMap<u32, Taken<DoublyShared>>,
    pub(super) conjunctions: BTreeMap<u32, Taken<Conjunctions>>,
    pub(super) lookups: Taken<Lookups>,
    pub(super) summed_bits: BTreeMap<u32, Taken<SummedBits>>,
    pub(super) scalings: BTreeMap<u32, Taken<Scalings>>,
}

/// Material of one kind, and how many pieces of it are spent.
#[derive(Default)]
pub(super) struct Taken<T> {
    pub(super) material: T,
    spent: usize,
    made: usize,
}

impl<T> Taken<T> {
    pub(super) fn new(material: T, made: usize) -> Taken<T> {
        Taken { material, spent: 0, made }
    }

    fn is_spent(&self) -> bool {
        self.spent == self.made
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

    /// Spends `count` pieces and hands them out: all of the material without a copy, or a part of it.
    fn hand(
        &mut self,
        what: &'static str,
        count: usize,
        part: impl FnOnce(&T, Range<usize>) -> T,
    ) -> Result<T, ShareError>
    where
        T: Default,
    {
        let (_, start) = self.take(what, count)?;
        Ok(match count {
            0 => T::default(),
            all if all == self.made => std::mem::take(&mut self.material),
            _ => part(&self.material, start..start + count),
        })
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
        let mut triples = provider.vectors(channel, &demand.bit_triples()).await?;
        let mut take = |size: u32, count: usize| match count {
            // Of a size that nothing asks for none are made.
            0 => Ok(Vectors::none(size)),
            _ => found("AND triples", triples.get_mut(&size))?.split_off(count),
        };
        for (operands, made) in conjunctions::make(channel, &demand.conjunctions, &mut take).await? {
            let count = demand.conjunctions[&operands];
            stock.conjunctions.insert(operands, Taken::new(made, count as usize));
        }
        stock.ands = Taken::new(take(1, demand.ands as usize)?.into_ands()?, demand.ands as usize);
        for (&size, &count) in &demand.vectors {
            stock.vectors.insert(size, Taken::new(take(size, count as usize)?, count as usize));
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
        let count = demand.lookups as usize;
        stock.lookups = Taken::new(provider.lookups(channel, count).await?, count);
        for (&bits, &count) in &demand.summed_bits {
            let made = provider.summed_bits(channel, bits, count as usize).await?;
            stock.summed_bits.insert(bits, Taken::new(made, count as usize));
        }
        for (&bits, &count) in &demand.scalings {
            let made = provider.scalings(channel, bits, count as usize).await?;
            stock.scalings.insert(bits, Taken::new(made, count as usize));
        }
        Ok(stock)
    }

    /// Whether everything made is spent.
    pub fn is_spent(&self) -> bool {
        fn all<K, T>(entries: &BTreeMap<K, Taken<T>>) -> bool {
            entries.values().all(Taken::is_spent)
        }
        self.ands.is_spent()
            && self.lookups.is_spent()
            && all(&self.vectors)
            && all(&self.products)
            && all(&self.squares)
            && all(&self.matrices)
            && all(&self.doubly_shared)
            && all(&self.conjunctions)
            && all(&self.summed_bits)
            && all(&self.scalings)
    }

    /// The next AND triples.
    ///
    /// # Errors
    /// [`ShareError::Exhausted`] if fewer are left; so for all other methods.
    pub fn ands(&mut self, count: usize) -> Result<Ands, ShareError> {
        self.ands.hand("AND triples", count, |made, range| Ands {
            a: made.a.slice(range.clone()),
            b: made.b.slice(range.clone()),
            c: made.c.slice(range),
        })
    }

    /// The next triples with a common operand, each of `size` products.
    ///
    /// # Errors
    /// [`ShareError::Exhausted`].
    pub fn vectors(&mut self, size: u32, count: usize) -> Result<Vectors, ShareError> {
        let what = "AND triples with a common operand";
        let (made, start) = entry(&mut self.vectors, &size, what, count)?.take(what, count)?;
        let part = |bits: &Bits| bits.slice(start..start + count);
        let all = |planes: &[Bits]| planes.iter().map(part).collect();
        Ok(Vectors { a: part(&made.a), b: all(&made.b), c: all(&made.c) })
    }

    /// The next triples modulo 2^bits.
    ///
    /// # Errors
    /// [`ShareError::Exhausted`].
    pub fn products(&mut self, bits: u32, count: usize) -> Result<Products, ShareError> {
        let what = "multiplication triples";
        entry(&mut self.products, &bits, what, count)?.hand(what, count, |made, range| {
            let part = |words: &[u128]| words[range.clone()].to_vec();
            Products { a: part(&made.a), b: part(&made.b), c: part(&made.c) }
        })
    }

    /// The next squares modulo 2^bits.
    ///
    /// # Errors
    /// [`ShareError::Exhausted`].
    pub fn squares(&mut self, bits: u32, count: usize) -> Result<Squares, ShareError> {
        let what = "square pairs";
        entry(&mut self.squares, &bits, what, count)?.hand(what, count, |made, range| {
            let part = |words: &[u128]| words[range.clone()].to_vec();
            Squares { a: part(&made.a), c: part(&made.c) }
        })
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

    /// The next products of all subsets of `operands` bits.
    ///
    /// # Errors
    /// [`ShareError::Exhausted`].
    pub fn conjunctions(&mut self, operands: u32, count: usize) -> Result<Conjunctions, ShareError> {
        let what = "ANDs of several operands";
        let (made, start) = entry(&mut self.conjunctions, &operands, what, count)?.take(what, count)?;
        Ok(Conjunctions {
            products: made.products.iter().map(|bits| bits.slice(start..start + count)).collect(),
        })
    }

    /// The next lookups, `count` of them in each direction.
    ///
    /// # Errors
    /// [`ShareError::Exhausted`].
    pub fn lookups(&mut self, count: usize) -> Result<Lookups, ShareError> {
        let (made, start) = self.lookups.take("table lookups", count)?;
        let range = start..start + count;
        Ok(Lookups {
            tables: made.tables[range.clone()].to_vec(),
            indices: made.indices[range.clone()].to_vec(),
            entries: made.entries[range].to_vec(),
        })
    }

    /// The next bits shared in both ways, the sums modulo 2^bits.
    ///
    /// # Errors
    /// [`ShareError::Exhausted`].
    pub fn summed_bits(&mut self, bits: u32, count: usize) -> Result<SummedBits, ShareError> {
        let what = "bits with shares by sum";
        let (made, start) = entry(&mut self.summed_bits, &bits, what, count)?.take(what, count)?;
        let range = start..start + count;
        Ok(SummedBits { bits: made.bits.slice(range.clone()), sums: made.sums[range].to_vec() })
    }

    /// The next products of a bit and a word modulo 2^bits.
    ///
    /// # Errors
    /// [`ShareError::Exhausted`].
    pub fn scalings(&mut self, bits: u32, count: usize) -> Result<Scalings, ShareError> {
        let what = "products of a bit and a word";
        let (made, start) = entry(&mut self.scalings, &bits, what, count)?.take(what, count)?;
        let part = |words: &[u128]| words[start..start + count].to_vec();
        Ok(Scalings {
            r: made.r.slice(start..start + count),
            sums: part(&made.sums),
            b: part(&made.b),
            c: part(&made.c),
        })
    }
}
