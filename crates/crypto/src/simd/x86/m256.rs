//! Two blocks a register, with VAES on AVX2.

use crate::simd::{MOST_GATES, Quad, ROTATE_WORDS, Wide, opacity};
use core::arch::x86_64::*;
use tacit_math::Block;

opacity!(__m256i, ymm_reg, "{0}", "avx2");

// SAFETY of the blocks below: each method's caller vouches for the processor and for its pointers, as the trait says.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Wide for __m256i {
    const BLOCKS: usize = 2;
    type One = __m128i;

    #[inline(always)]
    unsafe fn splat(block: Block) -> Self {
        unsafe { _mm256_broadcastsi128_si256(__m128i::load(&block)) }
    }

    #[inline(always)]
    unsafe fn load(from: *const Block) -> Self {
        unsafe { _mm256_loadu_si256(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Block) {
        unsafe { _mm256_storeu_si256(to.cast(), self) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        unsafe { _mm256_xor_si256(self, other) }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        unsafe { _mm256_and_si256(self, other) }
    }

    #[inline(always)]
    unsafe fn colours(self) -> Self {
        unsafe { _mm256_shuffle_epi32::<0>(_mm256_srai_epi32::<31>(_mm256_slli_epi32::<31>(self))) }
    }

    #[inline(always)]
    unsafe fn sigma(self) -> Self {
        unsafe {
            let swapped = _mm256_shuffle_epi32::<0b10_11_00_01>(self);
            swapped.xor(self.and(_mm256_set1_epi64x(-1 << 32)))
        }
    }

    #[inline(always)]
    unsafe fn half_colours(self) -> Self {
        unsafe {
            _mm256_shuffle_epi32::<0b10_10_00_00>(_mm256_srai_epi32::<31>(_mm256_slli_epi32::<31>(self)))
        }
    }

    #[inline(always)]
    unsafe fn low_halves(self, other: Self) -> Self {
        unsafe { _mm256_unpacklo_epi64(self, other) }
    }

    #[inline(always)]
    unsafe fn high_halves(self, other: Self) -> Self {
        unsafe { _mm256_unpackhi_epi64(self, other) }
    }

    #[inline(always)]
    unsafe fn swap_halves(self) -> Self {
        unsafe { _mm256_shuffle_epi32::<0b01_00_11_10>(self) }
    }

    #[inline(always)]
    unsafe fn halve(self) -> Self {
        unsafe { _mm256_srli_epi64::<1>(self) }
    }

    #[inline(always)]
    unsafe fn round(self, key: Self) -> Self {
        unsafe { _mm256_aesenc_epi128(self, key) }
    }

    #[inline(always)]
    unsafe fn last_round(self, key: Self) -> Self {
        unsafe { _mm256_aesenclast_epi128(self, key) }
    }

    #[inline(always)]
    unsafe fn opaque(self) -> Self {
        unsafe { opaque(self) }
    }

    #[inline(always)]
    unsafe fn rotate_words(self) -> Self {
        unsafe {
            let indices = _mm_loadu_si128(ROTATE_WORDS.as_ptr().cast());
            _mm256_shuffle_epi8(self, _mm256_broadcastsi128_si256(indices))
        }
    }

    #[inline(always)]
    unsafe fn transpose_words([a, b, c, d]: Quad<Self>) -> Quad<Self> {
        unsafe {
            let (ab_low, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
            let (cd_low, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
            [
                _mm256_unpacklo_epi64(ab_low, cd_low),
                _mm256_unpackhi_epi64(ab_low, cd_low),
                _mm256_unpacklo_epi64(ab_high, cd_high),
                _mm256_unpackhi_epi64(ab_high, cd_high),
            ]
        }
    }

    #[inline(always)]
    unsafe fn gather(from: *const Block, places: &[usize]) -> Self {
        unsafe {
            let (low, high) = (__m128i::load(from.add(places[0])), __m128i::load(from.add(places[1])));
            _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
        }
    }

    #[inline(always)]
    unsafe fn collect(from: &[*const Block]) -> Self {
        unsafe {
            let (low, high) = (__m128i::load(from[0]), __m128i::load(from[1]));
            _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
        }
    }

    #[inline(always)]
    unsafe fn scatter(self, to: *mut Block, places: &[usize]) {
        unsafe {
            _mm256_castsi256_si128(self).store(to.add(places[0]));
            _mm256_extracti128_si256::<1>(self).store(to.add(places[1]));
        }
    }

    #[inline(always)]
    unsafe fn store_pairs(left: Self, right: Self, to: *mut Block) {
        unsafe {
            _mm256_permute2x128_si256::<0x20>(left, right).store(to);
            _mm256_permute2x128_si256::<0x31>(left, right).store(to.add(2));
        }
    }

    #[inline(always)]
    unsafe fn load_pairs(from: *const Block) -> [Self; 2] {
        unsafe { [Self::gather(from, &[0, 2]), Self::gather(from, &[1, 3])] }
    }

    #[inline(always)]
    unsafe fn keep(self, lanes: usize) -> Self {
        const MASKS: [[i64; 4]; 4] = [[0, 0, 0, 0], [-1, -1, 0, 0], [0, 0, -1, -1], [-1, -1, -1, -1]];
        unsafe { self.and(_mm256_loadu_si256(MASKS[lanes & 3].as_ptr().cast())) }
    }

    #[inline(always)]
    unsafe fn numbers(values: &[u64; MOST_GATES]) -> Self {
        let [a, b, c, d, ..] = values.map(|value| value as i64);
        unsafe { _mm256_setr_epi64x(a, c, b, d) }
    }

    #[inline(always)]
    unsafe fn add(self, value: u64) -> Self {
        unsafe { self.add_numbers(_mm256_set1_epi64x(value as i64)) }
    }

    #[inline(always)]
    unsafe fn add_numbers(self, other: Self) -> Self {
        unsafe { _mm256_add_epi64(self, other) }
    }

    #[inline(always)]
    unsafe fn twice_words(self) -> [Self; 2] {
        unsafe { [_mm256_shuffle_epi32::<0b10_10_00_00>(self), _mm256_shuffle_epi32::<0b11_11_01_01>(self)] }
    }
}
