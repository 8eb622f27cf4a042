//! SSE2, which every x86-64 processor has, AVX2 and AVX-512, both also with GFNI.

use super::{Galois, Lanes, Layout, galois_tiles, tiles};
use crate::Block;
use core::arch::x86_64::*;

/// Implements [`Lanes`] but for loads and stores.
macro_rules! lanes {
    ($register:ty, $tiles:literal, $set:ident, $xor:ident, $and:ident, $right:ident, $left:ident,
     $low:ident, $high:ident, $load:item, $store:item) => {
        // SAFETY of the blocks below: each method's caller vouches for the processor and the pointers.
        #[allow(clippy::undocumented_unsafe_blocks)]
        impl Lanes for $register {
            const TILES: usize = $tiles;

            $load

            $store

            #[inline(always)]
            unsafe fn swap<const D: i32>(high: Self, low: Self, mask: u8) -> [Self; 2] {
                unsafe {
                    let mask = $set(i64::from_le_bytes([mask; 8]));
                    let shifted = match D {
                        1 => $right::<1>(high),
                        2 => $right::<2>(high),
                        _ => $right::<4>(high),
                    };
                    let swapped = $and($xor(shifted, low), mask);
                    let back = match D {
                        1 => $left::<1>(swapped),
                        2 => $left::<2>(swapped),
                        _ => $left::<4>(swapped),
                    };
                    [$xor(high, back), $xor(low, swapped)]
                }
            }

            #[inline(always)]
            unsafe fn unpack(self, other: Self) -> [Self; 2] {
                unsafe { [$low(self, other), $high(self, other)] }
            }
        }
    };
}

lanes!(
    __m128i,
    1,
    _mm_set1_epi64x,
    _mm_xor_si128,
    _mm_and_si128,
    _mm_srli_epi64,
    _mm_slli_epi64,
    _mm_unpacklo_epi8,
    _mm_unpackhi_epi8,
    #[inline(always)]
    unsafe fn load(from: *const Block, _: usize) -> Self {
        unsafe { _mm_loadu_si128(from.cast()) }
    },
    #[inline(always)]
    unsafe fn store(self, to: *mut Block, _: usize) {
        unsafe { _mm_storeu_si128(to.cast(), self) }
    }
);

lanes!(
    __m256i,
    2,
    _mm256_set1_epi64x,
    _mm256_xor_si256,
    _mm256_and_si256,
    _mm256_srli_epi64,
    _mm256_slli_epi64,
    _mm256_unpacklo_epi8,
    _mm256_unpackhi_epi8,
    #[inline(always)]
    unsafe fn load(from: *const Block, distance: usize) -> Self {
        unsafe {
            let low = _mm256_castsi128_si256(_mm_loadu_si128(from.cast()));
            _mm256_inserti128_si256::<1>(low, _mm_loadu_si128(from.add(distance).cast()))
        }
    },
    #[inline(always)]
    unsafe fn store(self, to: *mut Block, distance: usize) {
        unsafe {
            _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(self));
            _mm_storeu_si128(to.add(distance).cast(), _mm256_extracti128_si256::<1>(self));
        }
    }
);

lanes!(
    __m512i,
    4,
    _mm512_set1_epi64,
    _mm512_xor_si512,
    _mm512_and_si512,
    _mm512_srli_epi64,
    _mm512_slli_epi64,
    _mm512_unpacklo_epi8,
    _mm512_unpackhi_epi8,
    #[inline(always)]
    unsafe fn load(from: *const Block, distance: usize) -> Self {
        unsafe {
            let low = _mm512_castsi256_si512(__m256i::load(from, distance));
            _mm512_inserti64x4::<1>(low, __m256i::load(from.add(2 * distance), distance))
        }
    },
    #[inline(always)]
    unsafe fn store(self, to: *mut Block, distance: usize) {
        unsafe {
            _mm512_castsi512_si256(self).store(to, distance);
            _mm512_extracti64x4_epi64::<1>(self).store(to.add(2 * distance), distance);
        }
    }
);

/// In each half, byte r has bit r.
const DIAGONAL: i64 = i64::from_le_bytes([1, 2, 4, 8, 16, 32, 64, 128]);

/// Implements [`Galois`]: the instruction multiplies each byte of its first operand by the 8 x 8 bits of its second.
macro_rules! galois {
    ($register:ty, $set:ident, $multiply:ident) => {
        // SAFETY of the block below: the caller vouches for the processor.
        #[allow(clippy::undocumented_unsafe_blocks)]
        impl Galois for $register {
            #[inline(always)]
            unsafe fn turn_bits(self) -> Self {
                unsafe { $multiply::<0>($set(DIAGONAL), self) }
            }
        }
    };
}

galois!(__m128i, _mm_set1_epi64x, _mm_gf2p8affine_epi64_epi8);
galois!(__m256i, _mm256_set1_epi64x, _mm256_gf2p8affine_epi64_epi8);
galois!(__m512i, _mm512_set1_epi64, _mm512_gf2p8affine_epi64_epi8);

