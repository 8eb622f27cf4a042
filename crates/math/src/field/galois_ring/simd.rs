//! Kernels of the Galois ring by AVX-512 and its multiplication of 64 bits (DQ): of the first elements, as many as fill whole vectors where the processor has the
//! instructions, else of none. Each says of how many.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::GaloisElement;

/// Elements of a vector, each two words.
const WIDTH: usize = 4;

/// The words with `x`, in a vector.
const HIGH: u8 = 0b1010_1010;

/// Whether the processor has the instructions.
fn available() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq")
}

/// `a[i] *= b[i]`.
pub(super) fn mul_assign(a: &mut [GaloisElement], b: &[GaloisElement]) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { mul_assign_on(a, b) } } else { 0 }
}

/// The images of `a[i] · factor` in the ground.
pub(super) fn scale_to_ground(a: &mut [GaloisElement], factor: [u64; 2]) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { scale_to_ground_on(a, factor) } } else { 0 }
}

/// `a[i] = a[i] · x + b[i] · y`, of elements of the ground.
pub(super) fn combine_ground(a: &mut [GaloisElement], b: &[GaloisElement], by: [[u64; 2]; 2]) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { combine_ground_on(a, b, by) } } else { 0 }
}

/// The images of `a[i] · b[i] · factor` in the ground.
pub(super) fn multiply_to_ground(
    to: &mut [GaloisElement],
    factors: (&[GaloisElement], &[GaloisElement]),
    by: [u64; 2],
) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { multiply_to_ground_on(to, factors, by) } } else { 0 }
}

/// The same, with the first of the masks added and the second subtracted.
pub(super) fn multiply_masked(
    to: &mut [GaloisElement],
    factors: (&[GaloisElement], &[GaloisElement]),
    by: [u64; 2],
    masks: [&[u8]; 2],
) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { multiply_masked_on(to, factors, by, masks) } } else { 0 }
}

/// As [`combine_ground`], with `b` as bytes.
pub(super) fn combine_encoded(a: &mut [GaloisElement], bytes: &[u8], by: [[u64; 2]; 2]) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { combine_encoded_on(a, bytes, by) } } else { 0 }
}

/// The words without `x`, as bytes.
pub(super) fn encode_ground(elements: &[GaloisElement], bytes: &mut [u8]) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { encode_ground_on(elements, bytes) } } else { 0 }
}

/// The elements of the ground in bytes.
pub(super) fn decode_ground(bytes: &[u8], elements: &mut [GaloisElement]) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { decode_ground_on(bytes, elements) } } else { 0 }
}

/// Adds or subtracts the elements of the ground in bytes.
pub(super) fn add_ground(sum: &mut [GaloisElement], bytes: &[u8], subtracted: bool) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { add_ground_on(sum, bytes, subtracted) } } else { 0 }
}

/// The vector of the first elements, of which there are enough.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(elements: &[GaloisElement]) -> __m512i {
    let elements = &elements[..WIDTH];
    // SAFETY: there are as many elements as a vector has, each two words, and the load may be unaligned.
    unsafe { _mm512_loadu_si512(elements.as_ptr().cast()) }
}

/// Writes a vector to the first elements, of which there are enough.
#[inline]
#[target_feature(enable = "avx512f")]
fn store(elements: &mut [GaloisElement], vector: __m512i) {
    let elements = &mut elements[..WIDTH];
    // SAFETY: there are as many elements as a vector has, any two words are one, and the store may be unaligned.
    unsafe { _mm512_storeu_si512(elements.as_mut_ptr().cast(), vector) }
}

/// The elements of the ground in the first bytes, of which there are enough.
#[inline]
#[target_feature(enable = "avx512f")]
fn load_ground(bytes: &[u8]) -> __m512i {
    let bytes = &bytes[..8 * WIDTH];
    // SAFETY: there are as many bytes as half a vector has, and the load may be unaligned.
    let words = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
    _mm512_maskz_permutexvar_epi64(
        !HIGH,
        _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3),
        _mm512_castsi256_si512(words),
    )
}

/// An element in all places.
#[inline]
#[target_feature(enable = "avx512f")]
fn all(element: [u64; 2]) -> __m512i {
    let [low, high] = element.map(|word| word as i64);
    _mm512_setr_epi64(low, high, low, high, low, high, low, high)
}

/// Each element with its two words exchanged.
#[inline]
#[target_feature(enable = "avx512f")]
fn exchanged(a: __m512i) -> __m512i {
    _mm512_shuffle_epi32::<_MM_PERM_BADC>(a)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn product(a: __m512i, b: __m512i) -> __m512i {
    let (alike, crossed) = (_mm512_mullo_epi64(a, b), _mm512_mullo_epi64(a, exchanged(b)));
    let crossed = _mm512_add_epi64(crossed, exchanged(crossed));
    _mm512_sub_epi64(_mm512_mask_blend_epi64(HIGH, alike, crossed), _mm512_unpackhi_epi64(alike, alike))
}

/// The images of elements times a factor in the ground.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn scaled_to_ground(a: __m512i, factor: __m512i) -> __m512i {
    let alike = _mm512_mullo_epi64(a, factor);
    _mm512_maskz_sub_epi64(!HIGH, alike, exchanged(alike))
}

