//! Any odd prime, in Montgomery form.

use core::fmt;

use super::{Field, MAX_LIMBS, word};

/// The integers modulo an odd prime of at most 64·L bits. An element is a [`Residue`], fully reduced.
///
/// Source: Montgomery, “Modular multiplication without trial division” (Math. Comp. 44, 1985), the CIOS form of Koç, Acar and
/// Kaliski (IEEE Micro 16, 1996).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Montgomery<const L: usize> {
    modulus: [u64; L],
    /// `-1 / modulus` modulo 2^64.
    inverse: u64,
    /// One in Montgomery form.
    one: Residue<L>,
    /// `2^(128·L)` modulo the modulus, which takes a number to Montgomery form.
    square: Residue<L>,
    bytes: usize,
}

/// An element of [`Montgomery`]: `x · 2^(64·L)` modulo the prime, least significant limb first. The default is zero. It may be
/// secret, so `Debug` doesn't show it.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Residue<const L: usize>([u64; L]);

impl<const L: usize> Default for Residue<L> {
    fn default() -> Self {
        Residue([0; L])
    }
}

impl<const L: usize> zeroize::DefaultIsZeroes for Residue<L> {}

impl<const L: usize> fmt::Debug for Residue<L> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Residue(..)")
    }
}

/// Why a number is no modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModulusError {
    /// It is even or 1.
    NotAnOddPrime,
    /// It has more bits than the elements hold.
    TooLong {
        /// Limbs of the number.
        limbs: usize,
        /// Limbs of an element.
        limit: usize,
    },
}

impl fmt::Display for ModulusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModulusError::NotAnOddPrime => write!(f, "the modulus is not an odd prime"),
            ModulusError::TooLong { limbs, limit } => {
                write!(f, "the modulus has {limbs} limbs, more than {limit}")
            }
        }
    }
}

impl core::error::Error for ModulusError {}

impl<const L: usize> fmt::Debug for Montgomery<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Montgomery({:x?})", self.modulus)
    }
}

impl<const L: usize> Montgomery<L> {
    /// The field of a prime, least significant limb first; leading zeros are allowed. That the number is prime is the
    /// caller's to know: of an odd number that is not, the ring comes out, in which inverses are wrong.
    ///
    /// Errors: the modulus is even, 1 or 0, or does not fit.
    pub fn new(modulus: &[u64]) -> Result<Self, ModulusError> {
        const { assert!(L > 0 && L <= MAX_LIMBS) };
        let limbs = modulus.len() - modulus.iter().rev().take_while(|limb| **limb == 0).count();
        if limbs > L {
            return Err(ModulusError::TooLong { limbs, limit: L });
        }
        let mut padded = [0; L];
        padded[..limbs].copy_from_slice(&modulus[..limbs]);
        if padded[0] & 1 == 0 || (limbs == 1 && padded[0] == 1) {
            return Err(ModulusError::NotAnOddPrime);
        }
        let bits = 64 * limbs - padded[limbs - 1].leading_zeros() as usize;
        let mut field = Montgomery {
            modulus: padded,
            inverse: negative_inverse(padded[0]),
            one: Residue::default(),
            square: Residue::default(),
            bytes: bits.div_ceil(8),
        };
        field.one = field.doubled(Residue(unit()), 64 * L);
        field.square = field.doubled(field.one, 64 * L);
        Ok(field)
    }

    /// The modulus, least significant limb first.
    pub fn modulus(&self) -> [u64; L] {
        self.modulus
    }

    /// The number that an element stands for, least significant limb first.
    pub fn integer(&self, element: Residue<L>) -> [u64; L] {
        self.product(element, Residue(unit())).0
    }

    /// The element of a number below the modulus, or nothing if it is not.
    pub fn from_integer(&self, integer: [u64; L]) -> Option<Residue<L>> {
        let (_, below) = subtract(integer, self.modulus);
        below.then(|| self.product(Residue(integer), self.square))
    }

    fn doubled(&self, x: Residue<L>, times: usize) -> Residue<L> {
        (0..times).fold(x, |x, _| self.sum(x, x))
    }

    /// Subtracts the modulus from a number with a carry, below twice the modulus, if that is needed.
    #[inline(always)]
    fn once(&self, x: [u64; L], carry: bool) -> Residue<L> {
        let (difference, under) = subtract(x, self.modulus);
        // With a carry there is a borrow too: the mask is all ones where the modulus was subtracted in vain.
        self.add_back(difference, u64::from(carry).wrapping_sub(u64::from(under)))
    }

