//! Words of one number, in plain Rust.

use core::hint::black_box;

use super::field::{LIMB, MASK};
use super::word::{MAX_LANES, Word};

impl Word for u64 {
    const LANES: usize = 1;

    #[inline(always)]
    fn all(word: u64) -> u64 {
        word
    }

    #[inline(always)]
    fn load(words: &[u64; MAX_LANES]) -> u64 {
        words[0]
    }

    #[inline(always)]
    fn store(self, words: &mut [u64; MAX_LANES]) {
        words[0] = self;
    }

    #[inline(always)]
    fn add(self, other: u64) -> u64 {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn sub(self, other: u64) -> u64 {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn and(self, other: u64) -> u64 {
        self & other
    }

    #[inline(always)]
    fn or(self, other: u64) -> u64 {
        self | other
    }

    #[inline(always)]
    fn xor(self, other: u64) -> u64 {
        self ^ other
    }

    #[inline(always)]
    fn right<const BITS: u32>(self) -> u64 {
        self >> BITS
    }

    #[inline(always)]
    fn add_19(self, carry: u64) -> u64 {
        self.wrapping_add(carry.wrapping_mul(19))
    }

    #[inline(always)]
    fn look_up(table: &[u64; 16], index: u64) -> u64 {
        let mut found = 0;
        for (place, entry) in (0..).zip(table) {
            found |= entry & index.equals(place);
        }
        found
    }

    #[inline(always)]
    fn multiply(a: &[u64; 5], b: &[u64; 5]) -> [u64; 5] {
        let product = |i: usize, j: usize| u128::from(a[i]) * u128::from(b[j]);
        let folded = |i: usize, j: usize| u128::from(a[i]) * u128::from(19 * b[j]);
        carried([
            product(0, 0) + folded(1, 4) + folded(2, 3) + folded(3, 2) + folded(4, 1),
            product(0, 1) + product(1, 0) + folded(2, 4) + folded(3, 3) + folded(4, 2),
            product(0, 2) + product(1, 1) + product(2, 0) + folded(3, 4) + folded(4, 3),
            product(0, 3) + product(1, 2) + product(2, 1) + product(3, 0) + folded(4, 4),
            product(0, 4) + product(1, 3) + product(2, 2) + product(3, 1) + product(4, 0),
        ])
    }

    #[inline(always)]
    fn square(a: &[u64; 5]) -> [u64; 5] {
        let product = |i: usize, j: usize| u128::from(a[i]) * u128::from(a[j]);
        let twice = |i: usize, j: usize| u128::from(2 * a[i]) * u128::from(a[j]);
        let folded = |i: usize, j: usize| u128::from(a[i]) * u128::from(19 * a[j]);
        let twice_folded = |i: usize, j: usize| u128::from(2 * a[i]) * u128::from(19 * a[j]);
        carried([
            product(0, 0) + twice_folded(1, 4) + twice_folded(2, 3),
            twice(0, 1) + twice_folded(2, 4) + folded(3, 3),
            twice(0, 2) + product(1, 1) + twice_folded(3, 4),
            twice(0, 3) + twice(1, 2) + folded(4, 4),
            twice(0, 4) + twice(1, 3) + product(2, 2),
        ])
    }

    #[inline(always)]
    fn hidden(self) -> u64 {
        black_box(self)
    }
}

/// The limbs of a sum of products: below 2^112 each, the last below 2^107.
#[inline(always)]
fn carried(mut sums: [u128; 5]) -> [u64; 5] {
    let mut limbs = [0; 5];
    for i in 0..4 {
        sums[i + 1] += sums[i] >> LIMB;
        limbs[i] = sums[i] as u64 & MASK;
    }
    limbs[4] = sums[4] as u64 & MASK;
    limbs[0] += (sums[4] >> LIMB) as u64 * 19;
    limbs[1] += limbs[0] >> LIMB;
    limbs[0] &= MASK;
    limbs
}
