//! The re-keyed hash over slices.

use super::{Quad, ROUND_CONSTANTS, Schedule, Wide, xor_quads};
use tacit_math::Block;

/// The most blocks in four registers.
const MOST: usize = 16;

/// Encrypts each quad under the keys held by words.
#[inline(always)]
pub(crate) unsafe fn encrypt_quads<V: Wide, const N: usize>(
    words: Quad<V>,
    states: [Quad<V>; N],
) -> [Quad<V>; N] {
    // SAFETY: the caller vouches for the processor.
    unsafe { encrypt_some(words, states, [0, 1, 2, 3]) }
}

/// Encrypts N times R registers under those of the quad's keys, stored by words, that `places` selects.
#[inline(always)]
pub(crate) unsafe fn encrypt_some<V: Wide, const N: usize, const R: usize>(
    words: Quad<V>,
    mut states: [[V; R]; N],
    places: [usize; R],
) -> [[V; R]; N] {
    // SAFETY: the caller vouches for the processor.
    unsafe {
        let mut schedule = Schedule::new(words);
        // Written out rather than looped or in closures: everything must end up in registers of one function.
        macro_rules! apply {
            ($step:ident) => {
                let keys = schedule.keys();
                for i in 0..R {
                    for set in 0..N {
                        states[set][i] = states[set][i].$step(keys[places[i]]);
                    }
                }
            };
        }
        macro_rules! rounds {
            ($step:ident: $($constant:literal)*) => {$(
                schedule.step(&ROUND_CONSTANTS[$constant]);
                apply!($step);
            )*};
        }
        apply!(xor);
        rounds!(round: 0 1 2 3 4 5 6 7 8);
        rounds!(last_round: 9);
    }
    states
}

/// See [`crate::mitccrh::Mitccrh::hash`]; the tweaks must not pass 2^64.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub(crate) unsafe fn hash<V: Wide>(start: Block, first: u64, blocks: &mut [Block]) {
    // SAFETY: the caller vouches for the processor; pointers are those of whole chunks.
    unsafe {
        let mut tweak = first;
        let mut chunks = blocks.chunks_exact_mut(4 * V::BLOCKS);
        for chunk in &mut chunks {
            hash_quad::<V>(start, tweak, chunk.as_mut_ptr());
            tweak = tweak.wrapping_add(4 * V::BLOCKS as u64);
        }
        let rest = chunks.into_remainder();
        if !rest.is_empty() {
            let mut padded = pad(rest);
            hash_quad::<V>(start, tweak, padded.as_mut_ptr());
            rest.copy_from_slice(&padded[..rest.len()]);
        }
    }
}

/// See [`crate::mitccrh::Mitccrh::hash_both`]; the tweaks must not pass 2^64.
///
/// # Safety
/// The processor must have the instructions of `V`, and the slices the same length.
#[inline(always)]
pub(crate) unsafe fn hash_both<V: Wide>(
    start: Block,
    first: u64,
    delta: Block,
    zeros: &mut [Block],
    ones: &mut [Block],
) {
    // SAFETY: the caller vouches for the processor; pointers are those of whole chunks.
    unsafe {
        let mut tweak = first;
        let delta = V::splat(delta);
        let mut zeros = zeros.chunks_exact_mut(4 * V::BLOCKS);
        let mut ones = ones.chunks_exact_mut(4 * V::BLOCKS);
        for (zeros, ones) in (&mut zeros).zip(&mut ones) {
            hash_both_quad::<V>(start, tweak, delta, zeros.as_mut_ptr(), ones.as_mut_ptr());
            tweak = tweak.wrapping_add(4 * V::BLOCKS as u64);
        }
        let (zeros, ones) = (zeros.into_remainder(), ones.into_remainder());
        if !zeros.is_empty() {
            let (mut padded, mut padded_ones) = (pad(zeros), pad(ones));
            hash_both_quad::<V>(start, tweak, delta, padded.as_mut_ptr(), padded_ones.as_mut_ptr());
            zeros.copy_from_slice(&padded[..zeros.len()]);
            ones.copy_from_slice(&padded_ones[..ones.len()]);
        }
    }
}

fn pad(rest: &[Block]) -> [Block; MOST] {
    let mut padded = [Block::ZERO; MOST];
    padded[..rest.len()].copy_from_slice(rest);
    padded
}

#[inline(always)]
unsafe fn hash_quad<V: Wide>(start: Block, tweak: u64, blocks: *mut Block) {
    // SAFETY: the caller vouches for the processor and for four registers of blocks.
    unsafe {
        let plain = load_quad::<V>(blocks);
        let [cipher] = encrypt_quads(counted_keys(start, tweak), [plain]);
        store_quad(xor_quads(plain, cipher), blocks);
    }
}

#[inline(always)]
unsafe fn hash_both_quad<V: Wide>(start: Block, tweak: u64, delta: V, zeros: *mut Block, ones: *mut Block) {
    // SAFETY: the caller vouches for the processor and for four registers of blocks at each pointer.
    unsafe {
        let zero = load_quad::<V>(zeros);
        let one = xor_quads(zero, [delta; 4]);
        let [cipher_zero, cipher_one] = encrypt_quads(counted_keys(start, tweak), [zero, one]);
        store_quad(xor_quads(zero, cipher_zero), zeros);
        store_quad(xor_quads(one, cipher_one), ones);
    }
}

/// The keys of consecutive tweaks, by words; the keys' order is that of the blocks in [`load_quad`].
#[inline(always)]
unsafe fn counted_keys<V: Wide>(start: Block, tweak: u64) -> Quad<V> {
    const COUNTERS: [Block; MOST] = {
        let mut counters = [Block::ZERO; MOST];
        let mut i = 0;
        while i < MOST {
            counters[i] = Block(i as u128);
            i += 1;
        }
        counters
    };
    // SAFETY: the caller vouches for the processor; the counters fill four registers of any size.
    unsafe {
        let (start, tweak) = (V::splat(start), V::splat(Block(u128::from(tweak))));
        let mut keys = load_quad::<V>(COUNTERS.as_ptr());
        for key in &mut keys {
            *key = key.add_numbers(tweak).xor(start);
        }
        V::transpose_words(keys)
    }
}

#[inline(always)]
unsafe fn load_quad<V: Wide>(from: *const Block) -> Quad<V> {
    // SAFETY: the caller vouches for four registers of blocks.
    unsafe {
        [
            V::load(from),
            V::load(from.add(V::BLOCKS)),
            V::load(from.add(2 * V::BLOCKS)),
            V::load(from.add(3 * V::BLOCKS)),
        ]
    }
}

#[inline(always)]
unsafe fn store_quad<V: Wide>(quad: Quad<V>, to: *mut Block) {
    for (i, register) in quad.into_iter().enumerate() {
        // SAFETY: the caller vouches for four registers of blocks.
        unsafe { register.store(to.add(i * V::BLOCKS)) }
    }
}
