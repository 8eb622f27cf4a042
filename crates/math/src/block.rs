//! The 128-bit block: a wire label, an AES state or a seed.
#![allow(unsafe_code)]

use core::fmt;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitXor, BitXorAssign, Not};

/// 128 bits, aligned to 16 bytes. Bit 0 is the least significant; on the wire the bytes run from least to most
/// significant, and that is also the order of the bytes of an AES state.
///
/// A block may be a secret, so `Debug` doesn't show it; `{:x}` does. Wrap it (`tacit_crypto::Secret`, [`Wiped`](crate::Wiped))
/// where it must not be left in memory.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Block(pub u128);

impl Block {
    /// The size of a block in bytes.
    pub const BYTES: usize = 16;
    /// The size of a block in bits.
    pub const BITS: usize = 128;
    /// All bits zero.
    pub const ZERO: Block = Block(0);
    /// All bits one.
    pub const ONES: Block = Block(u128::MAX);

    /// The least significant bit, which point-and-permute uses as the colour of a label.
    #[inline]
    pub const fn lsb(self) -> bool {
        self.0 & 1 == 1
    }

    /// The block with its least significant bit set to one.
    #[inline]
    pub const fn with_lsb(self) -> Block {
        Block(self.0 | 1)
    }

    /// All ones if `bit`, else all zeros. `bit` may be secret: the compiler cannot see that there are only
    /// two masks, so it does not turn code that adds masked values into branches.
    #[inline(always)]
    pub fn mask(bit: bool) -> Block {
        let half = u128::from(opaque(u64::from(bit).wrapping_neg()));
        Block(half << 64 | half)
    }

    /// Bit `index` (below 128).
    #[inline]
    pub const fn bit(self, index: usize) -> bool {
        (self.0 >> index) & 1 == 1
    }

    /// The block whose bytes, least significant first, are `bytes`.
    #[inline]
    pub const fn from_bytes(bytes: [u8; 16]) -> Block {
        Block(u128::from_le_bytes(bytes))
    }

    /// The bytes, least significant first.
    #[inline]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }

    /// Views blocks as their bytes, 16 each, as they go on the wire.
    #[inline]
    pub const fn as_bytes(blocks: &[Block]) -> &[u8] {
        // SAFETY: a block is a transparent u128: 16 initialised bytes without padding, and u8 needs no alignment.
        // The length in bytes is that of an existing slice, so it does not overflow. The target is little-endian.
        unsafe { core::slice::from_raw_parts(blocks.as_ptr().cast(), size_of_val(blocks)) }
    }

    /// Views blocks as their bytes, 16 each, to be filled from the wire.
    #[inline]
    pub const fn as_bytes_mut(blocks: &mut [Block]) -> &mut [u8] {
        let bytes = size_of_val(blocks);
        // SAFETY: as in `as_bytes`; every value of the bytes is a valid block, and the borrow is exclusive.
        unsafe { core::slice::from_raw_parts_mut(blocks.as_mut_ptr().cast(), bytes) }
    }
}

/// The same word, hidden from the compiler.
#[inline(always)]
fn opaque(word: u64) -> u64 {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    {
        let mut word = word;
        // SAFETY: no instruction at all; the compiler only has to assume that the register changed.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags));
        }
        word
    }
    #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
    core::hint::black_box(word)
}

impl zeroize::DefaultIsZeroes for Block {}

impl fmt::Debug for Block {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Block(..)")
    }
}

impl fmt::LowerHex for Block {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:032x}", self.0)
    }
}

impl From<u128> for Block {
    fn from(value: u128) -> Block {
        Block(value)
    }
}

impl From<Block> for u128 {
    fn from(block: Block) -> u128 {
        block.0
    }
}

impl From<[u8; 16]> for Block {
    fn from(bytes: [u8; 16]) -> Block {
        Block::from_bytes(bytes)
    }
}

impl BitXor for Block {
    type Output = Block;
    #[inline]
    fn bitxor(self, other: Block) -> Block {
        Block(self.0 ^ other.0)
    }
}

impl BitXorAssign for Block {
    #[inline]
    fn bitxor_assign(&mut self, other: Block) {
        self.0 ^= other.0;
    }
}

impl BitAnd for Block {
    type Output = Block;
    #[inline]
    fn bitand(self, other: Block) -> Block {
        Block(self.0 & other.0)
    }
}

impl BitAndAssign for Block {
    #[inline]
    fn bitand_assign(&mut self, other: Block) {
        self.0 &= other.0;
    }
}

impl BitOr for Block {
    type Output = Block;
    #[inline]
    fn bitor(self, other: Block) -> Block {
        Block(self.0 | other.0)
    }
}

impl Not for Block {
    type Output = Block;
    #[inline]
    fn not(self) -> Block {
        Block(!self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_run_from_least_significant() {
        let block = Block::from_bytes(core::array::from_fn(|i| i as u8));
        assert_eq!(block.0 & 0xffff, 0x0100);
        assert_eq!(Block::as_bytes(&[block, Block(7)])[15..17], [15, 7]);
        assert_eq!(format!("{:x}", Block(0xab)), format!("{:030}ab", 0));
        assert_eq!(format!("{:?}", Block(0xab)), "Block(..)");
    }

    #[test]
    fn views_write_through() {
        let mut blocks = [Block::ZERO; 2];
        Block::as_bytes_mut(&mut blocks)[16] = 9;
        assert_eq!(blocks, [Block(0), Block(9)]);
        assert!(Block::as_bytes(&[]).is_empty());
    }

    #[test]
    fn single_bits() {
        assert_eq!(Block::mask(true), Block::ONES);
        assert_eq!(Block::mask(false), Block::ZERO);
        assert!(Block(1 << 77).bit(77) && !Block(1 << 77).bit(76));
        assert_eq!(Block(2).with_lsb(), Block(3));
    }
}
