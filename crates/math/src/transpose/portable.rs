//! The portable transposition: recursive swapping of the off-diagonal quadrants (Eklundh), a tile at a time.

use crate::Block;

/// See [`super::to_columns`].
pub(super) fn to_columns(rows: &[Block], columns: &mut [Block]) {
    let width = rows.len() / 128;
    for (index, out) in columns.as_chunks_mut::<128>().0.iter_mut().enumerate() {
        *out = core::array::from_fn(|row| rows[row * width + index]);
        tile(out);
    }
}

/// See [`super::to_rows`].
pub(super) fn to_rows(columns: &[Block], rows: &mut [Block]) {
    let width = rows.len() / 128;
    for (index, tile_columns) in columns.as_chunks::<128>().0.iter().enumerate() {
        let mut turned = *tile_columns;
        tile(&mut turned);
        turned.iter().enumerate().for_each(|(row, &block)| rows[row * width + index] = block);
    }
}

/// Transposes a tile of 128 x 128 bits in place.
fn tile(blocks: &mut [Block; 128]) {
    for level in 0..7 {
        let half = 1 << level;
        // Ones in the low half of every group of 2 * half bits.
        let low = u128::MAX / ((1u128 << half) + 1);
        for pair in 0..64 {
            let first = (pair >> level << (level + 1)) | (pair & (half - 1));
            let (upper, lower) = (blocks[first].0, blocks[first + half].0);
            let swap = ((upper >> half) ^ lower) & low;
            blocks[first].0 = upper ^ swap << half;
            blocks[first + half].0 = lower ^ swap;
        }
    }
}
