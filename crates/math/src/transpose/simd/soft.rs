//! A register in plain Rust, so that tests can run every form of the transposition on any machine.

use super::{Galois, Lanes, Layout, galois_tiles, tiles};
use crate::Block;

#[derive(Clone, Copy)]
struct Soft(Block);

// SAFETY of the blocks below: plain reads and writes at places that the caller vouches for.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Lanes for Soft {
    const TILES: usize = 1;

    unsafe fn load(from: *const Block, _: usize) -> Self {
        unsafe { Soft(from.read()) }
    }

    unsafe fn store(self, to: *mut Block, _: usize) {
        unsafe { to.write(self.0) }
    }

    unsafe fn swap<const D: i32>(high: Self, low: Self, mask: u8) -> [Self; 2] {
        let mask = Block(u128::from_le_bytes([mask; 16]));
        let swapped = (Block(high.0.0 >> D) ^ low.0) & mask;
        [Soft(high.0 ^ Block(swapped.0 << D)), Soft(low.0 ^ swapped)]
    }

    unsafe fn unpack(self, other: Self) -> [Self; 2] {
        let (a, b) = (self.0.to_bytes(), other.0.to_bytes());
        let turns = |start: usize| {
            let byte = |i: usize| [a, b][i % 2][start + i / 2];
            Soft(Block::from_bytes(core::array::from_fn(byte)))
        };
        [turns(0), turns(8)]
    }
}

impl Galois for Soft {
    unsafe fn turn_bits(self) -> Self {
        let mut turned = Block::ZERO;
        for (half, r, i) in (0..128).map(|bit| (bit / 64, bit / 8 % 8, bit % 8)) {
            let bit = self.0.bit(64 * half + 8 * (7 - i) + r);
            turned.0 |= u128::from(bit) << (64 * half + 8 * r + i);
        }
        Soft(turned)
    }
}

#[test]
fn both_forms_transpose() {
    for count in [1, 3] {
        let mut state = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128;
        let rows: Vec<Block> = (0..128 * count)
            .map(|_| {
                state = state.wrapping_mul(0xda94_2042_e4dd_58b5_2360_ed05_1fc6_5da5).wrapping_add(1);
                Block(state ^ state >> 61)
            })
            .collect();
        let (by, into) = (Layout { step: count, tile: 1 }, Layout { step: 1, tile: 128 });
        for form in [tiles::<Soft>, galois_tiles::<Soft>] {
            let mut columns = vec![Block::ZERO; rows.len()];
            // SAFETY: the register needs no instructions, and both slices have the same length.
            assert_eq!(unsafe { form(&rows, by, &mut columns, into, 0) }, count);
            for (j, column) in columns.iter().enumerate() {
                assert!((0..128).all(|i| column.bit(i) == rows[count * i + j / 128].bit(j % 128)));
            }
        }
    }
}