    /// Adds the modulus where the mask is all ones, and nothing where it is zero. No branch.
    #[inline(always)]
    fn add_back(&self, x: [u64; L], mask: u64) -> Residue<L> {
        let mut carry = 0;
        Residue(core::array::from_fn(|i| {
            let wide = u128::from(x[i]) + u128::from(self.modulus[i] & mask) + carry;
            carry = wide >> 64;
            wide as u64
        }))
    }

    #[inline(always)]
    fn of_number(&self, value: u64) -> Residue<L> {
        let mut limbs = [0; L];
        limbs[0] = value;
        self.product(Residue(limbs), self.square)
    }

    #[inline(always)]
    fn sum(&self, Residue(a): Residue<L>, Residue(b): Residue<L>) -> Residue<L> {
        let mut sum = [0; L];
        let mut carry = false;
        for i in 0..L {
            let (partial, first) = a[i].overflowing_add(b[i]);
            let (limb, second) = partial.overflowing_add(u64::from(carry));
            sum[i] = limb;
            carry = first | second;
        }
        self.once(sum, carry)
    }

    #[inline(always)]
    fn difference(&self, Residue(a): Residue<L>, Residue(b): Residue<L>) -> Residue<L> {
        let (difference, under) = subtract(a, b);
        self.add_back(difference, u64::from(under).wrapping_neg())
    }

    /// `a · b / 2^(64·L)`; one factor may be any number of L limbs, so long as the other is below the modulus.
    #[inline(always)]
    fn product(&self, Residue(a): Residue<L>, Residue(b): Residue<L>) -> Residue<L> {
        let mut sum = [0; L];
        let mut top = 0u64;
        for &b in &b {
            let mut carry = 0;
            for j in 0..L {
                (sum[j], carry) = multiply_add(sum[j], a[j], b, carry);
            }
            let above = u128::from(top) + u128::from(carry);
            let factor = sum[0].wrapping_mul(self.inverse);
            let (_, mut carry) = multiply_add(sum[0], factor, self.modulus[0], 0);
            for j in 1..L {
                (sum[j - 1], carry) = multiply_add(sum[j], factor, self.modulus[j], carry);
            }
            let last = above + u128::from(carry);
            sum[L - 1] = last as u64;
            top = (last >> 64) as u64;
        }
        self.once(sum, top != 0)
    }

    #[inline(always)]
    fn limbs(&self) -> Vec<u64> {
        let used = L - self.modulus.iter().rev().take_while(|limb| **limb == 0).count();
        self.modulus[..used].to_vec()
    }

    #[inline(always)]
    fn write(&self, element: Residue<L>, bytes: &mut [u8]) {
        for (limb, bytes) in self.integer(element).iter().zip(bytes.chunks_mut(8)) {
            bytes.copy_from_slice(&limb.to_le_bytes()[..bytes.len()]);
        }
    }

    #[inline(always)]
    fn read(&self, bytes: &[u8]) -> Option<Residue<L>> {
        if bytes.len() != self.bytes {
            return None;
        }
        let mut limbs = [0; L];
        for (limb, bytes) in limbs.iter_mut().zip(bytes.chunks(8)) {
            *limb = word(bytes);
        }
        self.from_integer(limbs)
    }

    /// As many bits as a number that is reduced has more than the modulus.
    #[inline(always)]
    fn distance_bits(&self) -> usize {
        let used = L - self.modulus.iter().rev().take_while(|limb| **limb == 0).count();
        let top = if used == 0 { 64 } else { self.modulus[used - 1].leading_zeros() as usize };
        64 * (L + 1 - used) + top
    }

    /// A number of 64·(L + 1) bits, reduced: a distance of at most 2^-64.
    #[inline(always)]
    fn reduced(&self, bytes: &[u8]) -> Residue<L> {
        // As good as the number itself is its quotient by 2^(128·L): an element in the form of this one, by 2^(64·L).
        let [low, high] = halves(bytes);
        self.sum(self.product(low, Residue(unit())), self.product(high, self.one))
    }

