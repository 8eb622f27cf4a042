//! The history of a task's program, to find where two parties' programs begin to differ.

use std::collections::VecDeque;

use super::identity::CallSite;

/// The number of operations of a task that are remembered.
const KEPT: usize = 1 << 14;

/// The number of newest operations whose hashes a party sends to the others.
const TOLD: u64 = 24;

/// The hashes of a task's program up to each of its last operations.
#[derive(Default)]
pub(crate) struct History {
    count: u64,
    kept: VecDeque<(u64, CallSite)>,
}

impl History {
    pub(crate) fn push(&mut self, chain: u64, call_site: CallSite) {
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back((chain, call_site));
        self.count += 1;
    }

    /// The number of operations so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The operation with this number, counted from 1.
    fn get(&self, number: u64) -> Option<(u64, CallSite)> {
        let dropped = self.count - self.kept.len() as u64;
        self.kept.get(number.checked_sub(dropped + 1)? as usize).copied()
    }

    /// The progress of the program, encoded for other parties.
    pub(crate) fn told(&self) -> Vec<u8> {
        let newest = (0..self.count.min(TOLD)).filter_map(|back| self.get(self.count - back));
        let mut bytes = self.count.to_le_bytes().to_vec();
        newest.for_each(|(chain, _)| bytes.extend(chain.to_le_bytes()));
        bytes
    }

    /// The number of operations in another party's encoded progress.
    pub(crate) fn count_in(told: &[u8]) -> u64 {
        told.first_chunk().map_or(0, |count| u64::from_le_bytes(*count))
    }

    /// The first operation in which another party's program, with this encoded progress, is known to differ,
    /// if any.
    pub(crate) fn difference(&self, told: &[u8]) -> Option<CallSite> {
        let count = History::count_in(told);
        let chains = told.get(8..)?.chunks_exact(8).map(|chain| {
            let mut word = [0; 8];
            word.copy_from_slice(chain);
            u64::from_le_bytes(word)
        });
        let numbered = (1..=count).rev().zip(chains);
        let compared = numbered.filter_map(|(number, theirs)| Some((self.get(number)?, theirs)));
        let differing = compared.take_while(|((ours, _), theirs)| ours != theirs);
        differing.last().map(|((_, call_site), _)| call_site)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_found() {
        let (mut ours, mut theirs) = (History::default(), History::default());
        for i in 0..30 {
            ours.push(i, CallSite(i as u32));
            theirs.push(if i < 20 { i } else { i + 100 }, CallSite(0));
        }
        assert_eq!(ours.difference(&theirs.told()), Some(CallSite(20)));
        ours.push(30, CallSite(30));
        assert_eq!(ours.difference(&theirs.told()), Some(CallSite(20)));
        assert_eq!(ours.difference(&ours.told()), None);
        assert_eq!(theirs.difference(&ours.told()), Some(CallSite(0)), "also with one more");
        assert_eq!(ours.difference(&[1, 2]), None);
    }
}
