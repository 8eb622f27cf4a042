//! Settings of a block's switches for the values that its poles take and give.

use crate::block::{Block, MAX_WAYS, Step};

/// Where a pole's value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// To a later pole of the block.
    Pole(usize),
    /// Out of the block, on a wire.
    Wire(usize),
}

/// The control bits of a block for every possible routing, found by exhaustive search.
pub(crate) struct Settings {
    block: &'static Block,
    /// Indexed by the wires on which poles' values enter.
    entry: Vec<Option<u32>>,
    /// Indexed by the poles' targets.
    rest: Vec<Option<u32>>,
}

/// The value of a wire while a setting is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carried {
    /// The value that entered on a wire.
    Outside(usize),
    /// The value that a pole gave.
    Inside(usize),
}

impl Settings {
    pub(crate) fn new(block: &'static Block) -> Self {
        let entries = (block.ways + 1).pow(block.ways as u32);
        let rests = (2 * block.ways + 1).pow(block.ways as u32);
        let mut settings = Settings { block, entry: vec![None; entries], rest: vec![None; rests] };
        (0..1 << block.entry.len()).for_each(|bits| settings.add_entry(bits));
        (0..1 << block.rest_bits()).for_each(|bits| settings.add_rest(bits));
        settings
    }

    /// The control bits with which each pole receives the value of its wire, if it has one, and its own value goes to its target, if it has one.
    /// `None` if two poles have the same wire or the same target.
    pub(crate) fn controls(
        &self,
        wires: impl Iterator<Item = Option<usize>>,
        targets: impl Iterator<Item = Option<Target>>,
    ) -> Option<u32> {
        let (entry, rest) = (self.entry[self.entry_key(wires)]?, self.rest[self.rest_key(targets)]?);
        Some(entry | rest << self.block.entry.len())
    }

    fn entry_key(&self, wires: impl Iterator<Item = Option<usize>>) -> usize {
        let digit = |wire: Option<usize>| wire.map_or(0, |wire| wire + 1);
        wires.fold(0, |key, wire| key * (self.block.ways + 1) + digit(wire))
    }

    fn rest_key(&self, targets: impl Iterator<Item = Option<Target>>) -> usize {
        let ways = self.block.ways;
        let digit = |target: Option<Target>| match target {
            None => 0,
            Some(Target::Wire(wire)) => 1 + wire,
            Some(Target::Pole(pole)) => 1 + ways + pole,
        };
        targets.fold(0, |key, target| key * (2 * ways + 1) + digit(target))
    }

    fn add_entry(&mut self, bits: u32) {
        let ways = self.block.ways;
        let mut wires: [Carried; MAX_WAYS] = std::array::from_fn(Carried::Outside);
        trial(self.block.entry.iter().copied(), bits, &mut wires);
        for asked in 0..1usize << ways {
            let carried = |pole: usize| match wires[pole] {
                Carried::Outside(wire) if asked >> pole & 1 == 1 => Some(wire),
                _ => None,
            };
            let key = self.entry_key((0..ways).map(carried));
            self.entry[key].get_or_insert(bits);
        }
    }

    fn add_rest(&mut self, bits: u32) {
        let ways = self.block.ways;
        let mut wires: [Carried; MAX_WAYS] = std::array::from_fn(Carried::Outside);
        let taken = trial(self.block.rest(), bits, &mut wires);
        let mut forced = [None; MAX_WAYS];
        for (pole, carried) in taken.into_iter().enumerate().take(ways) {
            match carried {
                Carried::Outside(wire) if wire == pole => {}
                Carried::Inside(giver) if forced[giver].is_none() => forced[giver] = Some(Target::Pole(pole)),
                _ => return,
            }
        }
        let mut targets = Vec::new();
        self.add_targets(bits, &wires, &forced, &mut targets);
    }

