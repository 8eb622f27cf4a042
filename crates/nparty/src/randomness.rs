//! The source of random sharings: common keys of sets of parties, or sharings that all parties deal.

use crate::error::SharingError;
use crate::parties::{Parties, PartyIndex};
use crate::sets;

/// The cost of sending an element, in elements drawn from a key.
pub(crate) const SENDING: u64 = 16;

/// The source of random sharings. It follows from the number of parties and the threshold, so it is the same at all parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Randomness {
    /// Pseudorandom sharing ([`prss`](crate::prss)): a key for each set of n - t parties, and no message. There are C(n, t) sets.
    CommonKeys,
    /// All parties deal, and random sharings are extracted: a key for each pair of parties, and about two elements
    /// of messages for each sharing, however many parties there are.
    Dealt,
}

impl Randomness {
    /// The way with the smaller cost of a product to a party, among this many parties with this threshold: in elements drawn from keys, and
    /// elements sent.
    pub fn of(parties: usize, threshold: usize) -> Randomness {
        match common_keys_cost(parties, threshold) <= dealing_cost(parties, threshold) {
            true => Randomness::CommonKeys,
            false => Randomness::Dealt,
        }
    }

    /// The description that parties compare.
    pub fn describe(self) -> &'static str {
        match self {
            Randomness::CommonKeys => "from common keys of sets of parties",
            Randomness::Dealt => "dealt by all parties and extracted",
        }
    }

    /// The sets of parties that have keys in common: [`sets`](sets::sets), or single parties and pairs.
    ///
    /// Errors: there are too many parties, or too many sets.
    pub fn key_sets(self, parties: usize, threshold: usize) -> Result<Vec<Parties>, SharingError> {
        match self {
            Randomness::CommonKeys => sets::sets(parties, threshold),
            Randomness::Dealt if parties > Parties::MAX => {
                Err(SharingError::TooManyParties { parties, limit: Parties::MAX })
            }
            Randomness::Dealt => {
                let pair = |one: PartyIndex, other: PartyIndex| Parties::from_iter([one, other]);
                Ok((0..parties).flat_map(|one| (one..parties).map(move |other| pair(one, other))).collect())
            }
        }
    }
}

/// The cost of a product's masks to a party with common keys: one element of degree t, and t more that are zero at 0, from each of its keys.
fn common_keys_cost(parties: usize, threshold: usize) -> u64 {
    let Ok(keys) = sets::set_count(parties.saturating_sub(1), threshold) else { return u64::MAX };
    keys as u64 * (threshold as u64 + 2)
}

/// The same for a dealt double sharing: each party's dealing, divided by the n - t extracted sharings, and an addition for each party and each degree.
fn dealing_cost(parties: usize, threshold: usize) -> u64 {
    // Among three parties there are only three keys, and products have no double sharings.
    if parties <= 3 {
        return u64::MAX;
    }
    let (n, t) = (parties as u64, threshold as u64);
    let sent = n.saturating_sub(1 + t) + n.saturating_sub(1 + 2 * t);
    SENDING * sent / n.saturating_sub(t).max(1) + 2 * n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_common_where_their_sets_are_few() {
        let dealt = |parties, threshold| Randomness::of(parties, threshold) == Randomness::Dealt;
        let common = [(3, 1), (4, 1), (5, 1), (6, 1), (7, 1), (24, 1)];
        let many = [(5, 2), (6, 2), (7, 2), (7, 3), (9, 4), (12, 5), (24, 11), (48, 23), (64, 1), (64, 31)];
        assert!(common.iter().all(|(n, t)| !dealt(*n, *t)));
        assert!(many.iter().all(|(n, t)| dealt(*n, *t)));
    }

    #[test]
    fn each_two_parties_have_a_key() {
        let sets = Randomness::Dealt.key_sets(64, 31).expect("few parties");
        assert_eq!(sets.len(), 64 * 65 / 2);
        for one in 0..64 {
            for other in 0..64 {
                assert!(sets.contains(&Parties::from_iter([one, other])));
            }
        }
        assert!(Randomness::Dealt.key_sets(65, 31).is_err());
    }
}
