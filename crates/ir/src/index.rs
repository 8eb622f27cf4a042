//! Positions: public ones of a gather, secret ones of a lookup.

use crate::{Index, MAX_LANES};

/// Bits of a position among `entries`: `ceil(log2(entries))`, at least 1.
pub fn index_bits(entries: u64) -> u32 {
    tree_depth(entries).max(1)
}

/// Levels of a multiplexer tree over `entries`: `ceil(log2(entries))`.
fn tree_depth(entries: u64) -> u32 {
    u64::BITS - (entries.max(1) - 1).leading_zeros()
}

/// The entry that [`crate::Op::Lookup`] finds in a table of `entries` at `index`.
///
/// That is `index` itself if it is in the table. For all other indices, the tree of multiplexers that
/// implements a lookup is the definition: bit 0 of the index chooses within each pair of neighbours `(2i, 2i
/// + 1)`, an odd last entry passes unchanged, bit 1 chooses within pairs of the results, and so on until one
/// is left. Bits of the index from `ceil(log2(entries))` up choose nothing.
///
/// Cost: one step for each level of the tree.
///
/// ```
/// use tacit_ir::lookup_position;
/// assert_eq!((0..8).map(|index| lookup_position(5, index)).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 4, 4, 4]);
/// assert_eq!(lookup_position(7, 7), 6);
/// ```
pub fn lookup_position(entries: u64, index: u64) -> u64 {
    let mut position = 0;
    for level in (0..tree_depth(entries)).rev() {
        let nodes = ((entries - 1) >> level) + 1;
        let right = 2 * position + (index >> level & 1);
        position = if right < nodes { right } else { 2 * position };
    }
    position
}

impl Index {
    /// The number of lanes selected from a source of `source_lanes`; saturates.
    pub fn lanes(&self, source_lanes: u64) -> u64 {
        match self {
            Index::List(positions) => positions.len() as u64,
            Index::Range { count, .. } => *count,
            Index::Repeat { each, tiles } => {
                source_lanes.saturating_mul(u64::from(*each)).saturating_mul(u64::from(*tiles))
            }
        }
    }

    /// The lane of the source that is lane `lane` of the result; `lane` is below [`Index::lanes`].
    pub fn position(&self, lane: u64, source_lanes: u64) -> u64 {
        match self {
            Index::List(positions) => u64::from(positions[lane as usize]),
            Index::Range { start, step, .. } => {
                u64::from(*start).wrapping_add_signed(step.wrapping_mul(lane as i64))
            }
            Index::Repeat { each, .. } => lane / u64::from(*each) % source_lanes,
        }
    }

    /// The number of lanes selected, if all are in a source of `source_lanes` and there is at least one.
    pub(crate) fn check(&self, source_lanes: u64) -> Result<u64, String> {
        let lanes = self.lanes(source_lanes);
        if lanes == 0 || lanes > MAX_LANES {
            return Err(format!("{lanes} lanes are chosen, not 1 to {MAX_LANES}"));
        }
        let beyond = match self {
            Index::List(positions) => positions
                .iter()
                .copied()
                .map(i128::from)
                .find(|position| *position >= i128::from(source_lanes)),
            Index::Range { start, step, count } => {
                let last = i128::from(*start) + i128::from(*step) * i128::from(*count - 1);
                [i128::from(*start), last]
                    .into_iter()
                    .find(|position| !(0..i128::from(source_lanes)).contains(position))
            }
            Index::Repeat { .. } => None,
        };
        beyond.map_or(Ok(lanes), |position| Err(format!("there is no lane {position}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, applied to a list.
    fn by_tree(entries: u64, index: u64) -> u64 {
        let mut nodes: Vec<u64> = (0..entries).collect();
        let mut level = 0;
        while nodes.len() > 1 {
            let bit = (index >> level & 1) as usize;
            nodes = nodes.chunks(2).map(|pair| pair[bit.min(pair.len() - 1)]).collect();
            level += 1;
        }
        nodes[0]
    }

    #[test]
    fn lookup_position_is_the_multiplexer_tree() {
        for entries in 1..=40 {
            for index in 0..130 {
                assert_eq!(lookup_position(entries, index), by_tree(entries, index), "{entries} {index}");
            }
            assert!((0..entries).all(|index| lookup_position(entries, index) == index));
        }
    }

    #[test]
    fn index_bits_hold_the_last_position() {
        assert_eq!([1, 2, 3, 4, 5, 8, 9].map(index_bits), [1, 1, 2, 2, 3, 3, 4]);
    }

    #[test]
    fn ranges_stay_within_the_source() {
        let range = |start, step, count| Index::Range { start, step, count };
        assert_eq!(range(3, -1, 4).check(4), Ok(4));
        assert!(range(3, -1, 5).check(4).is_err());
        assert!(range(0, 2, 3).check(4).is_err());
        assert!(range(0, i64::MAX, u64::MAX).check(4).is_err());
        assert!(range(0, 1, 0).check(4).is_err());
        assert_eq!(range(2, 0, 9).check(4), Ok(9));
        assert!(Index::Repeat { each: 0, tiles: 1 }.check(4).is_err());
        assert!(Index::Repeat { each: u32::MAX, tiles: u32::MAX }.check(4).is_err());
    }

    #[test]
    fn repeat_copies_lanes_then_the_whole() {
        let index = Index::Repeat { each: 2, tiles: 2 };
        assert_eq!(
            (0..index.lanes(2)).map(|lane| index.position(lane, 2)).collect::<Vec<_>>(),
            [0, 0, 1, 1, 0, 0, 1, 1]
        );
    }
}
