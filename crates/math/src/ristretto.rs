//! ristretto255 in batches: many points at a time, eight side by side by AVX-512 IFMA if the processor has
//! it.
//!
//! The group, its encoding and its hash are those of RFC 9496. A portable twin processes points one after
//! another: on processors without the instructions, for the few points of a small batch, and for operators.
//!
//! Security: constant time in points and scalars; tables are read by masks or register permutations. Only the
//! number of points is revealed, and the index of the first invalid encoding of a batch. Cost for each point
//! on one thread of two that share a core, by AVX-512 and portable:
//!
//! | | decode, encode | encode doubles | hash | multiply by a table | multiply |
//! |---|---|---|---|---|---|
//! | AVX-512 | 0.8 µs | 0.1 µs | 1.7 µs | 2.8 µs | 5.8 µs |
//! | portable | 3.5 µs | 0.5 µs | 7.5 µs | 12.5 µs | 44 µs |

mod constants;
mod curve;
mod field;
mod kernels;
mod point;
mod portable;
#[cfg(target_arch = "x86_64")]
mod simd;
mod word;

use core::ops::{Add, Neg, Sub};
use std::sync::LazyLock;

use zeroize::Zeroize;

pub use curve::Fixed;
pub use point::{BYTES, Encoding, Point};

use curve::Extended;
use field::Field;
use word::Word;

crate::redacted!(Fixed);

/// Whether this processor has the instructions that do eight points at once.
pub fn available() -> bool {
    #[cfg(target_arch = "x86_64")]
    return simd::available();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Up to this many points, one after another is as fast as all at once.
#[cfg(target_arch = "x86_64")]
const FEW: usize = 2;

/// Runs the kernel on eight points at a time if the processor has the instructions and there are more than a
/// few points.
macro_rules! dispatch {
    ($kernel:ident($($argument:expr),*) of $count:expr) => {{
        #[cfg(target_arch = "x86_64")]
        if $count > FEW && simd::available() {
            return simd::$kernel($($argument),*);
        }
        kernels::$kernel::<u64>($($argument),*)
    }};
}

/// Decodes encodings into `points`. The identity, whose encoding is all zeros, is a valid point.
///
/// # Errors
/// The index of the first encoding that is not canonical, or of no point.
///
/// # Panics
/// If the slices differ in length, here and below.
pub fn decode_into(encodings: &[Encoding], points: &mut [Point]) -> Result<(), usize> {
    assert_eq!(encodings.len(), points.len(), "a place for every point");
    match decode_dispatched(encodings, points) {
        None => Ok(()),
        Some(place) => Err(place),
    }
}

fn decode_dispatched(encodings: &[Encoding], points: &mut [Point]) -> Option<usize> {
    dispatch!(decode(encodings, points) of points.len())
}

/// Encodes points.
pub fn encode_into(points: &[Point], encodings: &mut [Encoding]) {
    assert_eq!(encodings.len(), points.len(), "a place for every encoding");
    dispatch!(encode(points, encodings) of points.len())
}

/// Encodes the doubles of points, with one inversion for many.
pub fn encode_doubles_into(points: &[Point], encodings: &mut [Encoding]) {
    assert_eq!(encodings.len(), points.len(), "a place for every encoding");
    dispatch!(encode_doubles(points, encodings) of points.len())
}

/// Derives points from uniform bytes, as RFC 9496 defines in its section 4.3.4.
pub fn hash_into(uniform: &[[u8; 64]], points: &mut [Point]) {
    assert_eq!(uniform.len(), points.len(), "a place for every point");
    dispatch!(hash(uniform, points) of points.len())
}

/// Multiplies each point by the scalar at its index, or all points by a single scalar. Scalars are secret, of
/// 256 bits, least significant byte first.
pub fn multiply(scalars: &[[u8; 32]], points: &mut [Point]) {
    assert!(scalars.len() == 1 || scalars.len() == points.len(), "one number, or as many as points");
    dispatch!(multiply(scalars, points) of points.len())
}

/// Adds to each point the one at its index, or to all points a single one.
pub fn add(others: &[Point], points: &mut [Point]) {
    assert!(others.len() == 1 || others.len() == points.len(), "one summand, or as many as points");
    dispatch!(add(others, points) of points.len())
}

/// The table of the group's base point.
pub fn base() -> &'static Fixed {
    static BASE: LazyLock<Fixed> = LazyLock::new(Fixed::base);
    &BASE
}

impl Fixed {
    /// The table's point times each scalar, as in [`multiply`].
    pub fn multiply_into(&self, scalars: &[[u8; 32]], points: &mut [Point]) {
        assert_eq!(scalars.len(), points.len(), "a place for every point");
        dispatch!(multiply_fixed(self, scalars, points) of points.len())
    }
}

impl Point {
    /// The neutral element.
    pub const IDENTITY: Point = Point([[0; 5], [1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0; 5]]);

    fn portable(&self) -> Extended<u64> {
        let [x, y, z, t] = self.0.map(Field);
        Extended { x, y, z, t }
    }

    fn of(point: Extended<u64>) -> Point {
        Point([point.x.0, point.y.0, point.z.0, point.t.0])
    }

    /// Twice the point.
    pub fn double(&self) -> Point {
        Point::of(self.portable().double().extended())
    }

    /// Whether it is the neutral element.
    pub fn is_identity(&self) -> bool {
        let Extended { x, y, .. } = self.portable();
        x.is_zero().or(y.is_zero()) != 0
    }
}

impl Default for Point {
    fn default() -> Point {
        Point::IDENTITY
    }
}

impl Zeroize for Point {
    fn zeroize(&mut self) {
        self.0.as_flattened_mut().zeroize();
    }
}

impl Add for &Point {
    type Output = Point;

    fn add(self, other: &Point) -> Point {
        Point::of(self.portable().add(&other.portable().summand()).extended())
    }
}

impl Sub for &Point {
    type Output = Point;

    fn sub(self, other: &Point) -> Point {
        Point::of(self.portable().add(&other.portable().summand().negate_if(u64::MAX)).extended())
    }
}

impl Neg for &Point {
    type Output = Point;

    fn neg(self) -> Point {
        let Extended { x, y, z, t } = self.portable();
        Point::of(Extended { x: -x, y, z, t: -t })
    }
}

impl PartialEq for Point {
    fn eq(&self, other: &Point) -> bool {
        let [a, b] = [self.portable(), other.portable()];
        (a.x * b.y).equals(a.y * b.x).or((a.y * b.y).equals(a.x * b.x)) != 0
    }
}

impl Eq for Point {}

#[cfg(test)]
mod tests;
