//! Kernels modulo 2^61 - 1 by AVX-512 and its multiplication of 52 bits (IFMA): of the first elements, as many as fill whole vectors where the processor has the instructions,
//! else of none. Each says of how many.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::{Mersenne61, P};
use crate::field::Field;
use crate::field::vector::load_words;

/// Elements of a vector.
const WIDTH: usize = 8;

/// Bits of a limb of IFMA.
const LIMB: u32 = 52;

/// As a factor, it subtracts.
const MINUS_ONE: u64 = P - 1;

/// Products that are summed before they are reduced: [`Products`] has room for as many.
const MOST: usize = 64;

/// Whether the processor has the instructions.
fn available() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma")
}

/// `a[i] += b[i]`.
pub(super) fn add_assign(a: &mut [u64], b: &[u64]) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { add_assign_on(a, b) } } else { 0 }
}

/// `a[i] -= b[i]`.
pub(super) fn sub_assign(a: &mut [u64], b: &[u64]) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { sub_assign_on(a, b) } } else { 0 }
}

/// `a[i] *= b[i]`.
pub(super) fn mul_assign(a: &mut [u64], b: &[u64]) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { mul_assign_on(a, b) } } else { 0 }
}

/// `a[i] *= factor`.
pub(super) fn scale(a: &mut [u64], factor: u64) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { scale_on(a, factor) } } else { 0 }
}

/// `sum[i] += a[i] · b[i]`.
pub(super) fn add_products(sum: &mut [u64], a: &[u64], b: &[u64]) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { add_products_on(sum, a, b) } } else { 0 }
}

/// `sum[i] += a[i] · factor`.
pub(super) fn add_scaled(sum: &mut [u64], a: &[u64], factor: u64) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { add_scaled_on(sum, a, factor) } } else { 0 }
}

/// `a[i] = a[i] · x + b[i] · y`.
pub(super) fn combine_two(a: &mut [u64], b: &[u64], factors: [u64; 2]) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { combine_two_on(a, b, factors) } } else { 0 }
}

/// `sum[i] = columns[0][i] · factors[0] + …`. No column is shorter than `sum`.
pub(super) fn combine(sum: &mut [u64], columns: &[&[u64]], factors: &[u64]) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { combine_on(sum, columns, factors) } } else { 0 }
}

/// The inner product of the first elements, and how many these are.
pub(super) fn dot(a: &[u64], b: &[u64]) -> (u64, usize) {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { dot_on(a, b) } } else { (0, 0) }
}

/// `sum[i] += uniform(bytes[8i..8i + 8]) · factor`.
pub(super) fn add_uniform(sum: &mut [u64], bytes: &[u8], factor: u64) -> usize {
    // SAFETY: the processor has the instructions.
    if available() { unsafe { add_uniform_on(sum, bytes, factor) } } else { 0 }
}

/// Sums of products of elements, whose limbs overlap: `low + middle · 2^52 + high · 2^104`.
#[derive(Clone, Copy)]
struct Products {
    low: __m512i,
    middle: __m512i,
    high: __m512i,
}

impl Products {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn none() -> Products {
        let zero = _mm512_setzero_si512();
        Products { low: zero, middle: zero, high: zero }
    }

