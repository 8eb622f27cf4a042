//! The places that an address with a secret offset may point to.

use super::pointer::Offset;
use crate::graph::{Graph, Node, Word};
use crate::int::{Int, mask};

/// Upper limit on the number of places.
pub(super) const MAX_PLACES: u64 = 1 << 20;

/// Value sets of words are enumerated up to this size.
const MAX_LISTED: usize = 64;

/// The byte positions in an object that an access may touch, provided that it is within the object.
#[derive(Debug, PartialEq)]
pub(super) enum Places {
    None,
    One(u64),
    Many(Table),
    TooMany,
}

/// Several positions, each in a slot of a table that `index` chooses from.
#[derive(Debug, PartialEq)]
pub(super) struct Table {
    pub positions: Vec<u64>,
    /// Slot of each position.
    pub slots: Vec<usize>,
    pub index: Word,
    /// Length of the table; slots without a position are never chosen.
    pub length: usize,
}

impl Places {
    /// The places for `bytes` bytes in an object of `size` bytes.
    pub(super) fn of(graph: &mut Graph, offset: &Offset, size: u64, bytes: u64) -> Self {
        let Some(room) = size.checked_sub(bytes) else { return Places::None };
        let room = i128::from(room);
        let base = i128::from(offset.constant);
        let unit = offset.common_stride();
        if unit == 0 {
            return if (0..=room).contains(&base) { Places::One(base as u64) } else { Places::None };
        }
        let steps = offset.scaled(graph, unit);
        let unit = i128::from(unit);
        if let Some(value) = graph.value(steps).and_then(Int::to_i128) {
            let at = base + unit * value;
            return if (0..=room).contains(&at) { Places::One(at as u64) } else { Places::None };
        }
        let facts = *graph.facts(steps);
        let first = (-base).div_euclid(unit) + i128::from((-base).rem_euclid(unit) != 0);
        let first = first.max(facts.min.into());
        let last = (room - base).div_euclid(unit).min(facts.max.into());
        if first > last {
            return Places::None;
        }
        if last - first >= i128::from(MAX_PLACES) {
            return Places::TooMany;
        }
        let mut candidates =
            listed(graph, steps, 8).unwrap_or_else(|| (first..=last).map(|step| step as i64).collect());
        candidates.retain(|step| (first..=last).contains(&i128::from(*step)) && facts.allow(*step));
        candidates.sort_unstable();
        candidates.dedup();
        match candidates[..] {
            [] => Places::None,
            [only] => Places::One((base + unit * i128::from(only)) as u64),
            _ => {
                let (selector, chosen) = digits(&candidates);
                let index = pick(graph, steps, &chosen);
                let slots: Vec<usize> = candidates.iter().map(|step| selector(*step)).collect();
                let positions =
                    candidates.iter().map(|step| (base + unit * i128::from(*step)) as u64).collect();
                let length = slots.iter().max().map_or(0, |last| last + 1);
                Places::Many(Table { positions, slots, index, length })
            }
        }
    }
}

/// All values that a word of 64 bits may have, if they are few.
fn listed(graph: &Graph, word: Word, depth: u32) -> Option<Vec<i64>> {
    let bits = graph.bits(word);
    if depth == 0 || bits > 64 {
        return None;
    }
    let values = match *graph.node(word) {
        Node::Constant(ref value) => vec![value.to_i128()? as i64],
        Node::Select(_, a, b) => {
            let mut values = listed(graph, a, depth - 1)?;
            values.extend(listed(graph, b, depth - 1)?);
            values
        }
        Node::Extend { value, signed, .. } => {
            let narrow = graph.bits(value);
            let widen = |value: i64| if signed { value } else { value & mask(narrow) as i64 };
            listed(graph, value, depth - 1)?.into_iter().map(widen).collect()
        }
        Node::Lookup(ref table, _) => {
            let mut values = Vec::new();
            for entry in table.iter() {
                values.push(graph.value(*entry)?.to_i128()? as i64);
            }
            values
        }
        Node::Binary(op, a, b) if let Some(constant) = graph.value(b) => {
            let apply = |value: i64| Int::signed(bits, value.into()).binary(op, constant).to_i128();
            let values = listed(graph, a, depth - 1)?;
            values
                .into_iter()
                .map(|value| apply(value).map(|value| value as i64))
                .collect::<Option<Vec<_>>>()?
        }
        _ if bits == 1 => vec![0, -1],
        _ => return None,
    };
    let mut values = values;
    values.sort_unstable();
    values.dedup();
    (values.len() <= MAX_LISTED || matches!(graph.node(word), Node::Lookup(..))).then_some(values)
}

