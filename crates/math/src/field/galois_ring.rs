//! Words of 64 bits and one more root of unity: the Galois ring of degree 2 over the integers modulo 2^64.

#[cfg(target_arch = "x86_64")]
mod simd;

/// Without vectors they do nothing.
#[cfg(not(target_arch = "x86_64"))]
mod simd {
    use super::GaloisElement;

    pub(super) fn mul_assign(_: &mut [GaloisElement], _: &[GaloisElement]) -> usize {
        0
    }

    pub(super) fn scale_to_ground(_: &mut [GaloisElement], _: [u64; 2]) -> usize {
        0
    }

    pub(super) fn combine_ground(_: &mut [GaloisElement], _: &[GaloisElement], _: [[u64; 2]; 2]) -> usize {
        0
    }

    pub(super) fn multiply_to_ground(
        _: &mut [GaloisElement],
        _: (&[GaloisElement], &[GaloisElement]),
        _: [u64; 2],
    ) -> usize {
        0
    }

    pub(super) fn multiply_masked(
        _: &mut [u8],
        _: (&[GaloisElement], &[GaloisElement]),
        _: [u64; 2],
        _: [&[u8]; 2],
    ) -> usize {
        0
    }

    pub(super) fn combine_all_encoded(_: &mut [GaloisElement], _: [&[u8]; 2], _: [[u64; 2]; 2]) -> usize {
        0
    }

    pub(super) fn encode_ground(_: &[GaloisElement], _: &mut [u8]) -> usize {
        0
    }

    pub(super) fn decode_ground(_: &[u8], _: &mut [GaloisElement]) -> usize {
        0
    }

    pub(super) fn add_ground(_: &mut [GaloisElement], _: &[u8], _: bool) -> usize {
        0
    }
}

mod portable;

use zeroize::DefaultIsZeroes;

use super::{Field, word};

/// The ring of `a + b·x` with words `a` and `b` modulo 2^64, and `x^2 = -1 - x`.
///
/// What is shared in it are words modulo 2^64: elements without `x`, the ring's [ground](Field::to_ground). Three parties' points are the cube roots of unity, 1, `x` and
/// `x^2`. Their differences have inverses, as those of no three words have; so Shamir's scheme works as in a field.
///
/// A share of Shamir's scheme among three with threshold 1 is then a share of replicated sharing, in another basis: where a word is the sum of three words of which each party
/// lacks one, the two that a party has are those of [`GaloisRing::parts`].
///
/// Source: Cramer, Damgård and Ishai (TCC 2005), section 3, for the conversion; Abspoel, Cramer, Damgård, Escudero and Yuan (TCC 2019), section 3, for Shamir's scheme over
/// Galois rings.
/// Differs from a field: an element has an inverse only if one of its words is odd; what [`Field::inverse`] gives of others means nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GaloisRing;

/// An element of [`GaloisRing`]. It may be secret, so `Debug` doesn't show it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct GaloisElement([u64; 2]);

crate::redacted!(GaloisElement);

impl DefaultIsZeroes for GaloisElement {}

/// The inverse of 3 modulo 2^64.
const THIRD: u64 = 0xaaaa_aaaa_aaaa_aaab;

impl GaloisRing {
    /// Bits of the words.
    pub const BITS: u32 = 64;

    /// The parties whose points it has, and the only threshold below half of them.
    pub const PARTIES: (usize, usize) = (3, 1);

    /// The word that an element is, where it is one.
    #[inline(always)]
    pub fn ground(self, element: GaloisElement) -> u64 {
        element.0[0]
    }

    /// The two words that a party's share tells: the one that it has in common with the next party, and the one with the previous party. Three words of which each two
    /// parties have one in common sum to what is shared.
    #[inline(always)]
    pub fn parts(self, GaloisElement([low, high]): GaloisElement) -> [u64; 2] {
        // As the share is next · (1 - x) + previous · (2 + x).
        let previous = low.wrapping_add(high).wrapping_mul(THIRD);
        [previous.wrapping_sub(high), previous]
    }

    /// The share that tells these two words, as [`GaloisRing::parts`] gives them.
    #[inline(always)]
    pub fn share(self, [next, previous]: [u64; 2]) -> GaloisElement {
        of(next.wrapping_add(previous.wrapping_mul(2)), previous.wrapping_sub(next))
    }
}

/// An element by its words.
#[inline(always)]
fn of(low: u64, high: u64) -> GaloisElement {
    GaloisElement([low, high])
}

