//! The register of ARMv8: one block. Register 0 holds left of gate 0, 1 its right, 2 left of gate 1, 3 its right.

use super::{Flips, MOST_GATES, Quad, ROTATE_WORDS, Wide};
use core::arch::aarch64::*;
use tacit_math::Block;

// SAFETY of the blocks below: each method's caller vouches for the processor and for its pointers, as the trait says.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Wide for uint8x16_t {
    const BLOCKS: usize = 1;

    #[inline(always)]
    unsafe fn splat(block: Block) -> Self {
        unsafe { Self::load(&block) }
    }

    #[inline(always)]
    unsafe fn load(from: *const Block) -> Self {
        unsafe { vld1q_u8(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Block) {
        unsafe { vst1q_u8(to.cast(), self) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        unsafe { veorq_u8(self, other) }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        unsafe { vandq_u8(self, other) }
    }

    #[inline(always)]
    unsafe fn and_not(self, other: Self) -> Self {
        unsafe { vbicq_u8(other, self) }
    }

    #[inline(always)]
    unsafe fn add_halves(self, other: Self) -> Self {
        unsafe { vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(self), vreinterpretq_u64_u8(other))) }
    }

    #[inline(always)]
    unsafe fn colours(self) -> Self {
        unsafe {
            let lowest = vdupq_laneq_s32::<0>(vreinterpretq_s32_u8(self));
            vreinterpretq_u8_s32(vshrq_n_s32::<31>(vshlq_n_s32::<31>(lowest)))
        }
    }

    #[inline(always)]
    unsafe fn round(self, key: Self) -> Self {
        unsafe { veorq_u8(vaesmcq_u8(vaeseq_u8(self, vdupq_n_u8(0))), key) }
    }

    #[inline(always)]
    unsafe fn last_round(self, key: Self) -> Self {
        unsafe { veorq_u8(vaeseq_u8(self, vdupq_n_u8(0)), key) }
    }

    #[inline(always)]
    unsafe fn rotate_words(self) -> Self {
        unsafe { vqtbl1q_u8(self, vld1q_u8(ROTATE_WORDS.as_ptr())) }
    }

    #[inline(always)]
    unsafe fn transpose_words(quad: Quad<Self>) -> Quad<Self> {
        unsafe {
            let [a, b, c, d] = quad.map(|register| vreinterpretq_u32_u8(register));
            let low_high =
                |x, y| (vreinterpretq_u64_u32(vzip1q_u32(x, y)), vreinterpretq_u64_u32(vzip2q_u32(x, y)));
            let ((ab_low, ab_high), (cd_low, cd_high)) = (low_high(a, b), low_high(c, d));
            [
                vreinterpretq_u8_u64(vzip1q_u64(ab_low, cd_low)),
                vreinterpretq_u8_u64(vzip2q_u64(ab_low, cd_low)),
                vreinterpretq_u8_u64(vzip1q_u64(ab_high, cd_high)),
                vreinterpretq_u8_u64(vzip2q_u64(ab_high, cd_high)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn gate_keys(start: Block, ids: &[u64; MOST_GATES]) -> Quad<Self> {
        unsafe {
            let doubled = vreinterpretq_u32_u64(vshlq_n_u64::<1>(vld1q_u64(ids.as_ptr())));
            let word = |index: u32| vdupq_n_u32((start.0 >> (32 * index)) as u32);
            let right = vreinterpretq_u32_u64(vdupq_n_u64(1 << 32));
            let first = veorq_u32(veorq_u32(word(0), right), vtrn1q_u32(doubled, doubled));
            let second = veorq_u32(word(1), vtrn2q_u32(doubled, doubled));
            [first, second, word(2), word(3)].map(|words| vreinterpretq_u8_u32(words))
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
        let zero = unsafe { vdupq_n_u8(0) };
        [b, zero, d, zero]
    }

    #[inline(always)]
    unsafe fn left_to_right([a, _, c, _]: Quad<Self>) -> Quad<Self> {
        let zero = unsafe { vdupq_n_u8(0) };
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
