//! Sets of parties.

/// A party, counted from 0. Its point is one more, so no party has the point 0, where the secret lies.
pub type PartyIndex = usize;

/// A set of parties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Parties(u64);

impl Parties {
    /// The maximum number of parties.
    pub const MAX: usize = 64;

    /// The first `count` parties, of which there are at most [`Parties::MAX`].
    pub fn first(count: usize) -> Parties {
        (0..count).collect()
    }

    /// Whether a party is one of them.
    pub fn contains(self, party: PartyIndex) -> bool {
        party < Self::MAX && self.0 >> party & 1 == 1
    }

    /// Whether the first `count` parties are among them.
    pub fn all(self, count: usize) -> bool {
        (0..count).all(|party| self.contains(party))
    }

    /// The parties in ascending order.
    pub fn iter(self) -> impl Iterator<Item = PartyIndex> {
        (0..Self::MAX).filter(move |party| self.contains(*party))
    }

    /// The party with the smallest number, if any.
    pub fn least(self) -> Option<PartyIndex> {
        self.iter().next()
    }
}

impl FromIterator<PartyIndex> for Parties {
    fn from_iter<I: IntoIterator<Item = PartyIndex>>(parties: I) -> Parties {
        Parties(parties.into_iter().filter(|party| *party < Self::MAX).fold(0, |all, party| all | 1 << party))
    }
}
