//! Finite fields, as values that know their modulus and work on slices of elements.
//!
//! | field | elements | an element on the wire |
//! |---|---|---|
//! | [`Mersenne61`] | one word | 8 bytes |
//! | [`Montgomery`] of 1, 2, 3, 4 or 8 limbs: any odd prime below 2^512 | that many words, in Montgomery form | as many bytes as the modulus has |
//! | [`Gf256`] | a byte | 1 byte |
//! | [`Gf2e64`], which extends it | a word | 8 bytes |
//! | [`BitSliced`]: 64 elements of GF(4), GF(8) or GF(16) side by side | 4 words | 16, 24 or 32 bytes |
//! | [`BitOctets`]: 8 elements of GF(4) side by side | 2 bytes | 2 bytes, or 1 where they are bits |
//! | [`GaloisRing`], which is no field: words modulo 2^64 with a root of unity | two words | 16 bytes, or 8 where they are words |
//!
//! Elements may be secret: no operation branches on them or uses them as an address. What is raised to a power may be
//! secret, the exponent is public.

mod bit_octets;
mod bit_sliced;
mod galois_ring;
mod gf256;
mod gf2e64;
mod loops;
mod mersenne;
mod montgomery;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod vector;

use core::fmt::Debug;
use std::sync::Arc;

use zeroize::{DefaultIsZeroes, Zeroizing};

use crate::Wiped;

pub use bit_octets::{BitOctets, Octet};
pub use bit_sliced::{BitSliced, Slices};
pub use galois_ring::{GaloisElement, GaloisRing};
pub use gf2e64::Gf2e64;
pub use gf256::Gf256;
pub use mersenne::Mersenne61;
pub use montgomery::{ModulusError, Montgomery, Residue};

/// Limbs of the largest modulus: 512 bits.
pub const MAX_LIMBS: usize = 8;

/// The methods of a field that is its own [`Field::Extension`].
macro_rules! extends_itself {
    () => {
        type Extension = Self;

        fn extension(&self) -> Self {
            *self
        }

        fn lift(&self, elements: &[Self::Element]) -> Vec<Self::Element> {
            elements.to_vec()
        }

        fn lift_shared(
            &self,
            elements: &std::sync::Arc<crate::Wiped<Self::Element>>,
        ) -> std::sync::Arc<crate::Wiped<Self::Element>> {
            elements.clone()
        }
    };
}
use extends_itself;