/// The lowest bits that distinguish all candidates, and the slot of a candidate by these bits.
fn digits(candidates: &[i64]) -> (impl Fn(i64) -> usize + use<>, Vec<u32>) {
    let varying = candidates.iter().fold(0, |varying, step| varying | (step ^ candidates[0]));
    let mut chosen: Vec<u32> = Vec::new();
    let slot = |chosen: &[u32], step: i64| {
        chosen.iter().enumerate().fold(0usize, |slot, (at, bit)| slot | ((step >> bit & 1) as usize) << at)
    };
    for bit in (0..64).filter(|bit| varying >> bit & 1 == 1) {
        chosen.push(bit);
        if 1usize << chosen.len().min(62) < candidates.len() {
            continue;
        }
        let mut slots: Vec<usize> = candidates.iter().map(|step| slot(&chosen, *step)).collect();
        slots.sort_unstable();
        slots.dedup();
        if slots.len() == candidates.len() {
            break;
        }
    }
    let bits = chosen.clone();
    (move |step| slot(&bits, step), chosen)
}

/// The word made of some bits of another.
fn pick(graph: &mut Graph, word: Word, bits: &[u32]) -> Word {
    let parts: Vec<_> = bits.iter().map(|bit| graph.bit(word, *bit)).collect();
    graph.concat(&parts)
}

/// A table with the values of occupied slots. Empty slots repeat neighbouring entries, so that multiplexers
/// between equal entries vanish.
pub(super) fn fill<T: Clone>(length: usize, occupied: impl Iterator<Item = (usize, T)>) -> Vec<T> {
    let mut entries: Vec<Option<T>> = vec![None; length.next_power_of_two()];
    for (slot, value) in occupied {
        entries[slot] = Some(value);
    }
    let mut block = 1;
    while block < entries.len() {
        for pair in entries.chunks_mut(2 * block) {
            let (low, high) = pair.split_at_mut(block);
            match (low[0].is_some(), high[0].is_some()) {
                (true, false) => high.clone_from_slice(low),
                (false, true) => low.clone_from_slice(high),
                _ => {}
            }
        }
        block *= 2;
    }
    entries.into_iter().flatten().take(length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::int::IntOp;

    fn table(places: Places) -> Table {
        match places {
            Places::Many(table) => table,
            other => panic!("{other:?}"),
        }
    }

    fn offset(graph: &mut Graph, word: Word, stride: i64, constant: i64) -> Offset {
        let mut offset = Offset { constant, terms: Vec::new() };
        offset.add(graph, word, stride);
        offset
    }

    #[test]
    fn an_unknown_index_reaches_every_element() {
        let mut graph = Graph::default();
        let index = graph.input(0, 0, 0, 32);
        let index = graph.extend(index, 64, true);
        let four = offset(&mut graph, index, 4, 0);
        let found = table(Places::of(&mut graph, &four, 40, 4));
        assert_eq!((found.positions.len(), found.length), (10, 10));
        assert_eq!(graph.bits(found.index), 4);
        let rows = offset(&mut graph, index, 40, 8);
        let found = table(Places::of(&mut graph, &rows, 120, 4));
        assert_eq!(found.positions, [8, 48, 88]);
    }

    #[test]
    fn few_values_reach_few_elements() {
        let mut graph = Graph::default();
        let (flag, other) = (graph.input(0, 0, 0, 1), graph.input(0, 0, 1, 32));
        let (three, seven) = (graph.number(64, 3), graph.number(64, 7));
        let choice = graph.select(flag, three, seven);
        let chosen = offset(&mut graph, choice, 4, 0);
        let found = table(Places::of(&mut graph, &chosen, 400, 4));
        assert_eq!((found.positions, found.length, graph.bits(found.index)), (vec![12, 28], 2, 1));
        let limit = graph.number(32, 3);
        let masked = graph.binary(IntOp::And, other, limit);
        let masked = graph.extend(masked, 64, true);
        let few = offset(&mut graph, masked, 4, 0);
        assert_eq!(table(Places::of(&mut graph, &few, 400, 4)).positions, [0, 4, 8, 12]);
    }

    #[test]
    fn an_index_may_begin_below_zero() {
        let mut graph = Graph::default();
        let index = graph.input(0, 0, 0, 64);
        let shifted = offset(&mut graph, index, 4, 4);
        let found = table(Places::of(&mut graph, &shifted, 16, 4));
        assert_eq!(found.positions, [0, 4, 8, 12]);
        assert_eq!(found.slots, [3, 0, 1, 2]);
    }

    #[test]
    fn nothing_within_reach_is_no_place() {
        let mut graph = Graph::default();
        let index = graph.input(0, 0, 0, 64);
        let inside = offset(&mut graph, index, 16, 8);
        assert_eq!(Places::of(&mut graph, &inside, 12, 8), Places::None);
        assert_eq!(Places::of(&mut graph, &Offset::default(), 3, 4), Places::None);
        assert_eq!(Places::of(&mut graph, &Offset { constant: 4, terms: vec![] }, 8, 4), Places::One(4));
    }

    #[test]
    fn empty_slots_repeat_their_neighbours() {
        assert_eq!(fill(8, [(1, 'a'), (6, 'b')].into_iter()), ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b']);
        assert_eq!(fill(3, [(0, 1), (2, 3)].into_iter()), [1, 1, 3]);
    }
}
