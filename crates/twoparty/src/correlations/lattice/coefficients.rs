//! Words of matrices as coefficients, tile by tile: the table of [`super::tiles`].

use super::tiles::{Sides, Tiles};
use std::ops::Range;
use zeroize::Zeroizing;

/// The two factors of a product and the places of their words, whichever of them is encrypted.
#[derive(Clone, Copy)]
pub(super) struct Factors<'a> {
    pub tiles: &'a Tiles,
    /// Rows × inner words, row by row.
    pub left: &'a [u128],
    /// Inner × columns words, row by row.
    pub right: &'a [u128],
}

impl Factors<'_> {
    /// The coefficients of a tile of the encrypted factor.
    pub fn encrypted(&self, inner: usize, encrypted: usize) -> Zeroizing<Vec<u64>> {
        let Tiles { tile, .. } = self.tiles;
        let (rows, columns) = (self.tiles.inner(inner), self.tiles.encrypted(encrypted));
        let mut coefficients = Zeroizing::new(vec![0; tile.inner * columns.len()]);
        for (chunk, j) in coefficients.chunks_exact_mut(tile.inner).zip(columns) {
            for (coefficient, c) in chunk.iter_mut().zip(rows.clone()) {
                *coefficient = match self.tiles.left {
                    true => self.left[j * self.tiles.whole.inner + c],
                    false => self.right[c * self.tiles.whole.encrypted + j],
                } as u64;
            }
        }
        coefficients
    }

    /// The coefficients of a tile of the other factor, each with its place, as signed numbers.
    pub fn plain(&self, inner: usize, plain: usize) -> Zeroizing<Vec<(usize, i64)>> {
        let Tiles { tile, key, .. } = self.tiles;
        let (columns, rows) = (self.tiles.inner(inner), self.tiles.plain(plain));
        let mut terms = Zeroizing::new(Vec::with_capacity(rows.len() * columns.len()));
        for (i, row) in rows.enumerate() {
            let last = i * tile.encrypted * tile.inner + tile.inner - 1;
            for (c, column) in columns.clone().enumerate() {
                let word = match self.tiles.left {
                    true => self.right[column * self.tiles.whole.plain + row],
                    false => self.left[row * self.tiles.whole.inner + column],
                };
                terms.push((last - c, signed(word as u64, key.bits)));
            }
        }
        terms
    }
}

impl Tiles {
    /// The places of the words of a tile's product: their coefficients, plain row after plain row.
    pub fn places(&self, encrypted: usize, plain: usize) -> Vec<usize> {
        let Sides { inner, encrypted: width, .. } = self.tile;
        let columns = self.encrypted(encrypted).len();
        let place = |i: usize, j: usize| (i * width + j) * inner + inner - 1;
        (0..self.plain(plain).len()).flat_map(|i| (0..columns).map(move |j| place(i, j))).collect()
    }

    /// Adds a tile's product to the whole product, modulo 2^128.
    pub fn add(
        &self,
        encrypted: usize,
        plain: usize,
        words: impl Iterator<Item = u128>,
        product: &mut [u128],
    ) {
        let (columns, rows) = (self.encrypted(encrypted), self.plain(plain));
        let cell = |(row, column): (usize, usize)| match self.left {
            true => column * self.whole.plain + row,
            false => row * self.whole.encrypted + column,
        };
        for (place, word) in pairs(rows, columns).map(cell).zip(words) {
            product[place] = product[place].wrapping_add(word);
        }
    }
}

fn pairs(rows: Range<usize>, columns: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
    rows.flat_map(move |row| columns.clone().map(move |column| (row, column)))
}

/// The representative of a word modulo 2^bits from -2^(bits-1) to 2^(bits-1) - 1.
fn signed(word: u64, bits: u32) -> i64 {
    let unused = 64 - bits;
    (word << unused) as i64 >> unused
}

#[cfg(test)]
mod tests {
    use super::super::super::{MatrixShape, accumulate};
    use super::*;
    use crate::lattice_keys::KeySize;
    use crate::pack::mask;
    use tacit_crypto::Prg;
    use tacit_he::bfv::Ring;
    use tacit_math::Block;

    /// A product of polynomials modulo x^n + 1.
    fn times(degree: usize, x: &[u64], terms: &[(usize, i64)]) -> Vec<u64> {
        let mut product = vec![0u64; degree];
        for (place, term) in terms {
            for (i, x) in x.iter().enumerate() {
                let (place, by) = match place + i < degree {
                    true => (place + i, *term as u64),
                    false => (place + i - degree, (*term as u64).wrapping_neg()),
                };
                product[place] = product[place].wrapping_add(x.wrapping_mul(by));
            }
        }
        product
    }

    /// The product by polynomials with so few coefficients that tiles are small.
    fn by_tiles(tiles: &Tiles, degree: usize, left: &[u128], right: &[u128]) -> Vec<u128> {
        let factors = Factors { tiles, left, right };
        let Sides { inner, encrypted, plain } = tiles.counts();
        let mut product = vec![0; tiles.whole.encrypted * tiles.whole.plain];
        for (e, p) in pairs(0..encrypted, 0..plain) {
            let mut sum = vec![0u64; degree];
            for c in 0..inner {
                let one = times(degree, &factors.encrypted(c, e), &factors.plain(c, p));
                sum.iter_mut().zip(one).for_each(|(sum, one)| *sum = sum.wrapping_add(one));
            }
            let places = tiles.places(e, p);
            assert!(places.iter().all(|place| *place < degree));
            tiles.add(e, p, places.iter().map(|place| u128::from(sum[*place])), &mut product);
        }
        product
    }

    #[test]
    fn every_cut_of_every_small_product_gives_the_product() {
        const DEGREE: usize = 16;
        let mut prg = Prg::new(Block(4));
        for (rows, inner, columns) in
            (1..=4).flat_map(|r| (1..=5).flat_map(move |i| (1..=4).map(move |c| (r, i, c))))
        {
            let bits = 1 + (rows * 17 + inner * 5 + columns) as u32 % 64;
            let shape = MatrixShape { bits, rows, inner, columns };
            let mut words = |count| (0..count).map(|_| prg.next_block().0 & mask(bits)).collect::<Vec<_>>();
            let (a, b) = (words(shape.left()), words(shape.right()));
            let mut expected = vec![0; shape.product()];
            accumulate(shape, &a, &b, &mut expected);
            for left in [false, true] {
                let (encrypted, plain) = if left { (rows, columns) } else { (columns, rows) };
                let whole = Sides { inner, encrypted, plain };
                for (k, e) in pairs(1..inner + 1, 1..encrypted + 1) {
                    for p in (1..=plain).filter(|p| k * e * p <= DEGREE) {
                        let tile = Sides { inner: k, encrypted: e, plain: p };
                        let key = KeySize { ring: Ring::ALL[0], bits };
                        let tiles = Tiles { key, left, whole, tile };
                        let found = by_tiles(&tiles, DEGREE, &a, &b);
                        let same = found.iter().zip(&expected).all(|(x, y)| (x ^ y) & mask(bits) == 0);
                        assert!(same, "{shape:?} {tiles:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn words_are_signed_by_their_highest_bit() {
        assert_eq!([0, 1, 0x7f, 0x80, 0xff].map(|word| signed(word, 8)), [0, 1, 127, -128, -1]);
        assert_eq!([0, 1].map(|word| signed(word, 1)), [0, -1]);
        assert_eq!(signed(1 << 63, 64), i64::MIN);
    }
}
