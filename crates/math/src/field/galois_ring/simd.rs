//! Kernels of the Galois ring by AVX-512 and its multiplication of 64 bits (DQ): of the first elements, as many as fill whole vectors where the processor has the
//! instructions, else of none. Each says of how many.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::GaloisElement;
use crate::field::vector::load_words;

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

/// The same as bytes, with the first of the masks added and the second subtracted.
pub(super) fn multiply_masked(
    to: &mut [u8],
    factors: (&[GaloisElement], &[GaloisElement]),
    by: [u64; 2],
    masks: [&[u8]; 2],
) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { multiply_masked_on(to, factors, by, masks) } } else { 0 }
}

/// `to[i] = own[i] · x + theirs[i] · y`, of words as bytes.
pub(super) fn combine_all_encoded(to: &mut [GaloisElement], ground: [&[u8]; 2], by: [[u64; 2]; 2]) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { combine_all_encoded_on(to, ground, by) } } else { 0 }
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

/// Writes the words of a vector to the first bytes, of which there are enough.
#[inline]
#[target_feature(enable = "avx512f")]
fn store_words(bytes: &mut [u8], words: __m512i) {
    let bytes = &mut bytes[..16 * WIDTH];
    // SAFETY: there are as many bytes as a vector has, and the store may be unaligned.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), words) }
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

/// The first and the second words of elements in two vectors.
#[inline]
#[target_feature(enable = "avx512f")]
fn separated(elements: [__m512i; 2]) -> [__m512i; 2] {
    let [one, other] = elements;
    let places = [_mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15)];
    places.map(|places| _mm512_permutex2var_epi64(one, places, other))
}

/// The elements in two vectors by their first and their second words.
#[inline]
#[target_feature(enable = "avx512f")]
fn joined([low, high]: [__m512i; 2]) -> [__m512i; 2] {
    let places = [_mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15)];
    places.map(|places| _mm512_permutex2var_epi64(low, places, high))
}

/// The images of products of as many elements as two vectors have in the ground, times a factor.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn products_in_ground(a: &[GaloisElement], b: &[GaloisElement], factor: [u64; 2]) -> __m512i {
    let ([a, b], [low, high]) = (
        [a, b].map(|all| [load(all), load(&all[WIDTH..])]),
        factor.map(|word| _mm512_set1_epi64(word as i64)),
    );
    let [straight, last] = separated([0, 1].map(|at| _mm512_mullo_epi64(a[at], b[at])));
    let image = _mm512_mullo_epi64(_mm512_sub_epi64(straight, last), low);
    // Which is public.
    if factor[1] == 0 {
        return image;
    }
    let [one, other] = separated([0, 1].map(|at| _mm512_mullo_epi64(a[at], exchanged(b[at]))));
    let second = _mm512_sub_epi64(_mm512_add_epi64(one, other), last);
    _mm512_sub_epi64(image, _mm512_mullo_epi64(second, high))
}

#[target_feature(enable = "avx512f,avx512dq")]
fn multiply_masked_on(
    to: &mut [u8],
    (a, b): (&[GaloisElement], &[GaloisElement]),
    factor: [u64; 2],
    [added, subtracted]: [&[u8]; 2],
) -> usize {
    let factors = a.chunks_exact(2 * WIDTH).zip(b.chunks_exact(2 * WIDTH));
    let masks = added.chunks_exact(16 * WIDTH).zip(subtracted.chunks_exact(16 * WIDTH));
    for (to, ((a, b), (added, subtracted))) in to.chunks_exact_mut(16 * WIDTH).zip(factors.zip(masks)) {
        let mask = _mm512_sub_epi64(load_words(added), load_words(subtracted));
        store_words(to, _mm512_add_epi64(products_in_ground(a, b, factor), mask));
    }
    let bytes = to.len().min(added.len()).min(subtracted.len());
    a.len().min(b.len()).min(bytes / 8) / (2 * WIDTH) * (2 * WIDTH)
}

#[target_feature(enable = "avx512f,avx512dq")]
fn combine_all_encoded_on(to: &mut [GaloisElement], [own, theirs]: [&[u8]; 2], by: [[u64; 2]; 2]) -> usize {
    let by = by.map(|factor| factor.map(|word| _mm512_set1_epi64(word as i64)));
    let ground = own.chunks_exact(16 * WIDTH).zip(theirs.chunks_exact(16 * WIDTH));
    for (to, (own, theirs)) in to.chunks_exact_mut(2 * WIDTH).zip(ground) {
        let (own, theirs) = (load_words(own), load_words(theirs));
        let word = |which: usize| {
            let parts = [_mm512_mullo_epi64(own, by[0][which]), _mm512_mullo_epi64(theirs, by[1][which])];
            _mm512_add_epi64(parts[0], parts[1])
        };
        let [first, second] = joined([word(0), word(1)]);
        store(to, first);
        store(&mut to[WIDTH..], second);
    }
    to.len().min(own.len().min(theirs.len()) / 8) / (2 * WIDTH) * (2 * WIDTH)
}

#[target_feature(enable = "avx512f")]
fn encode_ground_on(elements: &[GaloisElement], bytes: &mut [u8]) -> usize {
    for (elements, bytes) in elements.chunks_exact(2 * WIDTH).zip(bytes.chunks_exact_mut(16 * WIDTH)) {
        store_words(bytes, separated([load(elements), load(&elements[WIDTH..])])[0]);
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
