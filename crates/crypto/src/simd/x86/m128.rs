//! One block: register 0 holds left of gate 0, 1 its right, 2 left of gate 1, 3 its right.

use crate::simd::{Flips, MOST_GATES, Quad, ROTATE_WORDS, Wide};
use core::arch::x86_64::*;
use tacit_math::Block;

// SAFETY of the blocks below: each method's caller vouches for the processor and for its pointers, as the trait says.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Wide for __m128i {
    const BLOCKS: usize = 1;

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
    unsafe fn and_not(self, other: Self) -> Self {
        unsafe { _mm_andnot_si128(self, other) }
    }

    #[inline(always)]
    unsafe fn add_halves(self, other: Self) -> Self {
        unsafe { _mm_add_epi64(self, other) }
    }

    #[inline(always)]
    unsafe fn colours(self) -> Self {
        unsafe { _mm_shuffle_epi32::<0>(_mm_srai_epi32::<31>(_mm_slli_epi32::<31>(self))) }
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
    unsafe fn gate_keys(start: Block, ids: &[u64; MOST_GATES]) -> Quad<Self> {
        unsafe {
            let ids = _mm_set_epi64x(ids[1] as i64, ids[0] as i64);
            let doubled = _mm_add_epi64(ids, ids);
            let word = |index: u32| _mm_set1_epi32((start.0 >> (32 * index)) as i32);
            [
                word(0).xor(_mm_set_epi32(1, 0, 1, 0)).xor(_mm_shuffle_epi32::<0b10_10_00_00>(doubled)),
                word(1).xor(_mm_shuffle_epi32::<0b11_11_01_01>(doubled)),
                word(2),
                word(3),
            ]
        }
    }

    #[inline(always)]
    unsafe fn gather(
        from: *const Block,
        left: &[usize; MOST_GATES],
        right: &[usize; MOST_GATES],
    ) -> Quad<Self> {
        unsafe { [left[0], right[0], left[1], right[1]].map(|place| Self::load(from.add(place))) }
    }

    #[inline(always)]
    unsafe fn gather_flips(flips: &Flips, flip: &[u8; MOST_GATES]) -> Quad<Self> {
        let ([a, b], [c, d]) = (flips.pair(flip[0]), flips.pair(flip[1]));
        unsafe { [a, b, c, d].map(|block| Self::load(block)) }
    }

    #[inline(always)]
    unsafe fn right_to_left([_, b, _, d]: Quad<Self>) -> Quad<Self> {
        let zero = unsafe { _mm_setzero_si128() };
        [b, zero, d, zero]
    }

    #[inline(always)]
    unsafe fn left_to_right([a, _, c, _]: Quad<Self>) -> Quad<Self> {
        let zero = unsafe { _mm_setzero_si128() };
        [zero, a, zero, c]
    }

    #[inline(always)]
    unsafe fn store_pairs([a, b, c, d]: Quad<Self>, to: *mut Block, places: &[usize; MOST_GATES]) {
        unsafe {
            a.store(to.add(places[0]));
            b.store(to.add(places[0] + 1));
            c.store(to.add(places[1]));
            d.store(to.add(places[1] + 1));
        }
    }

    #[inline(always)]
    unsafe fn load_pairs(from: *const Block, places: &[usize; MOST_GATES]) -> Quad<Self> {
        unsafe {
            [places[0], places[0] + 1, places[1], places[1] + 1].map(|place| Self::load(from.add(place)))
        }
    }

    #[inline(always)]
    unsafe fn store_sums([a, b, c, d]: Quad<Self>, to: *mut Block, places: &[usize; MOST_GATES]) {
        unsafe {
            a.xor(b).store(to.add(places[0]));
            c.xor(d).store(to.add(places[1]));
        }
    }
}
