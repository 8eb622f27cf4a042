//! One block a register, with the cryptography extension of ARMv8.

use super::{MOST_GATES, Quad, ROTATE_WORDS, Wide, opacity};
use core::arch::aarch64::*;
use tacit_math::Block;

opacity!(uint8x16_t, vreg, "{0:v}", "neon");

/// SubBytes, ShiftRows, MixColumns, AddRoundKey. The instructions are inlined only where their feature is enabled.
#[inline]
#[target_feature(enable = "aes")]
fn full_round(state: uint8x16_t, key: uint8x16_t) -> uint8x16_t {
    veorq_u8(vaesmcq_u8(vaeseq_u8(state, vdupq_n_u8(0))), key)
}

/// SubBytes, ShiftRows, AddRoundKey.
#[inline]
#[target_feature(enable = "aes")]
fn final_round(state: uint8x16_t, key: uint8x16_t) -> uint8x16_t {
    veorq_u8(vaeseq_u8(state, vdupq_n_u8(0)), key)
}

// SAFETY of the blocks below: each method's caller vouches for the processor and for its pointers, as the trait says.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Wide for uint8x16_t {
    const BLOCKS: usize = 1;
    type One = uint8x16_t;

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
    unsafe fn colours(self) -> Self {
        unsafe {
            let lowest = vdupq_laneq_s32::<0>(vreinterpretq_s32_u8(self));
            vreinterpretq_u8_s32(vshrq_n_s32::<31>(vshlq_n_s32::<31>(lowest)))
        }
    }

    #[inline(always)]
    unsafe fn sigma(self) -> Self {
        unsafe {
            let swapped = vreinterpretq_u8_u32(vrev64q_u32(vreinterpretq_u32_u8(self)));
            swapped.xor(self.and(vreinterpretq_u8_u64(vdupq_n_u64(u64::MAX << 32))))
        }
    }

    #[inline(always)]
    unsafe fn half_colours(self) -> Self {
        unsafe {
            let raised = vshlq_n_s64::<63>(vreinterpretq_s64_u8(self));
            vreinterpretq_u8_s64(vshrq_n_s64::<63>(raised))
        }
    }

    #[inline(always)]
    unsafe fn low_halves(self, other: Self) -> Self {
        unsafe { vreinterpretq_u8_u64(vzip1q_u64(vreinterpretq_u64_u8(self), vreinterpretq_u64_u8(other))) }
    }

    #[inline(always)]
    unsafe fn high_halves(self, other: Self) -> Self {
        unsafe { vreinterpretq_u8_u64(vzip2q_u64(vreinterpretq_u64_u8(self), vreinterpretq_u64_u8(other))) }
    }

    #[inline(always)]
    unsafe fn swap_halves(self) -> Self {
        unsafe { vextq_u8::<8>(self, self) }
    }

    #[inline(always)]
    unsafe fn halve(self) -> Self {
        unsafe { vreinterpretq_u8_u64(vshrq_n_u64::<1>(vreinterpretq_u64_u8(self))) }
    }

    #[inline(always)]
    unsafe fn round(self, key: Self) -> Self {
        unsafe { full_round(self, key) }
    }

    #[inline(always)]
    unsafe fn last_round(self, key: Self) -> Self {
        unsafe { final_round(self, key) }
    }

    #[inline(always)]
    unsafe fn opaque(self) -> Self {
        unsafe { opaque(self) }
    }

    #[inline(always)]
    unsafe fn rotate_words(self) -> Self {
        unsafe { vqtbl1q_u8(self, vld1q_u8(ROTATE_WORDS.as_ptr())) }
    }

    #[inline(always)]
    unsafe fn transpose_words(quad: Quad<Self>) -> Quad<Self> {
        unsafe {
            let (a, b) = (vreinterpretq_u32_u8(quad[0]), vreinterpretq_u32_u8(quad[1]));
            let (c, d) = (vreinterpretq_u32_u8(quad[2]), vreinterpretq_u32_u8(quad[3]));
            let ab_low = vreinterpretq_u64_u32(vzip1q_u32(a, b));
            let ab_high = vreinterpretq_u64_u32(vzip2q_u32(a, b));
            let cd_low = vreinterpretq_u64_u32(vzip1q_u32(c, d));
            let cd_high = vreinterpretq_u64_u32(vzip2q_u32(c, d));
            [
                vreinterpretq_u8_u64(vzip1q_u64(ab_low, cd_low)),
                vreinterpretq_u8_u64(vzip2q_u64(ab_low, cd_low)),
                vreinterpretq_u8_u64(vzip1q_u64(ab_high, cd_high)),
                vreinterpretq_u8_u64(vzip2q_u64(ab_high, cd_high)),
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
        unsafe { self.and(vreinterpretq_u8_u64(vdupq_n_u64((lanes as u64).wrapping_neg()))) }
    }

    #[inline(always)]
    unsafe fn numbers(values: &[u64; MOST_GATES]) -> Self {
        unsafe { vreinterpretq_u8_u64(vld1q_u64(values.as_ptr())) }
    }

    #[inline(always)]
    unsafe fn add(self, value: u64) -> Self {
        unsafe { self.add_numbers(vreinterpretq_u8_u64(vdupq_n_u64(value))) }
    }

    #[inline(always)]
    unsafe fn add_numbers(self, other: Self) -> Self {
        unsafe { vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(self), vreinterpretq_u64_u8(other))) }
    }

    #[inline(always)]
    unsafe fn twice_words(self) -> [Self; 2] {
        unsafe {
            let words = vreinterpretq_u32_u8(self);
            [vreinterpretq_u8_u32(vtrn1q_u32(words, words)), vreinterpretq_u8_u32(vtrn2q_u32(words, words))]
        }
    }
}
