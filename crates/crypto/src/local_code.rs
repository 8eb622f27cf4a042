//! A random linear code in which every output is the sum of ten inputs: the encoding of learning parity with noise.
//!
//! The ten are public: numbers of 32 bits from a PRG in counter mode, ten for each row. Rows 2i and 2i + 1 take
//! blocks 5i to 5i + 4. The bits above a number's lowest four, reduced to the number of inputs, are an index.
//!
//! Source: the d-local linear codes of Yang, Weng, Lan, Zhang and Wang, *Ferret* (CCS'20), §3.2, with d = 10 as there.
//! Security: that of the learning parity with noise problem for such codes; the seed of the PRG is public and random.
//! That a row has so few inputs helps attackers of the problem, which the parameters must take into account.
//! Cost: two and a half AES calls and ten reads at random positions for each output. From a few MiB of inputs
//! on, the reads take most of the time.
#![allow(unsafe_code)]

use crate::Backend;
use crate::aes::Aes128;
use tacit_math::Block;

/// Inputs of a row.
pub const LOCALITY: usize = 10;
/// The most inputs of a code.
pub const MOST_INPUTS: usize = 1 << 28;
/// Rows whose indices are computed at a time; they fit in the first-level cache.
const CHUNK: usize = 512;
/// Rows between prefetching inputs and adding them.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 24;
/// Blocks of random numbers for two rows.
const BLOCKS_OF_TWO: usize = 2 * LOCALITY * size_of::<u32>() / Block::BYTES;

/// The places of a row, in bytes from the first input.
type Places = [u32; LOCALITY];

/// Adds (XOR) row `first` + j of the code, applied to `inputs`, to `outputs[j]`.
///
/// The backend is that of `seed`. Inputs and outputs may be secret; the addresses of reads depend only on
/// `seed` and `first`, which are public.
///
/// # Panics
/// If the number of inputs is not a power of two or exceeds [`MOST_INPUTS`].
pub fn encode(seed: &Aes128, first: u64, inputs: &[Block], outputs: &mut [Block]) {
    let count = inputs.len();
    assert!(count.is_power_of_two() && count <= MOST_INPUTS, "{count} inputs of a local code");
    let add = if seed.backend() == Backend::PORTABLE { add_rows_portable } else { add_rows };
    let mut random = [Block::ZERO; CHUNK / 2 * BLOCKS_OF_TWO];
    let mut places = [[0; LOCALITY]; CHUNK];
    let (mut row, mut outputs) = (first, outputs);
    while !outputs.is_empty() {
        // The first row of a pair may be one that was not requested.
        let skipped = (row % 2) as usize;
        let (now, later) = outputs.split_at_mut(outputs.len().min(CHUNK - skipped));
        let rows = skipped + now.len();
        let random = &mut random[..rows.div_ceil(2) * BLOCKS_OF_TWO];
        draw(seed, row / 2, random);
        cut(random, count, places[..rows].as_flattened_mut());
        add(&places[skipped..rows], inputs, now);
        row += now.len() as u64;
        outputs = later;
    }
}

/// The random blocks of pairs of rows, from pair `first` on.
fn draw(seed: &Aes128, first: u64, random: &mut [Block]) {
    let start = BLOCKS_OF_TWO as u128 * u128::from(first);
    seed.encrypt_from(Block(start), random);
}

/// Reduces random numbers to indices among `count` inputs.
fn cut(random: &[Block], count: usize, places: &mut [u32]) {
    let mask = ((count - 1) * Block::BYTES) as u32;
    let (numbers, _) = Block::as_bytes(random).as_chunks();
    places.iter_mut().zip(numbers).for_each(|(place, number)| *place = u32::from_le_bytes(*number) & mask);
}

/// Adds rows, in plain Rust.
fn add_rows_portable(places: &[Places], inputs: &[Block], outputs: &mut [Block]) {
    let input = |place: &u32| inputs[*place as usize / Block::BYTES];
    for (places, output) in places.iter().zip(outputs) {
        *output = places.iter().fold(*output, |sum, place| sum ^ input(place));
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn add_rows(places: &[Places], inputs: &[Block], outputs: &mut [Block]) {
    add_rows_portable(places, inputs, outputs);
}

/// Adds rows. The inputs of a row are prefetched some rows before they are needed, so that many reads from a
/// distant cache are in flight at once. Indices must come from [`cut`] for the same number of inputs.
#[cfg(target_arch = "x86_64")]
fn add_rows(places: &[Places], inputs: &[Block], outputs: &mut [Block]) {
    use core::arch::x86_64::{
        __m128i, _MM_HINT_T0, _mm_load_si128, _mm_prefetch, _mm_store_si128, _mm_xor_si128,
    };
    let start: *const __m128i = inputs.as_ptr().cast();
    let ask = |places: &Places| {
        for &place in places {
            // SAFETY: places are cut to below the number of inputs.
            unsafe { _mm_prefetch(start.byte_add(place as usize).cast(), _MM_HINT_T0) }
        }
    };
    places.iter().take(AHEAD).for_each(ask);
    for (row, output) in outputs.iter_mut().enumerate().take(places.len()) {
        if let Some(later) = places.get(row + AHEAD) {
            ask(later);
        }
        let output: *mut __m128i = (&raw mut *output).cast();
        // SAFETY: places are cut to multiples of a block's size below that of the inputs, and blocks are aligned to their size.
        // The target always has SSE2.
        unsafe {
            let sum = places[row].iter().fold(_mm_load_si128(output), |sum, &place| {
                _mm_xor_si128(sum, _mm_load_si128(start.byte_add(place as usize)))
            });
            _mm_store_si128(output, sum);
        }
    }
}