    /// Adds products: at most 2^52 to the low limbs, 3 · 2^52 to the middle ones and 2^19 to the high ones.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn add(self, a: __m512i, b: __m512i) -> Products {
        let Products { low, middle, high } = self;
        let (a_high, b_high) = (_mm512_srli_epi64::<LIMB>(a), _mm512_srli_epi64::<LIMB>(b));
        // The instructions take the low 52 bits of each factor.
        let low = _mm512_madd52lo_epu64(low, a, b);
        let middle = _mm512_madd52hi_epu64(middle, a, b);
        let middle = _mm512_madd52lo_epu64(middle, a_high, b);
        let middle = _mm512_madd52lo_epu64(middle, a, b_high);
        let high = _mm512_madd52hi_epu64(high, a_high, b);
        let high = _mm512_madd52hi_epu64(high, a, b_high);
        let high = _mm512_madd52lo_epu64(high, a_high, b_high);
        Products { low, middle, high }
    }

    /// The elements that the sums are, of at most [`MOST`] products.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn reduced(self) -> __m512i {
        let Products { low, middle, high } = self;
        // As 2^61 counts as 1, 2^52 · x is 2^52 · (x mod 2^9) + x / 2^9, and 2^104 · x is 2^43 · (x mod 2^18) + x / 2^18.
        let middle_low = _mm512_slli_epi64::<LIMB>(_mm512_and_si512(middle, all((1 << 9) - 1)));
        let high_low = _mm512_slli_epi64::<43>(_mm512_and_si512(high, all((1 << 18) - 1)));
        // Two below 2^61, one below 2^59, and two below 2^52.
        let sum = _mm512_add_epi64(low, _mm512_add_epi64(middle_low, high_low));
        let above = _mm512_add_epi64(_mm512_srli_epi64::<9>(middle), _mm512_srli_epi64::<18>(high));
        folded(_mm512_add_epi64(sum, above))
    }
}

/// A word in all places.
#[inline]
#[target_feature(enable = "avx512f")]
fn all(word: u64) -> __m512i {
    _mm512_set1_epi64(word as i64)
}

/// The vector of the first elements, of which there are enough.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(elements: &[u64]) -> __m512i {
    let elements = &elements[..WIDTH];
    // SAFETY: there are as many elements as a vector has, and the load may be unaligned.
    unsafe { _mm512_loadu_si512(elements.as_ptr().cast()) }
}

/// Writes a vector to the first elements, of which there are enough.
#[inline]
#[target_feature(enable = "avx512f")]
fn store(elements: &mut [u64], vector: __m512i) {
    let elements = &mut elements[..WIDTH];
    // SAFETY: there are as many elements as a vector has, and the store may be unaligned.
    unsafe { _mm512_storeu_si512(elements.as_mut_ptr().cast(), vector) }
}

/// Numbers below twice the modulus, reduced: what is less than it becomes larger by the subtraction.
#[inline]
#[target_feature(enable = "avx512f")]
fn once(x: __m512i) -> __m512i {
    _mm512_min_epu64(x, _mm512_sub_epi64(x, all(P)))
}