impl Field for GaloisRing {
    type Element = GaloisElement;
    super::extends_itself!();

    fn one(&self) -> GaloisElement {
        of(1, 0)
    }

    fn element(&self, value: u64) -> GaloisElement {
        of(value, 0)
    }

    fn point(&self, number: u64) -> GaloisElement {
        match number % 3 {
            0 => of(u64::MAX, u64::MAX),
            1 => of(1, 0),
            _ => of(0, 1),
        }
    }

    #[inline(always)]
    fn add(&self, GaloisElement(a): GaloisElement, GaloisElement(b): GaloisElement) -> GaloisElement {
        of(a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1]))
    }

    #[inline(always)]
    fn sub(&self, GaloisElement(a): GaloisElement, GaloisElement(b): GaloisElement) -> GaloisElement {
        of(a[0].wrapping_sub(b[0]), a[1].wrapping_sub(b[1]))
    }

    #[inline(always)]
    fn mul(&self, GaloisElement(a): GaloisElement, GaloisElement(b): GaloisElement) -> GaloisElement {
        let (low, high) = (a[0].wrapping_mul(b[0]), a[1].wrapping_mul(b[1]));
        let crossed = a[0].wrapping_mul(b[1]).wrapping_add(a[1].wrapping_mul(b[0]));
        of(low.wrapping_sub(high), crossed.wrapping_sub(high))
    }

    /// Elements of the field that the ring is modulo 2: so many have differences with inverses.
    fn order(&self) -> Vec<u64> {
        vec![4]
    }

    fn bytes(&self) -> usize {
        16
    }

    fn encode(&self, GaloisElement([low, high]): GaloisElement, bytes: &mut [u8]) {
        let (first, second) = bytes.split_at_mut(8);
        first.copy_from_slice(&low.to_le_bytes());
        second.copy_from_slice(&high.to_le_bytes());
    }

    fn decode(&self, bytes: &[u8]) -> Option<GaloisElement> {
        (bytes.len() == 16).then(|| self.uniform(bytes))
    }

    fn uniform_bytes(&self) -> usize {
        16
    }

    /// Perfect.
    fn uniform_security(&self) -> usize {
        usize::MAX
    }

    fn uniform(&self, bytes: &[u8]) -> GaloisElement {
        of(word(bytes), word(bytes.get(8..).unwrap_or_default()))
    }

    /// Newton's iteration: an inverse modulo 2, which is the square, has twice as many right bits after each step.
    fn inverse(&self, a: GaloisElement) -> GaloisElement {
        let mut inverse = self.mul(a, a);
        for _ in 0..Self::BITS.ilog2() {
            inverse = self.mul(inverse, self.sub(of(2, 0), self.mul(a, inverse)));
        }
        inverse
    }

    fn ground_bytes(&self) -> usize {
        8
    }

    /// The word without `x`.
    fn to_ground(&self, elements: &mut [GaloisElement]) {
        elements.iter_mut().for_each(|element| element.0[1] = 0);
    }

    fn mul_assign(&self, a: &mut [GaloisElement], b: &[GaloisElement]) {
        debug_assert_eq!(a.len(), b.len());
        let done = simd::mul_assign(a, b);
        portable::mul_assign(&mut a[done..], &b[done..]);
    }

    fn scale_to_ground(&self, elements: &mut [GaloisElement], GaloisElement(by): GaloisElement) {
        let done = simd::scale_to_ground(elements, by);
        portable::scale_to_ground(&mut elements[done..], by);
    }

    fn combine_ground(&self, a: &mut [GaloisElement], b: &[GaloisElement], by: [GaloisElement; 2]) {
        debug_assert_eq!(a.len(), b.len());
        let by = by.map(|factor| factor.0);
        let done = simd::combine_ground(a, b, by);
        portable::combine_ground(&mut a[done..], &b[done..], by);
    }

    fn multiply_to_ground(
        &self,
        to: &mut [GaloisElement],
        (a, b): (&[GaloisElement], &[GaloisElement]),
        GaloisElement(factor): GaloisElement,
    ) {
        debug_assert_eq!((to.len(), to.len()), (a.len(), b.len()));
        let done = simd::multiply_to_ground(to, (a, b), factor);
        portable::multiply_to_ground(&mut to[done..], (&a[done..], &b[done..]), factor);
    }

    fn multiply_masked(
        &self,
        to: &mut [u8],
        (a, b): (&[GaloisElement], &[GaloisElement]),
        GaloisElement(factor): GaloisElement,
        masks: [&[u8]; 2],
    ) {
        debug_assert_eq!([to.len(); 4], [8 * a.len(), 8 * b.len(), masks[0].len(), masks[1].len()]);
        let done = simd::multiply_masked(to, (a, b), factor, masks);
        let masks = masks.map(|mask| &mask[8 * done..]);
        portable::multiply_masked(&mut to[8 * done..], (&a[done..], &b[done..]), factor, masks);
    }

    fn combine_all_encoded(&self, to: &mut [GaloisElement], ground: [&[u8]; 2], by: [GaloisElement; 2]) {
        debug_assert_eq!([8 * to.len(); 2], ground.map(<[u8]>::len));
        let by = by.map(|factor| factor.0);
        let done = simd::combine_all_encoded(to, ground, by);
        portable::combine_all_encoded(&mut to[done..], ground.map(|bytes| &bytes[8 * done..]), by);
    }

    fn encode_ground(&self, elements: &[GaloisElement], bytes: &mut [u8]) {
        debug_assert_eq!(bytes.len(), 8 * elements.len());
        let done = simd::encode_ground(elements, bytes);
        portable::encode_ground(&elements[done..], &mut bytes[8 * done..]);
    }

    fn decode_ground(&self, bytes: &[u8], elements: &mut [GaloisElement]) -> Result<(), usize> {
        debug_assert_eq!(bytes.len(), 8 * elements.len());
        let done = simd::decode_ground(bytes, elements);
        portable::decode_ground(&bytes[8 * done..], &mut elements[done..]);
        Ok(())
    }

    fn add_ground(&self, sum: &mut [GaloisElement], bytes: &[u8], subtracted: bool) {
        debug_assert_eq!(bytes.len(), 8 * sum.len());
        let done = simd::add_ground(sum, bytes, subtracted);
        portable::add_ground(&mut sum[done..], &bytes[8 * done..], subtracted);
    }

    super::loops::loops!(pow pow_all add_assign sub_assign add_scaled add_products dot combine encode_all decode_all uniform_all add_uniform);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(seed: u64) -> GaloisElement {
        let mixed = |step: u64| (seed + step).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ seed << 3;
        of(mixed(1), mixed(77))
    }

    #[test]
    fn points_are_the_cube_roots_of_unity() {
        let ring = GaloisRing;
        for number in 1..=3 {
            assert_eq!(ring.pow(ring.point(number), &[3]), ring.one());
            for other in (1..=3).filter(|other| *other != number) {
                let difference = ring.sub(ring.point(number), ring.point(other));
                assert_eq!(ring.mul(difference, ring.inverse(difference)), ring.one());
            }
        }
        assert_eq!(ring.mul(ring.point(2), ring.point(2)), ring.point(3));
    }

    #[test]
    fn the_ring_is_commutative_and_distributive_and_units_have_inverses() {
        let ring = GaloisRing;
        for seed in 0..500 {
            let [a, b, c] = [1, 2, 3].map(|step| some(3 * seed + step));
            assert_eq!(ring.mul(a, b), ring.mul(b, a));
            assert_eq!(ring.mul(a, ring.mul(b, c)), ring.mul(ring.mul(a, b), c));
            assert_eq!(ring.mul(a, ring.add(b, c)), ring.add(ring.mul(a, b), ring.mul(a, c)));
            assert_eq!(ring.sub(ring.add(a, b), b), a);
            let [low, high] = a.0;
            if (low | high) & 1 == 1 {
                assert_eq!(ring.mul(a, ring.inverse(a)), ring.one());
            }
            let mut bytes = [0; 16];
            ring.encode(a, &mut bytes);
            assert_eq!(ring.decode(&bytes), Some(a));
            assert_eq!(ring.decode(&bytes[1..]), None);
        }
        // Words are integers modulo 2^64.
        let [a, b] = [u64::MAX - 5, 1 << 63 | 12_345];
        let words = |a: u64| ring.element(a);
        assert_eq!(ring.mul(words(a), words(b)), words(a.wrapping_mul(b)));
        assert_eq!(ring.ground(ring.add(words(a), words(b))), a.wrapping_add(b));
    }

    #[test]
    fn the_ground_keeps_sums_and_words() {
        let ring = GaloisRing;
        for seed in 0..100 {
            let (a, b) = (some(seed), some(seed + 1000));
            assert_eq!(ring.share(ring.parts(a)), a);
            let mut given = [a, b, ring.add(a, b)];
            ring.to_ground(&mut given);
            assert_eq!(ring.add(given[0], given[1]), given[2], "linear");
            let mut bytes = [0; 24];
            ring.encode_ground(&given, &mut bytes);
            let mut back = [GaloisElement::default(); 3];
            assert_eq!(ring.decode_ground(&bytes, &mut back), Ok(()));
            assert_eq!(back, given);
            assert_eq!(ring.ground(given[0]), a.0[0]);
            let mut sum = [b, a, b];
            ring.add_ground(&mut sum, &bytes, false);
            assert_eq!(sum, [ring.add(b, given[0]), ring.add(a, given[1]), ring.add(b, given[2])]);
            ring.add_ground(&mut sum, &bytes, true);
            assert_eq!(sum, [b, a, b]);
            let (mut scaled, mut expected) = ([a, b], [ring.mul(a, b), ring.mul(b, b)]);
            ring.scale_to_ground(&mut scaled, b);
            ring.to_ground(&mut expected);
            assert_eq!(scaled, expected);
            let (x, y, mut combined) = (given[0], given[1], [given[0]]);
            ring.combine_ground(&mut combined, &[y], [a, b]);
            assert_eq!(combined, [ring.add(ring.mul(x, a), ring.mul(y, b))]);
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod vector_tests {
    use proptest::prelude::*;

    use super::*;

    fn elements() -> impl Strategy<Value = Vec<GaloisElement>> {
        let words = prop_oneof![any::<u64>(), proptest::sample::select(vec![0, 1, u64::MAX, 1 << 63])];
        proptest::collection::vec((words.clone(), words).prop_map(|(low, high)| of(low, high)), 40)
    }

    /// What a kernel has done to the first elements, beside what its twin does to all.
    fn alike<T: Clone + PartialEq + std::fmt::Debug>(
        start: &[T],
        each: usize,
        kernel: impl Fn(&mut [T]) -> usize,
        twin: impl Fn(&mut [T]),
    ) {
        let (mut quick, mut plain) = (start.to_vec(), start.to_vec());
        let done = each * kernel(&mut quick);
        twin(&mut plain);
        assert_eq!(quick[..done], plain[..done]);
        assert_eq!(quick[done..], start[done..]);
    }

    proptest! {
        #[test]
        fn vectors_compute_as_their_twins(a in elements(), b in elements(), by in elements(), length in 0usize..40) {
            let (a, b, [x, y]) = (&a[..length], &b[..length], [by[0].0, by[1].0]);
            alike(a, 1, |a| simd::mul_assign(a, b), |a| portable::mul_assign(a, b));
            alike(a, 1, |a| simd::scale_to_ground(a, x), |a| portable::scale_to_ground(a, x));
            alike(a, 1, |a| simd::combine_ground(a, b, [x, y]), |a| portable::combine_ground(a, b, [x, y]));
            let multiplied = |to: &mut [GaloisElement]| portable::multiply_to_ground(to, (a, b), x);
            alike(b, 1, |to| simd::multiply_to_ground(to, (a, b), x), multiplied);
            let masks = [a, b].map(|mask| {
                let mut bytes = vec![0; 8 * length];
                portable::encode_ground(mask, &mut bytes);
                bytes
            });
            let masks = [&masks[0][..], &masks[1][..]];
            let mut bytes = vec![7; 8 * length];
            for factor in [x, [x[0], 0]] {
                let masked = |to: &mut [u8]| portable::multiply_masked(to, (a, b), factor, masks);
                alike(&bytes, 8, |to| simd::multiply_masked(to, (a, b), factor, masks), masked);
            }
            alike(&bytes, 8, |bytes| simd::encode_ground(a, bytes), |bytes| portable::encode_ground(a, bytes));
            portable::encode_ground(b, &mut bytes);
            alike(a, 1, |a| simd::decode_ground(&bytes, a), |a| portable::decode_ground(&bytes, a));
            let both = [masks[0], &bytes[..]];
            let combined = |a: &mut [GaloisElement]| portable::combine_all_encoded(a, both, [x, y]);
            alike(a, 1, |a| simd::combine_all_encoded(a, both, [x, y]), combined);
            for subtracted in [false, true] {
                let added = |a: &mut [GaloisElement]| portable::add_ground(a, &bytes, subtracted);
                alike(a, 1, |a| simd::add_ground(a, &bytes, subtracted), added);
            }
        }
    }
}
