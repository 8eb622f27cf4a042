//! Words of eight numbers, by AVX-512 and its multiplication of 52 bits (IFMA).
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::curve::Fixed;
use super::field::{LIMB, MASK};
use super::kernels;
use super::point::{Encoding, Point};
use super::word::{MAX_LANES, Word};

/// Whether the processor has the instructions.
pub(super) fn available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512ifma")
}

/// Eight words. Only used by the functions at the end of this file, which ensure that the processor has the
/// instructions.
#[derive(Clone, Copy)]
pub(super) struct Vector(__m512i);

/// An operation on vectors.
macro_rules! vector {
    ($operation:expr) => {
        // SAFETY: vectors are used where the processor has the instructions.
        Vector(unsafe { $operation })
    };
}

impl Word for Vector {
    const LANES: usize = 8;

    #[inline(always)]
    fn all(word: u64) -> Vector {
        vector!(_mm512_set1_epi64(word as i64))
    }

    #[inline(always)]
    fn load(words: &[u64; MAX_LANES]) -> Vector {
        // There are 64 bytes.
        vector!(_mm512_loadu_si512(words.as_ptr().cast()))
    }

    #[inline(always)]
    fn store(self, words: &mut [u64; MAX_LANES]) {
        // SAFETY: there are 64 bytes, and the processor has the instructions.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn add(self, other: Vector) -> Vector {
        vector!(_mm512_add_epi64(self.0, other.0))
    }

    #[inline(always)]
    fn sub(self, other: Vector) -> Vector {
        vector!(_mm512_sub_epi64(self.0, other.0))
    }

    #[inline(always)]
    fn and(self, other: Vector) -> Vector {
        vector!(_mm512_and_si512(self.0, other.0))
    }

    #[inline(always)]
    fn or(self, other: Vector) -> Vector {
        vector!(_mm512_or_si512(self.0, other.0))
    }

    #[inline(always)]
    fn xor(self, other: Vector) -> Vector {
        vector!(_mm512_xor_si512(self.0, other.0))
    }

    #[inline(always)]
    fn right<const BITS: u32>(self) -> Vector {
        vector!(_mm512_srli_epi64::<BITS>(self.0))
    }

    #[inline(always)]
    fn add_19(self, carry: Vector) -> Vector {
        self.add_low(carry, Vector::all(19))
    }

    /// Masks of vectors are not used as conditions of branches.
    #[inline(always)]
    fn hidden(self) -> Vector {
        self
    }

    /// By a permutation of registers, which takes the same time for all indices.
    #[inline(always)]
    fn look_up(table: &[u64; 16], index: Vector) -> Vector {
        // SAFETY: there are 128 bytes, and the processor has the instructions.
        Vector(unsafe {
            let [low, high] = [0, 8].map(|at| _mm512_loadu_si512(table.as_ptr().add(at).cast()));
            _mm512_permutex2var_epi64(low, index.0, high)
        })
    }

    #[inline(always)]
    fn multiply(a: &[Vector; 5], b: &[Vector; 5]) -> [Vector; 5] {
        let (mut low, mut high) = ([Vector::all(0); 9], [Vector::all(0); 9]);
        for i in 0..5 {
            for j in 0..5 {
                low[i + j] = low[i + j].add_low(a[i], b[j]);
                high[i + j] = high[i + j].add_high(a[i], b[j]);
            }
        }
        // Bits from 52 on count twice as multiples of 2^51.
        let mut sums = [low[0]; 10];
        for k in 1..9 {
            sums[k] = low[k].add(high[k - 1].add(high[k - 1]));
        }
        sums[9] = high[8].add(high[8]);
        carried(&sums)
    }

    #[inline(always)]
    fn square(a: &[Vector; 5]) -> [Vector; 5] {
        let (mut low, mut high) = ([Vector::all(0); 9], [Vector::all(0); 9]);
        for i in 0..5 {
            for j in i + 1..5 {
                low[i + j] = low[i + j].add_low(a[i], a[j]);
                high[i + j] = high[i + j].add_high(a[i], a[j]);
            }
        }
        let mut sums = [Vector::all(0).add_low(a[0], a[0]); 10];
        for k in 1..9 {
            sums[k] = low[k].add(high[k - 1].add(high[k - 1]));
        }
        sums[9] = high[8].add(high[8]);
        // Squares occur once where products of two limbs occur twice, and their high halves count double,
        // too.
        for i in 0..5 {
            let odd = 2 * i + 1;
            sums[odd] = sums[odd].add_high(a[i], a[i]);
            sums[odd] = sums[odd].add(sums[odd]);
            if i > 0 {
                sums[2 * i] = sums[2 * i].add(sums[2 * i]).add_low(a[i], a[i]);
            }
        }
        carried(&sums)
    }
}

impl Vector {
    /// `self` plus the lower 52 bits of the product of the lower 52 bits.
    #[inline(always)]
    fn add_low(self, a: Vector, b: Vector) -> Vector {
        vector!(_mm512_madd52lo_epu64(self.0, a.0, b.0))
    }

    /// `self` plus the bits from 52 on of the product of the lower 52 bits.
    #[inline(always)]
    fn add_high(self, a: Vector, b: Vector) -> Vector {
        vector!(_mm512_madd52hi_epu64(self.0, a.0, b.0))
    }

    /// 19 times itself, below 2^64.
    #[inline(always)]
    fn times_19(self) -> Vector {
        vector!(_mm512_mullo_epi64(self.0, _mm512_set1_epi64(19)))
    }
}

/// The limbs of a number with ten limbs below 2^56.
#[inline(always)]
fn carried(sums: &[Vector; 10]) -> [Vector; 5] {
    let mut folded = [sums[0]; 5];
    for k in 0..5 {
        folded[k] = sums[k].add(sums[k + 5].times_19());
    }
    let mask = Vector::all(MASK);
    let mut limbs = [folded[0].and(mask).add_19(folded[4].right::<{ LIMB as u32 }>()); 5];
    for k in 1..5 {
        limbs[k] = folded[k].and(mask).add(folded[k - 1].right::<{ LIMB as u32 }>());
    }
    limbs
}

/// A kernel on vectors.
macro_rules! on_vectors {
    ($($kernel:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        pub(super) fn $kernel($($argument: $type),*) $(-> $result)? {
            #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
            fn on($($argument: $type),*) $(-> $result)? {
                kernels::$kernel::<Vector>($($argument),*)
            }
            assert!(available());
            // SAFETY: the processor has the instructions.
            unsafe { on($($argument),*) }
        }
    )*};
}

on_vectors! {
    decode(encodings: &[Encoding], points: &mut [Point]) -> Option<usize>;
    encode(points: &[Point], encodings: &mut [Encoding]);
    encode_doubles(points: &[Point], encodings: &mut [Encoding]);
    hash(uniform: &[[u8; 64]], points: &mut [Point]);
    add(others: &[Point], points: &mut [Point]);
    multiply(scalars: &[[u8; 32]], points: &mut [Point]);
    multiply_fixed(fixed: &Fixed, scalars: &[[u8; 32]], points: &mut [Point]);
}
