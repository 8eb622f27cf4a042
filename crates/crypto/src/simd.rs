//! The vector kernels: one generic source, compiled for each kind of vector register.
//!
//! [`Wide`] is a register of one, two or four blocks with the few operations that the kernels need. The
//! kernels ([`aes`], [`fold`], [`half_tree`], [`hash`], [`garbling`] and [`three_halves`] over [`walk`]) are
//! written once over it, so all backends are equal by construction. Tests compare them with the portable
//! ones, and a register in plain Rust ([`soft`]) lets tests run the widest shape on machines that lack it.
//!
//! Key schedules need the most care. Four times [`Wide::BLOCKS`] keys are stored by words: register i holds
//! word i of every key. A round of all of them is then one shuffle, one AES instruction, which acts as four
//! S-boxes in each lane, and four additions; turning the words into round keys takes eight unpacking
//! instructions, which transpose 4 x 4 words in each lane.
#![allow(unsafe_code)]

use tacit_math::Block;

mod aes;
#[cfg(target_arch = "aarch64")]
mod arm;
pub(crate) mod dispatch;
mod fold;
mod garbling;
mod half_tree;
mod hash;
#[cfg(test)]
mod soft;
mod three_halves;
mod walk;
#[cfg(target_arch = "x86_64")]
mod x86;

/// The most gates in one group of four registers, whatever their size.
pub(crate) const MOST_GATES: usize = 8;

/// Four registers that belong together.
pub(crate) type Quad<V> = [V; 4];

/// A vector register of blocks (128-bit lanes).
///
/// Gates come in groups of [`Wide::GATES`], whose inputs fill a [`Quad`]: register 0 holds the left inputs of
/// the first half of the group, one gate in each lane, register 1 their right inputs, registers 2 and 3 those
/// of the second half.
///
/// # Safety
/// Every method needs a processor with the instructions of the implementation. Pointers must be valid for the
/// blocks that a method accesses; no alignment is needed. Slices of indices hold at least as many as the
/// register has lanes.
pub(crate) trait Wide: Copy {
    /// How many blocks a register holds.
    const BLOCKS: usize;
    /// The register of one block.
    type One: Wide;
    /// How many gates fill four registers.
    const GATES: usize = 2 * Self::BLOCKS;

    /// The block in every lane.
    unsafe fn splat(block: Block) -> Self;
    /// Reads [`Wide::BLOCKS`] blocks.
    unsafe fn load(from: *const Block) -> Self;
    /// Writes [`Wide::BLOCKS`] blocks.
    unsafe fn store(self, to: *mut Block);
    /// Reads the block at a place for each lane.
    unsafe fn gather(from: *const Block, places: &[usize]) -> Self;
    /// Reads the block at a pointer for each lane.
    unsafe fn collect(from: &[*const Block]) -> Self;
    /// Writes each lane to its place.
    unsafe fn scatter(self, to: *mut Block, places: &[usize]);
    /// Writes the lanes of two registers alternately.
    unsafe fn store_pairs(left: Self, right: Self, to: *mut Block);
    /// Reads two registers alternately.
    unsafe fn load_pairs(from: *const Block) -> [Self; 2];

    unsafe fn xor(self, other: Self) -> Self;
    unsafe fn and(self, other: Self) -> Self;
    /// Keeps the lanes whose bit is set in `lanes`, which is below 2^[`Wide::BLOCKS`], and zeroes the others.
    unsafe fn keep(self, lanes: usize) -> Self;
    /// All ones in lanes whose least significant bit is one, else zeros.
    unsafe fn colours(self) -> Self;
    /// Each half of each lane, with the words h and l, to h ^ l and h ([`crate::orthomorphism`]).
    unsafe fn sigma(self) -> Self;

    /// All ones in halves of lanes whose least significant bit is one, else zeros.
    unsafe fn half_colours(self) -> Self;
    /// The lower half of each lane, then that of `other`.
    unsafe fn low_halves(self, other: Self) -> Self;
    /// The upper half of each lane, then that of `other`.
    unsafe fn high_halves(self, other: Self) -> Self;
    /// The upper half of each lane, then the lower.
    unsafe fn swap_halves(self) -> Self;
    /// Each half of each lane, a number, divided by two.
    unsafe fn halve(self) -> Self;

    /// A register of 64-bit numbers, that of gate g in the lower half of lane g for the first half of a group, and in the
    /// upper half of lane g - [`Wide::BLOCKS`] for the second.
    unsafe fn numbers(values: &[u64; MOST_GATES]) -> Self;
    /// Adds `value` to each 64-bit number.
    unsafe fn add(self, value: u64) -> Self;
    /// Adds 64-bit numbers.
    unsafe fn add_numbers(self, other: Self) -> Self;
    /// The words of each lane as 0, 0, 2, 2 and as 1, 1, 3, 3.
    unsafe fn twice_words(self) -> [Self; 2];

