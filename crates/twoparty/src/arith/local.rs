//! Local operations. All shares are below 2^bits.

use crate::Party;
use crate::pack::mask;

/// Shares of the sums.
pub fn add(x: &[u128], y: &[u128], bits: u32) -> Vec<u128> {
    x.iter().zip(y).map(|(x, y)| x.wrapping_add(*y) & mask(bits)).collect()
}

/// Shares of the differences.
pub fn subtract(x: &[u128], y: &[u128], bits: u32) -> Vec<u128> {
    x.iter().zip(y).map(|(x, y)| x.wrapping_sub(*y) & mask(bits)).collect()
}

/// Shares of the additive inverses.
pub fn negate(x: &[u128], bits: u32) -> Vec<u128> {
    x.iter().map(|x| x.wrapping_neg() & mask(bits)).collect()
}

/// Shares of the sums with public words.
pub fn add_public(party: Party, x: &[u128], public: &[u128], bits: u32) -> Vec<u128> {
    match party {
        Party::First => add(x, public, bits),
        Party::Second => x.to_vec(),
    }
}

/// Shares of the products with public words.
pub fn multiply_public(x: &[u128], public: &[u128], bits: u32) -> Vec<u128> {
    x.iter().zip(public).map(|(x, public)| x.wrapping_mul(*public) & mask(bits)).collect()
}

/// Shares of the same words modulo 2^bits, with fewer bits than before.
pub fn truncate(x: &[u128], bits: u32) -> Vec<u128> {
    x.iter().map(|x| x & mask(bits)).collect()
}

/// Shares of the sums over segments of `length` words.
pub fn segment_sum(x: &[u128], length: usize, bits: u32) -> Vec<u128> {
    let sum = |segment: &[u128]| segment.iter().fold(0u128, |sum, x| sum.wrapping_add(*x)) & mask(bits);
    x.chunks(length.max(1)).map(sum).collect()
}

/// Shares of the running sums within segments of `length` words.
pub fn scan(x: &[u128], length: usize, bits: u32) -> Vec<u128> {
    let mut sums = Vec::with_capacity(x.len());
    for segment in x.chunks(length.max(1)) {
        sums.extend(segment.iter().scan(0u128, |sum, x| {
            *sum = sum.wrapping_add(*x) & mask(bits);
            Some(*sum)
        }));
    }
    sums
}
