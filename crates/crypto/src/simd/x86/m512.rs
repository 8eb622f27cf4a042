//! Four blocks: register g holds left and right of gate g, then left and right of gate g + 4.

use crate::simd::{Flips, MOST_GATES, Quad, ROTATE_WORDS, Wide, each};
use core::arch::x86_64::*;
use tacit_math::Block;

/// The lanes that hold left inputs, as a mask of 64-bit halves.
const LEFT: u8 = 0b0011_0011;

// SAFETY of the blocks below: each method's caller vouches for the processor and for its pointers, as the trait says.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Wide for __m512i {
    const BLOCKS: usize = 4;

    #[inline(always)]
    unsafe fn splat(block: Block) -> Self {
        unsafe { _mm512_broadcast_i32x4(__m128i::load(&block)) }
    }

    #[inline(always)]
    unsafe fn load(from: *const Block) -> Self {
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Block) {
        unsafe { _mm512_storeu_si512(to.cast(), self) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        unsafe { _mm512_xor_si512(self, other) }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        unsafe { _mm512_and_si512(self, other) }
    }

    #[inline(always)]
    unsafe fn and_not(self, other: Self) -> Self {
        unsafe { _mm512_andnot_si512(self, other) }
    }

    #[inline(always)]
    unsafe fn add_halves(self, other: Self) -> Self {
        unsafe { _mm512_add_epi64(self, other) }
    }

    #[inline(always)]
    unsafe fn colours(self) -> Self {
        unsafe { _mm512_shuffle_epi32::<0>(_mm512_srai_epi32::<31>(_mm512_slli_epi32::<31>(self))) }
    }

    #[inline(always)]
    unsafe fn round(self, key: Self) -> Self {
        unsafe { _mm512_aesenc_epi128(self, key) }
    }

    #[inline(always)]
    unsafe fn last_round(self, key: Self) -> Self {
        unsafe { _mm512_aesenclast_epi128(self, key) }
    }

    #[inline(always)]
    unsafe fn rotate_words(self) -> Self {
        unsafe {
            let indices = _mm_loadu_si128(ROTATE_WORDS.as_ptr().cast());
            _mm512_shuffle_epi8(self, _mm512_broadcast_i32x4(indices))
        }
    }

    #[inline(always)]
    unsafe fn transpose_words([a, b, c, d]: Quad<Self>) -> Quad<Self> {
        unsafe {
            let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
            let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
            [
                _mm512_unpacklo_epi64(ab_low, cd_low),
                _mm512_unpackhi_epi64(ab_low, cd_low),
                _mm512_unpacklo_epi64(ab_high, cd_high),
                _mm512_unpackhi_epi64(ab_high, cd_high),
            ]
        }
    }

    #[inline(always)]
    unsafe fn gate_keys(start: Block, ids: &[u64; MOST_GATES]) -> Quad<Self> {
        unsafe {
            let [a, b, c, d, e, f, g, h] = ids.map(|id| id as i64);
            let ids = _mm512_setr_epi64(a, b, c, d, e, f, g, h);
            let doubled = _mm512_add_epi64(ids, ids);
            let low = _mm512_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6, 8, 10, 12, 14, 8, 10, 12, 14);
            let low = _mm512_permutexvar_epi32(low, doubled);
            let high = _mm512_setr_epi32(1, 3, 5, 7, 1, 3, 5, 7, 9, 11, 13, 15, 9, 11, 13, 15);
            let high = _mm512_permutexvar_epi32(high, doubled);
            let word = |index: u32| _mm512_set1_epi32((start.0 >> (32 * index)) as i32);
            let right = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1);
            [word(0).xor(right).xor(low), word(1).xor(high), word(2), word(3)]
        }
    }

    #[inline(always)]
    unsafe fn gather(
        from: *const Block,
        left: &[usize; MOST_GATES],
        right: &[usize; MOST_GATES],
    ) -> Quad<Self> {
        let block = |place: usize| unsafe { __m128i::load(from.add(place)) };
        let pairs = |gate: usize| unsafe {
            let pair = _mm512_castsi128_si512(block(left[gate]));
            let pair = _mm512_inserti32x4::<1>(pair, block(right[gate]));
            let pair = _mm512_inserti32x4::<2>(pair, block(left[gate + 4]));
            _mm512_inserti32x4::<3>(pair, block(right[gate + 4]))
        };
        [pairs(0), pairs(1), pairs(2), pairs(3)]
    }

    #[inline(always)]
    unsafe fn gather_flips(flips: &Flips, flip: &[u8; MOST_GATES]) -> Quad<Self> {
        let pair = |gate: usize| unsafe { __m256i::load(flips.pair(flip[gate]).as_ptr()) };
        [0, 1, 2, 3].map(|gate| unsafe { join(pair(gate), pair(gate + 4)) })
    }

    #[inline(always)]
    unsafe fn right_to_left(quad: Quad<Self>) -> Quad<Self> {
        each(quad, |pairs| unsafe { _mm512_maskz_shuffle_i64x2::<0b10_11_00_01>(LEFT, pairs, pairs) })
    }

    #[inline(always)]
    unsafe fn left_to_right(quad: Quad<Self>) -> Quad<Self> {
        each(quad, |pairs| unsafe { _mm512_maskz_shuffle_i64x2::<0b10_11_00_01>(!LEFT, pairs, pairs) })
    }

    #[inline(always)]
    unsafe fn store_pairs(quad: Quad<Self>, to: *mut Block, places: &[usize; MOST_GATES]) {
        for (gate, pairs) in quad.into_iter().enumerate() {
            unsafe {
                _mm512_castsi512_si256(pairs).store(to.add(places[gate]));
                _mm512_extracti64x4_epi64::<1>(pairs).store(to.add(places[gate + 4]));
            }
        }
    }

    #[inline(always)]
    unsafe fn load_pairs(from: *const Block, places: &[usize; MOST_GATES]) -> Quad<Self> {
        let pair = |gate: usize| unsafe { __m256i::load(from.add(places[gate])) };
        [0, 1, 2, 3].map(|gate| unsafe { join(pair(gate), pair(gate + 4)) })
    }

    #[inline(always)]
    unsafe fn store_sums(quad: Quad<Self>, to: *mut Block, places: &[usize; MOST_GATES]) {
        for (gate, pairs) in quad.into_iter().enumerate() {
            unsafe {
                let sums = pairs.xor(_mm512_shuffle_i64x2::<0b10_11_00_01>(pairs, pairs));
                _mm512_castsi512_si128(sums).store(to.add(places[gate]));
                _mm512_extracti32x4_epi32::<2>(sums).store(to.add(places[gate + 4]));
            }
        }
    }
}

/// Two pairs in one register.
#[inline(always)]
unsafe fn join(low: __m256i, high: __m256i) -> __m512i {
    // SAFETY: the caller vouches for the processor.
    unsafe { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high) }
}
