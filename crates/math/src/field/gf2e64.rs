//! A field of 2^64 elements that contains GF(2^8).

#[cfg(target_arch = "x86_64")]
mod simd;

/// Without such instructions they do nothing.
#[cfg(not(target_arch = "x86_64"))]
mod simd {
    pub(super) fn mul_assign(_: &mut [u64], _: &[u64]) -> bool {
        false
    }

    pub(super) fn dot(_: &[u64], _: &[u64]) -> Option<u128> {
        None
    }

    pub(super) fn combine(_: &mut [u64], _: &[&[u64]], _: &[u64]) -> bool {
        false
    }
}

use super::{Field, word};

/// GF(2^64) modulo `x^64 + x^4 + x^3 + x + 1`. An element is a word whose bits are the coefficients; addition is exclusive or.
///
/// Where [`super::Gf256`] is too small for a random element to differ from a few others, this is large enough: it has its elements as [`Gf2e64::lifted`], and the same sums and products of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gf2e64;

/// The powers of a root of the polynomial of [`super::Gf256`], the least as a number.
const ROOT_POWERS: [u64; 8] = [
    1,
    0x033c_e8be_ddc8_a656,
    0x5126_2037_5ed2_a108,
    0x0c9e_6360_90aa_fc01,
    0xba4f_3cd8_2801_769c,
    0xba26_e790_4adb_4a47,
    0x4676_9859_8926_dc01,
    0x4418_ae80_8b28_bdd0,
];

impl Gf2e64 {
    /// An element of [`super::Gf256`] in this field.
    #[inline(always)]
    pub const fn lifted(self, byte: u8) -> u64 {
        let (mut sum, mut bit) = (0, 0);
        while bit < 8 {
            sum ^= ROOT_POWERS[bit] & ((byte >> bit & 1) as u64).wrapping_neg();
            bit += 1;
        }
        sum
    }
}

/// The low half of a product of polynomials. Every fourth bit at a time, so that carries end in the bits between.
const fn low_product(a: u64, b: u64) -> u64 {
    const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;
    let (mut product, mut place) = (0, 0);
    while place < 4 {
        let (mut sum, mut from) = (0, 0);
        while from < 4 {
            let (x, y) = (a & EVERY_FOURTH << from, b & EVERY_FOURTH << ((place + 4 - from) % 4));
            sum ^= x.wrapping_mul(y);
            from += 1;
        }
        product ^= sum & EVERY_FOURTH << place;
        place += 1;
    }
    product
}

/// The product of polynomials.
const fn product(a: u64, b: u64) -> u128 {
    let high = low_product(a.reverse_bits(), b.reverse_bits()).reverse_bits() >> 1;
    (high as u128) << 64 | low_product(a, b) as u128
}

/// A polynomial modulo that of the field.
#[inline(always)]
const fn reduced(product: u128) -> u64 {
    let (low, high) = (product as u64, (product >> 64) as u64);
    // What the terms above x^0 carry out of the word.
    let over = high >> 63 ^ high >> 61 ^ high >> 60;
    low ^ times_modulus(high) ^ times_modulus(over)
}

/// A polynomial times what is below `x^64` in the modulus, without what exceeds a word.
#[inline(always)]
const fn times_modulus(a: u64) -> u64 {
    a ^ a << 1 ^ a << 3 ^ a << 4
}

impl Field for Gf2e64 {
    type Element = u64;
    super::extends_itself!();

    fn one(&self) -> u64 {
        1
    }

    /// The polynomial in x of degree below 8 whose coefficients in [`super::Gf256`] are the number's bytes.
    fn element(&self, value: u64) -> u64 {
        let x = 2;
        value.to_be_bytes().iter().fold(0, |sum, byte| self.mul(sum, x) ^ self.lifted(*byte))
    }

    fn add(&self, a: u64, b: u64) -> u64 {
        a ^ b
    }

    fn sub(&self, a: u64, b: u64) -> u64 {
        a ^ b
    }

    fn mul(&self, a: u64, b: u64) -> u64 {
        reduced(product(a, b))
    }

    fn mul_assign(&self, a: &mut [u64], b: &[u64]) {
        debug_assert_eq!(a.len(), b.len());
        if !simd::mul_assign(a, b) {
            a.iter_mut().zip(b).for_each(|(a, b)| *a = self.mul(*a, *b));
        }
    }

    fn dot(&self, a: &[u64], b: &[u64]) -> u64 {
        debug_assert_eq!(a.len(), b.len());
        let portable = || a.iter().zip(b).fold(0, |sum, (a, b)| sum ^ product(*a, *b));
        reduced(simd::dot(a, b).unwrap_or_else(portable))
    }

