//! Choices by a secret number. Its bits are taken in groups of doubling size: while the first groups choose,
//! the selectors of later groups are decoded. So `k` bits take `ceil(log2(k + 1))` layers, and each group of
//! `g` bits takes `2^g - 1` ANDs for each remaining bit, as many in total as multiplexers.

use super::super::compare::any;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// Sizes of the groups of `bits` bits, in the order of use: as equal as layers allow.
fn groups(bits: usize) -> Vec<usize> {
    let stages = (bits + 1).next_power_of_two().trailing_zeros();
    let mut sizes = vec![0usize; stages as usize];
    for _ in 0..bits {
        let free = (0..sizes.len()).filter(|stage| sizes[*stage] < 1 << stage);
        if let Some(stage) = free.min_by_key(|stage| sizes[*stage]) {
            sizes[stage] += 1;
        }
    }
    sizes.sort_unstable();
    sizes
}

/// For each value of a number, whether the number has that value: `2^k` bits from `k`, for small `k`.
fn one_hot(builder: &mut CircuitBuilder, bits: &[Lit]) -> Vec<Lit> {
    match bits {
        [] => vec![Lit::TRUE],
        [bit] => vec![!*bit, *bit],
        _ => {
            let (low, high) = bits.split_at(bits.len() / 2);
            let (low, high) = (one_hot(builder, low), one_hot(builder, high));
            high.iter()
                .flat_map(|high| low.iter().map(|low| builder.and(*high, *low)).collect::<Vec<_>>())
                .collect()
        }
    }
}

/// The option whose bit of `hot` is 1; exactly one is.
pub(super) fn chosen(builder: &mut CircuitBuilder, hot: &[Lit], options: &[Lit]) -> Lit {
    let first = options[0];
    let mut sum = first;
    for (hot, option) in hot.iter().zip(options).skip(1) {
        let difference = builder.xor(*option, first);
        let change = builder.and(*hot, difference);
        sum = builder.xor(sum, change);
    }
    sum
}

/// As [`super::super::shift::shift_right`]. Layers: `ceil(log2(k + 1))` for `k` bits that choose within the
/// word, and one more if the amount may exceed the width.
pub(in super::super) fn shift_right(
    builder: &mut CircuitBuilder,
    a: &[Lit],
    amount: &[Lit],
    fill: Lit,
) -> Vec<Lit> {
    let stages = a.len().next_power_of_two().trailing_zeros() as usize;
    let (mut low, high) = amount.split_at(stages.min(amount.len()));
    let mut word = a.to_vec();
    let mut step = 1;
    for size in groups(low.len()) {
        let (now, later) = low.split_at(size);
        let hot = one_hot(builder, now);
        let at = |word: &[Lit], place: usize| word.get(place).copied().unwrap_or(fill);
        let options = |bit: usize| (0..hot.len()).map(|by| at(&word, bit + by * step)).collect::<Vec<_>>();
        word = (0..word.len()).map(|bit| chosen(builder, &hot, &options(bit))).collect();
        (low, step) = (later, step << size);
    }
    let beyond = any(builder, high);
    word.iter().map(|bit| builder.mux(beyond, fill, *bit)).collect()
}

/// As [`super::super::lookup`]. Layers: `ceil(log2(k + 1))` for `k` bits that choose.
pub(in super::super) fn lookup(builder: &mut CircuitBuilder, table: &[&[Lit]], index: &[Lit]) -> Vec<Lit> {
    let mut level: Vec<Vec<Lit>> = table.iter().map(|entry| entry.to_vec()).collect();
    let depth = table.len().next_power_of_two().trailing_zeros() as usize;
    let mut index: Vec<Lit> = index.iter().copied().take(depth).collect();
    index.resize(depth, Lit::FALSE);
    let mut index = index.as_slice();
    for size in groups(depth) {
        let (now, later) = index.split_at(size);
        let hot = one_hot(builder, now);
        let width = level[0].len();
        let choose = |entries: &[Vec<Lit>]| -> Vec<Lit> {
            let places: Vec<usize> = (0..hot.len()).map(|by| place(by, entries.len(), size)).collect();
            let options = |bit: usize| places.iter().map(|place| entries[*place][bit]).collect::<Vec<_>>();
            (0..width).map(|bit| chosen(builder, &hot, &options(bit))).collect()
        };
        level = level.chunks(1 << size).map(choose).collect();
        index = later;
    }
    level.pop().unwrap_or_default()
}

/// The entry, among `count`, that a tree of multiplexers gives for a number of `bits` bits, where an odd last
/// entry passes.
fn place(number: usize, count: usize, bits: usize) -> usize {
    (0..bits).rev().fold(0, |above, bit| {
        let place = 2 * above + (number >> bit & 1);
        if place < count.div_ceil(1 << bit) { place } else { 2 * above }
    })
}

/// As [`super::super::decode`]. Layers: `ceil(log2 k)` for `k` bits of the index.
pub(in super::super) fn decode(builder: &mut CircuitBuilder, index: &[Lit], count: usize) -> Vec<Lit> {
    let depth = count.next_power_of_two().trailing_zeros() as usize;
    let (low, high) = index.split_at(depth.min(index.len()));
    let mut hot = one_hot(builder, low);
    hot.truncate(count);
    let within = !any(builder, high);
    let mut hot: Vec<Lit> = hot.iter().map(|lit| builder.and(*lit, within)).collect();
    hot.resize(count, Lit::FALSE);
    hot
}
