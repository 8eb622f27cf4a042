//! A random linear code in which every output is the sum of ten inputs: the encoding of learning parity with noise.
//!
//! Which ten is public: row i of the code takes them from blocks 2i and 2i + 1 of a PRG in counter mode, five numbers of 21
//! bits from each, cut to the number of inputs.
//!
//! Source: the d-local linear codes of Yang, Weng, Lan, Zhang and Wang, *Ferret* (CCS'20), §3.2, with d = 10 as there.
//! Security: that of the learning parity with noise problem for such codes; the seed of the PRG is public and random.
//! Cost: two AES calls and ten reads at random places for an output.
#![allow(unsafe_code)]

use crate::Backend;
use crate::aes::Aes128;
use tacit_math::Block;

/// Inputs of a row.
pub const LOCALITY: usize = 10;
/// The most inputs of a code.
pub const MOST_INPUTS: usize = 1 << 21;
/// Rows whose places are made at a time.
const CHUNK: usize = 128;
/// Rows between asking for inputs and adding them.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 12;

/// Adds (XOR) row `first` + j of the code, applied to `inputs`, to `outputs[j]`.
///
/// The backend is that of `seed`. Inputs and outputs may be secret; what is read where depends on `seed` and `first` alone, which are public.
///
/// # Panics
/// If the number of inputs is no power of two or above [`MOST_INPUTS`].
pub fn encode(seed: &Aes128, first: u64, inputs: &[Block], outputs: &mut [Block]) {
    check(inputs);
    let add = if seed.backend() == Backend::PORTABLE { add_rows_portable } else { add_rows };
    by_chunks(seed, first, outputs, |places, outputs| add(places, inputs, outputs));
}

fn check(inputs: &[Block]) {
    let count = inputs.len();
    assert!(count.is_power_of_two() && count <= MOST_INPUTS, "{count} inputs of a local code");
}

/// Calls `add` for chunks of rows, with the random blocks that tell their places.
fn by_chunks(
    seed: &Aes128,
    first: u64,
    outputs: &mut [Block],
    mut add: impl FnMut(&[[Block; 2]], &mut [Block]),
) {
    let mut counter = 2 * u128::from(first);
    let mut places = [[Block::ZERO; 2]; CHUNK];
    for outputs in outputs.chunks_mut(CHUNK) {
        let places = &mut places[..outputs.len()];
        for block in places.as_flattened_mut() {
            *block = Block(counter);
            counter += 1;
        }
        seed.encrypt_blocks(places.as_flattened_mut());
        add(places, outputs);
    }
}

/// The places of a row.
#[inline(always)]
fn places_of(random: &[Block; 2], mask: usize) -> [usize; LOCALITY] {
    let [a, b] = random.map(|block| [block.0 as u64, (block.0 >> 64) as u64].map(|word| word as usize));
    [
        a[0] & mask,
        a[0] >> 21 & mask,
        a[0] >> 42 & mask,
        a[1] & mask,
        a[1] >> 21 & mask,
        b[0] & mask,
        b[0] >> 21 & mask,
        b[0] >> 42 & mask,
        b[1] & mask,
        b[1] >> 21 & mask,
    ]
}

/// Adds rows, in plain Rust.
fn add_rows_portable(places: &[[Block; 2]], inputs: &[Block], outputs: &mut [Block]) {
    let mask = inputs.len() - 1;
    for (places, output) in places.iter().zip(outputs) {
        *output = places_of(places, mask).iter().fold(*output, |sum, &place| sum ^ inputs[place]);
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn add_rows(places: &[[Block; 2]], inputs: &[Block], outputs: &mut [Block]) {
    add_rows_portable(places, inputs, outputs);
}

/// Adds rows: the inputs of a row are asked for some rows before they are needed, so that many reads from a distant cache
/// are on their way at once.
#[cfg(target_arch = "x86_64")]
fn add_rows(places: &[[Block; 2]], inputs: &[Block], outputs: &mut [Block]) {
    use core::arch::x86_64::{
        __m128i, _MM_HINT_T0, _mm_load_si128, _mm_prefetch, _mm_store_si128, _mm_xor_si128,
    };
    assert!(inputs.len().is_power_of_two(), "every number cut to the number of inputs is a place");
    let mask = inputs.len() - 1;
    let ask = |random: &[Block; 2]| {
        for place in places_of(random, mask) {
            // SAFETY: places are cut to below the number of inputs.
            unsafe { _mm_prefetch(inputs.as_ptr().add(place).cast(), _MM_HINT_T0) }
        }
    };
    places.iter().take(AHEAD).for_each(ask);
    for (row, output) in outputs.iter_mut().enumerate().take(places.len()) {
        if let Some(later) = places.get(row + AHEAD) {
            ask(later);
        }
        let output: *mut __m128i = (&raw mut *output).cast();
        // SAFETY: places are cut to below the number of inputs, and blocks are aligned to their size. The target always has
        // SSE2.
        unsafe {
            let sum = places_of(&places[row], mask).iter().fold(_mm_load_si128(output), |sum, &place| {
                _mm_xor_si128(sum, _mm_load_si128(inputs.as_ptr().add(place).cast()))
            });
            _mm_store_si128(output, sum);
        }
    }
}
