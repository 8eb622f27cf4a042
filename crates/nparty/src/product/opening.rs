//! Openings: which parties send shares to which.

use tacit_math::field::Field;
use tacit_math::zeros;

use crate::error::SharingError;
use crate::parties::{Parties, PartyIndex};
use crate::randomness::Randomness;
use crate::scheme::Scheme;

/// From this many elements on, an operation's elements are opened by a king.
pub(crate) const KING_LENGTH: usize = 256;

/// The smallest threshold with which a king opens.
pub(crate) const KING_THRESHOLD: usize = 3;

/// Whether a king opens the elements of an operation for all, in two rounds with t + n - 1 elements sent; else each party sends to the t parties after it, in one round with n
/// · t elements.
pub(crate) fn opens_by_king<F: Field>(scheme: &Scheme<F>, length: usize, to: Parties) -> bool {
    let dealt = scheme.randomness() == Randomness::Dealt && scheme.threshold() >= KING_THRESHOLD;
    dealt && length >= KING_LENGTH && to.all(scheme.parties())
}

/// Whether a party sends the king its shares: it is one of the t before it.
pub(crate) fn tells_king(party: PartyIndex, king: PartyIndex, (parties, threshold): (usize, usize)) -> bool {
    (1..=threshold).contains(&((king + parties - party) % parties))
}

/// Opens shares of degree t from all parties, and detects whether any of them is wrong.
///
/// There are more than t honest parties, so their shares alone determine the value: t parties cannot change it.
pub(crate) struct CheckedOpening<F: Field> {
    field: F,
    /// Coefficients of the shares of the first t + 1 parties, whose sum is the value.
    value: Vec<F::Element>,
    /// Coefficients whose sum is the share of each other party.
    others: Vec<Vec<F::Element>>,
}

impl<F: Field> CheckedOpening<F> {
    /// The checked opening of a scheme.
    ///
    /// Errors: none for a valid scheme.
    pub(crate) fn new(scheme: &Scheme<F>) -> Result<Self, SharingError> {
        let first: Vec<_> = (0..=scheme.threshold()).collect();
        let value = scheme.lagrange(&first, F::Element::default())?;
        let others =
            (first.len()..scheme.parties()).map(|party| scheme.lagrange(&first, scheme.point(party)));
        let others = others.collect::<Result<_, _>>()?;
        Ok(CheckedOpening { field: scheme.field().clone(), value, others })
    }

    /// The values with these shares, given by party; `None` if the shares are not all of degree t.
    pub(crate) fn open(&self, shares: &[&[F::Element]]) -> Option<Vec<F::Element>> {
        let count = shares.first()?.len();
        let sum = |coefficients: &[F::Element]| {
            let mut sum = zeros(count);
            for (shares, coefficient) in shares.iter().zip(coefficients) {
                self.field.add_scaled(&mut sum, shares, *coefficient);
            }
            sum
        };
        let behind = shares.get(self.value.len()..)?;
        let right = behind.iter().zip(&self.others).all(|(shares, others)| sum(others) == **shares);
        (right && behind.len() == self.others.len()).then(|| sum(&self.value))
    }
}

#[cfg(test)]
mod tests {
    use tacit_crypto::Prg;
    use tacit_math::Block;
    use tacit_math::field::Mersenne61;

    use super::*;

    #[test]
    fn every_wrong_share_is_found() {
        for (parties, threshold) in [(3, 1), (4, 1), (5, 1), (5, 2), (7, 3)] {
            let scheme = Scheme::new(Mersenne61, parties, threshold).expect("a scheme");
            let opening = CheckedOpening::new(&scheme).expect("an opening");
            let secrets = [7, 8, 9];
            let shares = scheme.share(&secrets, &mut Prg::new(Block(3)));
            let opened = |shares: &[Vec<u64>]| {
                opening.open(&shares.iter().map(|shares| &shares[..]).collect::<Vec<_>>())
            };
            assert_eq!(opened(&shares), Some(secrets.to_vec()));
            for liars in 1..1usize << parties {
                if liars.count_ones() as usize > threshold {
                    continue;
                }
                let mut wrong = shares.clone();
                for party in (0..parties).filter(|party| liars >> party & 1 == 1) {
                    wrong[party][1] = Mersenne61.add(wrong[party][1], 5);
                }
                assert_eq!(opened(&wrong), None, "{liars:b} of {parties}");
            }
            assert_eq!(opened(&shares[1..]), None);
        }
    }
}
