//! Four blocks a register, with VAES on AVX-512.

use crate::simd::{MOST_GATES, Quad, ROTATE_WORDS, Wide, opacity};
use core::arch::x86_64::*;
use tacit_math::Block;

opacity!(__m512i, zmm_reg, "{0}", "avx512f");

// SAFETY of the blocks below: each method's caller vouches for the processor and for its pointers, as the trait says.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Wide for __m512i {
    const BLOCKS: usize = 4;
    type One = __m128i;

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
    unsafe fn colours(self) -> Self {
        unsafe { _mm512_shuffle_epi32::<0>(_mm512_srai_epi32::<31>(_mm512_slli_epi32::<31>(self))) }
    }

    #[inline(always)]
    unsafe fn sigma(self) -> Self {
        unsafe {
            let swapped = _mm512_shuffle_epi32::<0b10_11_00_01>(self);
            swapped.xor(self.and(_mm512_set1_epi64(-1 << 32)))
        }
    }

    #[inline(always)]
    unsafe fn half_colours(self) -> Self {
        unsafe {
            _mm512_shuffle_epi32::<0b10_10_00_00>(_mm512_srai_epi32::<31>(_mm512_slli_epi32::<31>(self)))
        }
    }

    #[inline(always)]
    unsafe fn low_halves(self, other: Self) -> Self {
        unsafe { _mm512_unpacklo_epi64(self, other) }
    }

    #[inline(always)]
    unsafe fn high_halves(self, other: Self) -> Self {
        unsafe { _mm512_unpackhi_epi64(self, other) }
    }

    #[inline(always)]
    unsafe fn swap_halves(self) -> Self {
        unsafe { _mm512_shuffle_epi32::<0b01_00_11_10>(self) }
    }

    #[inline(always)]
    unsafe fn halve(self) -> Self {
        unsafe { _mm512_srli_epi64::<1>(self) }
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
    unsafe fn opaque(self) -> Self {
        unsafe { opaque(self) }
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
    unsafe fn gather(from: *const Block, places: &[usize]) -> Self {
        unsafe {
            let (low, high) = (__m256i::gather(from, places), __m256i::gather(from, &places[2..]));
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
        }
    }

    #[inline(always)]
    unsafe fn collect(from: &[*const Block]) -> Self {
        unsafe {
            let (low, high) = (__m256i::collect(from), __m256i::collect(&from[2..]));
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
        }
    }

    #[inline(always)]
    unsafe fn scatter(self, to: *mut Block, places: &[usize]) {
        unsafe {
            _mm512_castsi512_si128(self).store(to.add(places[0]));
            _mm512_extracti32x4_epi32::<1>(self).store(to.add(places[1]));
            _mm512_extracti32x4_epi32::<2>(self).store(to.add(places[2]));
            _mm512_extracti32x4_epi32::<3>(self).store(to.add(places[3]));
        }
    }

    #[inline(always)]
    unsafe fn store_pairs(left: Self, right: Self, to: *mut Block) {
        unsafe {
            let (first, second) =
                (_mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15));
            _mm512_permutex2var_epi64(left, first, right).store(to);
            _mm512_permutex2var_epi64(left, second, right).store(to.add(4));
        }
    }

    #[inline(always)]
    unsafe fn load_pairs(from: *const Block) -> [Self; 2] {
        unsafe {
            let (first, second) = (Self::load(from), Self::load(from.add(4)));
            let (left, right) =
                (_mm512_setr_epi64(0, 1, 4, 5, 8, 9, 12, 13), _mm512_setr_epi64(2, 3, 6, 7, 10, 11, 14, 15));
            [_mm512_permutex2var_epi64(first, left, second), _mm512_permutex2var_epi64(first, right, second)]
        }
    }

    #[inline(always)]
    unsafe fn keep(self, lanes: usize) -> Self {
        /// Each bit twice: a lane is two 64-bit halves.
        const HALVES: [u8; 16] = {
            let mut halves = [0; 16];
            let mut lanes = 0;
            while lanes < 16 {
                let mut lane = 0;
                while lane < 4 {
                    halves[lanes] |= (((lanes >> lane & 1) * 3) << (2 * lane)) as u8;
                    lane += 1;
                }
                lanes += 1;
            }
            halves
        };
        unsafe { _mm512_maskz_mov_epi64(HALVES[lanes & 15], self) }
    }

    #[inline(always)]
    unsafe fn numbers(values: &[u64; MOST_GATES]) -> Self {
        let [a, b, c, d, e, f, g, h] = values.map(|value| value as i64);
        unsafe { _mm512_setr_epi64(a, e, b, f, c, g, d, h) }
    }

    #[inline(always)]
    unsafe fn add(self, value: u64) -> Self {
        unsafe { self.add_numbers(_mm512_set1_epi64(value as i64)) }
    }

    #[inline(always)]
    unsafe fn add_numbers(self, other: Self) -> Self {
        unsafe { _mm512_add_epi64(self, other) }
    }

    #[inline(always)]
    unsafe fn twice_words(self) -> [Self; 2] {
        unsafe { [_mm512_shuffle_epi32::<0b10_10_00_00>(self), _mm512_shuffle_epi32::<0b11_11_01_01>(self)] }
    }
}
