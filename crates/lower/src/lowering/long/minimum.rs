//! The first minimum of many values by comparisons of pairs, lane by lane. In each group of values, all pairs are compared at
//! once: one small circuit over all pairs of all groups. Another circuit, over all groups, chooses. So a level takes the layers
//! of one comparison and of a choice, and a few levels suffice.

use tacit_circuit::{Lit, arithmetic};

use super::{CHUNK, positions};
use crate::error::LowerError;
use crate::lowering::assemble::{Assembler, position_bits, share};
use crate::wires::Wires;
use tacit_schedule::BundleId;

/// From this many values on, their pairs are compared lane by lane.
pub(crate) const PAIRED: u64 = CHUNK;
/// More values than these are divided into chunks first.
pub(crate) const MOST_PAIRED: u64 = 1 << 14;
/// So many pairs are compared at once, however few values there are.
pub(crate) const FEW_PAIRS: u64 = 1 << 12;

/// The groups of all levels.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Levels {
    count: usize,
    /// Pairs, of which those of the last level count twice: they are not neighbours of others.
    cost: u64,
    /// Values of a group, for each level.
    sizes: Vec<u64>,
}

/// The most pairs that are compared at once for so many values.
fn most_pairs(values: u64) -> u64 {
    FEW_PAIRS.max(2 * values)
}

/// How many pairs each group of so many values has.
fn pairs_of(size: u64) -> u64 {
    size * size.saturating_sub(1) / 2
}

/// The groups for so many values, with at most `most` pairs in a level: few levels, and then few pairs. All groups but the last
/// have a power of two of values.
fn levels(values: u64, most: u64) -> Levels {
    if pairs_of(values) <= most {
        return Levels { count: 1, cost: 2 * pairs_of(values), sizes: vec![values] };
    }
    let sizes = (1..).map(|log| 1u64 << log);
    let pairs = |size: u64| values.div_ceil(size) * pairs_of(size);
    let fitting = sizes.take_while(|size| *size == 2 || pairs(*size) <= most);
    let with = |size: u64| {
        let rest = levels(values.div_ceil(size), most);
        let sizes = [&[size], &rest.sizes[..]].concat();
        Levels { count: rest.count + 1, cost: rest.cost + pairs(size), sizes }
    };
    let none = Levels { count: usize::MAX, cost: 0, sizes: Vec::new() };
    fitting.map(with).min().unwrap_or(none)
}

impl Assembler<'_, '_> {
    /// The first minimum of all lanes, and the lane of `places` that belongs to it, with the position of the minimum above.
    pub(super) fn paired_minimum(
        &mut self,
        mut values: BundleId,
        mut places: Option<BundleId>,
        signed: bool,
    ) -> Result<[BundleId; 2], LowerError> {
        let count = self.lanes(values);
        for size in levels(count, most_pairs(count)).sizes {
            let [least, place] = self.paired_groups(values, places, (size, signed))?;
            (values, places) = (least, Some(place));
        }
        let place = places.ok_or_else(|| self.too_large())?;
        Ok([values, place])
    }

    /// The first minimum of each group of `size` consecutive lanes.
    fn paired_groups(
        &mut self,
        values: BundleId,
        places: Option<BundleId>,
        (size, signed): (u64, bool),
    ) -> Result<[BundleId; 2], LowerError> {
        let groups = self.lanes(values).div_ceil(size);
        let values = self.filled(values, groups * size)?;
        let places = places.map(|places| self.filled(places, groups * size)).transpose()?;
        let of_all_groups = |lane: u64| (0..groups).map(move |group| (lane * groups + group) as u32);
        // The first values of all groups, the second ones, and so on.
        let ordered = match groups {
            1 => values,
            _ => {
                let places = (0..size).flat_map(|lane| (0..groups).map(move |group| group * size + lane));
                self.gather(values, places.map(|place| place as u32).collect())?
            }
        };
        let pairs = || (1..size).flat_map(|later| (0..later).map(move |earlier| (earlier, later)));
        let earlier = self.gather(ordered, pairs().flat_map(|pair| of_all_groups(pair.0)).collect())?;
        let later = self.gather(ordered, pairs().flat_map(|pair| of_all_groups(pair.1)).collect())?;
        let count = pairs_of(size);
        let less = self.word(count * groups, &[share(later), share(earlier)], |builder, inputs| {
            let [later, earlier] = [0, 1].map(|number: usize| inputs[number].lits());
            Wires::new(1, vec![arithmetic::less(builder, later, earlier, signed)])
        })?;
        let less = match groups {
            1 => less,
            _ => {
                let of_group = |group: u64| (0..count).map(move |pair| (pair * groups + group) as u32);
                self.gather(less, (0..groups).flat_map(of_group).collect())?
            }
        };
        let operands: Vec<_> = [less, values].into_iter().chain(places).map(share).collect();
        let chosen = self.circuit(groups, &operands, |builder, inputs| {
            let within = positions(position_bits(size), size as usize, inputs.get(2));
            let items: Vec<_> = inputs[1].lanes().zip(within.lanes()).collect();
            let (value, place): (Vec<Lit>, Vec<Lit>) =
                arithmetic::first_by_pairs(builder, inputs[0].lits(), &items);
            vec![Wires::new(inputs[1].bits(), value), Wires::new(within.bits(), place)]
        })?;
        Ok([chosen[0], chosen[1]])
    }

    /// So many lanes, of which those that are missing repeat the last one: it is not the first minimum anywhere else.
    fn filled(&mut self, values: BundleId, count: u64) -> Result<BundleId, LowerError> {
        let lanes = self.lanes(values);
        if lanes == count {
            return Ok(values);
        }
        self.gather(values, (0..count).map(|lane| lane.min(lanes - 1) as u32).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_levels_compare_few_pairs() {
        let sizes = |values: u64| levels(values, most_pairs(values)).sizes;
        assert_eq!(sizes(32), [32]);
        assert_eq!(sizes(91), [91]);
        assert_eq!(sizes(512), [16, 32]);
        for values in (2..200).chain([1000, 4096, 10_000, MOST_PAIRED]) {
            let (mut left, most) = (values, most_pairs(values));
            let sizes = sizes(values);
            assert!(sizes.len() <= 4, "{values}: {sizes:?}");
            for (number, size) in sizes.iter().enumerate() {
                assert!(number + 1 == sizes.len() || size.is_power_of_two(), "{values}: {sizes:?}");
                assert!(left.div_ceil(*size) * pairs_of(*size) <= most, "{values}: {sizes:?}");
                left = left.div_ceil(*size);
            }
            assert_eq!(left, 1, "{values}: {sizes:?}");
        }
    }
}