    /// SubBytes, ShiftRows, MixColumns, AddRoundKey.
    unsafe fn round(self, key: Self) -> Self;
    /// SubBytes, ShiftRows, AddRoundKey.
    unsafe fn last_round(self, key: Self) -> Self;
    /// The same value, hidden from the compiler.
    unsafe fn opaque(self) -> Self;
    /// Moves bytes within each lane so that the following ShiftRows rotates each word by a byte.
    unsafe fn rotate_words(self) -> Self;
    /// Transposes the 4 x 4 words of each lane.
    unsafe fn transpose_words(quad: Quad<Self>) -> Quad<Self>;
}

/// The sums of four registers each.
#[inline(always)]
pub(crate) unsafe fn xor_quads<V: Wide>(a: Quad<V>, b: Quad<V>) -> Quad<V> {
    // SAFETY: the caller vouches for the processor.
    unsafe { [a[0].xor(b[0]), a[1].xor(b[1]), a[2].xor(b[2]), a[3].xor(b[3])] }
}

/// A block of four times the same word.
#[inline(always)]
pub(crate) const fn four_words(word: u32) -> Block {
    Block(word as u128 * 0x0000_0001_0000_0001_0000_0001_0000_0001)
}

/// The constants of the key schedule's ten rounds, in every word of the widest register.
pub(crate) static ROUND_CONSTANTS: [[Block; 4]; 10] = {
    let mut constants = [[Block::ZERO; 4]; 10];
    let mut round = 0;
    while round < 10 {
        constants[round] = [four_words(crate::aes::portable::ROUND_CONSTANTS[round]); 4];
        round += 1;
    }
    constants
};

/// Keys in the middle of their schedule, by words.
#[derive(Clone, Copy)]
pub(crate) struct Schedule<V> {
    words: Quad<V>,
    /// The sum of the four words.
    sum: V,
}

impl<V: Wide> Schedule<V> {
    /// The schedule at its start: the first round keys are the keys.
    #[inline(always)]
    pub(crate) unsafe fn new(words: Quad<V>) -> Schedule<V> {
        let [a, b, c, d] = words;
        // SAFETY: the caller vouches for the processor.
        Schedule { words, sum: unsafe { a.xor(b).xor(c.xor(d)) } }
    }

    /// The next round. Word j becomes the sum of words 0 to j and of one new word, so the last word is the
    /// old sum plus the new word: a shuffle and an AES instruction that also adds the sum. The next sum is
    /// that of the new words 1 and 3. So a round waits for the previous one only through those two
    /// instructions; [`Wide::opaque`] keeps the compiler from rearranging the sums.
    #[inline(always)]
    pub(crate) unsafe fn step(&mut self, constant: &[Block; 4]) {
        let [a, b, c, d] = self.words;
        // SAFETY: the caller vouches for the processor.
        unsafe {
            let last = d.rotate_words().last_round(self.sum.xor(V::load(constant.as_ptr())));
            let first = a.xor(self.sum).opaque().xor(last);
            let second = b.xor(first).opaque();
            let third = c.xor(second).opaque();
            *self = Schedule { words: [first, second, third, last], sum: b.xor(d).opaque() };
        }
    }

    /// The round keys.
    #[inline(always)]
    pub(crate) unsafe fn keys(&self) -> Quad<V> {
        // SAFETY: the caller vouches for the processor.
        unsafe { V::transpose_words(self.words) }
    }
}

