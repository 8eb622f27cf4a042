//! How a product of matrices is divided into products of polynomials.
//!
//! A tile of P (`plain` × `inner` words) times a tile of E (`inner` × `encrypted` words) is one product of polynomials with at most
//! `plain·inner·encrypted` coefficients in use:
//!
//! | word | at the coefficient |
//! |---|---|
//! | E\[c\]\[j\] | j·inner + c |
//! | P\[i\]\[c\] | i·encrypted·inner + inner - 1 - c |
//! | (P·E)\[i\]\[j\] | (i·encrypted + j)·inner + inner - 1 |
//!
//! Two words meet at the coefficient of a result only if their c is equal, since c' - c is between -inner and inner. Terms
//! beyond the last coefficient wrap around to coefficients below inner - 1, where no result is.
//!
//! Source: as in the module above.

use super::super::MatrixShape;
use crate::Dialogue;
use crate::lattice_keys::KeySize;
use std::ops::Range;
use tacit_he::bfv::{Ring, Use};
use tacit_schedule::Unit;

/// Bytes of one direction that are made before they are sent, but at least those of one column of tiles.
pub(crate) const GROUP: usize = 1 << 21;

/// Words along the three sides of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sides {
    /// The side along which sums are taken.
    pub inner: usize,
    /// The side of the encrypted factor.
    pub encrypted: usize,
    /// The side of the other factor.
    pub plain: usize,
}

/// A product, and the tiles with the fewest bytes for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tiles {
    pub key: KeySize,
    /// Whether the left factor is encrypted.
    pub left: bool,
    pub whole: Sides,
    /// The size of all tiles except the last along each side, which may be smaller.
    pub tile: Sides,
}

impl Tiles {
    /// The tiles with the fewest bytes, then with the fewest products; `None` for unsupported words or sides.
    pub fn of(shape: MatrixShape) -> Option<Tiles> {
        let MatrixShape { bits, rows, inner, columns } = shape;
        if !(1..=64).contains(&bits) || rows == 0 || inner == 0 || columns == 0 {
            return None;
        }
        let mut best: Option<(u64, u64, Tiles)> = None;
        for ring in Ring::ALL {
            let room = room(ring, bits);
            for (left, encrypted, plain) in [(false, columns, rows), (true, rows, columns)] {
                let (key, whole) = (KeySize { ring, bits }, Sides { inner, encrypted, plain });
                for tile in candidates(ring.degree(), room, whole) {
                    let tiles = Tiles { key, left, whole, tile };
                    let (bytes, products) = (tiles.bytes(), tiles.products());
                    if best.as_ref().is_none_or(|best| (bytes, products) < (best.0, best.1)) {
                        best = Some((bytes, products, tiles));
                    }
                }
            }
        }
        best.map(|(_, _, tiles)| tiles)
    }

    /// Tiles along each side.
    pub fn counts(&self) -> Sides {
        let Tiles { whole, tile, .. } = self;
        Sides {
            inner: whole.inner.div_ceil(tile.inner),
            encrypted: whole.encrypted.div_ceil(tile.encrypted),
            plain: whole.plain.div_ceil(tile.plain),
        }
    }

    /// The words of a tile along the inner side; the functions of the other sides are alike.
    pub fn inner(&self, index: usize) -> Range<usize> {
        part(self.whole.inner, self.tile.inner, index)
    }

    pub fn encrypted(&self, index: usize) -> Range<usize> {
        part(self.whole.encrypted, self.tile.encrypted, index)
    }

    pub fn plain(&self, index: usize) -> Range<usize> {
        part(self.whole.plain, self.tile.plain, index)
    }

    /// Number of ciphertexts of a column of tiles of E.
    pub fn fresh(&self) -> usize {
        self.counts().inner
    }

    /// Bytes of these ciphertexts.
    pub fn fresh_bytes(&self) -> usize {
        self.fresh().saturating_mul(self.key.ring.fresh_bytes())
    }

