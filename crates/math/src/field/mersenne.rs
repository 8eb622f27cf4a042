//! The prime 2^61 - 1.

#[cfg(target_arch = "x86_64")]
mod simd;

/// Without vectors they do nothing.
#[cfg(not(target_arch = "x86_64"))]
mod simd {
    pub(super) fn add_assign(_: &mut [u64], _: &[u64]) -> usize {
        0
    }

    pub(super) fn sub_assign(_: &mut [u64], _: &[u64]) -> usize {
        0
    }

    pub(super) fn mul_assign(_: &mut [u64], _: &[u64]) -> usize {
        0
    }

    pub(super) fn scale(_: &mut [u64], _: u64) -> usize {
        0
    }

    pub(super) fn add_products(_: &mut [u64], _: &[u64], _: &[u64]) -> usize {
        0
    }

    pub(super) fn add_scaled(_: &mut [u64], _: &[u64], _: u64) -> usize {
        0
    }

    pub(super) fn combine_two(_: &mut [u64], _: &[u64], _: [u64; 2]) -> usize {
        0
    }

    pub(super) fn combine(_: &mut [u64], _: &[&[u64]], _: &[u64]) -> usize {
        0
    }

    pub(super) fn dot(_: &[u64], _: &[u64]) -> (u64, usize) {
        (0, 0)
    }

    pub(super) fn add_uniform(_: &mut [u64], _: &[u8], _: u64) -> usize {
        0
    }
}

