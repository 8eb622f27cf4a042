//! A stock as bytes, to be kept between setup and the run.
//!
//! What there is of each kind follows from the [`Demand`], which both ends of the time between know; so the bytes hold bits and
//! words alone, packed without gaps, in the order in which [`Stock::make`] makes them.
//!
//! Security: all of it is secret: seal the bytes before they are stored.

use super::stock::Taken;
use super::{
    Ands, Conjunctions, Demand, DoublyShared, Lookups, Matrices, MatrixShape, Products, Scalings, Squares,
    Stock, SummedBits, Vectors,
};
use crate::ShareError;
use crate::pack::{Reader, Writer, mask};
use std::collections::BTreeMap;
use tacit_math::Bits;
use zeroize::Zeroizing;

impl Stock {
    /// The bytes of a stock of which nothing is spent, as many as [`Demand::packed_bytes`]. Secret, wiped on drop.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let mut writer = Writer::default();
        let into = &mut writer;
        let Taken { material: Ands { a, b, c }, .. } = &self.ands;
        [a, b, c].into_iter().for_each(|bits| put(into, bits));
        for Taken { material: Vectors { a, b, c }, .. } in self.vectors.values() {
            [a].into_iter().chain(b).chain(c).for_each(|bits| put(into, bits));
        }
        for (bits, Taken { material: Products { a, b, c }, .. }) in &self.products {
            [a, b, c].into_iter().for_each(|words| put_words(into, words, *bits));
        }
        for (bits, Taken { material: Squares { a, c }, .. }) in &self.squares {
            [a, c].into_iter().for_each(|words| put_words(into, words, *bits));
        }
        for (MatrixShape { bits, .. }, Taken { material: Matrices { a, b, c }, .. }) in &self.matrices {
            [a, b, c].into_iter().for_each(|words| put_words(into, words, *bits));
        }
        for (bits, Taken { material: DoublyShared { words, sums }, .. }) in &self.doubly_shared {
            put_words(into, words, *bits);
            put(into, sums);
        }
        for Taken { material: Conjunctions { products }, .. } in self.conjunctions.values() {
            products.iter().for_each(|bits| put(into, bits));
        }
        let Taken { material: Lookups { tables, indices, entries }, .. } = &self.lookups;
        tables.iter().for_each(|table| into.push_word(u64::from(*table), 32));
        indices.iter().for_each(|index| into.push_word(u64::from(*index), 8));
        entries.iter().for_each(|entry| into.push_word(u64::from(*entry), 32));
        for (width, Taken { material: SummedBits { bits, sums }, .. }) in &self.summed_bits {
            put(into, bits);
            put_words(into, sums, *width);
        }
        for (bits, Taken { material: Scalings { r, sums, b, c }, .. }) in &self.scalings {
            put(into, r);
            [sums, b, c].into_iter().for_each(|words| put_words(into, words, *bits));
        }
        let packed = Zeroizing::new(writer.finish());
        Zeroizing::new(packed.to_bytes())
    }

    /// Reads what [`Stock::to_bytes`] wrote of a stock that was made for `demand`.
    ///
    /// # Errors
    /// [`ShareError::Malformed`] for anything of another length.
    pub fn from_bytes(demand: &Demand, bytes: &[u8]) -> Result<Stock, ShareError> {
        let malformed = ShareError::Malformed("material that was kept");
        let count = demand.packed_bits().filter(|bits| bits.div_ceil(8) == bytes.len()).ok_or(malformed)?;
        let packed =
            Bits::from_bytes(bytes, count).map_err(|_| ShareError::Malformed("padding of packed bits"))?;
        let packed = Zeroizing::new(packed);
        let mut reader = Reader::new(packed.words());
        let from = &mut reader;
        let ands = demand.ands as usize;
        Ok(Stock {
            ands: Taken::new(Ands { a: take(from, ands), b: take(from, ands), c: take(from, ands) }, ands),
            vectors: all(&demand.vectors, |size, count| Vectors {
                a: take(from, count),
                b: (0..*size).map(|_| take(from, count)).collect(),
                c: (0..*size).map(|_| take(from, count)).collect(),
            }),
            products: all(&demand.products, |bits, count| {
                let mut words = || take_words(from, count, *bits);
                Products { a: words(), b: words(), c: words() }
            }),
            squares: all(&demand.squares, |bits, count| {
                let mut words = || take_words(from, count, *bits);
                Squares { a: words(), c: words() }
            }),
            matrices: all(&demand.matrices, |shape, count| {
                let mut words = |size: usize| take_words(from, count * size, shape.bits);
                Matrices { a: words(shape.left()), b: words(shape.right()), c: words(shape.product()) }
            }),
            doubly_shared: all(&demand.doubly_shared, |bits, count| DoublyShared {
                words: take_words(from, count, *bits),
                sums: take(from, count * sums_bits(*bits)),
            }),
            conjunctions: all(&demand.conjunctions, |operands, count| Conjunctions {
                products: (1..1u32 << *operands).map(|_| take(from, count)).collect(),
            }),
            lookups: {
                let count = demand.lookups as usize;
                let tables = (0..count).map(|_| from.take_word(32) as u32).collect();
                let indices = (0..count).map(|_| from.take_word(8) as u8).collect();
                let entries = (0..count).map(|_| from.take_word(32) as u32).collect();
                Taken::new(Lookups { tables, indices, entries }, count)
            },
            summed_bits: all(&demand.summed_bits, |width, count| SummedBits {
                bits: take(from, count),
                sums: take_words(from, count, *width),
            }),
            scalings: all(&demand.scalings, |bits, count| {
                let r = take(from, count);
                let mut words = || take_words(from, count, *bits);
                Scalings { r, sums: words(), b: words(), c: words() }
            }),
        })
    }
}