    /// Bytes of all replies to one column of tiles of E.
    pub fn reply_bytes(&self, encrypted: usize) -> usize {
        let width = self.encrypted(encrypted).len();
        let reply = |height: usize| self.key.ring.reply_bytes(self.key.bits, height * width);
        let (tiles, last) = (self.counts().plain, self.plain(self.counts().plain - 1).len());
        (tiles - 1).saturating_mul(reply(self.tile.plain)).saturating_add(reply(last))
    }

    /// Bytes that each party sends for a product, without keys.
    pub fn bytes(&self) -> u64 {
        let columns = self.counts().encrypted;
        let column = |index| self.fresh_bytes().saturating_add(self.reply_bytes(index)) as u64;
        (columns as u64 - 1).saturating_mul(column(0)).saturating_add(column(columns - 1))
    }

    /// Number of products of polynomials.
    pub fn products(&self) -> u64 {
        let Sides { inner, encrypted, plain } = self.counts();
        [encrypted, plain].iter().fold(inner as u64, |product, side| product.saturating_mul(*side as u64))
    }

    /// Columns of tiles whose messages are sent together.
    pub fn group(&self) -> usize {
        (GROUP / self.fresh_bytes().max(self.reply_bytes(0))).max(1)
    }

    /// The cost of `count` products, without keys.
    pub fn price(&self, count: u64) -> Dialogue {
        let all = (self.counts().encrypted as u64).saturating_mul(count);
        // After this many columns, a group begins with a new product again.
        let cycle = self.group() as u64 * self.counts().encrypted as u64;
        let rest = self.groups(all % cycle);
        let sent = match all / cycle {
            0 => rest,
            cycles => Dialogue::default().repeat(cycles, self.groups(cycle)).then(rest),
        };
        self.computing()
            .into_iter()
            .fold(sent, |sent, (unit, each)| sent.compute(unit, each.saturating_mul(count)))
    }

    /// The cost of the first columns of tiles, group by group.
    fn groups(&self, columns: u64) -> Dialogue {
        let (each, group) = (self.counts().encrypted as u64, self.group() as u64);
        let price = |start: u64| {
            let end = columns.min(start + group);
            // The last column of each product may be narrower.
            let last = end / each - start / each;
            let of = |columns: u64, bytes: usize| columns.saturating_mul(bytes as u64);
            let fresh = of(end - start, self.fresh_bytes());
            let replies = of(end - start - last, self.reply_bytes(0))
                .saturating_add(of(last, self.reply_bytes(self.counts().encrypted - 1)));
            Dialogue::default().exchange([fresh; 2]).exchange([replies; 2])
        };
        (0..columns).step_by(self.group()).map(price).sum()
    }

    /// What each party computes for a product, in residues.
    fn computing(&self) -> [(Unit, u64); 3] {
        let Sides { inner, encrypted, plain } = self.counts();
        let residues = |count: [usize; 3]| {
            count.iter().fold(self.key.residues(), |all, side| all.saturating_mul(*side as u64))
        };
        [
            (Unit::LatticeFresh, residues([inner, encrypted, 1])),
            (Unit::LatticeProduct, residues([inner, encrypted, plain])),
            (Unit::LatticeReply, residues([1, encrypted, plain])),
        ]
    }
}

fn part(whole: usize, tile: usize, index: usize) -> Range<usize> {
    index * tile..((index + 1) * tile).min(whole)
}

/// The maximum number of words of P on which a coefficient of a sum may depend.
fn room(ring: Ring, bits: u32) -> usize {
    let fits = |terms| ring.fits(bits, &Use { terms, factor_bits: bits, sums: 1 });
    let (mut fitting, mut beyond) = (0, 1usize << 40);
    while beyond - fitting > 1 {
        let middle = fitting + (beyond - fitting) / 2;
        match fits(middle) {
            true => fitting = middle,
            false => beyond = middle,
        }
    }
    fitting
}

