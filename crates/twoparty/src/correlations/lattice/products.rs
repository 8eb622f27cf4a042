//! The protocol: both cross terms of several products at once.

use super::super::gilboa::random_words;
use super::super::pool::{Registered, batches};
use super::super::{
    CorrelationKind, MatrixShape, MatrixTriples, Ots, PieceCounts, Pool, Requirement, accumulate,
};
use super::coefficients::Factors;
use super::tiles::Tiles;
use crate::lattice_keys::{KeyPair, KeySize, LatticeKeys};
use crate::pack::mask;
use crate::{Dialogue, ShareError};
use tacit_crypto::Prg;
use tacit_he::HeError;
use tacit_he::bfv::{Ciphertext, Factor};
use tacit_he::{PublicKey as _, SecretKey as _};
use tacit_net::Channel;
use zeroize::Zeroizing;

/// The key of a product; `None` if lattices do not make its triples: for words of more than 64 bits, and for empty sides.
pub fn key_size(shape: MatrixShape) -> Option<KeySize> {
    Some(Tiles::of(shape)?.key)
}

/// Triples of matrices that lattices make; the others of a requirement come from OTs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LatticeMatrices(PieceCounts<MatrixTriples>);

impl LatticeMatrices {
    /// Takes the shapes that `chosen` selects out of a requirement.
    pub fn take_from(requirement: &mut Requirement, chosen: impl Fn(MatrixShape) -> bool) -> LatticeMatrices {
        let counts = std::mem::take(&mut requirement.matrix_triples);
        let (lattices, ots) = counts.into_iter().partition(|(shape, _)| chosen(*shape));
        requirement.matrix_triples = ots;
        LatticeMatrices(lattices)
    }

    /// The cost of making them: what [`LatticeMatrices::make`] sends, in its order.
    pub fn price(&self) -> Dialogue {
        let priced = |(shape, count): (&MatrixShape, &u64)| {
            let tiles = Tiles::of(*shape)?;
            Some(Dialogue::default().key(tiles.key).then(tiles.price(*count)))
        };
        self.0.iter().filter_map(priced).sum()
    }

    /// What making `count` triples of a shape sends and computes, without keys; `None` if lattices do not make them.
    pub fn price_of(shape: MatrixShape, count: u64) -> Option<Dialogue> {
        Some(Tiles::of(shape)?.price(count))
    }

    /// Makes them and puts them into the pool. The peer does the same.
    ///
    /// Cost: [`LatticeMatrices::price`].
    ///
    /// # Errors
    /// [`ShareError::He`] for invalid keys, ciphertexts and replies; [`ShareError::Width`] and
    /// [`ShareError::Shape`] for shapes that lattices do not support; failures of the channel.
    pub async fn make(
        &self,
        ots: &mut Ots,
        keys: &mut LatticeKeys,
        channel: &mut Channel,
        pool: &mut Pool,
    ) -> Result<(), ShareError> {
        let mut made = Vec::with_capacity(self.0.len());
        for (&shape, &count) in &self.0 {
            made.push(triples(&mut ots.own, keys, channel, shape, count as usize).await?);
        }
        channel.flush().await?;
        MatrixTriples::batches(pool).extend(batches::<MatrixTriples>(&self.0, made));
        Ok(())
    }
}

/// Makes `count` triples of a shape.
async fn triples(
    prg: &mut Prg,
    keys: &mut LatticeKeys,
    channel: &mut Channel,
    shape: MatrixShape,
    count: usize,
) -> Result<MatrixTriples, ShareError> {
    MatrixTriples::check(shape)?;
    let a = random_words(prg, shape.bits, count * shape.left());
    let b = random_words(prg, shape.bits, count * shape.right());
    let c = Zeroizing::new(Vec::new());
    products(prg, keys, channel, shape, MatrixTriples { a, b, c }).await
}

