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
        let keys = in_all_lanes::<V>(rounds);
        let mut chunks = blocks.chunks_exact_mut(SIDE_BY_SIDE * V::BLOCKS);
        for chunk in &mut chunks {
            let states: [V; SIDE_BY_SIDE] = loaded(chunk.as_ptr());
            encrypt_to(&keys, states, chunk.as_mut_ptr());
        }
        let mut singles = chunks.into_remainder().chunks_exact_mut(V::BLOCKS);
        for chunk in &mut singles {
            encrypt_to(&keys, [V::load(chunk.as_ptr())], chunk.as_mut_ptr());
        }
        let rest = singles.into_remainder();
        if !rest.is_empty() {
            let mut padded = [Block::ZERO; 4];
            padded[..rest.len()].copy_from_slice(rest);
            encrypt_to(&keys, [V::load(padded.as_ptr())], padded.as_mut_ptr());
            rest.copy_from_slice(&padded[..rest.len()]);
        }
    }
}

/// Encrypts consecutive numbers from `first` on; their lower halves must not pass 2^64.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub(crate) unsafe fn encrypt_from<V: Wide>(rounds: &[Block; 11], first: Block, blocks: &mut [Block]) {
    // SAFETY: the caller vouches for the processor; each pointer is that of as many blocks as are written from it.
    unsafe {
        let keys = in_all_lanes::<V>(rounds);
        let mut next = Numbers::<V>::new(first);
        let mut chunks = blocks.chunks_exact_mut(SIDE_BY_SIDE * V::BLOCKS);
        for chunk in &mut chunks {
            let states: [V; SIDE_BY_SIDE] = next.take();
            encrypt_to(&keys, states, chunk.as_mut_ptr());
        }
        let mut singles = chunks.into_remainder().chunks_exact_mut(V::BLOCKS);
        for chunk in &mut singles {
            let states: [V; 1] = next.take();
            encrypt_to(&keys, states, chunk.as_mut_ptr());
        }
        let rest = singles.into_remainder();
        if !rest.is_empty() {
            let (states, mut padded): ([V; 1], _) = (next.take(), [Block::ZERO; 4]);
            encrypt_to(&keys, states, padded.as_mut_ptr());
            rest.copy_from_slice(&padded[..rest.len()]);
        }
    }
}

/// Consecutive numbers, a register of them at a time.
struct Numbers<V> {
    next: V,
    step: V,
}

impl<V: Wide> Numbers<V> {
    #[inline(always)]
    unsafe fn new(first: Block) -> Self {
        let lanes: [Block; 4] = core::array::from_fn(|lane| Block(first.0.wrapping_add(lane as u128)));
        // SAFETY: the caller vouches for the processor; a register has at most as many lanes.
        unsafe { Numbers { next: V::load(lanes.as_ptr()), step: V::splat(Block(V::BLOCKS as u128)) } }
    }

    /// The next N registers.
    #[inline(always)]
    unsafe fn take<const N: usize>(&mut self) -> [V; N] {
        let mut taken = [self.next; N];
        // SAFETY: the caller vouches for the processor.
        unsafe {
            for register in &mut taken {
                *register = self.next;
                self.next = self.next.add_numbers(self.step);
            }
        }
        taken
    }
}

/// Each round's key in all lanes of a register.
#[inline(always)]
unsafe fn in_all_lanes<V: Wide>(rounds: &[Block; 11]) -> [V; 11] {
    // SAFETY: the caller vouches for the processor.
    unsafe {
        let mut keys = [V::splat(rounds[0]); 11];
        for (key, &round) in keys.iter_mut().zip(rounds) {
            *key = V::splat(round);
        }
        keys
    }
}

/// N registers of consecutive blocks.
#[inline(always)]
unsafe fn loaded<V: Wide, const N: usize>(blocks: *const Block) -> [V; N] {
    // SAFETY: the caller vouches for the processor and for N registers of blocks.
    unsafe {
        let mut registers = [V::load(blocks); N];
        for (i, register) in registers.iter_mut().enumerate() {
            *register = V::load(blocks.add(i * V::BLOCKS));
        }
        registers
    }
}

/// Encrypts N registers and writes them to consecutive blocks.
#[inline(always)]
unsafe fn encrypt_to<V: Wide, const N: usize>(keys: &[V; 11], mut states: [V; N], blocks: *mut Block) {
    // SAFETY: the caller vouches for the processor and for N registers of blocks.
    unsafe {
        for state in &mut states {
            *state = state.xor(keys[0]);
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
