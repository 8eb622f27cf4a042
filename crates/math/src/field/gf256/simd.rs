//! Products in GF(2^8) by instructions that know its polynomial: of the first elements, as many as fill whole vectors where the processor has the instructions, else of none.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

/// Whether the processor has the instructions.
fn available() -> bool {
    is_x86_feature_detected!("gfni") && is_x86_feature_detected!("avx2")
}

/// Bytes of a vector.
const WIDTH: usize = 32;

/// `a[i] *= b[i]`; of how many elements.
pub(super) fn mul_assign(a: &mut [u8], b: &[u8]) -> usize {
    if !available() {
        return 0;
    }
    // SAFETY: the processor has the instructions.
    unsafe { mul_assign_on(a, b) }
}

/// `sum[i] += columns[0][i] · factors[0] + …`; of how many elements. No column is shorter than `sum`.
pub(super) fn add_combination(sum: &mut [u8], columns: &[&[u8]], factors: &[u8]) -> usize {
    if !available() {
        return 0;
    }
    // SAFETY: the processor has the instructions.
    unsafe { add_combination_on(sum, columns, factors) }
}

#[target_feature(enable = "gfni,avx2")]
fn mul_assign_on(a: &mut [u8], b: &[u8]) -> usize {
    for (a, b) in a.chunks_exact_mut(WIDTH).zip(b.chunks_exact(WIDTH)) {
        store(a, _mm256_gf2p8mul_epi8(load(a), load(b)));
    }
    a.len().min(b.len()) / WIDTH * WIDTH
}

#[target_feature(enable = "gfni,avx2")]
fn add_combination_on(sum: &mut [u8], columns: &[&[u8]], factors: &[u8]) -> usize {
    let whole = sum.len() / WIDTH * WIDTH;
    for (place, sum) in sum.chunks_exact_mut(WIDTH).enumerate().map(|(i, sum)| (WIDTH * i, sum)) {
        let mut total = load(sum);
        for (column, factor) in columns.iter().zip(factors) {
            let product = _mm256_gf2p8mul_epi8(load(&column[place..]), _mm256_set1_epi8(*factor as i8));
            total = _mm256_xor_si256(total, product);
        }
        store(sum, total);
    }
    whole
}

/// The vector of the first bytes, of which there are enough.
#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[u8]) -> __m256i {
    let bytes = &bytes[..WIDTH];
    // SAFETY: there are as many bytes as a vector has, and the load may be unaligned.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// Writes a vector to the first bytes, of which there are enough.
#[inline]
#[target_feature(enable = "avx2")]
fn store(bytes: &mut [u8], vector: __m256i) {
    let bytes = &mut bytes[..WIDTH];
    // SAFETY: there are as many bytes as a vector has, and the store may be unaligned.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), vector) };
}