/// Defines `opaque` for a register type: empty assembly about whose result the compiler must assume nothing.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! opacity {
    ($register:ty, $class:ident, $name:literal, $feature:literal) => {
        #[inline]
        #[target_feature(enable = $feature)]
        fn opaque(mut register: $register) -> $register {
            if !cfg!(miri) {
                // SAFETY: there is no instruction in it.
                unsafe {
                    core::arch::asm!(concat!("/* ", $name, " */"), inout($class) register, options(pure, nomem, nostack, preserves_flags));
                }
            }
            register
        }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use opacity;

/// Compiles the kernels for one register type and the processor features it needs.
macro_rules! kernels {
    ($(#[$doc:meta])* $name:ident, $register:ty, $gates:literal, $features:literal) => {
        $(#[$doc])*
        pub(crate) mod $name {
            use crate::aes::Aes128;
            use crate::half_gates::{AndGates, Delta, Tweaks, XorGates};
            use tacit_math::Block;

            #[target_feature(enable = $features)]
            pub(crate) fn expand(key: Block) -> [Block; 11] {
                // SAFETY: the features are enabled for this function.
                unsafe { super::aes::expand::<$register>(key) }
            }

            #[target_feature(enable = $features)]
            pub(crate) fn encrypt(rounds: &[Block; 11], blocks: &mut [Block]) {
                // SAFETY: as above.
                unsafe { super::aes::encrypt::<$register>(rounds, blocks) }
            }

            #[target_feature(enable = $features)]
            pub(crate) fn encrypt_from(rounds: &[Block; 11], first: Block, blocks: &mut [Block]) {
                // SAFETY: as above.
                unsafe { super::aes::encrypt_from::<$register>(rounds, first, blocks) }
            }

            #[target_feature(enable = $features)]
            pub(crate) fn hash(start: Block, first: u64, blocks: &mut [Block]) {
                // SAFETY: as above.
                unsafe { super::hash::hash::<$register>(start, first, blocks) }
            }

            #[target_feature(enable = $features)]
            pub(crate) fn hash_both(start: Block, first: u64, delta: Block, zeros: &mut [Block], ones: &mut [Block]) {
                // SAFETY: as above.
                unsafe { super::hash::hash_both::<$register>(start, first, delta, zeros, ones) }
            }

            #[target_feature(enable = $features)]
            pub(crate) fn fold(keys: &[Aes128], first: usize, position: u64, v: &mut [Block], u: &mut [Block]) {
                // SAFETY: as above; the caller has checked the sizes.
                unsafe { super::fold::fold::<$register>(keys, first, position, v, u) }
            }

            #[target_feature(enable = $features)]
            pub(crate) fn grow(permutation: &Aes128, left: &mut [Block], right: &mut [Block]) -> Block {
                // SAFETY: as above.
                unsafe { super::half_tree::grow::<$register>(permutation, left, right) }
            }

            #[target_feature(enable = $features)]
            pub(crate) fn garble(
                labels: &mut [Block],
                width: usize,
                gates: AndGates<'_>,
                delta: &Delta,
                tweaks: Tweaks,
                tables: &mut [u8],
            ) -> u64 {
                // SAFETY: as above.
                unsafe { super::garbling::garble::<$register, $gates>(labels, width, gates, delta, tweaks, tables) }
            }

            #[target_feature(enable = $features)]
            pub(crate) fn evaluate(
                labels: &mut [Block],
                width: usize,
                gates: AndGates<'_>,
                tweaks: Tweaks,
                tables: &[u8],
            ) -> u64 {
                // SAFETY: as above.
                unsafe { super::garbling::evaluate::<$register, $gates>(labels, width, gates, tweaks, tables) }
            }

            #[target_feature(enable = $features)]
            pub(crate) fn garble_three_halves(
                labels: &mut [Block],
                width: usize,
                gates: AndGates<'_>,
                delta: &Delta,
                tweaks: Tweaks,
                tables: &mut [u8],
                controls: &mut [u8],
            ) -> u64 {
                // SAFETY: as above.
                unsafe {
                    super::three_halves::garble::<$register, $gates>(
                        labels, width, gates, delta, tweaks, tables, controls,
                    )
                }
            }

            #[target_feature(enable = $features)]
            pub(crate) fn evaluate_three_halves(
                labels: &mut [Block],
                width: usize,
                gates: AndGates<'_>,
                tweaks: Tweaks,
                tables: &[u8],
                controls: &[u8],
            ) -> u64 {
                // SAFETY: as above.
                unsafe {
                    super::three_halves::evaluate::<$register, $gates>(
                        labels, width, gates, tweaks, tables, controls,
                    )
                }
            }

            #[target_feature(enable = $features)]
            pub(crate) fn xor(labels: &mut [Block], width: usize, gates: XorGates<'_>) -> u64 {
                // SAFETY: as above.
                unsafe { super::garbling::xor::<$register>(labels, width, gates) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
kernels!(
    /// One block a register: AES-NI with AVX.
    aes_ni, core::arch::x86_64::__m128i, 2, "aes,avx"
);
#[cfg(target_arch = "x86_64")]
kernels!(
    /// Two blocks a register: VAES with AVX2.
    vaes_256, core::arch::x86_64::__m256i, 4, "aes,avx2,vaes"
);
#[cfg(target_arch = "x86_64")]
kernels!(
    /// Four blocks a register: VAES with AVX-512.
    vaes_512, core::arch::x86_64::__m512i, 8, "aes,avx2,vaes,avx512f,avx512bw,avx512vl"
);
#[cfg(target_arch = "aarch64")]
kernels!(
    /// One block a register: the cryptography extension of ARMv8.
    armv8, core::arch::aarch64::uint8x16_t, 2, "neon,aes"
);

/// For each byte of a lane, the byte that it takes in [`Wide::rotate_words`]. ShiftRows moves the byte in row
/// r of column c + r to column c, where the rotated word needs the byte of row r + 1.
const ROTATE_WORDS: [u8; 16] = {
    let mut from = [0; 16];
    let mut place = 0;
    while place < 16 {
        let (row, column) = (place % 4, place / 4);
        from[row + 4 * ((column + row) % 4)] = (4 * column + (row + 1) % 4) as u8;
        place += 1;
    }
    from
};