/// Numbers of 64 bits, reduced.
#[inline]
#[target_feature(enable = "avx512f")]
fn folded(x: __m512i) -> __m512i {
    once(_mm512_add_epi64(_mm512_and_si512(x, all(P)), _mm512_srli_epi64::<61>(x)))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn sum_of(a: __m512i, b: __m512i) -> __m512i {
    once(_mm512_add_epi64(a, b))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn difference(a: __m512i, b: __m512i) -> __m512i {
    // Where it is negative, it is a large number, and the modulus more is less.
    let difference = _mm512_sub_epi64(a, b);
    _mm512_min_epu64(difference, _mm512_add_epi64(difference, all(P)))
}

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn product(a: __m512i, b: __m512i) -> __m512i {
    Products::none().add(a, b).reduced()
}

#[target_feature(enable = "avx512f")]
fn add_assign_on(a: &mut [u64], b: &[u64]) -> usize {
    for (a, b) in a.chunks_exact_mut(WIDTH).zip(b.chunks_exact(WIDTH)) {
        store(a, sum_of(load(a), load(b)));
    }
    a.len().min(b.len()) / WIDTH * WIDTH
}

#[target_feature(enable = "avx512f")]
fn sub_assign_on(a: &mut [u64], b: &[u64]) -> usize {
    for (a, b) in a.chunks_exact_mut(WIDTH).zip(b.chunks_exact(WIDTH)) {
        store(a, difference(load(a), load(b)));
    }
    a.len().min(b.len()) / WIDTH * WIDTH
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn mul_assign_on(a: &mut [u64], b: &[u64]) -> usize {
    for (a, b) in a.chunks_exact_mut(WIDTH).zip(b.chunks_exact(WIDTH)) {
        store(a, product(load(a), load(b)));
    }
    a.len().min(b.len()) / WIDTH * WIDTH
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn scale_on(a: &mut [u64], factor: u64) -> usize {
    let factor = all(factor);
    for a in a.chunks_exact_mut(WIDTH) {
        store(a, product(load(a), factor));
    }
    a.len() / WIDTH * WIDTH
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn add_products_on(sum: &mut [u64], a: &[u64], b: &[u64]) -> usize {
    let factors = a.chunks_exact(WIDTH).zip(b.chunks_exact(WIDTH));
    for (sum, (a, b)) in sum.chunks_exact_mut(WIDTH).zip(factors) {
        store(sum, sum_of(load(sum), product(load(a), load(b))));
    }
    sum.len().min(a.len()).min(b.len()) / WIDTH * WIDTH
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn add_scaled_on(sum: &mut [u64], a: &[u64], factor: u64) -> usize {
    let factor = all(factor);
    for (sum, a) in sum.chunks_exact_mut(WIDTH).zip(a.chunks_exact(WIDTH)) {
        store(sum, sum_of(load(sum), product(load(a), factor)));
    }
    sum.len().min(a.len()) / WIDTH * WIDTH
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn combine_two_on(a: &mut [u64], b: &[u64], factors: [u64; 2]) -> usize {
    let (x, y) = (all(factors[0]), all(factors[1]));
    for (a, b) in a.chunks_exact_mut(WIDTH).zip(b.chunks_exact(WIDTH)) {
        store(a, Products::none().add(load(a), x).add(load(b), y).reduced());
    }
    a.len().min(b.len()) / WIDTH * WIDTH
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn combine_on(sum: &mut [u64], columns: &[&[u64]], factors: &[u64]) -> usize {
    for (place, sum) in sum.chunks_exact_mut(WIDTH).enumerate().map(|(i, sum)| (WIDTH * i, sum)) {
        let mut total = all(0);
        for (columns, factors) in columns.chunks(MOST).zip(factors.chunks(MOST)) {
            let mut products = Products::none();
            for (column, factor) in columns.iter().zip(factors) {
                products = products.add(load(&column[place..]), all(*factor));
            }
            total = sum_of(total, products.reduced());
        }
        store(sum, total);
    }
    sum.len() / WIDTH * WIDTH
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn dot_on(a: &[u64], b: &[u64]) -> (u64, usize) {
    let whole = a.len().min(b.len()) / WIDTH * WIDTH;
    let mut total = all(0);
    for (a, b) in a[..whole].chunks(MOST * WIDTH).zip(b[..whole].chunks(MOST * WIDTH)) {
        let mut products = Products::none();
        for (a, b) in a.chunks_exact(WIDTH).zip(b.chunks_exact(WIDTH)) {
            products = products.add(load(a), load(b));
        }
        total = sum_of(total, products.reduced());
    }
    let mut lanes = [0; WIDTH];
    store(&mut lanes, total);
    (lanes.iter().fold(0, |sum, lane| Mersenne61.add(sum, *lane)), whole)
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn add_uniform_on(sum: &mut [u64], bytes: &[u8], factor: u64) -> usize {
    let places = sum.chunks_exact_mut(WIDTH).zip(bytes.chunks_exact(8 * WIDTH));
    let (modulus, multiplier) = (all(P), all(factor));
    for (sum, bytes) in places {
        let drawn = _mm512_and_si512(load_words(bytes), modulus);
        // The factor is public.
        let added = match factor {
            1 => sum_of(load(sum), once(drawn)),
            MINUS_ONE => difference(load(sum), once(drawn)),
            _ => sum_of(load(sum), product(drawn, multiplier)),
        };
        store(sum, added);
    }
    sum.len().min(bytes.len() / 8) / WIDTH * WIDTH
}