impl Demand {
    /// Bytes of a stock for this demand, packed to be kept; none if there is no number for them.
    pub fn packed_bytes(&self) -> Option<u64> {
        self.packed_bits().map(|bits| bits.div_ceil(8) as u64)
    }

    fn packed_bits(&self) -> Option<usize> {
        fn sum<K>(counts: &BTreeMap<K, u64>, each: impl Fn(&K) -> Option<u64>) -> Option<u64> {
            counts.iter().try_fold(0u64, |sum, (key, count)| sum.checked_add(count.checked_mul(each(key)?)?))
        }
        let words = |each: u64| move |bits: &u32| Some(each * u64::from(*bits));
        let matrix = |shape: &MatrixShape| {
            let words = shape.left().checked_add(shape.right())?.checked_add(shape.product())?;
            (words as u64).checked_mul(u64::from(shape.bits))
        };
        let parts = [
            self.ands.checked_mul(3)?,
            sum(&self.vectors, |size| Some(1 + 2 * u64::from(*size)))?,
            sum(&self.products, words(3))?,
            sum(&self.squares, words(2))?,
            sum(&self.matrices, matrix)?,
            sum(&self.doubly_shared, |bits| Some(u64::from(*bits) + sums_bits(*bits) as u64))?,
            sum(&self.conjunctions, |operands| Some((1u64.checked_shl(*operands)?) - 1))?,
            self.lookups.checked_mul(72)?,
            sum(&self.summed_bits, |bits| Some(1 + u64::from(*bits)))?,
            sum(&self.scalings, |bits| Some(1 + 3 * u64::from(*bits)))?,
        ];
        usize::try_from(parts.into_iter().try_fold(0u64, u64::checked_add)?).ok()
    }
}

/// Bits of the packed sums of a doubly shared word.
fn sums_bits(bits: u32) -> usize {
    bits as usize * (bits as usize + 1) / 2
}

/// Everything that a demand counts of one kind.
fn all<K: Ord + Copy, T>(
    counts: &BTreeMap<K, u64>,
    mut read: impl FnMut(&K, usize) -> T,
) -> BTreeMap<K, Taken<T>> {
    counts
        .iter()
        .map(|(key, count)| (*key, Taken::new(read(key, *count as usize), *count as usize)))
        .collect()
}

fn put(writer: &mut Writer, bits: &Bits) {
    let mut left = bits.len();
    for word in bits.words() {
        writer.push_word(*word, left.min(64) as u32);
        left -= left.min(64);
    }
}

fn put_words(writer: &mut Writer, words: &[u128], bits: u32) {
    words.iter().for_each(|word| writer.push(word & mask(bits), bits));
}

fn take(reader: &mut Reader<'_>, count: usize) -> Bits {
    let word = |at: usize| (count - at).min(64) as u32;
    Bits::from_words((0..count).step_by(64).map(|at| reader.take_word(word(at))).collect(), count)
}

fn take_words(reader: &mut Reader<'_>, count: usize, bits: u32) -> Vec<u128> {
    (0..count).map(|_| reader.take(bits)).collect()
}
