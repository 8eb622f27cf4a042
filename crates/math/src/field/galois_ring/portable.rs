//! Kernels of the Galois ring without vectors.

use super::{GaloisElement, GaloisRing, of, word};
use crate::field::Field;

/// `a[i] *= b[i]`.
pub(super) fn mul_assign(a: &mut [GaloisElement], b: &[GaloisElement]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a = GaloisRing.mul(*a, *b);
    }
}

/// The images of `a[i] · factor` in the ground.
pub(super) fn scale_to_ground(elements: &mut [GaloisElement], by: [u64; 2]) {
    for GaloisElement(element) in elements {
        let (low, high) = (element[0].wrapping_mul(by[0]), element[1].wrapping_mul(by[1]));
        *element = [low.wrapping_sub(high), 0];
    }
}

/// `a[i] = a[i] · x + b[i] · y`, of elements of the ground.
pub(super) fn combine_ground(a: &mut [GaloisElement], b: &[GaloisElement], [x, y]: [[u64; 2]; 2]) {
    for (a, GaloisElement([b, _])) in a.iter_mut().zip(b) {
        *a = combined([a.0[0], *b], [x, y]);
    }
}

/// The sum of two words, each times an element.
fn combined([a, b]: [u64; 2], [x, y]: [[u64; 2]; 2]) -> GaloisElement {
    let word = |which: usize| a.wrapping_mul(x[which]).wrapping_add(b.wrapping_mul(y[which]));
    of(word(0), word(1))
}

/// The images of `a[i] · b[i] · factor` in the ground.
pub(super) fn multiply_to_ground(
    to: &mut [GaloisElement],
    (a, b): (&[GaloisElement], &[GaloisElement]),
    factor: [u64; 2],
) {
    to.copy_from_slice(a);
    mul_assign(to, b);
    scale_to_ground(to, factor);
}

/// The same as bytes, with the first of the masks added and the second subtracted.
pub(super) fn multiply_masked(
    to: &mut [u8],
    (a, b): (&[GaloisElement], &[GaloisElement]),
    [low, high]: [u64; 2],
    [added, subtracted]: [&[u8]; 2],
) {
    let masks = added.chunks_exact(8).map(word).zip(subtracted.chunks_exact(8).map(word));
    let factors = a.iter().zip(b);
    for ((to, (a, b)), (added, subtracted)) in to.chunks_exact_mut(8).zip(factors).zip(masks) {
        let GaloisElement(product) = GaloisRing.mul(*a, *b);
        let image = product[0].wrapping_mul(low).wrapping_sub(product[1].wrapping_mul(high));
        to.copy_from_slice(&image.wrapping_add(added).wrapping_sub(subtracted).to_le_bytes());
    }
}

/// `to[i] = own[i] · x + theirs[i] · y`, of words as bytes.
pub(super) fn combine_all_encoded(to: &mut [GaloisElement], ground: [&[u8]; 2], by: [[u64; 2]; 2]) {
    let [own, theirs] = ground.map(|bytes| bytes.chunks_exact(8).map(word));
    for (to, (own, theirs)) in to.iter_mut().zip(own.zip(theirs)) {
        *to = combined([own, theirs], by);
    }
}

/// The words without `x`, as bytes.
pub(super) fn encode_ground(elements: &[GaloisElement], bytes: &mut [u8]) {
    for (element, bytes) in elements.iter().zip(bytes.chunks_exact_mut(8)) {
        bytes.copy_from_slice(&element.0[0].to_le_bytes());
    }
}

/// The elements of the ground in bytes.
pub(super) fn decode_ground(bytes: &[u8], elements: &mut [GaloisElement]) {
    for (element, bytes) in elements.iter_mut().zip(bytes.chunks_exact(8)) {
        *element = of(word(bytes), 0);
    }
}

/// Adds or subtracts the elements of the ground in bytes.
pub(super) fn add_ground(sum: &mut [GaloisElement], bytes: &[u8], subtracted: bool) {
    let sums = sum.iter_mut().zip(bytes.chunks_exact(8).map(word));
    match subtracted {
        false => sums.for_each(|(sum, word)| sum.0[0] = sum.0[0].wrapping_add(word)),
        true => sums.for_each(|(sum, word)| sum.0[0] = sum.0[0].wrapping_sub(word)),
    }
}
