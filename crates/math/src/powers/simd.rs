//! The kernels by AVX-512 and its multiplication of 52 bits (IFMA).
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::{LANES, LIMB, Limb};

/// Whether the processor has the instructions.
pub(super) fn available() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma")
}

pub(super) fn multiply(modulus: &[u64], inverse: u64, a: &[Limb], b: &[Limb], product: &mut [Limb]) {
    assert!(available());
    assert!(a.len() == modulus.len() && b.len() == modulus.len() && product.len() == modulus.len());
    // SAFETY: the processor has the instructions.
    unsafe { multiply_on(modulus, inverse, a, b, product) }
}

pub(super) fn select(table: &[Limb], digits: &[u64; LANES], chosen: &mut [Limb]) {
    assert!(available());
    // SAFETY: the processor has the instructions.
    unsafe { select_on(table, digits, chosen) }
}

pub(super) fn select_shared(table: &[u64], digits: &[u64; LANES], chosen: &mut [Limb]) {
    assert!(available());
    // SAFETY: the processor has the instructions.
    unsafe { select_shared_on(table, digits, chosen) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(limb: &Limb) -> __m512i {
    // SAFETY: a limb is 64 bytes at an address that is a multiple of 64.
    unsafe { _mm512_load_si512(limb.0.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(limb: &mut Limb, vector: __m512i) {
    // SAFETY: as in `load`.
    unsafe { _mm512_store_si512(limb.0.as_mut_ptr().cast(), vector) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn all(word: u64) -> __m512i {
    _mm512_set1_epi64(word as i64)
}

/// Rows of the schoolbook product, each followed by the multiple of the modulus that clears the lowest limb. Limbs of the sum hold
/// more than 52 bits until the end: at most four parts of 52 bits a row, which stay below 2^64 for up to 1000 rows.
#[target_feature(enable = "avx512f,avx512ifma")]
fn multiply_on(modulus: &[u64], inverse: u64, a: &[Limb], b: &[Limb], product: &mut [Limb]) {
    let (zero, inverse) = (_mm512_setzero_si512(), all(inverse));
    let last = modulus.len() - 1;
    product.fill(Limb::default());
    for b in b {
        let b = load(b);
        let mut low = _mm512_madd52lo_epu64(load(&product[0]), load(&a[0]), b);
        let factor = _mm512_madd52lo_epu64(zero, low, inverse);
        low = _mm512_madd52lo_epu64(low, factor, all(modulus[0]));
        // The bits above the lowest limb, which is zero now, are carried to the next one.
        let mut carry = _mm512_srli_epi64::<{ LIMB as u32 }>(low);
        carry = _mm512_madd52hi_epu64(carry, load(&a[0]), b);
        carry = _mm512_madd52hi_epu64(carry, factor, all(modulus[0]));
        for j in 1..=last {
            let (own, modulus) = (load(&a[j]), all(modulus[j]));
            let mut sum = _mm512_add_epi64(load(&product[j]), carry);
            sum = _mm512_madd52lo_epu64(sum, own, b);
            sum = _mm512_madd52lo_epu64(sum, factor, modulus);
            carry = _mm512_madd52hi_epu64(_mm512_madd52hi_epu64(zero, own, b), factor, modulus);
            store(&mut product[j - 1], sum);
        }
        store(&mut product[last], carry);
    }
    let mask = all(super::MASK);
    let mut carry = zero;
    for limb in product {
        let sum = _mm512_add_epi64(load(limb), carry);
        store(limb, _mm512_and_si512(sum, mask));
        carry = _mm512_srli_epi64::<{ LIMB as u32 }>(sum);
    }
}

#[target_feature(enable = "avx512f")]
fn select_on(table: &[Limb], digits: &[u64; LANES], chosen: &mut [Limb]) {
    let digits = load(&Limb(*digits));
    chosen.fill(Limb::default());
    for (entry, index) in table.chunks_exact(chosen.len()).zip(0..) {
        let mask = _mm512_cmpeq_epi64_mask(digits, all(index));
        for (limb, candidate) in chosen.iter_mut().zip(entry) {
            store(limb, _mm512_mask_mov_epi64(load(limb), mask, load(candidate)));
        }
    }
}

#[target_feature(enable = "avx512f")]
fn select_shared_on(table: &[u64], digits: &[u64; LANES], chosen: &mut [Limb]) {
    let digits = load(&Limb(*digits));
    chosen.fill(Limb::default());
    for (entry, index) in table.chunks_exact(chosen.len()).zip(0..) {
        let mask = _mm512_cmpeq_epi64_mask(digits, all(index));
        for (limb, candidate) in chosen.iter_mut().zip(entry) {
            store(limb, _mm512_mask_mov_epi64(load(limb), mask, all(*candidate)));
        }
    }
}
