//! Sets of parties that have keys in common: their number, and the sets.

use crate::error::SharingError;
use crate::parties::{Parties, PartyIndex};

/// The maximum number of sets: enough for 13 parties with any threshold, and for 64 with threshold 2.
pub const MAX_SETS: u64 = 2016;

/// The number of [`sets`]: the subsets with `threshold` of `parties` elements.
///
/// Cost: nothing is enumerated.
///
/// Errors: there are more than [`MAX_SETS`], or more than [`Parties::MAX`] parties.
pub fn set_count(parties: usize, threshold: usize) -> Result<usize, SharingError> {
    if parties > Parties::MAX {
        return Err(SharingError::TooManyParties { parties, limit: Parties::MAX });
    }
    // There are as many subsets as complements; counting the smaller of the two takes fewer steps.
    let smaller = threshold.min(parties.saturating_sub(threshold)) as u64;
    let count = (0..smaller).fold(1, |count: u64, i| count.saturating_mul(parties as u64 - i) / (i + 1));
    match count <= MAX_SETS {
        true => Ok(count as usize),
        false => Err(SharingError::TooManySets { parties, threshold, sets: count, limit: MAX_SETS }),
    }
}

/// The largest threshold below half of this many parties.
///
/// Errors: no threshold is possible: there are fewer than 3 parties, or more than [`Parties::MAX`].
pub fn largest_threshold(parties: usize) -> Result<usize, SharingError> {
    match parties {
        0..3 => Err(SharingError::Threshold { parties, threshold: 0 }),
        3..=Parties::MAX => Ok((parties - 1) / 2),
        _ => Err(SharingError::TooManyParties { parties, limit: Parties::MAX }),
    }
}

/// The sets of `parties - threshold` parties, in lexicographic order of their members in ascending order. Every set has a key, which its first party
/// chooses and all members know. [`Scheme::sets`](crate::scheme::Scheme::sets) keeps them.
///
/// Cost: as many steps and words as there are sets.
///
/// Errors: as [`set_count`].
pub fn sets(parties: usize, threshold: usize) -> Result<Vec<Parties>, SharingError> {
    let size = parties.saturating_sub(threshold);
    let mut all = Vec::with_capacity(set_count(parties, threshold)?);
    let mut members: Vec<PartyIndex> = (0..size).collect();
    loop {
        all.push(members.iter().copied().collect());
        // The last member that is not yet at its highest value is incremented, and those after it follow directly.
        let Some(place) = (0..size).rev().find(|place| members[*place] < parties - size + place) else {
            return Ok(all);
        };
        let first = members[place] + 1;
        for (member, next) in members[place..].iter_mut().zip(first..) {
            *member = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use tacit_math::field::Gf256;

    use super::*;
    use crate::scheme::Scheme;

    #[test]
    fn sets_are_all_combinations_in_order() {
        let listed = |parties, threshold| -> Vec<Vec<_>> {
            let sets = sets(parties, threshold).expect("few sets");
            sets.iter().map(|set| set.iter().collect()).collect()
        };
        assert_eq!(listed(4, 2), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        for parties in 3..=13 {
            for threshold in 1..=(parties - 1) / 2 {
                let sets = listed(parties, threshold);
                let size = |set: &Vec<_>| set.len() == parties - threshold;
                assert!(sets.is_sorted() && sets.iter().all(size), "{parties} {threshold}");
                let mut distinct = sets.clone();
                distinct.dedup();
                assert_eq!(Ok(distinct.len()), set_count(parties, threshold));
            }
        }
        assert_eq!(set_count(11, 5), Ok(462));
        assert!(matches!(sets(14, 6), Err(SharingError::TooManySets { sets: 3003, .. })));
        assert!(matches!(sets(65, 1), Err(SharingError::TooManyParties { parties: 65, limit: 64 })));
    }

    #[test]
    fn the_largest_threshold_has_sets() {
        for parties in 3..=Parties::MAX {
            let threshold = largest_threshold(parties).expect("a threshold");
            assert!(Scheme::new(Gf256, parties, threshold).expect("a scheme").sets().is_ok());
            assert!(
                Scheme::new(Gf256, parties, threshold + 1).is_err(),
                "{parties}: {threshold} is not the largest"
            );
        }
        assert_eq!([13, 14, 20, 64].map(largest_threshold), [Ok(6), Ok(6), Ok(9), Ok(31)]);
        assert!(matches!(largest_threshold(2), Err(SharingError::Threshold { .. })));
        assert!(matches!(largest_threshold(65), Err(SharingError::TooManyParties { .. })));
    }
}
