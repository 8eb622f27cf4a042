//! Transposition of bit matrices of 128 rows, as OT extension needs it.
//!
//! A matrix of 128 rows and n columns, n a multiple of 128, is held either by rows (row-major, n/128 blocks a row, so
//! that column j of row i is bit j % 128 of block `i * n/128 + j/128`) or by columns (n blocks, so that row i of column
//! j is bit i of block j).

use crate::Block;

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod simd;

/// Runs the kernel on the widest registers that the processor has.
macro_rules! dispatch {
    ($kernel:ident($from:ident, $to:ident)) => {{
        #[cfg(target_arch = "x86_64")]
        simd::x86::$kernel($from, $to);
        #[cfg(not(target_arch = "x86_64"))]
        portable::$kernel($from, $to);
    }};
}

/// From rows to columns: bit i of `columns[j]` becomes column j of row i.
///
/// Cost: about nine vector instructions a block. Constant time; the matrix may be secret.
///
/// # Panics
/// If the two slices differ in length, or their length is not a whole number of tiles of 128 x 128 bits.
pub fn to_columns(rows: &[Block], columns: &mut [Block]) {
    check(rows, columns);
    dispatch!(to_columns(rows, columns));
}

/// From columns to rows, the inverse of [`to_columns`].
///
/// Cost: about nine vector instructions a block. Constant time; the matrix may be secret.
///
/// # Panics
/// If the two slices differ in length, or their length is not a whole number of tiles of 128 x 128 bits.
pub fn to_rows(columns: &[Block], rows: &mut [Block]) {
    check(columns, rows);
    dispatch!(to_rows(columns, rows));
}

fn check(from: &[Block], to: &[Block]) {
    assert_eq!(from.len(), to.len(), "a matrix and its transpose have the same size");
    assert!(from.len().is_multiple_of(128), "{} blocks are no whole number of tiles", from.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks that look random.
    fn blocks(count: usize) -> Vec<Block> {
        let mut state = 1u128;
        let mut next = || {
            state = state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
            Block(state ^ state >> 67)
        };
        (0..count).map(|_| next()).collect()
    }

    /// Every kernel the processor has, in one direction and the other.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn kernels_agree() {
        for tiles in 1..12 {
            let matrix = blocks(128 * tiles);
            let (mut columns, mut rows) = (matrix.clone(), matrix.clone());
            portable::to_columns(&matrix, &mut columns);
            portable::to_rows(&matrix, &mut rows);
            for (name, [to_columns, to_rows]) in simd::x86::available() {
                let mut turned = vec![Block::ONES; matrix.len()];
                to_columns(&matrix, &mut turned);
                assert!(turned == columns, "{name}: {tiles} tiles to columns");
                to_rows(&matrix, &mut turned);
                assert!(turned == rows, "{name}: {tiles} tiles to rows");
            }
        }
    }

    #[test]
    fn bit_i_of_column_j_is_bit_j_of_row_i() {
        for tiles in 1..10 {
            let rows = blocks(128 * tiles);
            let mut columns = vec![Block::ZERO; rows.len()];
            to_columns(&rows, &mut columns);
            for (j, column) in columns.iter().enumerate() {
                for i in 0..128 {
                    assert_eq!(column.bit(i), rows[i * tiles + j / 128].bit(j % 128), "row {i}, column {j}");
                }
            }
            let mut back = vec![Block::ZERO; rows.len()];
            to_rows(&columns, &mut back);
            assert_eq!(back, rows);
        }
    }

    #[test]
    #[should_panic(expected = "no whole number of tiles")]
    fn broken_tiles_are_refused() {
        to_columns(&blocks(100), &mut blocks(100));
    }
}
