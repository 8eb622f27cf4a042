//! The prime 2^61 - 1.

use super::{Field, word};

const P: u64 = (1 << 61) - 1;

/// The integers modulo 2^61 - 1, where reduction is a shift and an addition. An element is a number below the modulus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mersenne61;

impl Mersenne61 {
    /// The modulus.
    pub const MODULUS: u64 = P;

    /// The number that an element stands for.
    pub const fn integer(self, element: u64) -> u64 {
        element
    }
}

/// Subtracts the modulus from a number below twice it, if that is needed. No branch.
#[inline(always)]
const fn once(x: u64) -> u64 {
    let difference = x.wrapping_sub(P);
    difference.wrapping_add(P & ((difference as i64) >> 63) as u64)
}

/// Elements of a combination that are summed side by side.
const LANES: usize = 4;

/// A number equal to a sum of 128 bits modulo the prime, below 2^63.
#[inline(always)]
const fn folded(sum: u128) -> u64 {
    (sum as u64 & P) + ((sum >> 61) as u64 & P) + (sum >> 122) as u64
}

/// So many elements of a combination of columns, those from a place on.
#[inline(always)]
fn combine_lanes<const N: usize>(sum: &mut [u64], (place, columns): (usize, &[&[u64]]), factors: &[u64]) {
    let mut total = [0; N];
    // 32 products of 122 bits are below 2^127.
    for (columns, factors) in columns.chunks(32).zip(factors.chunks(32)) {
        let mut part = [0; N];
        for (column, factor) in columns.iter().zip(factors) {
            for (part, x) in part.iter_mut().zip(&column[place..][..N]) {
                *part += u128::from(*x) * u128::from(*factor);
            }
        }
        for (total, part) in total.iter_mut().zip(part) {
            *total = once(*total + Mersenne61.element(folded(part)));
        }
    }
    sum.copy_from_slice(&total);
}

impl Field for Mersenne61 {
    type Element = u64;
    super::extends_itself!();

    fn one(&self) -> u64 {
        1
    }

    fn element(&self, value: u64) -> u64 {
        once((value & P) + (value >> 61))
    }

    #[inline(always)]
    fn add(&self, a: u64, b: u64) -> u64 {
        once(a + b)
    }

    #[inline(always)]
    fn sub(&self, a: u64, b: u64) -> u64 {
        once(a + P - b)
    }

    #[inline(always)]
    fn mul(&self, a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        once((product as u64 & P) + (product >> 61) as u64)
    }

    fn dot(&self, a: &[u64], b: &[u64]) -> u64 {
        // 32 products of 122 bits are below 2^127.
        let mut sum = 0;
        for (a, b) in a.chunks(32).zip(b.chunks(32)) {
            let part: u128 = a.iter().zip(b).map(|(a, b)| u128::from(*a) * u128::from(*b)).sum();
            sum = self.add(sum, self.element(folded(part)));
        }
        sum
    }

    fn combine(&self, sum: &mut [u64], columns: &[&[u64]], factors: &[u64]) {
        debug_assert_eq!(columns.len(), factors.len());
        for (i, sum) in sum.chunks_mut(LANES).enumerate() {
            match sum.len() {
                LANES => combine_lanes::<LANES>(sum, (LANES * i, columns), factors),
                _ => sum.iter_mut().zip(LANES * i..).for_each(|(sum, place)| {
                    combine_lanes::<1>(core::slice::from_mut(sum), (place, columns), factors)
                }),
            }
        }
    }

    fn order(&self) -> Vec<u64> {
        vec![P]
    }

    fn bytes(&self) -> usize {
        8
    }

    #[inline(always)]
    fn encode(&self, element: u64, bytes: &mut [u8]) {
        bytes.copy_from_slice(&element.to_le_bytes());
    }

    #[inline(always)]
    fn decode(&self, bytes: &[u8]) -> Option<u64> {
        let value = u64::from_le_bytes(bytes.try_into().ok()?);
        (value < P).then_some(value)
    }

    fn uniform_bytes(&self) -> usize {
        8
    }

    /// The modulus itself counts as 0.
    fn uniform_security(&self) -> usize {
        61
    }

    /// 61 bits, where the modulus itself counts as 0: a distance of 2^-61.
    #[inline(always)]
    fn uniform(&self, bytes: &[u8]) -> u64 {
        once(word(bytes) & P)
    }
}
