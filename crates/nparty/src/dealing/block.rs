//! Blocks of sharings that are dealt together.

/// The maximum number of sharings that a party deals for a block.
pub(crate) const MAX_COLUMNS: u64 = if cfg!(feature = "skewed") { 1 << 8 } else { 1 << 10 };

/// A block of a task's sharings. Each party deals `columns` sharings for it, from which n - t times as many
/// are extracted.
///
/// The first block of a task has one column. Each later block has as many as all before it together, up to [`MAX_COLUMNS`]: few sharings cost little, and many are dealt
/// in long vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BlockPlace {
    /// Its first column among those of the task.
    pub(crate) column: u64,
    pub(crate) columns: u64,
}

impl BlockPlace {
    /// The block that contains a column.
    pub(crate) fn of(column: u64) -> BlockPlace {
        let columns = match column {
            0 => 1,
            _ => MAX_COLUMNS.min(1 << column.ilog2()),
        };
        BlockPlace {
            column: if column < MAX_COLUMNS { column.min(columns) } else { column / columns * columns },
            columns,
        }
    }

    /// The blocks of `length` sharings from `first` on, where each column yields `rows` sharings.
    pub(crate) fn all(first: u64, length: u64, rows: u64) -> impl Iterator<Item = BlockPlace> {
        let begin = (length > 0).then(|| BlockPlace::of(first / rows));
        std::iter::successors(begin, move |block| {
            let next = block.column + block.columns;
            (next * rows < first + length).then(|| BlockPlace::of(next))
        })
    }

    /// The places of the sharings that are extracted from it.
    pub(crate) fn places(self, rows: u64) -> std::ops::Range<u64> {
        self.column * rows..(self.column + self.columns) * rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_follow_one_another() {
        let mut next = 0;
        for block in BlockPlace::all(0, 5 * 7000, 5) {
            assert_eq!((block.column, block.columns), (next, next.clamp(1, MAX_COLUMNS)));
            for column in [block.column, block.column + block.columns - 1] {
                assert_eq!(BlockPlace::of(column), block);
            }
            next += block.columns;
        }
        assert!(next >= 7000);
    }

    #[test]
    fn ranges_have_the_blocks_of_their_places() {
        for rows in [3, 4, 25] {
            for (first, length) in [(0, 0), (0, 1), (2, 2), (7, 1000), (rows * MAX_COLUMNS - 1, 2)] {
                let blocks: Vec<_> = BlockPlace::all(first, length, rows).collect();
                let mut expected: Vec<_> =
                    (first..first + length).map(|place| BlockPlace::of(place / rows)).collect();
                expected.dedup();
                assert_eq!(blocks, expected, "{length} from {first} in {rows} rows");
            }
        }
    }
}
