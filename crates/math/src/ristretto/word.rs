//! The words over which the arithmetic is generic: of one number, or of eight numbers side by side.

/// The most numbers side by side.
pub(super) const MAX_LANES: usize = 8;

/// One word of each of several numbers. Masks are words too, of zeros or ones alone.
pub(super) trait Word: Copy {
    /// How many numbers.
    const LANES: usize;

    /// The same word in all lanes.
    fn all(word: u64) -> Self;

    /// The words at the first places.
    fn load(words: &[u64; MAX_LANES]) -> Self;

    /// Puts the words at the first places.
    fn store(self, words: &mut [u64; MAX_LANES]);

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;

    /// Shifted right by a public number of bits.
    fn right<const BITS: u32>(self) -> Self;

    /// `self + 19·carry`, for a carry below 2^47.
    fn add_19(self, carry: Self) -> Self;

    /// `table[index]` for a secret index below 16.
    fn look_up(table: &[u64; 16], index: Self) -> Self;

    /// The product of two numbers modulo 2^255 - 19, from limbs below 2^52, to limbs below 2^51 + 2^15.
    fn multiply(a: &[Self; 5], b: &[Self; 5]) -> [Self; 5];

    /// The square, as [`Word::multiply`].
    fn square(a: &[Self; 5]) -> [Self; 5];

    /// The same value, hidden from the compiler, so that it does not turn a mask into a branch.
    fn hidden(self) -> Self;

    /// Ones where the word is zero.
    #[inline(always)]
    fn is_zero(self) -> Self {
        // The top bit of `w | -w` is set if and only if the word is not zero.
        self.or(Self::all(0).sub(self)).right::<63>().sub(Self::all(1)).hidden()
    }

    /// Ones where the last bit is set.
    #[inline(always)]
    fn is_odd(self) -> Self {
        Self::all(0).sub(self.and(Self::all(1))).hidden()
    }

    /// Ones where both are equal.
    #[inline(always)]
    fn equals(self, other: Self) -> Self {
        self.xor(other).is_zero()
    }

    /// `set` where the mask has ones, else `clear`.
    #[inline(always)]
    fn select(mask: Self, set: Self, clear: Self) -> Self {
        clear.xor(mask.and(set.xor(clear)))
    }
}
