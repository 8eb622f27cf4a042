//! Products of polynomials over GF(2) by the processor's instruction for them, where it has it.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::times_modulus;

/// Whether the processor has the instruction.
fn available() -> bool {
    is_x86_feature_detected!("pclmulqdq")
}

/// `a[i] *= b[i]`; whether it is done.
pub(super) fn mul_assign(a: &mut [u64], b: &[u64]) -> bool {
    if !available() {
        return false;
    }
    // SAFETY: the processor has the instruction.
    unsafe { mul_assign_on(a, b) };
    true
}

/// The inner product, not reduced.
pub(super) fn dot(a: &[u64], b: &[u64]) -> Option<u128> {
    // SAFETY: the processor has the instruction.
    available().then(|| unsafe { dot_on(a, b) })
}

/// `sum[i] = columns[0][i] · factors[0] + …`; whether it is done. No column is shorter than `sum`.
pub(super) fn combine(sum: &mut [u64], columns: &[&[u64]], factors: &[u64]) -> bool {
    if !available() {
        return false;
    }
    // SAFETY: the processor has the instruction.
    unsafe { combine_on(sum, columns, factors) };
    true
}

#[target_feature(enable = "pclmulqdq,sse2")]
fn mul_assign_on(a: &mut [u64], b: &[u64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a = remainder(product(*a, *b));
    }
}

/// As [`reduced`](super::reduced), by the same instruction.
#[inline]
#[target_feature(enable = "pclmulqdq,sse2")]
fn remainder(product: __m128i) -> u64 {
    let modulus = _mm_cvtsi64_si128(times_modulus(1) as i64);
    // The high word of each, times what is below `x^64` in the modulus; the second high word has four bits.
    let folded = _mm_clmulepi64_si128::<1>(product, modulus);
    let over = _mm_clmulepi64_si128::<1>(folded, modulus);
    _mm_cvtsi128_si64(_mm_xor_si128(_mm_xor_si128(product, folded), over)) as u64
}

#[target_feature(enable = "pclmulqdq,sse2")]
fn dot_on(a: &[u64], b: &[u64]) -> u128 {
    let mut sum = _mm_setzero_si128();
    for (a, b) in a.iter().zip(b) {
        sum = _mm_xor_si128(sum, product(*a, *b));
    }
    number(sum)
}

#[target_feature(enable = "pclmulqdq,sse2")]
fn combine_on(sum: &mut [u64], columns: &[&[u64]], factors: &[u64]) {
    for (place, sum) in sum.iter_mut().enumerate() {
        let mut total = _mm_setzero_si128();
        for (column, factor) in columns.iter().zip(factors) {
            total = _mm_xor_si128(total, product(column[place], *factor));
        }
        *sum = remainder(total);
    }
}

#[inline]
#[target_feature(enable = "pclmulqdq,sse2")]
fn product(a: u64, b: u64) -> __m128i {
    _mm_clmulepi64_si128::<0>(_mm_cvtsi64_si128(a as i64), _mm_cvtsi64_si128(b as i64))
}

#[inline]
#[target_feature(enable = "sse2")]
fn number(vector: __m128i) -> u128 {
    let low = _mm_cvtsi128_si64(vector) as u64;
    let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(vector, vector)) as u64;
    u128::from(high) << 64 | u128::from(low)
}
