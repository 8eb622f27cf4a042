//! Randomness with several contributors, so that no t parties know all of it. The contributors are the sets of parties with a common key; or, where sharings are dealt, t + 1
//! parties, each of which shares what it draws alone.

use tacit_math::field::Field;
use tacit_math::zeros;

use crate::error::RunError;
use crate::parties::{Parties, PartyIndex};
use crate::program::{Task, Value, mixed};
use crate::prss::Prss;
use crate::randomness::Randomness;
use crate::sets::set_count;

impl<F: Field> Task<F> {
    /// The number of contributors.
    ///
    /// Errors: there are too many.
    pub(crate) fn contributor_count(&self) -> Result<usize, RunError> {
        let (parties, threshold) = (self.scheme().parties(), self.scheme().threshold());
        match self.scheme().randomness() {
            Randomness::CommonKeys => Ok(set_count(parties, threshold)?),
            Randomness::Dealt => Ok(threshold + 1),
        }
    }

    /// The contributors at a position. Dealers take turns, so that they share the work.
    fn contributors(&self, first: u64) -> Result<Vec<Parties>, RunError> {
        let (parties, threshold) = (self.scheme().parties(), self.scheme().threshold());
        if self.scheme().randomness() == Randomness::CommonKeys {
            return Ok(self.scheme().sets()?.to_vec());
        }
        let start = (mixed(0x636f, first) % parties as u64) as PartyIndex;
        Ok((0..=threshold).map(|step| Parties::from_iter([(start + step) % parties])).collect())
    }

    /// Each contributor's part at a position that the task has drawn: `f` computes it from what the contributor draws, as [`Prss`] draws for its
    /// set.
    ///
    /// Cost: with common keys no message; else for each element n - 1 elements from each of t + 1 parties, in
    /// one round.
    ///
    /// Errors: the computation has ended.
    pub(super) fn contributions(
        &self,
        first: u64,
        (length, hash): (usize, u64),
        f: impl Fn(&Prss<F>, Parties) -> Vec<F::Element> + Clone + Send + 'static,
    ) -> Result<Vec<Value<F>>, RunError> {
        let contribution = |set: Parties| {
            let (hash, f) = (set.iter().fold(hash, |hash, party| mixed(hash, party as u64)), f.clone());
            self.contribution(set, (length, hash), move |prss| f(prss, set))
        };
        self.contributors(first)?.into_iter().map(contribution).collect()
    }

    /// The sum of all contributions at a position: `f` computes this party's share of it from everything that this
    /// party draws.
    ///
    /// Cost and errors: as [`Task::contributions`].
    pub(super) fn contributed(
        &self,
        first: u64,
        (length, hash): (usize, u64),
        f: impl Fn(&Prss<F>) -> Vec<F::Element> + Clone + Send + 'static,
    ) -> Result<Value<F>, RunError> {
        if self.scheme().randomness() == Randomness::CommonKeys {
            return self.local(length, false, hash, &[], move |prss, _| f(prss));
        }
        // Each dealer draws with its own key only.
        self.sum_of(&self.contributions(first, (length, hash), move |prss, _| f(prss))?)
    }

    /// The sum of values of equal length.
    pub(super) fn sum_of(&self, all: &[Value<F>]) -> Result<Value<F>, RunError> {
        let (field, length) = (self.field().clone(), all.first().map_or(0, Value::len));
        self.local(length, false, 0x6373, &all.iter().collect::<Vec<_>>(), move |_, given| {
            let mut sum = zeros(length);
            given.iter().for_each(|addend| field.add_assign(&mut sum, addend));
            sum
        })
    }

    fn contribution(
        &self,
        set: Parties,
        (length, hash): (usize, u64),
        f: impl FnOnce(&Prss<F>) -> Vec<F::Element> + Send + 'static,
    ) -> Result<Value<F>, RunError> {
        match (self.scheme().randomness(), set.least()) {
            (Randomness::Dealt, Some(dealer)) => self.shared_by(dealer, (length, hash), f),
            _ => self.local(length, false, hash, &[], move |prss, _| f(prss)),
        }
    }
}

#[cfg(test)]
mod tests {
    use tacit_math::field::Mersenne61;

    use super::*;
    use crate::runtime::simulation::{Simulation, computed};

    #[test]
    fn no_t_parties_are_all_who_contribute() {
        for (parties, threshold) in [(5, 2), (7, 3), (12, 5)] {
            let (_, tasks) =
                Simulation::with_randomness(&Mersenne61, (parties, threshold), Randomness::Dealt, 1);
            let mut shares = vec![0; parties];
            for first in 0..1000 {
                let all = tasks[0].contributors(first).expect("contributors");
                assert_eq!(all, tasks[1].contributors(first).expect("contributors"), "all know who they are");
                assert_eq!(all.len(), tasks[0].contributor_count().expect("a number"));
                let distinct: Parties = all.iter().flat_map(|set| set.iter()).collect();
                let others = distinct.iter().count();
                assert!(others > threshold, "{others} of {parties} know all that is drawn");
                distinct.iter().for_each(|party| shares[party] += 1);
            }
            let mean = 1000 * (threshold + 1) / parties;
            assert!(shares.iter().all(|share| (mean / 2..mean * 2).contains(share)), "{shares:?} take turns");
        }
    }

    #[test]
    fn sums_of_contributions_are_within_their_range_and_never_the_same() {
        let sums = computed(&Mersenne61, (5, 2), 1, |task| {
            let numbers = [task.random_words(50, 20)?, task.random_words(50, 20)?];
            task.open(&task.concat(&numbers.iter().collect::<Vec<_>>())?)
        });
        assert!(sums.iter().all(|sum| *sum < 3 << 20), "sums of three numbers of 20 bits");
        assert!(sums.iter().any(|sum| *sum > 3 << 18), "numbers of 20 bits");
        let mut distinct = sums.clone();
        distinct.sort();
        distinct.dedup();
        assert!(distinct.len() > 95, "{} of 100 differ", distinct.len());
    }
}