/// A finite field.
///
/// `decode(encode(x)) = x`; everything that a method returns is fully reduced, so elements are equal exactly when their
/// representations are.
pub trait Field: Clone + Debug + Send + Sync + 'static {
    /// An element. Its default is zero.
    type Element: Copy + Debug + Eq + Send + Sync + DefaultIsZeroes;

    /// The field in which sums of elements with random coefficients tell whether one of them is not zero: itself, or a larger one that contains it.
    type Extension: Field;

    /// That field. Its [`Field::point`]s are those of this one.
    fn extension(&self) -> Self::Extension;

    /// Elements in the extension, with the same sums and products.
    fn lift(&self, elements: &[Self::Element]) -> Vec<<Self::Extension as Field>::Element>;

    /// The same, without a copy where the extension is the field itself.
    fn lift_shared(
        &self,
        elements: &Arc<Wiped<Self::Element>>,
    ) -> Arc<Wiped<<Self::Extension as Field>::Element>> {
        Arc::new(Wiped::from(self.lift(elements)))
    }

    /// One.
    fn one(&self) -> Self::Element;

    /// The integer `value` modulo the characteristic; in [`Gf256`] the polynomial whose coefficients are the low 8 bits.
    /// Distinct numbers below the order of the field (and below 2^64) give distinct elements.
    fn element(&self, value: u64) -> Self::Element;

    /// The point of Shamir's scheme with this number, from 1 on. Differences of distinct points, and points themselves, have inverses.
    fn point(&self, number: u64) -> Self::Element {
        self.element(number)
    }

    /// `a + b`.
    fn add(&self, a: Self::Element, b: Self::Element) -> Self::Element;

    /// `a - b`.
    fn sub(&self, a: Self::Element, b: Self::Element) -> Self::Element;

    /// `a · b`.
    fn mul(&self, a: Self::Element, b: Self::Element) -> Self::Element;

    /// The number of elements, least significant limb first, without leading zeros.
    fn order(&self) -> Vec<u64>;

    /// Bytes of an encoded element.
    fn bytes(&self) -> usize;

    /// Writes the canonical integer, least significant byte first, to exactly [`Field::bytes`] bytes.
    fn encode(&self, element: Self::Element, bytes: &mut [u8]);

    /// Reads what [`Field::encode`] wrote, or nothing if the bytes are not canonical: too large, or of another length.
    fn decode(&self, bytes: &[u8]) -> Option<Self::Element>;

    /// Bytes that [`Field::uniform`] takes.
    fn uniform_bytes(&self) -> usize;

    /// [`Field::uniform`] is at a statistical distance from uniform of at most 2 to minus this, which is at least 60.
    fn uniform_security(&self) -> usize;

    /// An element from [`Field::uniform_bytes`] uniform bytes, as near to uniform as [`Field::uniform_security`] says.
    fn uniform(&self, bytes: &[u8]) -> Self::Element;

    /// `-a`.
    fn neg(&self, a: Self::Element) -> Self::Element {
        self.sub(Self::Element::default(), a)
    }

    /// `a` to the power of a public exponent, least significant limb first.
    fn pow(&self, a: Self::Element, exponent: &[u64]) -> Self::Element;

    /// Every element to the power of a public exponent, as [`Field::pow`]. Several at a time, so that their products don't wait for one another, and four bits of the
    /// exponent at a time.
    fn pow_all(&self, elements: &mut [Self::Element], exponent: &[u64]);

    /// `1 / a`, and 0 for 0, by Fermat's little theorem.
    fn inverse(&self, a: Self::Element) -> Self::Element;

    /// `a[i] += b[i]`. The slices are equally long.
    fn add_assign(&self, a: &mut [Self::Element], b: &[Self::Element]);

    /// `a[i] -= b[i]`. The slices are equally long.
    fn sub_assign(&self, a: &mut [Self::Element], b: &[Self::Element]);

    /// `a[i] *= b[i]`. The slices are equally long.
    fn mul_assign(&self, a: &mut [Self::Element], b: &[Self::Element]);

    /// `sum[i] += a[i] · factor`. The slices are equally long.
    fn add_scaled(&self, sum: &mut [Self::Element], a: &[Self::Element], factor: Self::Element);

    /// `sum[i] += a[i] · b[i]`. The slices are equally long.
    fn add_products(&self, sum: &mut [Self::Element], a: &[Self::Element], b: &[Self::Element]);

    /// The inner product of equally long slices.
    fn dot(&self, a: &[Self::Element], b: &[Self::Element]) -> Self::Element;

    /// `sum[i] = columns[0][i] · factors[0] + columns[1][i] · factors[1] + …`. There are as many columns as factors, each as long as `sum`.
    fn combine(&self, sum: &mut [Self::Element], columns: &[&[Self::Element]], factors: &[Self::Element]);

    /// Writes all elements one after the other, to exactly `elements.len() · bytes()` bytes.
    fn encode_all(&self, elements: &[Self::Element], bytes: &mut [u8]);

    /// Reads as many elements as `elements` holds, or says which one is not canonical, counted from 0.
    ///
    /// Errors: the position of the first element that is not; what comes before it is written.
    fn decode_all(&self, bytes: &[u8], elements: &mut [Self::Element]) -> Result<(), usize>;

    /// As many uniform elements as `elements` holds, from [`Field::uniform_bytes`] bytes for each.
    fn uniform_all(&self, bytes: &[u8], elements: &mut [Self::Element]);

    /// Bytes of an encoded element of the ground: the smaller ring, if there is one, in which everything lies that is shared in this field. Less than [`Field::bytes`] only
    /// where there is one; then uniform bytes are the encoding of a uniform element.
    fn ground_bytes(&self) -> usize {
        self.bytes()
    }

    /// Maps elements to the ground by a linear map that keeps the elements there. So where parts sum to an element of the ground, their images do.
    fn to_ground(&self, _: &mut [Self::Element]) {}

    /// Maps elements times a factor to the ground.
    fn scale_to_ground(&self, elements: &mut [Self::Element], factor: Self::Element);

    /// `a[i] = a[i] · by[0] + b[i] · by[1]`, of elements of the ground. The slices are equally long.
    fn combine_ground(&self, a: &mut [Self::Element], b: &[Self::Element], by: [Self::Element; 2]);

    /// `to[i] = a[i] · b[i] · factor`, mapped to the ground. The slices are equally long.
    fn multiply_to_ground(
        &self,
        to: &mut [Self::Element],
        (a, b): (&[Self::Element], &[Self::Element]),
        factor: Self::Element,
    ) {
        to.copy_from_slice(a);
        self.mul_assign(to, b);
        self.scale_to_ground(to, factor);
    }

    /// [`Field::multiply_to_ground`], plus the first and minus the second of `masks`, all as [`Field::encode_ground`] writes elements. Only where there is a ground below
    /// the field, as for [`Field::add_ground`].
    fn multiply_masked(
        &self,
        to: &mut [u8],
        (a, b): (&[Self::Element], &[Self::Element]),
        by: Self::Element,
        [added, subtracted]: [&[u8]; 2],
    ) {
        let (mut made, bytes) =
            (Zeroizing::new([Self::Element::default(); AT_ONCE]), AT_ONCE * self.ground_bytes());
        let masks = added.chunks(bytes).zip(subtracted.chunks(bytes));
        let factors = a.chunks(AT_ONCE).zip(b.chunks(AT_ONCE));
        for ((to, (added, subtracted)), (a, b)) in to.chunks_mut(bytes).zip(masks).zip(factors) {
            let made = &mut made[..a.len()];
            self.multiply_to_ground(made, (a, b), by);
            self.add_ground(made, added, false);
            self.add_ground(made, subtracted, true);
            self.encode_ground(made, to);
        }
    }

    /// [`Field::combine_ground`] with what [`Field::encode_ground`] wrote of `b`.
    ///
    /// Errors: the position of the first element that is not canonical; some of what comes before it is combined.
    fn combine_encoded(
        &self,
        a: &mut [Self::Element],
        bytes: &[u8],
        by: [Self::Element; 2],
    ) -> Result<(), usize> {
        let mut decoded = Zeroizing::new([Self::Element::default(); AT_ONCE]);
        let parts = a.chunks_mut(AT_ONCE).zip(bytes.chunks(AT_ONCE * self.ground_bytes()));
        for (first, (a, bytes)) in (0..).step_by(AT_ONCE).zip(parts) {
            let b = &mut decoded[..a.len()];
            self.decode_ground(bytes, b).map_err(|wrong| first + wrong)?;
            self.combine_ground(a, b, by);
        }
        Ok(())
    }

    /// `to[i] = own[i] · by[0] + theirs[i] · by[1]`, of elements of the ground as [`Field::encode_ground`] writes them. Only where there is a ground below the field, as for
    /// [`Field::add_ground`].
    fn combine_all_encoded(
        &self,
        to: &mut [Self::Element],
        [own, theirs]: [&[u8]; 2],
        by: [Self::Element; 2],
    ) {
        let _ = self.decode_ground(own, to);
        let _ = self.combine_encoded(to, theirs, by);
    }

    /// Writes the images of elements in the ground, to exactly `elements.len() · ground_bytes()` bytes.
    fn encode_ground(&self, elements: &[Self::Element], bytes: &mut [u8]);

    /// Reads what [`Field::encode_ground`] wrote, as [`Field::decode_all`].
    ///
    /// Errors: as there.
    fn decode_ground(&self, bytes: &[u8], elements: &mut [Self::Element]) -> Result<(), usize>;

    /// Adds elements of the ground that lie one after the other as [`Field::encode_ground`] writes them, or subtracts them. Only where there is a ground below the field: there all
    /// bytes are elements.
    fn add_ground(&self, sum: &mut [Self::Element], bytes: &[u8], subtracted: bool);

    /// Adds to every element a uniform one times a factor: what [`Field::uniform`] makes of [`Field::uniform_bytes`] bytes for each.
    fn add_uniform(&self, sum: &mut [Self::Element], bytes: &[u8], factor: Self::Element);
}

/// Elements that are handled together where they are only needed in between.
const AT_ONCE: usize = 256;

/// The first eight bytes as a number, least significant first.
#[inline(always)]
fn word(bytes: &[u8]) -> u64 {
    if let Some(word) = bytes.first_chunk() {
        return u64::from_le_bytes(*word);
    }
    let mut word = [0; 8];
    let n = bytes.len().min(8);
    word[..n].copy_from_slice(&bytes[..n]);
    u64::from_le_bytes(word)
}
