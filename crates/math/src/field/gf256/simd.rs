//! Products in GF(2^8) by instructions that know its polynomial: of the first elements, as many as fill whole vectors where the processor has the instructions, else of none.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

/// Whether the processor has the instructions.
fn available() -> bool {
    is_x86_feature_detected!("gfni") && is_x86_feature_detected!("avx2")
}

/// Bytes of a vector.
const WIDTH: usize = 32;

/// Vectors of a column that are multiplied with its factor at a time.
const MANY: usize = 4;

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
    let (many, whole) = (sum.len() / (MANY * WIDTH) * (MANY * WIDTH), sum.len() / WIDTH * WIDTH);
    let (first, last) = sum.split_at_mut(many);
    add_combination_to::<MANY>((first, 0), columns, factors);
    add_combination_to::<1>((last, many), columns, factors);
    whole
}

/// The same for as many whole groups of `N` vectors as there are. The sums stand for the places of columns from `from` on.
#[inline]
#[target_feature(enable = "gfni,avx2")]
fn add_combination_to<const N: usize>((sum, from): (&mut [u8], usize), columns: &[&[u8]], factors: &[u8]) {
    for (place, sum) in (from..).step_by(N * WIDTH).zip(sum.chunks_exact_mut(N * WIDTH)) {
        let mut totals = [_mm256_setzero_si256(); N];
        for (column, factor) in columns.iter().zip(factors) {
            let (column, factor) = (&column[place..][..N * WIDTH], _mm256_set1_epi8(*factor as i8));
            for (total, part) in totals.iter_mut().zip(column.chunks_exact(WIDTH)) {
                *total = _mm256_xor_si256(*total, _mm256_gf2p8mul_epi8(load(part), factor));
            }
        }
        for (total, sum) in totals.into_iter().zip(sum.chunks_exact_mut(WIDTH)) {
            store(sum, _mm256_xor_si256(load(sum), total));
        }
    }
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