    /// Adds all targets that are compatible with those of earlier poles.
    fn add_targets(
        &mut self,
        bits: u32,
        wires: &[Carried; MAX_WAYS],
        forced: &[Option<Target>; MAX_WAYS],
        targets: &mut Vec<Option<Target>>,
    ) {
        let pole = targets.len();
        if pole == self.block.ways {
            let key = self.rest_key(targets.iter().copied());
            self.rest[key].get_or_insert(bits);
            return;
        }
        let leaving = (0..self.block.ways).filter(|wire| wires[*wire] == Carried::Inside(pole));
        let free = std::iter::once(None).chain(leaving.map(|wire| Some(Target::Wire(wire))));
        let choices = if forced[pole].is_some() { vec![forced[pole]] } else { free.collect() };
        for target in choices {
            targets.push(target);
            self.add_targets(bits, wires, forced, targets);
            targets.pop();
        }
    }
}

/// The value that each pole takes, and the wires' values after the steps.
fn trial(
    steps: impl Iterator<Item = Step>,
    bits: u32,
    wires: &mut [Carried; MAX_WAYS],
) -> [Carried; MAX_WAYS] {
    let mut taken: [Carried; MAX_WAYS] = std::array::from_fn(Carried::Outside);
    let mut bits = (0..).map(|bit| bits >> bit & 1 == 1);
    for step in steps {
        match step {
            Step::Pole(pole) => taken[pole] = std::mem::replace(&mut wires[pole], Carried::Inside(pole)),
            Step::Exchange(a, b) if bits.next() == Some(true) => wires.swap(a, b),
            Step::Select(from, to) if bits.next() == Some(true) => wires[to] = wires[from],
            Step::Exchange(..) | Step::Select(..) => {}
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Construction;

    /// All lists with one choice for each pole.
    fn lists<T: Copy>(ways: usize, choices: &[T]) -> Vec<Vec<T>> {
        (0..ways).fold(vec![Vec::new()], |lists, _| {
            let extended = |list: Vec<T>| choices.iter().map(move |choice| [&list[..], &[*choice]].concat());
            lists.into_iter().flat_map(extended).collect()
        })
    }

    fn are_distinct<T: PartialEq>(list: &[Option<T>]) -> bool {
        let chosen: Vec<_> = list.iter().flatten().collect();
        chosen.iter().enumerate().all(|(i, one)| !chosen[..i].contains(one))
    }

    #[test]
    fn a_block_does_all_that_may_be_asked_of_it() {
        for construction in Construction::ALL {
            let block = construction.block();
            let (ways, settings) = (block.ways, Settings::new(block));
            let is_set = |wires: &[Option<usize>], targets: &[Option<Target>]| {
                settings.controls(wires.iter().copied(), targets.iter().copied()).is_some()
            };
            let wires: Vec<_> = std::iter::once(None).chain((0..ways).map(Some)).collect();
            let entries = lists(ways, &wires).into_iter().filter(|list| are_distinct(list));
            assert!(entries.clone().count() > 6);
            entries.for_each(|list| assert!(is_set(&list, &vec![None; ways]), "{list:?}"));
            let targets =
                (0..ways).map(|i| Some(Target::Wire(i))).chain((1..ways).map(|i| Some(Target::Pole(i))));
            let targets: Vec<_> = std::iter::once(None).chain(targets).collect();
            let is_later = |list: &Vec<Option<Target>>| {
                let later = |(pole, target): (usize, &Option<Target>)| !matches!(target, Some(Target::Pole(to)) if *to <= pole);
                list.iter().enumerate().all(later)
            };
            let rests = lists(ways, &targets).into_iter().filter(|list| are_distinct(list) && is_later(list));
            assert_eq!(rests.clone().count(), if ways == 2 { 10 } else { 799 });
            rests.for_each(|list| assert!(is_set(&vec![None; ways], &list), "{list:?}"));
        }
    }

    #[test]
    fn blocks_have_valiants_numbers_of_switches() {
        assert_eq!(Construction::ALL.map(|construction| construction.block().bits()), [3, 3, 15]);
        assert_eq!(Construction::ALL.map(Construction::control_bits), [3, 5, 19]);
    }
}
