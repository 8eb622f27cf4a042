//! How many words are compared, level by level.

use std::ops::Range;

/// So many comparisons are made in one level rather than in two.
pub(crate) const FEW_PAIRS: usize = 512;

/// Runs of words, of each of which the least is to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Words of a run.
    pub(crate) length: usize,
    pub(crate) runs: usize,
    /// Differences of two words of a run fit a signed word of so many bits.
    pub(crate) bits: u32,
}

/// One level: of each group of consecutive words, only the least is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    runs: usize,
    /// Words of each run that are left.
    left: usize,
    /// Words of a group; the last of a run may have fewer.
    size: usize,
}

/// Pairs among so many words in groups of this size.
fn pairs(left: usize, size: usize) -> usize {
    let of = |size: usize| size * size.saturating_sub(1) / 2;
    left / size * of(size) + of(left % size)
}

impl Shape {
    /// The levels: each has groups as large as its number of pairs allows, which is three for two words of the first level.
    pub(crate) fn levels(self) -> Vec<Level> {
        let most = (self.length * 3 / 2).max(FEW_PAIRS / self.runs.max(1));
        let (mut levels, mut left) = (Vec::new(), self.length);
        while left > 1 {
            let below = |size: &usize| (*size > 2).then(|| (size.next_power_of_two() / 2).max(2));
            let mut sizes = std::iter::successors(Some(left), below);
            let size = sizes.find(|size| pairs(left, *size) <= most).unwrap_or(2);
            levels.push(Level { runs: self.runs, left, size });
            left = left.div_ceil(size);
        }
        levels
    }

    /// Tags that each of two parties makes.
    pub(crate) fn tags(self) -> u64 {
        let pairs: usize = self.levels().iter().map(|level| level.pairs()).sum();
        pairs as u64 * u64::from(self.bits)
    }
}

impl Level {
    /// All words.
    pub(super) fn words(self) -> usize {
        self.runs * self.left
    }

    /// All groups: the words of the next level.
    pub(super) fn groups(self) -> usize {
        self.runs * self.left.div_ceil(self.size)
    }

    /// All pairs of words of one group.
    pub(super) fn pairs(self) -> usize {
        self.runs * pairs(self.left, self.size)
    }

    /// The words of each group.
    pub(super) fn ranges(self) -> impl Iterator<Item = Range<usize>> {
        (0..self.words()).step_by(self.left.max(1)).flat_map(move |first| {
            let end = first + self.left;
            (first..end).step_by(self.size).map(move |first| first..end.min(first + self.size))
        })
    }
}

/// Each pair of the words of a group.
pub(super) fn each_pair(range: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
    let end = range.end;
    range.flat_map(move |one| (one + 1..end).map(move |other| (one, other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_levels_compare_few_pairs() {
        let sizes = |length: usize, runs: usize| {
            let levels = Shape { length, runs, bits: 2 }.levels();
            levels.iter().map(|level| level.size).collect::<Vec<_>>()
        };
        assert!(sizes(1, 1).is_empty());
        assert_eq!(sizes(2, 1), [2]);
        assert_eq!(sizes(32, 1), [32]);
        assert_eq!(sizes(512, 1), [4, 8, 16]);
        assert_eq!(sizes(10, 1000), [4, 3]);
        for (length, runs) in (2..200).map(|length| (length, 1 + length % 7)).chain([(5000, 1), (1000, 3)]) {
            let shape = Shape { length, runs, bits: 2 };
            let mut words = length * runs;
            for level in shape.levels() {
                assert_eq!(level.words(), words, "{shape:?}");
                let ranges: Vec<_> = level.ranges().collect();
                assert_eq!(ranges.len(), level.groups(), "{shape:?}");
                assert!(ranges.iter().flat_map(|range| range.clone()).eq(0..words), "{shape:?}");
                let pairs: usize = ranges.iter().map(|range| each_pair(range.clone()).count()).sum();
                assert_eq!(pairs, level.pairs(), "{shape:?}");
                assert!(pairs <= (3 * length * runs / 2).max(FEW_PAIRS), "{shape:?}");
                words = level.groups();
            }
            assert_eq!(words, runs, "{shape:?}");
        }
    }
}
