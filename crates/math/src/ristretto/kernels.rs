//! Operations on slices of points, as many at a time as a word has lanes.
//!
//! Source: RFC 9496, section 4; encodings of doubles in batches are Hamburg's, from the notes on ristretto.group.

use super::constants::{
    D, D_MINUS_ONE_SQUARED, INVSQRT_A_MINUS_D, ONE_MINUS_D_SQUARED, SQRT_AD_MINUS_ONE, SQRT_MINUS_ONE,
};
use super::curve::{self, Extended, Fixed};
use super::field::Field;
use super::point::{Encoding, Point};
use super::word::{MAX_LANES, Word};

/// The index of the first invalid encoding; points from there on are unchanged.
#[inline(always)]
pub(super) fn decode<W: Word>(encodings: &[Encoding], points: &mut [Point]) -> Option<usize> {
    let chunks = encodings.chunks(W::LANES).zip(points.chunks_mut(W::LANES));
    for (chunk, (encodings, points)) in chunks.enumerate() {
        let (valid, point) = decoded::<W>(encodings);
        let mut masks = [0; MAX_LANES];
        valid.store(&mut masks);
        // All encodings are examined: only whether all are valid is revealed.
        let all = masks[..encodings.len()].iter().fold(u64::MAX, |all, mask| all & mask);
        if all == 0 {
            let lane = masks.iter().position(|mask| *mask == 0).unwrap_or(0);
            return Some(chunk * W::LANES + lane);
        }
        point.store(points);
    }
    None
}

#[inline(always)]
fn decoded<W: Word>(encodings: &[Encoding]) -> (W, Extended<W>) {
    let (canonical, s) = Field::<W>::decode(encodings);
    let even = s.0[0].and(W::all(1)).is_zero();
    let one = Field::ONE();
    let ss = s.square();
    let (u1, u2) = (one - ss, one + ss);
    let u2_squared = u2.square();
    let v = -(Field::all(D) * u1.square()) - u2_squared;
    let (square, root) = Field::root_of_ratio(one, v * u2_squared);
    let den_x = root * u2;
    let den_y = root * den_x * v;
    let x = (s.double() * den_x).absolute();
    let y = u1 * den_y;
    let t = x * y;
    let wrong = t.is_negative().or(y.is_zero());
    let valid = canonical.and(even).and(square).and(wrong.is_zero());
    (valid, Extended { x, y, z: one, t })
}

#[inline(always)]
pub(super) fn encode<W: Word>(points: &[Point], encodings: &mut [Encoding]) {
    for (points, encodings) in points.chunks(W::LANES).zip(encodings.chunks_mut(W::LANES)) {
        encoded(Extended::<W>::load(points)).encode(encodings);
    }
}

#[inline(always)]
fn encoded<W: Word>(point: Extended<W>) -> Field<W> {
    let Extended { x, y, z, t } = point;
    let i = Field::all(SQRT_MINUS_ONE);
    let (u1, u2) = ((z + y) * (z - y), x * y);
    let (_, root) = Field::root_of_ratio(Field::ONE(), u1 * u2.square());
    let (den1, den2) = (root * u1, root * u2);
    let z_inverse = den1 * den2 * t;
    let rotate = (t * z_inverse).is_negative();
    let rotated_den = den1 * Field::all(INVSQRT_A_MINUS_D);
    let (rotated_x, rotated_y) = (y * i, x * i);
    let x = Field::select(rotate, rotated_x, x);
    let y = Field::select(rotate, rotated_y, y);
    let den = Field::select(rotate, rotated_den, den2);
    let y = y.negate_if((x * z_inverse).is_negative());
    (den * (z - y)).absolute()
}

/// Vectors that share an inversion.
const SHARING: usize = 32;

/// The coordinates e/f and g/h of a double, as its encoding takes them.
#[derive(Clone, Copy)]
struct Doubled<W> {
    e: Field<W>,
    f: Field<W>,
    g: Field<W>,
    h: Field<W>,
    eg: Field<W>,
    fh: Field<W>,
    /// The product of those before.
    before: Field<W>,
}

impl<W: Word> Doubled<W> {
    #[inline(always)]
    fn new(point: Extended<W>) -> Doubled<W> {
        let dtt = point.t.square() * Field::all(D);
        let zz = point.z.square();
        let e = (point.x * point.y).double();
        let (f, h) = (zz + dtt, zz - dtt);
        let g = point.y.square() + point.x.square();
        Doubled { e, f, g, h, eg: e * g, fh: f * h, before: Field::ONE() }
    }

