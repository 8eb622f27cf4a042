//! Triples of words and pairs of squares, from products in slots ([`super::slots`]).

use super::super::gilboa::random_words;
use super::super::pool::{Registered, batches};
use super::super::{CorrelationKind, Ots, PieceCounts, Pool, Requirement, SquarePairs, WordTriples};
use super::residues::primes;
use super::slots::{self, Words, cross, slots};
use crate::lattice_keys::{KeyPair, LatticeKeys};
use crate::pack::mask;
use crate::{Dialogue, Party, ShareError};
use tacit_crypto::Prg;
use tacit_net::Channel;
use tacit_schedule::Consumed;
use zeroize::Zeroizing;

/// Triples and squares of words that lattices make; the others of a requirement come from OTs.
///
/// For a triple, each party encrypts its a and multiplies the peer's a by its b. For a square, one party (the first party for the
/// first half of them) encrypts its root, and the other multiplies it by its own; (a0 + a1)² = a0² + 2·a0·a1 + a1².
///
/// Source: Rathee, Schneider and Shukla, *Improved Multiplication Triple Generation over Rings via RLWE-based AHE* (CANS'19): slots, and
/// several primes for wide words. Differs: words are signed; both parties encrypt, so that both directions send equally much; c1 is sent
/// as a seed, and replies modulo one prime; noise is bounded in the worst case.
/// Security: semi-honest. The key's owner sees each product with a mask of 40 bits more, within 2^-40 of uniform, and a reply
/// with the security of [`tacit_he::bfv`]; the other party sees encryptions.
/// Cost: for 8192 triples of 64 bits 1.25 MB each way, of 32 bits 0.75 MB; half of that for squares. Fewer cost as much.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LatticeWords {
    products: PieceCounts<WordTriples>,
    squares: PieceCounts<SquarePairs>,
}

impl LatticeWords {
    /// Whether lattices make the pieces of a kind: of products of words of up to 128 bits, and of squares.
    pub fn serve(kind: Consumed) -> bool {
        widths(kind).is_some_and(|bits| primes(bits).is_some())
    }

    /// Takes the kinds that `chosen` selects out of a requirement.
    pub fn take_from(requirement: &mut Requirement, chosen: impl Fn(Consumed) -> bool) -> LatticeWords {
        let words = std::mem::take(&mut requirement.word_triples);
        let (products, others) =
            words.into_iter().partition(|(bits, _)| chosen(Consumed::Product { bits: *bits }));
        requirement.word_triples = others;
        let roots = std::mem::take(&mut requirement.square_pairs);
        let (squares, others) =
            roots.into_iter().partition(|(bits, _)| chosen(Consumed::Square { bits: *bits }));
        requirement.square_pairs = others;
        LatticeWords { products, squares }
    }

    /// The cost of making them: what [`LatticeWords::make`] sends, in its order.
    pub fn price(&self) -> Dialogue {
        let products = self.products.iter().map(|(bits, count)| (Consumed::Product { bits: *bits }, *count));
        let squares = self.squares.iter().map(|(bits, count)| (Consumed::Square { bits: *bits }, *count));
        let priced = |(kind, count)| {
            let dialogue = LatticeWords::price_of(kind, count)?;
            Some(Dialogue::default().slot_key().then(dialogue))
        };
        products.chain(squares).filter_map(priced).sum()
    }

    /// What making `count` pieces of a kind sends and computes, without keys; `None` if lattices do not make them.
    pub fn price_of(kind: Consumed, count: u64) -> Option<Dialogue> {
        let bits = widths(kind)?;
        match kind {
            Consumed::Product { .. } => slots::price(bits, [count; 2]),
            _ => slots::price(bits, halves(count)),
        }
    }

    /// Makes them and puts them into the pool. The peer does the same.
    ///
    /// Cost: [`LatticeWords::price`].
    ///
    /// # Errors
    /// [`ShareError::He`] for invalid keys, ciphertexts and replies; [`ShareError::Width`] for unsupported widths; failures of the
    /// channel.
    pub async fn make(
        &self,
        ots: &mut Ots,
        keys: &mut LatticeKeys,
        channel: &mut Channel,
        pool: &mut Pool,
    ) -> Result<(), ShareError> {
        let mut products = Vec::with_capacity(self.products.len());
        for (&bits, &count) in &self.products {
            WordTriples::check(bits)?;
            let keys = keys.slots(channel, needed(bits)?, &mut ots.own).await?;
            products.push(triples(channel, keys, (bits, count as usize), &mut ots.own).await?);
        }
        let mut squares = Vec::with_capacity(self.squares.len());
        for (&bits, &count) in &self.squares {
            SquarePairs::check(bits)?;
            let keys = keys.slots(channel, needed(bits)?, &mut ots.own).await?;
            squares.push(pairs(channel, keys, (bits, count), ots.party, &mut ots.own).await?);
        }
        channel.flush().await?;
        WordTriples::batches(pool).extend(batches::<WordTriples>(&self.products, products));
        SquarePairs::batches(pool).extend(batches::<SquarePairs>(&self.squares, squares));
        Ok(())
    }
}

/// Bits of the words of a product or of a square.
fn widths(kind: Consumed) -> Option<u32> {
    match kind {
        Consumed::Product { bits } | Consumed::Square { bits } => Some(bits),
        _ => None,
    }
}

/// The number of primes that words need.
fn needed(bits: u32) -> Result<usize, ShareError> {
    primes(bits).ok_or(ShareError::Width { bits })
}

/// The number of roots that the first party encrypts, and that of the second.
fn halves(count: u64) -> [u64; 2] {
    let slots = slots() as u64;
    let first = count.min(count.div_ceil(slots).div_ceil(2) * slots);
    [first, count - first]
}

async fn triples(
    channel: &mut Channel,
    keys: &[KeyPair],
    (bits, count): (u32, usize),
    prg: &mut Prg,
) -> Result<WordTriples, ShareError> {
    let (a, b) = (random_words(prg, bits, count), random_words(prg, bits, count));
    let words = Words { bits, encrypted: &a, plain: &b };
    let [mut c, theirs] = cross(channel, keys, words, prg).await?;
    for ((c, theirs), (a, b)) in c.iter_mut().zip(theirs.iter()).zip(a.iter().zip(b.iter())) {
        *c = c.wrapping_add(*theirs).wrapping_add(a.wrapping_mul(*b)) & mask(bits);
    }
    Ok(WordTriples { a, b, c })
}

async fn pairs(
    channel: &mut Channel,
    keys: &[KeyPair],
    (bits, count): (u32, u64),
    party: Party,
    prg: &mut Prg,
) -> Result<SquarePairs, ShareError> {
    let a = random_words(prg, bits, count as usize);
    let (first, second) = a.split_at(halves(count)[0] as usize);
    let (encrypted, plain) = match party {
        Party::First => (first, second),
        Party::Second => (second, first),
    };
    let [own, theirs] = cross(channel, keys, Words { bits, encrypted, plain }, prg).await?;
    let [first, second] = match party {
        Party::First => [&own, &theirs],
        Party::Second => [&theirs, &own],
    };
    let halves = first.iter().chain(second.iter());
    let square = |(a, half): (&u128, &u128)| a.wrapping_mul(*a).wrapping_add(half << 1) & mask(bits);
    let c = Zeroizing::new(a.iter().zip(halves).map(square).collect());
    Ok(SquarePairs { a, c })
}