    fn combine(&self, sum: &mut [u64], columns: &[&[u64]], factors: &[u64]) {
        debug_assert_eq!(columns.len(), factors.len());
        if simd::combine(sum, columns, factors) {
            return;
        }
        for (place, sum) in sum.iter_mut().enumerate() {
            let products =
                columns.iter().zip(factors).map(|(column, factor)| product(column[place], *factor));
            *sum = reduced(products.fold(0, |sum, product| sum ^ product));
        }
    }

    fn order(&self) -> Vec<u64> {
        vec![0, 1]
    }

    fn bytes(&self) -> usize {
        8
    }

    fn encode(&self, element: u64, bytes: &mut [u8]) {
        bytes.copy_from_slice(&element.to_le_bytes());
    }

    fn decode(&self, bytes: &[u8]) -> Option<u64> {
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }

    fn uniform_bytes(&self) -> usize {
        8
    }

    /// Perfect.
    fn uniform_security(&self) -> usize {
        usize::MAX
    }

    fn uniform(&self, bytes: &[u8]) -> u64 {
        word(bytes)
    }

    super::loops::loops!(pow inverse pow_all add_assign sub_assign add_scaled add_products encode_all decode_all uniform_all scale_to_ground combine_ground encode_ground decode_ground add_ground add_uniform);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::field::Gf256;

    /// One bit after the other.
    fn plain(a: u64, b: u64) -> u64 {
        (0..64).rev().fold(0, |sum, bit| {
            let doubled = (sum << 1) ^ ((sum >> 63) * 0b1_1011);
            doubled ^ ((b >> bit & 1) * a)
        })
    }

    #[test]
    fn bytes_are_a_field_in_it() {
        for a in 0..=255u8 {
            for b in 0..=255u8 {
                assert_eq!(Gf2e64.lifted(a) ^ Gf2e64.lifted(b), Gf2e64.lifted(a ^ b));
                assert_eq!(Gf2e64.mul(Gf2e64.lifted(a), Gf2e64.lifted(b)), Gf2e64.lifted(Gf256.mul(a, b)));
            }
            assert_eq!(Gf256.point(a.into()), a);
            assert_eq!(Gf2e64.point(a.into()), Gf2e64.lifted(a));
        }
        let lifted = Gf256.lift(&[0, 1, 255, 7]);
        assert_eq!(lifted, [0, 1, 255, 7].map(|byte| Gf2e64.lifted(byte)));
    }

    #[test]
    fn numbers_are_distinct_elements() {
        // The map is linear, so it is enough that no sum of the images of bits is zero.
        let mut rows: Vec<u64> = (0..64).map(|bit| Gf2e64.element(1 << bit)).collect();
        for rank in 0..64 {
            let pivot = (rank..64).find(|row| rows[*row] >> rank & 1 == 1).expect("full rank");
            rows.swap(rank, pivot);
            for row in (0..64).filter(|row| *row != rank) {
                if rows[row] >> rank & 1 == 1 {
                    rows[row] ^= rows[rank];
                }
            }
        }
        assert_eq!(Gf2e64.element(0x0102), Gf2e64.mul(2, Gf2e64.lifted(1)) ^ Gf2e64.lifted(2));
    }

    proptest! {
        #[test]
        fn products_are_those_of_polynomials(a in any::<u64>(), b in any::<u64>(), c in any::<u64>()) {
            prop_assert_eq!(Gf2e64.mul(a, b), plain(a, b));
            prop_assert_eq!(Gf2e64.mul(a, b ^ c), Gf2e64.mul(a, b) ^ Gf2e64.mul(a, c));
            if a != 0 {
                prop_assert_eq!(Gf2e64.mul(a, Gf2e64.inverse(a)), 1);
            }
        }

        #[test]
        fn slices_agree_with_elements(a in prop::collection::vec(any::<u64>(), 0..40), seed in any::<u64>()) {
            let b: Vec<_> = a.iter().map(|a| a.rotate_left(9).wrapping_mul(seed | 1)).collect();
            let products: Vec<_> = a.iter().zip(&b).map(|(a, b)| plain(*a, *b)).collect();
            let mut found = a.clone();
            Gf2e64.mul_assign(&mut found, &b);
            prop_assert_eq!(&found, &products);
            prop_assert_eq!(Gf2e64.dot(&a, &b), products.iter().fold(0, |sum, one| sum ^ one));
            Gf2e64.combine(&mut found, &[&a, &b, &a], &[seed, 3, 1 << 63]);
            let combined = |(a, b): (&u64, &u64)| plain(*a, seed) ^ plain(*b, 3) ^ plain(*a, 1 << 63);
            prop_assert_eq!(found, a.iter().zip(&b).map(combined).collect::<Vec<_>>());
        }
    }
}
