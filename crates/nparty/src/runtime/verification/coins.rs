//! Random numbers that nobody knows before all parties have done what they are for.
//!
//! Each party has a chain of seeds, each the hash of the next, and tells a hash of the first. For a coin each tells its next seed, once it has got all that the coin is to be
//! unknown for. The coin is a hash of all parties' seeds, so it is known when the last honest party has told its seed; and no party can choose its own, which follow from the hash
//! that it has told before it knew any other.

use tacit_crypto::Prg;
use tacit_math::Block;
use zeroize::Zeroizing;

/// Bytes of a seed, and of a hash.
pub(crate) const SEED_BYTES: usize = 32;

/// A seed or a hash.
pub(crate) type Seed = [u8; SEED_BYTES];

/// Coins of a verification: more than the longest takes.
const MOST_COINS: usize = 40;

/// What the hashes are for.
const LINK: &str = "tacit 2026 nparty verification seed";
const COIN: &str = "tacit 2026 nparty verification coin";

/// The coins of a verification, at a party.
pub(crate) struct Coins {
    /// This party's seeds, the next last.
    own: Zeroizing<Vec<Seed>>,
    /// By party, what the hash of its next seed is.
    expected: Vec<Seed>,
}

/// The hash of a seed.
fn linked(seed: &Seed) -> Seed {
    blake3::derive_key(LINK, seed)
}

impl Coins {
    /// Coins from what only this party knows, and what it tells of them.
    pub(crate) fn new(prg: &mut Prg) -> (Coins, Seed) {
        let mut seed = Zeroizing::new([0; SEED_BYTES]);
        prg.fill_bytes(&mut seed[..]);
        let mut own = Zeroizing::new(Vec::with_capacity(MOST_COINS));
        for _ in 0..MOST_COINS {
            own.push(*seed);
            *seed = linked(&seed);
        }
        (Coins { own, expected: Vec::new() }, *seed)
    }

    /// Takes what all parties have told, this one included.
    pub(crate) fn expect(&mut self, told: Vec<Seed>) {
        self.expected = told;
    }

    /// A hash of what all have told.
    pub(crate) fn view(&self) -> Seed {
        blake3::derive_key(COIN, self.expected.as_flattened())
    }

    /// This party's next seed.
    pub(crate) fn next(&mut self) -> Seed {
        self.own.pop().unwrap_or_default()
    }

    /// The coin of all parties' next seeds, or the first party whose seed is not what it told.
    pub(crate) fn toss(&mut self, seeds: Vec<Seed>) -> Result<Prg, usize> {
        let wrong = seeds.iter().zip(&self.expected).position(|(seed, expected)| linked(seed) != *expected);
        if let Some(wrong) = wrong {
            return Err(wrong);
        }
        let hash = blake3::derive_key(COIN, seeds.as_flattened());
        let mut seed = [0; Block::BYTES];
        seed.copy_from_slice(&hash[..Block::BYTES]);
        self.expected = seeds;
        Ok(Prg::new(Block(u128::from_le_bytes(seed))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_toss_the_same_and_nobody_another_seed() {
        let (mut all, told): (Vec<_>, Vec<_>) =
            (0..3).map(|party| Coins::new(&mut Prg::new(Block(party)))).unzip();
        all.iter_mut().for_each(|coins| coins.expect(told.clone()));
        let mut before = Vec::new();
        for _ in 0..MOST_COINS {
            let seeds: Vec<_> = all.iter_mut().map(Coins::next).collect();
            let mut wrong = seeds.clone();
            wrong[1][7] ^= 1;
            assert_eq!(all[0].toss(wrong).err(), Some(1));
            let tossed = all.iter_mut().map(|coins| coins.toss(seeds.clone()).expect("as told").next_block());
            let tossed: Vec<_> = tossed.collect();
            assert!(tossed.iter().all(|coin| *coin == tossed[0]) && !before.contains(&tossed[0]));
            before.push(tossed[0]);
        }
    }
}