/// Shares of the products of shared matrices: a and b in `all` are this party's shares, and c becomes a share of
/// a·b.
pub(super) async fn products(
    prg: &mut Prg,
    keys: &mut LatticeKeys,
    channel: &mut Channel,
    shape: MatrixShape,
    mut all: MatrixTriples,
) -> Result<MatrixTriples, ShareError> {
    let count = all.a.len() / shape.left().max(1);
    all.c = Zeroizing::new(vec![0; count * shape.product()]);
    let tiles = Tiles::of(shape).ok_or(refusal(shape))?;
    let keys = keys.pair(channel, tiles.key, prg).await?;
    let columns: Vec<Column> = (0..count)
        .flat_map(|triple| (0..tiles.counts().encrypted).map(move |index| Column { triple, index }))
        .collect();
    for group in columns.chunks(tiles.group()) {
        let mut one = Products { shape, tiles: &tiles, keys, all: &mut all };
        let sent = one.encrypt(group, prg)?;
        let mut received = vec![0; sent.len()];
        channel.exchange(&sent, &mut received).await?;
        let replies = one.multiply(group, &received, prg)?;
        let mut received = vec![0; replies.len()];
        channel.exchange(&replies, &mut received).await?;
        one.decrypt(group, &received)?;
    }
    let MatrixTriples { a, b, c } = &mut all;
    for (c, (a, b)) in c
        .chunks_exact_mut(shape.product())
        .zip(a.chunks_exact(shape.left()).zip(b.chunks_exact(shape.right())))
    {
        accumulate(shape, a, b, c);
    }
    c.iter_mut().for_each(|c| *c &= mask(shape.bits));
    Ok(all)
}

/// Why lattices do not support a shape.
fn refusal(shape: MatrixShape) -> ShareError {
    match shape.bits {
        0 | 65.. => ShareError::He(HeError::Parameters(tacit_he::ParameterFault::PlainBits(shape.bits))),
        _ => ShareError::Shape { what: "words of a matrix", given: 0, expected: 1 },
    }
}

/// A column of tiles of the encrypted factor of one of the triples.
#[derive(Clone, Copy)]
struct Column {
    triple: usize,
    index: usize,
}

/// The state that both ends of a column's product work on.
struct Products<'a> {
    shape: MatrixShape,
    tiles: &'a Tiles,
    keys: &'a KeyPair,
    all: &'a mut MatrixTriples,
}

