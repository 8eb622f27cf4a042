use super::compare::any;
use super::select::select;
use super::shallow;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// The entry at a secret position, by a tree of multiplexers: bit 0 of the index chooses within each pair of
/// neighbours, an odd last entry passes, bit 1 chooses within pairs of the results, and so on; further bits
/// choose nothing. A missing bit of the index counts as 0. Cost: `n - 1` multiplexers for `n` entries.
pub fn lookup(builder: &mut CircuitBuilder, table: &[&[Lit]], index: &[Lit]) -> Vec<Lit> {
    if builder.is_shallow() {
        return shallow::lookup(builder, table, index);
    }
    let mut level: Vec<Vec<Lit>> = table.iter().map(|entry| entry.to_vec()).collect();
    let mut bits = index.iter();
    while level.len() > 1 {
        let bit = bits.next().copied().unwrap_or(Lit::FALSE);
        let choose = |pair: &[Vec<Lit>]| match pair {
            [low, high] => select(builder, bit, high, low),
            _ => pair[0].clone(),
        };
        level = level.chunks(2).map(choose).collect();
    }
    level.pop().unwrap_or_default()
}

/// The table with the entry at a secret position replaced; unchanged if the position is beyond the table.
/// Cost: `n · w` ANDs for `n` entries of `w` bits, and [`decode`].
pub fn update(builder: &mut CircuitBuilder, table: &[&[Lit]], index: &[Lit], value: &[Lit]) -> Vec<Vec<Lit>> {
    let chosen = decode(builder, index, table.len());
    table.iter().zip(chosen).map(|(entry, chosen)| select(builder, chosen, value, entry)).collect()
}

/// For each of `count` positions, whether the index equals it. Cost: about `count` ANDs.
pub fn decode(builder: &mut CircuitBuilder, index: &[Lit], count: usize) -> Vec<Lit> {
    if builder.is_shallow() {
        return shallow::decode(builder, index, count);
    }
    let depth = count.next_power_of_two().trailing_zeros() as usize;
    let (low, high) = index.split_at(depth.min(index.len()));
    let mut level = vec![!any(builder, high)];
    for place in (0..low.len()).rev() {
        let width = count.div_ceil(1 << place);
        let split = |parent: &Lit| {
            let right = builder.and(*parent, low[place]);
            [builder.xor(*parent, right), right]
        };
        level = level.iter().flat_map(split).collect();
        level.truncate(width);
    }
    level.resize(count, Lit::FALSE);
    level
}
