//! The field of 256 elements in which AES works.

#[cfg(target_arch = "x86_64")]
mod simd;

/// Without vectors they do nothing.
#[cfg(not(target_arch = "x86_64"))]
mod simd {
    pub(super) fn mul_assign(_: &mut [u8], _: &[u8]) -> usize {
        0
    }

    pub(super) fn add_combination(_: &mut [u8], _: &[&[u8]], _: &[u8]) -> usize {
        0
    }
}

use super::{Field, Gf2e64};

/// GF(2^8) modulo `x^8 + x^4 + x^3 + x + 1`. An element is a byte; addition is exclusive or.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gf256;

impl Gf256 {
    /// Adds bits times a weight: `sum[i] += weight` if bit i is set, of 64 to a word. There are words for all of `sum`.
    pub fn add_bits(&self, sum: &mut [u8], words: &[u64], weight: u8) {
        debug_assert!(sum.len() <= 64 * words.len());
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        for (sum, bits) in sum.chunks_mut(8).zip(bytes) {
            let added = super::word(sum) ^ spread(bits).wrapping_mul(weight.into());
            sum.copy_from_slice(&added.to_le_bytes()[..sum.len()]);
        }
    }
}

/// Eight products at once, in the bytes of words.
#[inline(always)]
const fn multiply(mut a: u64, b: u64) -> u64 {
    let mut product = 0;
    let mut bit = 0;
    while bit < 8 {
        let chosen = (b >> bit & ONES).wrapping_mul(0xff);
        product ^= a & chosen;
        let carried = a >> 7 & ONES;
        a = (a & !(ONES << 7)) << 1 ^ carried.wrapping_mul(0x1b);
        bit += 1;
    }
    product
}

/// A bit in each of eight bytes.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The eight bits of a byte, each in a byte of its own, the first in the least significant one.
#[inline(always)]
const fn spread(bits: u8) -> u64 {
    // Byte i keeps bit i; adding 127 carries into its highest bit if it is set.
    let kept = (bits as u64).wrapping_mul(ONES) & 0x8040_2010_0804_0201;
    (kept + 127 * ONES) >> 7 & ONES
}

/// `f` of eight elements at a time.
#[inline(always)]
fn by_words(a: &mut [u8], b: &[u8], f: impl Fn(u64, u64) -> u64) {
    debug_assert_eq!(a.len(), b.len());
    for (a, b) in a.chunks_mut(8).zip(b.chunks(8)) {
        let result = f(super::word(a), super::word(b)).to_le_bytes();
        a.copy_from_slice(&result[..a.len()]);
    }
}

/// `sum[i] += a[i] · factor`.
fn add_scaled(sum: &mut [u8], a: &[u8], factor: u8) {
    let factor = u64::from_le_bytes([factor; 8]);
    by_words(sum, a, |sum, a| sum ^ multiply(a, factor));
}

impl Field for Gf256 {
    type Element = u8;
    type Extension = Gf2e64;

    fn extension(&self) -> Gf2e64 {
        Gf2e64
    }

    fn lift(&self, elements: &[u8]) -> Vec<u64> {
        elements.iter().map(|byte| Gf2e64.lifted(*byte)).collect()
    }

    fn one(&self) -> u8 {
        1
    }

    fn element(&self, value: u64) -> u8 {
        value as u8
    }

    #[inline(always)]
    fn add(&self, a: u8, b: u8) -> u8 {
        a ^ b
    }

    #[inline(always)]
    fn sub(&self, a: u8, b: u8) -> u8 {
        a ^ b
    }

    #[inline(always)]
    fn mul(&self, a: u8, b: u8) -> u8 {
        multiply(u64::from(a), u64::from(b)) as u8
    }

    fn mul_assign(&self, a: &mut [u8], b: &[u8]) {
        debug_assert_eq!(a.len(), b.len());
        let done = simd::mul_assign(a, b);
        by_words(&mut a[done..], &b[done..], multiply);
    }

    fn add_scaled(&self, sum: &mut [u8], a: &[u8], factor: u8) {
        debug_assert_eq!(sum.len(), a.len());
        let done = simd::add_combination(sum, &[a], &[factor]);
        add_scaled(&mut sum[done..], &a[done..], factor);
    }

    fn combine(&self, sum: &mut [u8], columns: &[&[u8]], factors: &[u8]) {
        debug_assert_eq!(columns.len(), factors.len());
        sum.fill(0);
        let done = simd::add_combination(sum, columns, factors);
        if done == sum.len() {
            return;
        }
        for (column, factor) in columns.iter().zip(factors) {
            add_scaled(&mut sum[done..], &column[done..], *factor);
        }
    }

    fn order(&self) -> Vec<u64> {
        vec![256]
    }

    fn bytes(&self) -> usize {
        1
    }

    fn encode(&self, element: u8, bytes: &mut [u8]) {
        bytes.copy_from_slice(&[element]);
    }

    fn decode(&self, bytes: &[u8]) -> Option<u8> {
        <[u8; 1]>::try_from(bytes).ok().map(|[byte]| byte)
    }

    fn uniform_bytes(&self) -> usize {
        1
    }

    /// Perfect.
    fn uniform_security(&self) -> usize {
        usize::MAX
    }

    fn uniform(&self, bytes: &[u8]) -> u8 {
        bytes[0]
    }

    fn encode_all(&self, elements: &[u8], bytes: &mut [u8]) {
        bytes.copy_from_slice(elements);
    }

    fn decode_all(&self, bytes: &[u8], elements: &mut [u8]) -> Result<(), usize> {
        elements.copy_from_slice(bytes);
        Ok(())
    }

    fn uniform_all(&self, bytes: &[u8], elements: &mut [u8]) {
        elements.copy_from_slice(bytes);
    }

    super::loops::loops!(pow inverse pow_all add_assign sub_assign add_products dot scale_to_ground combine_ground encode_ground decode_ground add_ground add_uniform);
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn vectors_combine_as_their_twins(bytes in proptest::collection::vec(any::<u8>(), 5 * 300), length in 0usize..300) {
            let columns: Vec<_> = bytes.chunks(300).map(|column| &column[..length]).collect();
            let (factors, mut quick) = ([0, 1, bytes[7], bytes[8]], columns[4].to_vec());
            let mut plain = quick.clone();
            let done = simd::add_combination(&mut quick, &columns[..4], &factors);
            columns.iter().zip(factors).for_each(|(column, factor)| add_scaled(&mut plain, column, factor));
            prop_assert_eq!(&quick[..done], &plain[..done]);
            prop_assert_eq!(&quick[done..], &columns[4][done..]);
        }
    }
}
