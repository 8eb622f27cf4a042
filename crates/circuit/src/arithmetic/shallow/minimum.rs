//! The first minimum of many items. In groups of four, and in the end of all that are left, all pairs are compared at once. A group of `g` takes the layers of one
//! comparison, `ceil(log2(g - 1))` for the winner, and one to choose it; by pairs, it would take the layers of a comparison and a choice `ceil(log2(g))` times. It
//! takes `g (g - 1) / 2` comparisons for `g - 1`.

use super::super::minimum::{Item, less};
use super::all;
use super::choose::chosen;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// Items of a group.
pub(crate) const GROUP: usize = 4;

/// This many items are always one group.
pub(crate) const LAST: usize = 10;

/// All pairs of what is left are compared if they are at most so many for each item that there was at first.
pub(crate) const PAIRS: usize = 2;

/// How many of the items that are left, of so many at `first`, are a group.
pub(in super::super) fn group(left: usize, first: usize) -> usize {
    let pairs = left.saturating_mul(left.saturating_sub(1)) / 2;
    if left <= LAST || pairs <= PAIRS.saturating_mul(first) { left.max(LAST) } else { GROUP }
}

/// The first minimum of a group.
pub(in super::super) fn first_of(builder: &mut CircuitBuilder, items: &[Item], signed: bool) -> Item {
    // Of each pair, whether the later item is less.
    let mut later: Vec<Vec<Lit>> = Vec::with_capacity(items.len());
    for (number, item) in items.iter().enumerate() {
        later.push(items[..number].iter().map(|before| less(builder, &item.0, &before.0, signed)).collect());
    }
    first_by_pairs(builder, &later, items)
}

/// The first minimum, of which it is known for each item, and each item before that, whether the later one is less.
pub(in super::super) fn first_by_pairs(
    builder: &mut CircuitBuilder,
    later: &[Vec<Lit>],
    items: &[Item],
) -> Item {
    // The first wins where no other does, which need not be computed.
    let mut wins = vec![Lit::TRUE];
    for number in 1..items.len() {
        let over_later = later[number + 1..].iter().map(|pairs| !pairs[number]);
        let over_all: Vec<Lit> = later[number].iter().copied().chain(over_later).collect();
        wins.push(all(builder, &over_all));
    }
    let mut choose = |word: fn(&Item) -> &[Lit]| {
        let bit = |bit: usize| {
            let options: Vec<Lit> = items.iter().map(|item| word(item)[bit]).collect();
            chosen(builder, &wins, &options)
        };
        (0..word(&items[0]).len()).map(bit).collect()
    };
    (choose(|item| &item.0), choose(|item| &item.1))
}
