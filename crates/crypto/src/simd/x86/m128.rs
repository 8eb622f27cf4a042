//! One block a register, with AES-NI.

use crate::simd::{MOST_GATES, Quad, ROTATE_WORDS, Wide, opacity};
use core::arch::x86_64::*;
use tacit_math::Block;

opacity!(__m128i, xmm_reg, "{0}", "sse2");

// SAFETY of the blocks below: each method's caller vouches for the processor and for its pointers, as the trait says.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Wide for __m128i {
    const BLOCKS: usize = 1;
    type One = __m128i;

    #[inline(always)]
    unsafe fn splat(block: Block) -> Self {
        unsafe { Self::load(&block) }
    }

    #[inline(always)]
    unsafe fn load(from: *const Block) -> Self {
        unsafe { _mm_loadu_si128(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Block) {
        unsafe { _mm_storeu_si128(to.cast(), self) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        unsafe { _mm_xor_si128(self, other) }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        unsafe { _mm_and_si128(self, other) }
    }

    #[inline(always)]
    unsafe fn colours(self) -> Self {
        unsafe { _mm_shuffle_epi32::<0>(_mm_srai_epi32::<31>(_mm_slli_epi32::<31>(self))) }
    }

    #[inline(always)]
    unsafe fn sigma(self) -> Self {
        unsafe {
            let swapped = _mm_shuffle_epi32::<0b10_11_00_01>(self);
            swapped.xor(self.and(_mm_set1_epi64x(-1 << 32)))
        }
    }

    #[inline(always)]
    unsafe fn half_colours(self) -> Self {
        unsafe { _mm_shuffle_epi32::<0b10_10_00_00>(_mm_srai_epi32::<31>(_mm_slli_epi32::<31>(self))) }
    }

    #[inline(always)]
    unsafe fn low_halves(self, other: Self) -> Self {
        unsafe { _mm_unpacklo_epi64(self, other) }
    }

    #[inline(always)]
    unsafe fn high_halves(self, other: Self) -> Self {
        unsafe { _mm_unpackhi_epi64(self, other) }
    }

    #[inline(always)]
    unsafe fn swap_halves(self) -> Self {
        unsafe { _mm_shuffle_epi32::<0b01_00_11_10>(self) }
    }

    #[inline(always)]
    unsafe fn halve(self) -> Self {
        unsafe { _mm_srli_epi64::<1>(self) }
    }

    #[inline(always)]
    unsafe fn round(self, key: Self) -> Self {
        unsafe { _mm_aesenc_si128(self, key) }
    }

    #[inline(always)]
    unsafe fn last_round(self, key: Self) -> Self {
        unsafe { _mm_aesenclast_si128(self, key) }
    }

    #[inline(always)]
    unsafe fn opaque(self) -> Self {
        unsafe { opaque(self) }
    }

    #[inline(always)]
    unsafe fn rotate_words(self) -> Self {
        unsafe { _mm_shuffle_epi8(self, _mm_loadu_si128(ROTATE_WORDS.as_ptr().cast())) }
    }

    #[inline(always)]
    unsafe fn transpose_words([a, b, c, d]: Quad<Self>) -> Quad<Self> {
        unsafe {
            let (ab_low, ab_high) = (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
            let (cd_low, cd_high) = (_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
            [
                _mm_unpacklo_epi64(ab_low, cd_low),
                _mm_unpackhi_epi64(ab_low, cd_low),
                _mm_unpacklo_epi64(ab_high, cd_high),
                _mm_unpackhi_epi64(ab_high, cd_high),
            ]
        }
    }

    #[inline(always)]
    unsafe fn gather(from: *const Block, places: &[usize]) -> Self {
        unsafe { Self::load(from.add(places[0])) }
    }

    #[inline(always)]
    unsafe fn collect(from: &[*const Block]) -> Self {
        unsafe { Self::load(from[0]) }
    }

    #[inline(always)]
    unsafe fn scatter(self, to: *mut Block, places: &[usize]) {
        unsafe { self.store(to.add(places[0])) }
    }

    #[inline(always)]
    unsafe fn store_pairs(left: Self, right: Self, to: *mut Block) {
        unsafe {
            left.store(to);
            right.store(to.add(1));
        }
    }

    #[inline(always)]
    unsafe fn load_pairs(from: *const Block) -> [Self; 2] {
        unsafe { [Self::load(from), Self::load(from.add(1))] }
    }

    #[inline(always)]
    unsafe fn keep(self, lanes: usize) -> Self {
        unsafe { self.and(_mm_set1_epi64x((lanes as i64).wrapping_neg())) }
    }

    #[inline(always)]
    unsafe fn numbers(values: &[u64; MOST_GATES]) -> Self {
        unsafe { _mm_set_epi64x(values[1] as i64, values[0] as i64) }
    }

    #[inline(always)]
    unsafe fn add(self, value: u64) -> Self {
        unsafe { self.add_numbers(_mm_set1_epi64x(value as i64)) }
    }

    #[inline(always)]
    unsafe fn add_numbers(self, other: Self) -> Self {
        unsafe { _mm_add_epi64(self, other) }
    }

    #[inline(always)]
    unsafe fn twice_words(self) -> [Self; 2] {
        unsafe { [_mm_shuffle_epi32::<0b10_10_00_00>(self), _mm_shuffle_epi32::<0b11_11_01_01>(self)] }
    }
}