    /// The encoding, with the inverse of e·f·g·h, or 0 where that is 0.
    #[inline(always)]
    fn encoded(self, inverse: Field<W>) -> Field<W> {
        let i = Field::all(SQRT_MINUS_ONE);
        let (z_inverse, t_inverse) = (self.eg * inverse, self.fh * inverse);
        let rotate = (self.eg * z_inverse).is_negative();
        let e = Field::select(rotate, self.g, self.e);
        let g = Field::select(rotate, -self.e, self.g);
        let h = Field::select(rotate, self.f * i, self.h);
        let factor = Field::select(rotate, i, Field::all(INVSQRT_A_MINUS_D));
        let g = g.negate_if((h * e * z_inverse).is_negative());
        ((h - g) * (factor * (g * t_inverse))).absolute()
    }
}

#[inline(always)]
pub(super) fn encode_doubles<W: Word>(points: &[Point], encodings: &mut [Encoding]) {
    let size = SHARING * W::LANES;
    let mut doubled = [Doubled::<W>::new(Extended::identity()); SHARING];
    for (points, encodings) in points.chunks(size).zip(encodings.chunks_mut(size)) {
        let vectors = points.len().div_ceil(W::LANES);
        let mut product = Field::ONE();
        for (doubled, points) in doubled.iter_mut().zip(points.chunks(W::LANES)) {
            *doubled = Doubled::new(Extended::load(points));
            doubled.before = product;
            product = product * without_zero(doubled.eg * doubled.fh).1;
        }
        let mut inverse = product.inverse();
        let last_first = doubled[..vectors].iter().zip(encodings.chunks_mut(W::LANES)).rev();
        for (doubled, encodings) in last_first {
            let (zero, value) = without_zero(doubled.eg * doubled.fh);
            let own = Field::select(zero, Field::ZERO(), inverse * doubled.before);
            inverse = inverse * value;
            doubled.encoded(own).encode(encodings);
        }
    }
    doubled.fill(Doubled::new(Extended::identity()));
    core::hint::black_box(&doubled);
}

/// Where the value is zero, and the value with 1 in place of zeros.
#[inline(always)]
fn without_zero<W: Word>(value: Field<W>) -> (W, Field<W>) {
    let zero = value.is_zero();
    (zero, Field::select(zero, Field::ONE(), value))
}

#[inline(always)]
pub(super) fn hash<W: Word>(uniform: &[[u8; 64]], points: &mut [Point]) {
    for (uniform, points) in uniform.chunks(W::LANES).zip(points.chunks_mut(W::LANES)) {
        let mut halves = [[[0; 32]; MAX_LANES]; 2];
        for (lane, bytes) in uniform.iter().enumerate() {
            let (first, second) = bytes.split_at(32);
            halves[0][lane].copy_from_slice(first);
            halves[1][lane].copy_from_slice(second);
        }
        let mut sum = Extended::<W>::identity();
        for half in &halves {
            sum = sum.add(&mapped(Field::decode(&half[..W::LANES]).1).summand()).extended();
        }
        sum.store(points);
    }
}

/// Elligator's map.
#[inline(always)]
fn mapped<W: Word>(t: Field<W>) -> Extended<W> {
    let (one, d) = (Field::<W>::ONE(), Field::all(D));
    let r = Field::all(SQRT_MINUS_ONE) * t.square();
    let u = (r + one) * Field::all(ONE_MINUS_D_SQUARED);
    let v = (-one - r * d) * (r + d);
    let (square, root) = Field::root_of_ratio(u, v);
    let s = Field::select(square, root, -(root * t).absolute());
    let c = Field::select(square, -one, r);
    let n = c * (r - one) * Field::all(D_MINUS_ONE_SQUARED) - v;
    let ss = s.square();
    let (w0, w1) = ((s * v).double(), n * Field::all(SQRT_AD_MINUS_ONE));
    let (w2, w3) = (one - ss, one + ss);
    Extended { x: w0 * w3, y: w2 * w1, z: w1 * w3, t: w0 * w2 }
}

#[inline(always)]
pub(super) fn add<W: Word>(others: &[Point], points: &mut [Point]) {
    let all = [others.first().copied().unwrap_or(Point::IDENTITY); MAX_LANES];
    for (chunk, points) in points.chunks_mut(W::LANES).enumerate() {
        let others = match others {
            [_] => &all[..points.len()],
            several => &several[chunk * W::LANES..][..points.len()],
        };
        let summand = Extended::<W>::load(others).summand();
        Extended::load(points).add(&summand).extended().store(points);
    }
}

#[inline(always)]
pub(super) fn multiply<W: Word>(scalars: &[[u8; 32]], points: &mut [Point]) {
    for (chunk, points) in points.chunks_mut(W::LANES).enumerate() {
        let scalars = match scalars {
            [_] => scalars,
            several => &several[chunk * W::LANES..][..points.len()],
        };
        curve::multiply(Extended::<W>::load(points), scalars).store(points);
    }
}

#[inline(always)]
pub(super) fn multiply_fixed<W: Word>(fixed: &Fixed, scalars: &[[u8; 32]], points: &mut [Point]) {
    for (scalars, points) in scalars.chunks(W::LANES).zip(points.chunks_mut(W::LANES)) {
        fixed.multiply::<W>(scalars).store(points);
    }
}
