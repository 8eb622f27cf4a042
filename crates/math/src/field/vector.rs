//! What kernels of several fields by AVX-512 share.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

/// Bytes of a vector.
const BYTES: usize = 64;

/// The vector of the first words in bytes, of which there are enough.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load_words(bytes: &[u8]) -> __m512i {
    let bytes = &bytes[..BYTES];
    // SAFETY: there are as many bytes as a vector has, and the load may be unaligned.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}
