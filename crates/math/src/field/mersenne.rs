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

impl Field for Mersenne61 {
    type Element = u64;

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
            let folded = (part as u64 & P) + ((part >> 61) as u64 & P) + (part >> 122) as u64;
            sum = self.add(sum, self.element(folded));
        }
        sum
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
