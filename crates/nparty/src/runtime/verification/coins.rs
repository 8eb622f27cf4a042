//! Random numbers that nobody knows until all parties have done what must come before.
//!
//! Each party has a chain of seeds, each the hash of the next, and sends a hash of the first as a commitment. For a coin, each party sends its next seed, once it has received
//! everything for which the coin must be unknown. The coin is a hash of all parties' seeds, so it is unknown until the last honest party has sent its seed. No party can choose
//! its own seeds later, since they follow from a hash that it sent before it knew any others.

use tacit_crypto::Prg;
use tacit_math::Block;
use zeroize::Zeroizing;

/// Bytes of a seed, and of a hash.
pub(crate) const SEED_BYTES: usize = 32;

/// A seed or a hash.
pub(crate) type Seed = [u8; SEED_BYTES];

/// Number of coins of a verification: more than the longest needs.
const MOST_COINS: usize = 40;

/// Purposes of the hashes.
const LINK: &str = "tacit 2026 nparty verification seed";
const COIN: &str = "tacit 2026 nparty verification coin";

/// The coins of a verification, at a party.
pub(crate) struct Coins {
    /// This party's seeds; the next is at the end.
    own: Zeroizing<Vec<Seed>>,
    /// By party, the hash of its next seed.
    expected: Vec<Seed>,
}

/// The hash of a seed.
fn linked(seed: &Seed) -> Seed {
    blake3::derive_key(LINK, seed)
}

impl Coins {
    /// Coins from this party's randomness, and the commitment to send.
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

    /// Takes the commitments of all parties, including this one.
    pub(crate) fn expect(&mut self, told: Vec<Seed>) {
        self.expected = told;
    }

    /// A hash of all commitments.
    pub(crate) fn view(&self) -> Seed {
        blake3::derive_key(COIN, self.expected.as_flattened())
    }

    /// This party's next seed.
    pub(crate) fn next(&mut self) -> Seed {
        self.own.pop().unwrap_or_default()
    }

    /// The coin of all parties' next seeds, or the first party whose seed does not match its commitment.
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
