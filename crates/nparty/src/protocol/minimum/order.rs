//! Random orders that two parties know.

use std::collections::BTreeMap;
use std::ops::Range;

use tacit_circuit::arithmetic::merge_exchange_passes;
use tacit_crypto::Prg;

use super::drawn::drawn;

/// Puts the words of each range into a random order, the same in all columns. Neither branches nor addresses depend on the order: it is that of random keys, which a network
/// sorts.
pub(super) fn shuffle(prg: &mut Prg, ranges: impl Iterator<Item = Range<usize>>, columns: [&mut [u64]; 3]) {
    let mut keys = drawn(prg, columns[0].len());
    // Differences of keys of 63 bits have a sign.
    keys.iter_mut().for_each(|key| *key >>= 1);
    let [first, second, third] = columns;
    let mut networks = BTreeMap::new();
    for range in ranges {
        let network: &mut Vec<_> = networks
            .entry(range.len())
            .or_insert_with(|| merge_exchange_passes(range.len()).flatten().collect());
        let mut columns = [
            &mut keys[range.clone()],
            &mut first[range.clone()],
            &mut second[range.clone()],
            &mut third[range],
        ];
        for &mut (one, other) in network {
            let swapped = (columns[0][other].wrapping_sub(columns[0][one]) >> 63).wrapping_neg();
            for column in &mut columns {
                let changed = (column[one] ^ column[other]) & swapped;
                column[one] ^= changed;
                column[other] ^= changed;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tacit_math::Block;

    use super::*;

    #[test]
    fn orders_are_uniform_and_the_same_in_all_columns() {
        let mut prg = Prg::new(Block(5));
        let mut counts: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
        let groups = 24_000;
        let mut columns =
            [0, 100, 200].map(|more| (0..4 * groups).map(|place| place % 4 + more).collect::<Vec<u64>>());
        let [one, two, three] = &mut columns;
        shuffle(&mut prg, (0..groups as usize).map(|group| 4 * group..4 * group + 4), [one, two, three]);
        for group in columns[0].chunks(4) {
            *counts.entry(group.to_vec()).or_default() += 1;
        }
        for more in [1, 2] {
            assert!(
                columns[more].iter().zip(&columns[0]).all(|(other, one)| *other == one + 100 * more as u64)
            );
        }
        let chi: f64 = counts.values().map(|count| (*count as f64 - 1000.0).powi(2) / 1000.0).sum();
        assert!(counts.len() == 24 && chi < 60.0, "{counts:?}");
    }
}
