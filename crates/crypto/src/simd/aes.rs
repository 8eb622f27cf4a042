//! AES under one expanded key.

use super::{ROUND_CONSTANTS, Schedule, Wide};
use tacit_math::Block;

/// How many registers are encrypted side by side, so that the AES unit is never idle.
const SIDE_BY_SIDE: usize = 8;

/// Expands one key.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub(crate) unsafe fn expand<V: Wide>(key: Block) -> [Block; 11] {
    let mut rounds = [key; 11];
    // SAFETY: the caller vouches for the processor; the buffer holds a register.
    unsafe {
        let mut schedule = Schedule::new(V::transpose_words([V::splat(key); 4]));
        for (round, constant) in rounds[1..].iter_mut().zip(&ROUND_CONSTANTS) {
            schedule.step(constant);
            let mut lanes = [Block::ZERO; 4];
            schedule.keys()[0].store(lanes.as_mut_ptr());
            *round = lanes[0];
        }
    }
    rounds
}

/// Encrypts each block in place.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub(crate) unsafe fn encrypt<V: Wide>(rounds: &[Block; 11], blocks: &mut [Block]) {
    // SAFETY: the caller vouches for the processor; each pointer is that of as many blocks as are encrypted from it.
    unsafe {
        let mut keys = [V::splat(rounds[0]); 11];
        for (key, &round) in keys.iter_mut().zip(rounds) {
            *key = V::splat(round);
        }
        let mut chunks = blocks.chunks_exact_mut(SIDE_BY_SIDE * V::BLOCKS);
        for chunk in &mut chunks {
            encrypt_at::<V, SIDE_BY_SIDE>(&keys, chunk.as_mut_ptr());
        }
        let mut singles = chunks.into_remainder().chunks_exact_mut(V::BLOCKS);
        for chunk in &mut singles {
            encrypt_at::<V, 1>(&keys, chunk.as_mut_ptr());
        }
        let rest = singles.into_remainder();
        if !rest.is_empty() {
            let mut padded = [Block::ZERO; 4];
            padded[..rest.len()].copy_from_slice(rest);
            encrypt_at::<V, 1>(&keys, padded.as_mut_ptr());
            rest.copy_from_slice(&padded[..rest.len()]);
        }
    }
}

/// Encrypts N registers in place.
#[inline(always)]
unsafe fn encrypt_at<V: Wide, const N: usize>(keys: &[V; 11], blocks: *mut Block) {
    // SAFETY: the caller vouches for the processor and for N registers of blocks.
    unsafe {
        let mut states = [keys[0]; N];
        for (i, state) in states.iter_mut().enumerate() {
            *state = state.xor(V::load(blocks.add(i * V::BLOCKS)));
        }
        for key in &keys[1..10] {
            for state in &mut states {
                *state = state.round(*key);
            }
        }
        for (i, state) in states.into_iter().enumerate() {
            state.last_round(keys[10]).store(blocks.add(i * V::BLOCKS));
        }
    }
}
