//! Conversion between words, lane after lane, and packed wires: bit b of lane l at `b * lanes + l`.

use tacit_math::{Bits, Block, transpose};
use zeroize::Zeroizing;

/// Lanes and bits of a tile.
const TILE: usize = 128;

/// The wires of words of `bits` bits, at most 128; higher bits of the words are ignored.
pub fn from_words(words: &[u128], bits: u32) -> Bits {
    let mut wires = Bits::default();
    let blocks = words.iter().map(|word| Block(*word));
    each_row(blocks, bits as usize, |row| wires.extend_words(row, words.len()));
    wires
}

/// Calls `f` with the lowest bits of blocks, packed: with all of bit 0, then all of bit 1 and so on, for `bits` (at most 128) bits.
/// Zeros follow the last bit.
pub(crate) fn each_row(blocks: impl ExactSizeIterator<Item = Block>, bits: usize, mut f: impl FnMut(&[u64])) {
    let mut columns = Zeroizing::new(vec![Block::ZERO; blocks.len().next_multiple_of(TILE)]);
    columns.iter_mut().zip(blocks).for_each(|(column, block)| *column = block);
    let mut rows = Zeroizing::new(vec![Block::ZERO; columns.len()]);
    transpose::to_rows(&columns, &mut rows);
    let mut words = Zeroizing::new(Vec::new());
    for row in rows.chunks_exact((columns.len() / TILE).max(1)).take(bits) {
        words.clear();
        words.extend(row.iter().flat_map(|block| [block.0 as u64, (block.0 >> 64) as u64]));
        f(&words);
    }
}

/// The words of `wires`, whose number is `bits` (at most 128) times the number of lanes.
pub fn to_words(wires: &Bits, bits: u32) -> Vec<u128> {
    let lanes = wires.len() / (bits as usize).max(1);
    let blocks = lanes.div_ceil(TILE);
    let mut rows = Zeroizing::new(vec![Block::ZERO; blocks * TILE]);
    let mut row_words = Zeroizing::new(vec![0; lanes.div_ceil(64)]);
    for (bit, row) in rows.chunks_exact_mut(blocks.max(1)).enumerate().take(bits as usize) {
        wires.copy_to(bit * lanes, lanes, &mut row_words);
        for (block, pair) in row.iter_mut().zip(row_words.chunks(2)) {
            // An odd number of words ends in half a block.
            *block = Block(u128::from(pair[0]) | u128::from(pair.get(1).copied().unwrap_or(0)) << 64);
        }
    }
    let mut columns = Zeroizing::new(vec![Block::ZERO; rows.len()]);
    transpose::to_columns(&rows, &mut columns);
    columns.iter().take(lanes).map(|column| column.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::mask;

    #[test]
    fn there_and_back() {
        for bits in [1, 7, 64, 128] {
            for lanes in [0, 1, 3, 64, 127, 128, 1000] {
                let words: Vec<u128> = (0..lanes)
                    .map(|i| (i as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835))
                    .collect();
                let wires = from_words(&words, bits);
                let expected =
                    Bits::from_fn(lanes * bits as usize, |i| words[i % lanes] >> (i / lanes) & 1 == 1);
                assert_eq!(wires, expected, "{bits} bits, {lanes} lanes");
                let back: Vec<u128> = words.iter().map(|word| word & mask(bits)).collect();
                assert_eq!(to_words(&wires, bits), back, "{bits} bits, {lanes} lanes");
            }
        }
    }
}