/// Tiles for a ring with this many coefficients.
fn candidates(degree: usize, room: usize, whole: Sides) -> impl Iterator<Item = Sides> {
    let pairs = sizes(whole.encrypted, degree).flat_map(move |encrypted| {
        sizes(whole.inner, degree / encrypted).map(move |inner| (encrypted, inner))
    });
    pairs.filter_map(move |(encrypted, inner)| {
        let summed = whole.inner.div_ceil(inner).checked_mul(inner)?;
        let most = (degree / (encrypted * inner)).min(room / summed).min(whole.plain);
        (most > 0).then(|| Sides { inner, encrypted, plain: even(whole.plain, whole.plain.div_ceil(most)) })
    })
}

/// All sizes of at most `most` that divide `whole` as evenly as possible.
fn sizes(whole: usize, most: usize) -> impl Iterator<Item = usize> {
    let first = Some(whole.min(most)).filter(|size| *size > 0).map(|size| even(whole, whole.div_ceil(size)));
    std::iter::successors(first, move |size| {
        let next = (*size > 1).then(|| even(whole, whole.div_ceil(size - 1)))?;
        (next < *size).then_some(next)
    })
}

/// The size of a part.
fn even(whole: usize, parts: usize) -> usize {
    whole.div_ceil(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiles(bits: u32, rows: usize, inner: usize, columns: usize) -> Option<Tiles> {
        Tiles::of(MatrixShape { bits, rows, inner, columns })
    }

    #[test]
    fn layers_of_networks_take_megabytes() {
        let layer = tiles(32, 128, 784, 1).unwrap();
        assert!(!layer.left && 2 * layer.bytes() < 1_500_000, "{layer:?}, {} bytes", layer.bytes());
        let batch = tiles(32, 128, 784, 16).unwrap();
        assert!(2 * batch.bytes() < 6_000_000, "{batch:?}, {} bytes", batch.bytes());
        assert!(tiles(32, 784, 128, 1).unwrap().bytes() < 750_000);
    }

    #[test]
    fn either_factor_is_encrypted() {
        assert!(tiles(32, 1, 784, 128).unwrap().left);
        assert!(!tiles(32, 128, 784, 1).unwrap().left);
    }

    #[test]
    fn rings_grow_with_words() {
        let degree = |bits| tiles(bits, 8, 100, 1).map(|tiles| (tiles.key.ring.degree(), tiles.key.ring));
        assert_eq!(degree(8).unwrap().0, 4096);
        assert_eq!(degree(32).unwrap().1, Ring::ALL[1]);
        assert_eq!(degree(64).unwrap().1, Ring::ALL[2]);
        assert_eq!([degree(0), degree(65), degree(128)], [None; 3]);
        assert!([tiles(32, 0, 1, 1), tiles(32, 1, 0, 1), tiles(32, 1, 1, 0)].iter().all(Option::is_none));
    }

    #[test]
    fn tiles_fit_into_their_ring_and_their_noise() {
        for (rows, inner, columns) in [(1, 1, 1), (3, 9000, 2), (100, 100, 100), (1, 70_000, 1), (9, 1, 9000)]
        {
            for bits in [1, 17, 31, 32, 33, 63, 64] {
                let Some(Tiles { key, whole, tile, .. }) = tiles(bits, rows, inner, columns) else {
                    assert!(bits > 62 && inner > 8192, "{bits} bits");
                    continue;
                };
                assert!(tile.inner * tile.encrypted * tile.plain <= key.ring.degree());
                let wanted = Use {
                    terms: tile.plain * tile.inner,
                    factor_bits: bits,
                    sums: whole.inner.div_ceil(tile.inner),
                };
                assert!(key.ring.fits(bits, &wanted), "{key:?} {tile:?}");
            }
        }
    }

    #[test]
    fn the_sizes_of_parts_are_those_of_all_numbers_of_parts() {
        for whole in 1..60usize {
            for most in 0..70 {
                let mut all: Vec<_> =
                    (1..=whole).map(|parts| even(whole, parts)).filter(|n| *n <= most).collect();
                all.dedup();
                assert_eq!(sizes(whole, most).collect::<Vec<_>>(), all);
            }
        }
    }
}
