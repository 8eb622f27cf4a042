//! The transposition on vector registers that hold 1, 2 or 4 tiles side by side.
//!
//! A tile of 128 x 128 bits is 16 groups of 8 rows. First each group is transposed within every byte column, by swapping
//! bits between registers: bit k of byte b of register r then is row k of the group, column 8 b + r. Then, for each r,
//! the sixteen registers of that r are transposed as 16 x 16 bytes by unpacking, which yields columns 8 b + r.
//!
//! Where an instruction multiplies 8 x 8 bits ([`Galois`]), it does the first part: sixteen rows at a time are transposed as
//! bytes, so that each half of a register is eight rows of one byte column, then as bits, and then put in order.
#![allow(unsafe_code)]

use crate::Block;

#[cfg(test)]
mod soft;
#[cfg(target_arch = "x86_64")]
pub(super) mod x86;

/// A vector register with one lane for each tile.
///
/// # Safety
/// Every method needs a processor with the instructions of the implementation, and valid pointers.
trait Lanes: Copy {
    /// How many tiles a register holds.
    const TILES: usize;

    /// Reads a block of each tile, `distance` blocks apart.
    unsafe fn load(from: *const Block, distance: usize) -> Self;
    /// Writes a block of each tile, `distance` blocks apart.
    unsafe fn store(self, to: *mut Block, distance: usize);
    /// Swaps the bits of `high` at positions where `mask` has zeros with those of `low` at positions D lower;
    /// D is 1, 2 or 4.
    unsafe fn swap<const D: i32>(high: Self, low: Self, mask: u8) -> [Self; 2];
    /// Takes bytes alternately from both, for the lower and for the upper halves of the lanes.
    unsafe fn unpack(self, other: Self) -> [Self; 2];
}

/// A register that can transpose 8 x 8 bits.
///
/// # Safety
/// As [`Lanes`].
trait Galois: Lanes {
    /// Bit r of byte 7 - i of each half becomes bit i of byte r.
    unsafe fn turn_bits(self) -> Self;
}

/// Where blocks are: block i of tile t is at i * `step` + t * `tile`.
#[derive(Clone, Copy)]
struct Layout {
    step: usize,
    tile: usize,
}

/// Transposes the tiles from `first` on in registers of `V`, as far as whole registers go; returns the first
/// remaining tile.
#[inline(always)]
unsafe fn tiles<V: Lanes>(
    from: &[Block],
    by: Layout,
    to: &mut [Block],
    into: Layout,
    mut first: usize,
) -> usize {
    let count = from.len() / 128;
    while first + V::TILES <= count {
        // SAFETY: all 128 blocks of the tiles lie in both slices, which have the same length.
        unsafe {
            let (from, to) = (from.as_ptr().add(first * by.tile), to.as_mut_ptr().add(first * into.tile));
            let mut groups = [[V::load(from, by.tile); 8]; 16];
            for (i, group) in groups.iter_mut().enumerate() {
                *group = turn_group::<V>(from.add(8 * i * by.step), by);
            }
            for r in 0..8 {
                let mut rows = [groups[0][r]; 16];
                for (row, group) in rows.iter_mut().zip(&groups) {
                    *row = group[r];
                }
                for (b, column) in turn_bytes(rows).into_iter().enumerate() {
                    column.store(to.add((8 * b + r) * into.step), into.tile);
                }
            }
        }
        first += V::TILES;
    }
    first
}

/// [`tiles`] with [`Galois::turn_bits`].
#[inline(always)]
unsafe fn galois_tiles<V: Galois>(
    from: &[Block],
    by: Layout,
    to: &mut [Block],
    into: Layout,
    mut first: usize,
) -> usize {
    let count = from.len() / 128;
    while first + V::TILES <= count {
        // SAFETY: all 128 blocks of the tiles lie in both slices, which have the same length.
        unsafe {
            let (from, to) = (from.as_ptr().add(first * by.tile), to.as_mut_ptr().add(first * into.tile));
            // For each byte column, the bytes of sixteen consecutive rows.
            let mut columns = [[V::load(from, by.tile); 8]; 16];
            for sixteen in 0..8 {
                let mut rows = [columns[0][0]; 16];
                for (i, row) in rows.iter_mut().enumerate() {
                    // Each group of eight is reversed, since the instruction reverses bits.
                    *row = V::load(from.add((16 * sixteen + (i ^ 7)) * by.step), by.tile);
                }
                for (column, bytes) in columns.iter_mut().zip(turn_bytes(rows)) {
                    column[sixteen] = bytes.turn_bits();
                }
            }
            for (b, column) in columns.into_iter().enumerate() {
                for (r, turned) in turn_bytes(column).into_iter().enumerate() {
                    turned.store(to.add((8 * b + r) * into.step), into.tile);
                }
            }
        }
        first += V::TILES;
    }
    first
}

/// Transposes eight rows within every byte column.
#[inline(always)]
unsafe fn turn_group<V: Lanes>(from: *const Block, by: Layout) -> [V; 8] {
    // SAFETY: the caller vouches for the processor and for eight rows.
    unsafe {
        let mut rows = [V::load(from, by.tile); 8];
        for (i, row) in rows.iter_mut().enumerate().skip(1) {
            *row = V::load(from.add(i * by.step), by.tile);
        }
        for i in [0, 2, 4, 6] {
            [rows[i], rows[i + 1]] = V::swap::<1>(rows[i], rows[i + 1], 0x55);
        }
        for i in [0, 1, 4, 5] {
            [rows[i], rows[i + 2]] = V::swap::<2>(rows[i], rows[i + 2], 0x33);
        }
        for i in 0..4 {
            [rows[i], rows[i + 4]] = V::swap::<4>(rows[i], rows[i + 4], 0x0f);
        }
        rows
    }
}

/// Moves bytes among 8 or 16 registers: each of four passes rotates the joint index of register and byte by a
/// bit. With 16 registers this transposes 16 x 16 bytes; with 8, byte r of half h of register j becomes byte
/// 2 j + h of register r.
#[inline(always)]
unsafe fn turn_bytes<V: Lanes, const N: usize>(mut rows: [V; N]) -> [V; N] {
    for _ in 0..4 {
        let mut next = rows;
        for i in 0..N / 2 {
            // SAFETY: the caller vouches for the processor.
            [next[2 * i], next[2 * i + 1]] = unsafe { rows[i].unpack(rows[i + N / 2]) };
        }
        rows = next;
    }
    rows
}