/// The sum of two elements of the ground, each times a factor.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn combined(ground: [__m512i; 2], by: [__m512i; 2]) -> __m512i {
    let [own, theirs] = ground.map(|words| _mm512_unpacklo_epi64(words, words));
    _mm512_add_epi64(_mm512_mullo_epi64(own, by[0]), _mm512_mullo_epi64(theirs, by[1]))
}

#[target_feature(enable = "avx512f,avx512dq")]
fn mul_assign_on(a: &mut [GaloisElement], b: &[GaloisElement]) -> usize {
    for (a, b) in a.chunks_exact_mut(WIDTH).zip(b.chunks_exact(WIDTH)) {
        store(a, product(load(a), load(b)));
    }
    a.len().min(b.len()) / WIDTH * WIDTH
}

#[target_feature(enable = "avx512f,avx512dq")]
fn scale_to_ground_on(a: &mut [GaloisElement], factor: [u64; 2]) -> usize {
    let factor = all(factor);
    for a in a.chunks_exact_mut(WIDTH) {
        store(a, scaled_to_ground(load(a), factor));
    }
    a.len() / WIDTH * WIDTH
}

#[target_feature(enable = "avx512f,avx512dq")]
fn combine_ground_on(a: &mut [GaloisElement], b: &[GaloisElement], by: [[u64; 2]; 2]) -> usize {
    let (x, y) = (all(by[0]), all(by[1]));
    for (a, b) in a.chunks_exact_mut(WIDTH).zip(b.chunks_exact(WIDTH)) {
        store(a, combined([load(a), load(b)], [x, y]));
    }
    a.len().min(b.len()) / WIDTH * WIDTH
}

#[target_feature(enable = "avx512f,avx512dq")]
fn multiply_to_ground_on(
    to: &mut [GaloisElement],
    (a, b): (&[GaloisElement], &[GaloisElement]),
    factor: [u64; 2],
) -> usize {
    let factor = all(factor);
    let factors = a.chunks_exact(WIDTH).zip(b.chunks_exact(WIDTH));
    for (to, (a, b)) in to.chunks_exact_mut(WIDTH).zip(factors) {
        store(to, scaled_to_ground(product(load(a), load(b)), factor));
    }
    to.len().min(a.len()).min(b.len()) / WIDTH * WIDTH
}

#[target_feature(enable = "avx512f,avx512dq")]
fn multiply_masked_on(
    to: &mut [GaloisElement],
    (a, b): (&[GaloisElement], &[GaloisElement]),
    factor: [u64; 2],
    [added, subtracted]: [&[u8]; 2],
) -> usize {
    let factor = all(factor);
    let factors = a.chunks_exact(WIDTH).zip(b.chunks_exact(WIDTH));
    let masks = added.chunks_exact(8 * WIDTH).zip(subtracted.chunks_exact(8 * WIDTH));
    for (to, ((a, b), (added, subtracted))) in to.chunks_exact_mut(WIDTH).zip(factors.zip(masks)) {
        let mask = _mm512_sub_epi64(load_ground(added), load_ground(subtracted));
        store(to, _mm512_add_epi64(scaled_to_ground(product(load(a), load(b)), factor), mask));
    }
    let masks = added.len().min(subtracted.len()) / 8;
    to.len().min(a.len()).min(b.len()).min(masks) / WIDTH * WIDTH
}

#[target_feature(enable = "avx512f,avx512dq")]
fn combine_encoded_on(a: &mut [GaloisElement], bytes: &[u8], by: [[u64; 2]; 2]) -> usize {
    let (x, y) = (all(by[0]), all(by[1]));
    for (a, bytes) in a.chunks_exact_mut(WIDTH).zip(bytes.chunks_exact(8 * WIDTH)) {
        store(a, combined([load(a), load_ground(bytes)], [x, y]));
    }
    a.len().min(bytes.len() / 8) / WIDTH * WIDTH
}

#[target_feature(enable = "avx512f")]
fn encode_ground_on(elements: &[GaloisElement], bytes: &mut [u8]) -> usize {
    let low = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    for (elements, bytes) in elements.chunks_exact(2 * WIDTH).zip(bytes.chunks_exact_mut(16 * WIDTH)) {
        let words = _mm512_permutex2var_epi64(load(elements), low, load(&elements[WIDTH..]));
        // SAFETY: there are as many bytes as a vector has, and the store may be unaligned.
        unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), words) }
    }
    elements.len().min(bytes.len() / 8) / (2 * WIDTH) * (2 * WIDTH)
}

#[target_feature(enable = "avx512f")]
fn decode_ground_on(bytes: &[u8], elements: &mut [GaloisElement]) -> usize {
    for (elements, bytes) in elements.chunks_exact_mut(WIDTH).zip(bytes.chunks_exact(8 * WIDTH)) {
        store(elements, load_ground(bytes));
    }
    elements.len().min(bytes.len() / 8) / WIDTH * WIDTH
}

#[target_feature(enable = "avx512f")]
fn add_ground_on(sum: &mut [GaloisElement], bytes: &[u8], subtracted: bool) -> usize {
    for (sum, bytes) in sum.chunks_exact_mut(WIDTH).zip(bytes.chunks_exact(8 * WIDTH)) {
        let (before, ground) = (load(sum), load_ground(bytes));
        // Which of them is public.
        let after =
            if subtracted { _mm512_sub_epi64(before, ground) } else { _mm512_add_epi64(before, ground) };
        store(sum, after);
    }
    sum.len().min(bytes.len() / 8) / WIDTH * WIDTH
}
