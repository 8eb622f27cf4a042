//! Two blocks: register g holds left and right of gate g.

use crate::simd::{Flips, MOST_GATES, Quad, ROTATE_WORDS, Wide, each};
use core::arch::x86_64::*;
use tacit_math::Block;

// SAFETY of the blocks below: each method's caller vouches for the processor and for its pointers, as the trait says.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Wide for __m256i {
    const BLOCKS: usize = 2;

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
    unsafe fn and_not(self, other: Self) -> Self {
        unsafe { _mm256_andnot_si256(self, other) }
    }

    #[inline(always)]
    unsafe fn add_halves(self, other: Self) -> Self {
        unsafe { _mm256_add_epi64(self, other) }
    }

    #[inline(always)]
    unsafe fn colours(self) -> Self {
        unsafe { _mm256_shuffle_epi32::<0>(_mm256_srai_epi32::<31>(_mm256_slli_epi32::<31>(self))) }
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
    unsafe fn gate_keys(start: Block, ids: &[u64; MOST_GATES]) -> Quad<Self> {
        unsafe {
            let ids = _mm256_set_epi64x(ids[3] as i64, ids[2] as i64, ids[1] as i64, ids[0] as i64);
            let doubled = _mm256_add_epi64(ids, ids);
            let low = _mm256_permutevar8x32_epi32(doubled, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
            let high = _mm256_permutevar8x32_epi32(doubled, _mm256_setr_epi32(1, 3, 5, 7, 1, 3, 5, 7));
            let word = |index: u32| _mm256_set1_epi32((start.0 >> (32 * index)) as i32);
            let right = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
            [word(0).xor(right).xor(low), word(1).xor(high), word(2), word(3)]
        }
    }

    #[inline(always)]
    unsafe fn gather(
        from: *const Block,
        left: &[usize; MOST_GATES],
        right: &[usize; MOST_GATES],
    ) -> Quad<Self> {
        let pair = |gate: usize| unsafe {
            let (left, right) = (__m128i::load(from.add(left[gate])), __m128i::load(from.add(right[gate])));
            _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(left), right)
        };
        [pair(0), pair(1), pair(2), pair(3)]
    }

    #[inline(always)]
    unsafe fn gather_flips(flips: &Flips, flip: &[u8; MOST_GATES]) -> Quad<Self> {
        [0, 1, 2, 3].map(|gate| unsafe { Self::load(flips.pair(flip[gate]).as_ptr()) })
    }

    #[inline(always)]
    unsafe fn right_to_left(quad: Quad<Self>) -> Quad<Self> {
        each(quad, |pair| unsafe { _mm256_permute2x128_si256::<0x81>(pair, pair) })
    }

    #[inline(always)]
    unsafe fn left_to_right(quad: Quad<Self>) -> Quad<Self> {
        each(quad, |pair| unsafe { _mm256_permute2x128_si256::<0x08>(pair, pair) })
    }

    #[inline(always)]
    unsafe fn store_pairs(quad: Quad<Self>, to: *mut Block, places: &[usize; MOST_GATES]) {
        for (pair, &place) in quad.into_iter().zip(places) {
            unsafe { pair.store(to.add(place)) }
        }
    }

    #[inline(always)]
    unsafe fn load_pairs(from: *const Block, places: &[usize; MOST_GATES]) -> Quad<Self> {
        [0, 1, 2, 3].map(|gate| unsafe { Self::load(from.add(places[gate])) })
    }

    #[inline(always)]
    unsafe fn store_sums(quad: Quad<Self>, to: *mut Block, places: &[usize; MOST_GATES]) {
        for (pair, &place) in quad.into_iter().zip(places) {
            unsafe {
                let (left, right) = (_mm256_castsi256_si128(pair), _mm256_extracti128_si256::<1>(pair));
                left.xor(right).store(to.add(place));
            }
        }
    }
}