impl Products<'_> {
    /// This party's factors of a triple.
    fn factors(&self, triple: usize) -> Factors<'_> {
        let (left, right) = (self.shape.left(), self.shape.right());
        Factors {
            tiles: self.tiles,
            left: &self.all.a[triple * left..][..left],
            right: &self.all.b[triple * right..][..right],
        }
    }

    /// Adds words of a tile to this party's share of a product.
    fn add(&mut self, column: Column, plain: usize, words: impl Iterator<Item = u128>) {
        let size = self.shape.product();
        let product = &mut self.all.c[column.triple * size..][..size];
        self.tiles.add(column.index, plain, words, product);
    }

    /// Step 1: encryptions of this party's tiles.
    fn encrypt(&self, group: &[Column], prg: &mut Prg) -> Result<Vec<u8>, ShareError> {
        let own = &self.keys.own;
        let mut sent = Vec::with_capacity(group.len() * self.tiles.fresh_bytes());
        for column in group {
            let factors = self.factors(column.triple);
            for inner in 0..self.tiles.counts().inner {
                let plain = own.public().parameters().plain(&factors.encrypted(inner, column.index))?;
                sent.extend(own.public().encode_fresh(&[own.encrypt_fresh(&plain, prg)?])?);
            }
        }
        Ok(sent)
    }

    /// Step 2: replies to the peer's tiles.
    fn multiply(&mut self, group: &[Column], received: &[u8], prg: &mut Prg) -> Result<Vec<u8>, ShareError> {
        let theirs = &self.keys.theirs;
        let mut replies = Vec::new();
        for (column, bytes) in group.iter().zip(received.chunks_exact(self.tiles.fresh_bytes())) {
            let fresh = theirs.decode_fresh(self.tiles.fresh(), bytes)?;
            let expanded: Result<Vec<Ciphertext>, HeError> =
                fresh.iter().map(|one| theirs.expand(one)).collect();
            let expanded = expanded?;
            for plain in 0..self.tiles.counts().plain {
                let sum = self.sum(column.triple, plain, &expanded)?;
                let places = self.tiles.places(column.index, plain);
                let masks = random_words(prg, self.shape.bits, places.len());
                let mut coefficients = Zeroizing::new(vec![0; self.tiles.key.ring.degree()]);
                places.iter().zip(&*masks).for_each(|(place, word)| coefficients[*place] = *word as u64);
                let masked = theirs.add_plain(&sum, &theirs.parameters().plain(&coefficients)?)?;
                replies.extend(theirs.encode_reply(&theirs.reply(&masked, &places, prg)?)?);
                self.add(*column, plain, masks.iter().map(|word| word.wrapping_neg()));
            }
        }
        Ok(replies)
    }

    /// The sum of products of this party's tiles with the peer's, along the inner side.
    fn sum(&self, triple: usize, plain: usize, theirs: &[Ciphertext]) -> Result<Ciphertext, ShareError> {
        let key = &self.keys.theirs;
        let factors = self.factors(triple);
        let factor = |inner| -> Result<Factor, HeError> {
            key.parameters().sparse_factor(&factors.plain(inner, plain), self.shape.bits)
        };
        let (first, rest) = theirs.split_first().ok_or(ShareError::Missing { what: "tiles" })?;
        let mut sum = key.multiply(first, &factor(0)?)?;
        for (inner, ciphertext) in (1..).zip(rest) {
            key.add_product(&mut sum, ciphertext, &factor(inner)?)?;
        }
        Ok(sum)
    }

    /// Step 3: this party's shares from the peer's replies.
    fn decrypt(&mut self, group: &[Column], received: &[u8]) -> Result<(), ShareError> {
        let own = &self.keys.own;
        let mut rest = received;
        for column in group {
            for plain in 0..self.tiles.counts().plain {
                let places = self.tiles.places(column.index, plain);
                let (bytes, others) = rest.split_at(own.public().reply_bytes(places.len()).min(rest.len()));
                rest = others;
                let reply = own.public().decode_reply(places.len(), bytes)?;
                let words = own.decrypt_reply(&reply, &places)?;
                self.add(*column, plain, words.iter().map(|word| u128::from(*word)));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_he::bfv::{PublicKey, SecretKey};
    use tacit_math::Block;

    fn key_pairs(size: KeySize) -> [KeyPair; 2] {
        let parameters = size.ring.parameters(size.bits).unwrap();
        let seeds = [Block(1), Block(2)];
        let own = seeds.map(|seed| SecretKey::generate(&parameters, &mut Prg::new(seed)).unwrap());
        let public = |key: &SecretKey| PublicKey::from_bytes(&parameters, &key.public().to_bytes()).unwrap();
        let theirs = [public(&own[1]), public(&own[0])];
        let mut pairs = own.into_iter().zip(theirs).map(|(own, theirs)| KeyPair { own, theirs });
        [pairs.next().unwrap(), pairs.next().unwrap()]
    }

    /// Both cross terms of one triple of given factors, shared: A0·B1 + A1·B0.
    fn cross(shape: MatrixShape, factors: [[Vec<u128>; 2]; 2]) -> Vec<u128> {
        let tiles = Tiles::of(shape).unwrap();
        let pairs = key_pairs(tiles.key);
        let mut prgs = [Block(3), Block(4)].map(Prg::new);
        let zeros = || Zeroizing::new(vec![0; shape.product()]);
        let mut shares = factors.map(|[a, b]| MatrixTriples { a: a.into(), b: b.into(), c: zeros() });
        for index in 0..tiles.counts().encrypted {
            let group = [Column { triple: 0, index }];
            let mut ends =
                shares.iter_mut().zip(&pairs).map(|(all, keys)| Products { shape, tiles: &tiles, keys, all });
            let mut ends = [ends.next().unwrap(), ends.next().unwrap()];
            let [x, y] = [0, 1].map(|i| ends[i].encrypt(&group, &mut prgs[i]).unwrap());
            let [x, y] =
                [(0, y), (1, x)].map(|(i, sent)| ends[i].multiply(&group, &sent, &mut prgs[i]).unwrap());
            ends[0].decrypt(&group, &y).unwrap();
            ends[1].decrypt(&group, &x).unwrap();
        }
        let [x, y] = shares.map(|share| share.c);
        x.iter().zip(&*y).map(|(x, y)| x.wrapping_add(*y) & mask(shape.bits)).collect()
    }

    #[test]
    fn words_of_the_largest_noise_give_the_product() {
        for (bits, inner) in [(16, 4096), (32, 9000), (33, 100), (64, 8192), (63, 3000)] {
            let shape = MatrixShape { bits, rows: 2, inner, columns: 1 };
            // Half of the modulus is the word of the largest magnitude, as a signed number.
            let half = 1u128 << (bits - 1);
            let factors: [[Vec<u128>; 2]; 2] = [0, 1].map(|party| {
                let words =
                    |count: usize| (0..count).map(|i| if i % 3 == party { half + 1 } else { half }).collect();
                [words(shape.left()), words(shape.right())]
            });
            let mut expected = vec![0; shape.product()];
            accumulate(shape, &factors[0][0], &factors[1][1], &mut expected);
            accumulate(shape, &factors[1][0], &factors[0][1], &mut expected);
            expected.iter_mut().for_each(|word| *word &= mask(bits));
            assert_eq!(cross(shape, factors), expected, "{shape:?}");
        }
    }

    #[test]
    fn what_the_owner_of_the_key_decrypts_is_uniform() {
        // The factors are zero, so that a missing or partial mask shows.
        let shape = MatrixShape { bits: 8, rows: 64, inner: 16, columns: 4 };
        let tiles = Tiles::of(shape).unwrap();
        let [own, theirs] = key_pairs(tiles.key);
        let zero = || MatrixTriples {
            a: Zeroizing::new(vec![0; shape.left()]),
            b: Zeroizing::new(vec![0; shape.right()]),
            c: Zeroizing::new(vec![0; shape.product()]),
        };
        let (mut all, mut other) = (zero(), zero());
        let mut seen = [0u32; 256];
        let mut prg = Prg::new(Block(5));
        for _ in 0..16 {
            for index in 0..tiles.counts().encrypted {
                let group = [Column { triple: 0, index }];
                let mut owner = Products { shape, tiles: &tiles, keys: &own, all: &mut all };
                let sent = owner.encrypt(&group, &mut prg).unwrap();
                let mut peer = Products { shape, tiles: &tiles, keys: &theirs, all: &mut other };
                let reply = peer.multiply(&group, &sent, &mut prg).unwrap();
                owner.decrypt(&group, &reply).unwrap();
            }
            all.c.iter().zip(&*other.c).for_each(|(x, y)| assert_eq!(x.wrapping_add(*y) & 0xff, 0));
            all.c.iter().for_each(|word| seen[(word & 0xff) as usize] += 1);
            all.c.fill(0);
            other.c.fill(0);
        }
        // 4096 words, 16 of each on average.
        let squares: f64 = seen.iter().map(|count| (f64::from(*count) - 16.0).powi(2) / 16.0).sum();
        assert!((130.0..420.0).contains(&squares), "chi-squared with 255 degrees of freedom: {squares}");
    }

    #[test]
    fn replies_to_one_ciphertext_have_nothing_in_common() {
        let shape = MatrixShape { bits: 32, rows: 2, inner: 4, columns: 1 };
        let tiles = Tiles::of(shape).unwrap();
        let [own, theirs] = key_pairs(tiles.key);
        let zeros = |count| Zeroizing::new(vec![0; count]);
        let mut all =
            MatrixTriples { a: zeros(shape.left()), b: zeros(shape.right()), c: zeros(shape.product()) };
        let group = [Column { triple: 0, index: 0 }];
        let mut prg = Prg::new(Block(6));
        let sent =
            Products { shape, tiles: &tiles, keys: &own, all: &mut all }.encrypt(&group, &mut prg).unwrap();
        let mut peer = Products { shape, tiles: &tiles, keys: &theirs, all: &mut all };
        // Without a fresh zero, c1·0 would be zero.
        let [x, y] = [0, 1].map(|_| peer.multiply(&group, &sent, &mut prg).unwrap());
        let equal = x.iter().zip(&y).filter(|(x, y)| x == y).count();
        let zero = x.iter().filter(|byte| **byte == 0).count();
        assert!(equal < x.len() / 128 && zero < x.len() / 128, "{equal} equal, {zero} zero of {}", x.len());
    }

    #[test]
    fn what_no_honest_party_sends_is_refused() {
        let shape = MatrixShape { bits: 32, rows: 2, inner: 4, columns: 1 };
        let tiles = Tiles::of(shape).unwrap();
        let [own, _] = key_pairs(tiles.key);
        let zeros = |count| Zeroizing::new(vec![0; count]);
        let mut all =
            MatrixTriples { a: zeros(shape.left()), b: zeros(shape.right()), c: zeros(shape.product()) };
        let mut end = Products { shape, tiles: &tiles, keys: &own, all: &mut all };
        let group = [Column { triple: 0, index: 0 }];
        let mut prg = Prg::new(Block(7));
        let range = |error: Option<ShareError>| matches!(error, Some(ShareError::He(HeError::Range { .. })));
        let length =
            |error: Option<ShareError>| matches!(error, Some(ShareError::He(HeError::Length { .. })));
        // A number with all bits set is not a residue of any prime.
        assert!(range(end.multiply(&group, &vec![0xff; tiles.fresh_bytes()], &mut prg).err()));
        assert!(range(end.decrypt(&group, &vec![0xff; tiles.reply_bytes(0)]).err()));
        assert!(length(end.decrypt(&group, &vec![0; tiles.reply_bytes(0) - 1]).err()));
        let key =
            PublicKey::from_bytes(&own.own.public().parameters(), &vec![0xff; tiles.key.ring.key_bytes()]);
        assert!(matches!(key, Err(HeError::Range { .. })));
        for other in tacit_he::bfv::Ring::ALL.into_iter().filter(|ring| *ring != tiles.key.ring) {
            let key = PublicKey::from_bytes(&own.own.public().parameters(), &vec![0; other.key_bytes()]);
            assert!(matches!(key, Err(HeError::Length { .. })));
        }
    }
}