mod portable;

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

    fn add_assign(&self, a: &mut [u64], b: &[u64]) {
        let done = simd::add_assign(a, b);
        portable::each(&mut a[done..], &b[done..], |a, b| self.add(a, b));
    }

    fn sub_assign(&self, a: &mut [u64], b: &[u64]) {
        let done = simd::sub_assign(a, b);
        portable::each(&mut a[done..], &b[done..], |a, b| self.sub(a, b));
    }

    fn mul_assign(&self, a: &mut [u64], b: &[u64]) {
        let done = simd::mul_assign(a, b);
        portable::each(&mut a[done..], &b[done..], |a, b| self.mul(a, b));
    }

    fn add_scaled(&self, sum: &mut [u64], a: &[u64], factor: u64) {
        let done = simd::add_scaled(sum, a, factor);
        portable::each(&mut sum[done..], &a[done..], |sum, a| self.add(sum, self.mul(a, factor)));
    }

    fn add_products(&self, sum: &mut [u64], a: &[u64], b: &[u64]) {
        let done = simd::add_products(sum, a, b);
        portable::add_products(&mut sum[done..], &a[done..], &b[done..]);
    }

    fn dot(&self, a: &[u64], b: &[u64]) -> u64 {
        let (sum, done) = simd::dot(a, b);
        self.add(sum, portable::dot(&a[done..], &b[done..]))
    }

    fn combine(&self, sum: &mut [u64], columns: &[&[u64]], factors: &[u64]) {
        debug_assert_eq!(columns.len(), factors.len());
        let done = simd::combine(sum, columns, factors);
        portable::combine(&mut sum[done..], (done, columns), factors);
    }

    fn scale_to_ground(&self, elements: &mut [u64], factor: u64) {
        let done = simd::scale(elements, factor);
        elements[done..].iter_mut().for_each(|element| *element = self.mul(*element, factor));
    }

    fn combine_ground(&self, a: &mut [u64], b: &[u64], [x, y]: [u64; 2]) {
        let done = simd::combine_two(a, b, [x, y]);
        portable::each(&mut a[done..], &b[done..], |a, b| self.add(self.mul(a, x), self.mul(b, y)));
    }

    fn add_uniform(&self, sum: &mut [u64], bytes: &[u8], factor: u64) {
        debug_assert_eq!(bytes.len(), 8 * sum.len());
        let done = simd::add_uniform(sum, bytes, factor);
        for (sum, bytes) in sum[done..].iter_mut().zip(bytes[8 * done..].chunks_exact(8)) {
            *sum = self.add(*sum, self.mul(self.uniform(bytes), factor));
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

    super::loops::loops!(pow inverse pow_all encode_all decode_all uniform_all encode_ground decode_ground add_ground);
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Elements at the edges of limbs, and others.
    fn elements() -> impl Strategy<Value = u64> {
        let edges =
            [0, 1, 2, P - 1, P - 2, (1 << 52) - 1, 1 << 52, (1 << 52) + 1, P ^ ((1 << 52) - 1), 1 << 60];
        prop_oneof![proptest::sample::select(edges.to_vec()), 0..P]
    }

    fn vectors(count: usize) -> impl Strategy<Value = Vec<Vec<u64>>> {
        (0usize..40).prop_flat_map(move |length| {
            proptest::collection::vec(proptest::collection::vec(elements(), length), count)
        })
    }

    /// What a kernel has done to the first elements, beside what its twin does to all.
    fn alike(start: &[u64], kernel: impl Fn(&mut [u64]) -> usize, twin: impl Fn(&mut [u64])) {
        let (mut quick, mut plain) = (start.to_vec(), start.to_vec());
        let done = kernel(&mut quick);
        twin(&mut plain);
        assert_eq!(quick[..done], plain[..done]);
        assert_eq!(quick[done..], start[done..]);
    }

    proptest! {
        #[test]
        fn vectors_compute_as_their_twins(of in vectors(3), x in elements(), y in elements()) {
            let (field, [a, b, c]) = (Mersenne61, [&of[0], &of[1], &of[2]]);
            let each = |of: fn(u64, u64) -> u64| move |a: &mut [u64]| portable::each(a, b, of);
            alike(a, |a| simd::add_assign(a, b), each(|a, b| Mersenne61.add(a, b)));
            alike(a, |a| simd::sub_assign(a, b), each(|a, b| Mersenne61.sub(a, b)));
            alike(a, |a| simd::mul_assign(a, b), each(|a, b| Mersenne61.mul(a, b)));
            alike(a, |a| simd::scale(a, x), |a| a.iter_mut().for_each(|a| *a = field.mul(*a, x)));
            alike(a, |a| simd::add_products(a, b, c), |a| portable::add_products(a, b, c));
            for factor in [x, 0, 1, P - 1] {
                let added = |a: u64, b: u64| field.add(a, field.mul(b, factor));
                alike(a, |a| simd::add_scaled(a, b, factor), |a| portable::each(a, b, added));
            }
            let two = |a: u64, b: u64| field.add(field.mul(a, x), field.mul(b, y));
            alike(a, |a| simd::combine_two(a, b, [x, y]), |a| portable::each(a, b, two));
            let (sum, done) = simd::dot(a, b);
            prop_assert_eq!(sum, portable::dot(&a[..done], &b[..done]));
        }

        #[test]
        fn long_sums_are_reduced_in_time(columns in vectors(150), length in 0usize..3000, x in elements()) {
            let columns: Vec<_> = columns.iter().map(Vec::as_slice).collect();
            for factors in [vec![x; columns.len()], vec![P - 1; columns.len()]] {
                alike(
                    columns[0],
                    |sum| simd::combine(sum, &columns, &factors),
                    |sum| portable::combine(sum, (0, &columns), &factors),
                );
            }
            let most = vec![P - 1; length];
            let (sum, done) = simd::dot(&most, &most);
            prop_assert_eq!(sum, done as u64);
        }

        #[test]
        fn uniform_words_are_added_as_elements(
            a in proptest::collection::vec(elements(), 40), words in proptest::collection::vec(any::<u64>(), 40), x in elements()
        ) {
            let mut words = words;
            words[3] = P;
            words[4] = u64::MAX;
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            for factor in [x, 1, P - 1, 0] {
                let added = |a: u64, word: u64| {
                    Mersenne61.add(a, Mersenne61.mul(Mersenne61.uniform(&word.to_le_bytes()), factor))
                };
                alike(&a, |a| simd::add_uniform(a, &bytes, factor), |a| portable::each(a, &words, added));
            }
        }
    }
}
