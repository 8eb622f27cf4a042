//! Expansion of many seeds, folded in registers.

use super::Wide;
use crate::aes::Aes128;
use crate::fold::row_after;
use tacit_math::Block;

/// The most blocks that a group of registers holds.
const MOST_BLOCKS: usize = 32;

/// See [`crate::fold::fold`], which has checked the arguments.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub(crate) unsafe fn fold<V: Wide>(
    keys: &[Aes128],
    first: usize,
    position: u64,
    v: &mut [Block],
    u: &mut [Block],
) {
    let width = u.len();
    let mut done = 0;
    while done < width {
        let place = Place { first, position: u128::from(position) + done as u128, stride: width };
        let left = width - done;
        // SAFETY: the caller vouches for the processor; each row has `left` blocks from `done` on.
        unsafe {
            let (rows, sums) = (v.as_mut_ptr().add(done), u.as_mut_ptr().add(done));
            if left >= 8 * V::BLOCKS {
                columns::<V, 8>(keys, place, rows, sums);
                done += 8 * V::BLOCKS;
            } else if left >= 4 * V::BLOCKS {
                columns::<V, 4>(keys, place, rows, sums);
                done += 4 * V::BLOCKS;
            } else if left >= V::BLOCKS {
                columns::<V, 1>(keys, place, rows, sums);
                done += V::BLOCKS;
            } else {
                remainder::<V>(keys, place, v, u, done);
                done = width;
            }
        }
    }
}

/// Where a group of columns is.
#[derive(Clone, Copy)]
struct Place {
    first: usize,
    /// The counter of the first column.
    position: u128,
    /// Blocks of a row.
    stride: usize,
}

/// Folds the last columns, fewer than a register holds, in rows of whole registers.
#[inline(always)]
unsafe fn remainder<V: Wide>(keys: &[Aes128], place: Place, v: &mut [Block], u: &mut [Block], done: usize) {
    let (mut rows, mut sums) = ([Block::ZERO; 4 * usize::BITS as usize], [Block::ZERO; 4]);
    let padded = Place { stride: V::BLOCKS, ..place };
    // SAFETY: the caller vouches for the processor; there are at most as many rows as a length has bits.
    unsafe { columns::<V, 1>(keys, padded, rows.as_mut_ptr(), sums.as_mut_ptr()) };
    let left = u.len() - done;
    for (row, padded) in v.chunks_exact_mut(place.stride).zip(rows.chunks_exact(V::BLOCKS)) {
        row[done..].copy_from_slice(&padded[..left]);
    }
    u[done..].copy_from_slice(&sums[..left]);
}

/// Folds N registers of columns.
#[inline(always)]
unsafe fn columns<V: Wide, const N: usize>(
    keys: &[Aes128],
    place: Place,
    rows: *mut Block,
    sums: *mut Block,
) {
    let counters: [Block; MOST_BLOCKS] = core::array::from_fn(|i| Block(place.position + i as u128));
    let last = place.first + keys.len() - 1;
    // SAFETY: the caller vouches for the processor and for N registers of columns in each row.
    unsafe {
        let zero = V::splat(Block::ZERO);
        for row in 0..=last.ilog2() as usize {
            for i in 0..N {
                zero.store(rows.add(row * place.stride + i * V::BLOCKS));
            }
        }
        for i in 0..N {
            zero.store(sums.add(i * V::BLOCKS));
        }
        for (t, key) in (place.first..).zip(keys) {
            let (whitening, last_round) = (V::splat(key.rounds()[0]), V::splat(key.rounds()[10]));
            let mut states: [V; N] =
                core::array::from_fn(|i| V::load(counters.as_ptr().add(i * V::BLOCKS)).xor(whitening));
            for round in &key.rounds()[1..10] {
                let round = V::splat(*round);
                for state in &mut states {
                    *state = state.round(round);
                }
            }
            let row = rows.add(row_after(t, last) * place.stride);
            for (i, state) in states.into_iter().enumerate() {
                let (sum, row) = (sums.add(i * V::BLOCKS), row.add(i * V::BLOCKS));
                let prefix = V::load(sum).xor(state.last_round(last_round));
                prefix.store(sum);
                V::load(row).xor(prefix).store(row);
            }
        }
    }
}
