//! Who tells whom what is opened.

use tacit_math::field::Field;

use crate::parties::{Parties, PartyIndex};
use crate::randomness::Randomness;
use crate::scheme::Scheme;

/// Elements of an operation from which on a king opens them.
pub(crate) const KING_LENGTH: usize = 256;

/// The least threshold with which a king opens.
pub(crate) const KING_THRESHOLD: usize = 3;

/// Whether a king opens the elements of an operation for all, in two rounds, and t + n - 1 elements are sent; or each party tells the t after it, in one round, and n · t are.
pub(crate) fn opens_by_king<F: Field>(scheme: &Scheme<F>, length: usize, to: Parties) -> bool {
    let dealt = scheme.randomness() == Randomness::Dealt && scheme.threshold() >= KING_THRESHOLD;
    dealt && length >= KING_LENGTH && to.all(scheme.parties())
}

/// Whether a party tells the king its shares: it is one of the t before it.
pub(crate) fn tells_king(party: PartyIndex, king: PartyIndex, (parties, threshold): (usize, usize)) -> bool {
    (1..=threshold).contains(&((king + parties - party) % parties))
}