    #[inline(always)]
    fn add_reduced(&self, sum: &mut [Residue<L>], bytes: &[u8], factor: Residue<L>) {
        let lower = self.product(factor, Residue(unit()));
        for (sum, bytes) in sum.iter_mut().zip(bytes.chunks_exact(uniform_bytes(L))) {
            let [low, high] = halves(bytes);
            *sum = self.sum(*sum, self.sum(self.product(low, lower), self.product(high, factor)));
        }
    }
}

const fn unit<const L: usize>() -> [u64; L] {
    let mut one = [0; L];
    one[0] = 1;
    one
}

/// The first L limbs of bytes, and the one after them.
#[inline(always)]
fn halves<const L: usize>(bytes: &[u8]) -> [Residue<L>; 2] {
    let (mut low, mut high) = ([0; L], [0; L]);
    for (limb, bytes) in low.iter_mut().zip(bytes.chunks(8)) {
        *limb = word(bytes);
    }
    high[0] = word(&bytes[8 * L..]);
    [Residue(low), Residue(high)]
}

/// `-1 / odd` modulo 2^64, by Newton's iteration: each step doubles the bits that are right, of which there are 3 at first.
const fn negative_inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    let mut step = 0;
    while step < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        step += 1;
    }
    inverse.wrapping_neg()
}

/// `sum + a · b + carry` as its low and its high word. It always fits.
#[inline(always)]
const fn multiply_add(sum: u64, a: u64, b: u64, carry: u64) -> (u64, u64) {
    let wide = sum as u128 + a as u128 * b as u128 + carry as u128;
    (wide as u64, (wide >> 64) as u64)
}

/// `a - b`, and whether that is below zero.
#[inline(always)]
fn subtract<const L: usize>(a: [u64; L], b: [u64; L]) -> ([u64; L], bool) {
    let mut difference = [0; L];
    let mut borrow = false;
    for i in 0..L {
        let (partial, first) = a[i].overflowing_sub(b[i]);
        let (limb, second) = partial.overflowing_sub(u64::from(borrow));
        difference[i] = limb;
        borrow = first | second;
    }
    (difference, borrow)
}

/// Bytes from which a uniform element is made: 64 bits more than the elements hold.
const fn uniform_bytes(limbs: usize) -> usize {
    8 * (limbs + 1)
}

/// [`Field`] for so many limbs, compiled here: what uses it may be compiled for size.
macro_rules! field_of_limbs {
    ($($limbs:literal)*) => { $(
        impl Field for Montgomery<$limbs> {
            type Element = Residue<$limbs>;
            super::extends_itself!();

            fn one(&self) -> Residue<$limbs> {
                self.one
            }

            fn element(&self, value: u64) -> Residue<$limbs> {
                self.of_number(value)
            }

            #[inline]
            fn add(&self, a: Residue<$limbs>, b: Residue<$limbs>) -> Residue<$limbs> {
                self.sum(a, b)
            }

            #[inline]
            fn sub(&self, a: Residue<$limbs>, b: Residue<$limbs>) -> Residue<$limbs> {
                self.difference(a, b)
            }

            #[inline]
            fn mul(&self, a: Residue<$limbs>, b: Residue<$limbs>) -> Residue<$limbs> {
                self.product(a, b)
            }

            fn order(&self) -> Vec<u64> {
                self.limbs()
            }

            fn bytes(&self) -> usize {
                self.bytes
            }

            fn encode(&self, element: Residue<$limbs>, bytes: &mut [u8]) {
                self.write(element, bytes);
            }

            fn decode(&self, bytes: &[u8]) -> Option<Residue<$limbs>> {
                self.read(bytes)
            }

            fn uniform_bytes(&self) -> usize {
                uniform_bytes($limbs)
            }

            fn uniform_security(&self) -> usize {
                self.distance_bits()
            }

            fn uniform(&self, bytes: &[u8]) -> Residue<$limbs> {
                self.reduced(bytes)
            }

            fn add_uniform(&self, sum: &mut [Residue<$limbs>], bytes: &[u8], factor: Residue<$limbs>) {
                self.add_reduced(sum, bytes, factor);
            }

            super::loops::loops!(
                pow inverse pow_all add_assign sub_assign mul_assign add_scaled add_products dot combine encode_all decode_all uniform_all
                scale_to_ground combine_ground encode_ground decode_ground add_ground
            );
        }
    )* };
}

field_of_limbs!(1 2 3 4 8);