/// Both directions with the registers of some features, given the widest register type first.
macro_rules! kernels {
    ($(#[$doc:meta])* $name:ident, $tiles:ident, $features:literal, [$($register:ty),*]) => {
        $(#[$doc])*
        pub(super) mod $name {
            use super::*;

            /// See [`crate::transpose::to_columns`], which has checked the lengths.
            #[target_feature(enable = $features)]
            pub(in crate::transpose) fn to_columns(rows: &[Block], columns: &mut [Block]) {
                assert_eq!(rows.len(), columns.len());
                let by = Layout { step: rows.len() / 128, tile: 1 };
                // SAFETY: the features are enabled for this function.
                unsafe { all(rows, by, columns, Layout { step: 1, tile: 128 }) }
            }

            /// See [`crate::transpose::to_rows`], which has checked the lengths.
            #[target_feature(enable = $features)]
            pub(in crate::transpose) fn to_rows(columns: &[Block], rows: &mut [Block]) {
                assert_eq!(rows.len(), columns.len());
                let into = Layout { step: rows.len() / 128, tile: 1 };
                // SAFETY: as above.
                unsafe { all(columns, Layout { step: 1, tile: 128 }, rows, into) }
            }

            #[inline(always)]
            unsafe fn all(from: &[Block], by: Layout, to: &mut [Block], into: Layout) {
                let first = 0;
                // SAFETY: the caller vouches for the processor, and has checked that the lengths agree.
                $(let first = unsafe { $tiles::<$register>(from, by, to, into, first) };)*
                debug_assert_eq!(first, from.len() / 128);
            }
        }
    };
}

kernels!(
    /// One tile at a time, on every x86-64 processor.
    sse2, tiles, "sse2", [__m128i]
);
kernels!(
    /// Two tiles at a time.
    avx2, tiles, "avx2", [__m256i, __m128i]
);
kernels!(
    /// Four tiles at a time.
    avx512, tiles, "avx2,avx512f,avx512bw", [__m512i, __m256i, __m128i]
);
kernels!(
    /// Two tiles at a time, bits by GFNI.
    avx2_gfni, galois_tiles, "avx2,gfni", [__m256i, __m128i]
);
kernels!(
    /// Four tiles at a time, bits by GFNI.
    avx512_gfni, galois_tiles, "avx2,avx512f,avx512bw,gfni", [__m512i, __m256i, __m128i]
);

fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
}

fn has_avx512() -> bool {
    has_avx2() && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw")
}

fn has_gfni() -> bool {
    is_x86_feature_detected!("gfni")
}

/// Each direction on the widest registers there are.
macro_rules! widest {
    ($kernel:ident) => {
        pub(crate) fn $kernel(from: &[Block], to: &mut [Block]) {
            // SAFETY: each is called where its features were found; SSE2 belongs to the architecture.
            unsafe {
                if has_avx512() && has_gfni() {
                    avx512_gfni::$kernel(from, to)
                } else if has_avx512() {
                    avx512::$kernel(from, to)
                } else if has_avx2() && has_gfni() {
                    avx2_gfni::$kernel(from, to)
                } else if has_avx2() {
                    avx2::$kernel(from, to)
                } else {
                    sse2::$kernel(from, to)
                }
            }
        }
    };
}

widest!(to_columns);
widest!(to_rows);

/// A kernel in one direction.
#[cfg(test)]
type Kernel = fn(&[Block], &mut [Block]);

/// All kernels that the processor has: name, to columns, to rows.
#[cfg(test)]
pub(crate) fn available() -> Vec<(&'static str, [Kernel; 2])> {
    // SAFETY of all: each is listed only where its features were found.
    let mut kernels: Vec<(&'static str, [Kernel; 2])> = vec![(
        "sse2",
        // SAFETY: SSE2 belongs to the architecture.
        [|from, to| unsafe { sse2::to_columns(from, to) }, |from, to| unsafe { sse2::to_rows(from, to) }],
    )];
    macro_rules! both {
        ($name:ident) => {
            (
                stringify!($name),
                [
                    // SAFETY: listed only where the features were found.
                    |from, to| unsafe { $name::to_columns(from, to) },
                    // SAFETY: as above.
                    |from, to| unsafe { $name::to_rows(from, to) },
                ],
            )
        };
    }
    let found: [(bool, (&'static str, [Kernel; 2])); 4] = [
        (has_avx2(), both!(avx2)),
        (has_avx512(), both!(avx512)),
        (has_avx2() && has_gfni(), both!(avx2_gfni)),
        (has_avx512() && has_gfni(), both!(avx512_gfni)),
    ];
    for (here, kernel) in found {
        if here {
            kernels.push(kernel);
        } else {
            eprintln!("this processor lacks {}: not tested", kernel.0);
        }
    }
    kernels
}
