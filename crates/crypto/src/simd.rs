//! The vector kernels: one generic text, compiled for each kind of vector register.
//!
//! [`Wide`] is a register of one, two or four blocks with the few operations that the kernels need. The kernels
//! ([`aes`], [`hash`], [`garbling`] over [`walk`]) are written once over it, so all backends are equal by construction; tests
//! hold them against the portable ones, and a register in plain Rust ([`soft`]) lets tests run the widest shape on
//! machines that lack it.
//!
//! Key schedules take most of the care. Four times [`Wide::BLOCKS`] keys are kept by words: register i holds word i of
//! every key. A round of all of them is then one shuffle, one AES instruction, which serves as four S-boxes in each
//! lane, and four additions; turning the words into round keys takes eight unpacking instructions, which is a transposition of
//! 4 x 4 words in each lane.
#![allow(unsafe_code)]

use tacit_math::Block;

mod aes;
#[cfg(target_arch = "aarch64")]
mod arm;
pub(crate) mod dispatch;
mod garbling;
mod hash;
#[cfg(test)]
mod soft;
mod walk;
#[cfg(target_arch = "x86_64")]
mod x86;

/// The most gates in one group of four registers, whatever their size.
pub(crate) const MOST_GATES: usize = 8;

/// Four registers that belong together.
pub(crate) type Quad<V> = [V; 4];

/// A vector register of blocks (128-bit lanes).
///
/// Gates come in groups of [`Wide::GATES`], whose left and right inputs fill a [`Quad`]. Where the two inputs of a gate
/// sit is the register's own matter, but always the same in all methods that speak of left and right.
///
/// # Safety
/// Every method needs a processor with the instructions of the implementation. Methods that take pointers need
/// them to be valid for the blocks they touch; no alignment is needed.
pub(crate) trait Wide: Copy {
    /// How many blocks a register holds.
    const BLOCKS: usize;
    /// How many gates fill four registers.
    const GATES: usize = 2 * Self::BLOCKS;

    /// The block in every lane.
    unsafe fn splat(block: Block) -> Self;
    /// Reads [`Wide::BLOCKS`] blocks.
    unsafe fn load(from: *const Block) -> Self;
    /// Writes [`Wide::BLOCKS`] blocks.
    unsafe fn store(self, to: *mut Block);

    unsafe fn xor(self, other: Self) -> Self;
    unsafe fn and(self, other: Self) -> Self;
    /// The bits of `other` where `self` is zero.
    unsafe fn and_not(self, other: Self) -> Self;
    /// Adds the 64-bit halves of the lanes.
    unsafe fn add_halves(self, other: Self) -> Self;
    /// All ones in the lanes whose least significant bit is one, else zeros.
    unsafe fn colours(self) -> Self;

    /// SubBytes, ShiftRows, MixColumns, AddRoundKey.
    unsafe fn round(self, key: Self) -> Self;
    /// SubBytes, ShiftRows, AddRoundKey.
    unsafe fn last_round(self, key: Self) -> Self;
    /// Moves bytes within each lane so that the ShiftRows to come rotates each word by a byte.
    unsafe fn rotate_words(self) -> Self;
    /// Transposes the 4 x 4 words of each lane.
    unsafe fn transpose_words(quad: Quad<Self>) -> Quad<Self>;

    /// The keys 2 `ids[g]` (left) and 2 `ids[g]` + 1 (right) added to `start`, by words. `ids` below 2^63.
    unsafe fn gate_keys(start: Block, ids: &[u64; MOST_GATES]) -> Quad<Self>;
    /// Reads the blocks at places `left[g]` and `right[g]`.
    unsafe fn gather(
        from: *const Block,
        left: &[usize; MOST_GATES],
        right: &[usize; MOST_GATES],
    ) -> Quad<Self>;
    /// The four combinations of `block` for left (bit 0 of the index) and right (bit 1).
    unsafe fn gather_flips(flips: &Flips, flip: &[u8; MOST_GATES]) -> Quad<Self>;
    /// What stands right moves left, zero moves right.
    unsafe fn right_to_left(quad: Quad<Self>) -> Quad<Self>;
    /// What stands left moves right, zero moves left.
    unsafe fn left_to_right(quad: Quad<Self>) -> Quad<Self>;
    /// Writes left and right of gate g to `places[g]` and the block after it.
    unsafe fn store_pairs(quad: Quad<Self>, to: *mut Block, places: &[usize; MOST_GATES]);
    /// Reads left and right of gate g from `places[g]` and the block after it.
    unsafe fn load_pairs(from: *const Block, places: &[usize; MOST_GATES]) -> Quad<Self>;
    /// Writes the sum of left and right of gate g to `places[g]`.
    unsafe fn store_sums(quad: Quad<Self>, to: *mut Block, places: &[usize; MOST_GATES]);
}

/// For each flip of two bits the pair of blocks to add to a gate's left and right input.
#[repr(align(32))]
pub(crate) struct Flips([[Block; 2]; 4]);

impl Flips {
    /// Flips that add `delta`.
    pub(crate) fn new(delta: Block) -> Flips {
        let when = |flip: usize, bit: usize| delta & Block::mask(flip >> bit & 1 == 1);
        Flips(core::array::from_fn(|flip| [when(flip, 0), when(flip, 1)]))
    }

    /// The pair for `flip`, whose upper bits mean nothing.
    #[inline(always)]
    fn pair(&self, flip: u8) -> &[Block; 2] {
        &self.0[usize::from(flip & 3)]
    }
}

/// The same operation on four registers.
#[inline(always)]
pub(crate) fn each<V: Copy>(quad: Quad<V>, operation: impl Fn(V) -> V) -> Quad<V> {
    let [a, b, c, d] = quad;
    [operation(a), operation(b), operation(c), operation(d)]
}

/// The sums of four registers each.
#[inline(always)]
pub(crate) unsafe fn xor_quads<V: Wide>(a: Quad<V>, b: Quad<V>) -> Quad<V> {
    // SAFETY: the caller vouches for the processor.
    unsafe { [a[0].xor(b[0]), a[1].xor(b[1]), a[2].xor(b[2]), a[3].xor(b[3])] }
}

/// A round of the schedule of keys held by words.
#[inline(always)]
pub(crate) unsafe fn next_words<V: Wide>(words: Quad<V>, constant: u32) -> Quad<V> {
    let constant = u128::from(constant) * 0x0000_0001_0000_0001_0000_0001_0000_0001;
    // SAFETY: the caller vouches for the processor.
    unsafe {
        let first = words[0].xor(words[3].rotate_words().last_round(V::splat(Block(constant))));
        let second = words[1].xor(first);
        let third = words[2].xor(second);
        [first, second, third, words[3].xor(third)]
    }
}

/// Compiles the kernels for one register type and the processor features it needs.
macro_rules! kernels {
    ($(#[$doc:meta])* $name:ident, $register:ty, $gates:literal, $features:literal) => {
        $(#[$doc])*
        pub(crate) mod $name {
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

/// For each byte of a lane the byte it takes in [`Wide::rotate_words`]. ShiftRows moves the byte in row r of column
/// c + r to column c, where the rotated word has what was in row r + 1.
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
