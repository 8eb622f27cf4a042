//! Batches of ristretto255 points: wires' points, points from peers, and encodings.

use core::ops::Range;

use curve25519_dalek::scalar::Scalar;
use tacit_crypto::{Oracle, Prg};
use tacit_math::ristretto::{self, Fixed, Point};
use zeroize::Zeroizing;

use crate::PfeError;
use crate::rows::{KEY, Key};

/// Bytes of a seed of wires' points.
pub(crate) const SEED: usize = 32;

/// Number of uniform bytes that are mapped to a point.
pub(crate) const UNIFORM: usize = 64;

/// The points w_i from a public seed; a wire's W_i is the double. They are hashed onto the group, so nobody knows
/// their logarithms.
pub(crate) struct WirePoints(Oracle);

impl WirePoints {
    pub fn new(seed: &[u8; SEED]) -> WirePoints {
        WirePoints(Oracle::new("tacit private functions v1: wire").absorb(seed))
    }

    /// w_i for these wires.
    pub fn halves(&self, wires: Range<usize>) -> Vec<Point> {
        let mut uniform = vec![[0; UNIFORM]; wires.len()];
        for (wire, bytes) in wires.zip(&mut uniform) {
            self.0.clone().absorb(&(wire as u64).to_le_bytes()).stream().fill(bytes);
        }
        let mut halves = vec![Point::IDENTITY; uniform.len()];
        ristretto::hash_into(&uniform, &mut halves);
        halves
    }
}

/// A uniform scalar other than 0, from uniform bytes.
pub(crate) fn random_scalar(mut fill: impl FnMut(&mut [u8])) -> Scalar {
    let mut bytes = Zeroizing::new([0; 64]);
    loop {
        fill(&mut *bytes);
        let scalar = Scalar::from_bytes_mod_order_wide(&bytes);
        if scalar != Scalar::ZERO {
            return scalar;
        }
    }
}

/// A uniform point other than the identity.
pub(crate) fn random_point(prg: &mut Prg) -> Point {
    let mut bytes = Zeroizing::new([[0; UNIFORM]]);
    let mut point = [Point::IDENTITY];
    loop {
        prg.fill_bytes(bytes.as_flattened_mut());
        ristretto::hash_into(&*bytes, &mut point);
        if !point[0].is_identity() {
            return point[0];
        }
    }
}

/// The points that these uniform bytes, which may be secret, are mapped to.
pub(crate) fn hashed(uniform: &[[u8; UNIFORM]]) -> Zeroizing<Vec<Point>> {
    let mut points = identities(uniform.len());
    ristretto::hash_into(uniform, &mut points);
    points
}

/// The multiples of a table's point.
pub(crate) fn multiples(table: &Fixed, scalars: &[Scalar]) -> Zeroizing<Vec<Point>> {
    let mut points = identities(scalars.len());
    table.multiply_into(&encoded(scalars), &mut points);
    points
}

/// All points times one scalar.
pub(crate) fn multiply_all(scalar: &Scalar, points: &mut [Point]) {
    ristretto::multiply(&encoded(&[*scalar]), points);
}

/// Each point times the scalar at its place.
pub(crate) fn multiply_each(scalars: &[Scalar], points: &mut [Point]) {
    // A single scalar multiplies all points; then there is only one point.
    ristretto::multiply(&encoded(scalars), points);
}

fn encoded(scalars: &[Scalar]) -> Zeroizing<Vec<[u8; 32]>> {
    Zeroizing::new(scalars.iter().map(Scalar::to_bytes).collect())
}

fn identities(count: usize) -> Zeroizing<Vec<Point>> {
    Zeroizing::new(vec![Point::IDENTITY; count])
}

/// Pairs of each point and its sum with `difference`.
pub(crate) fn pairs(zeros: &[Point], difference: &Point) -> Zeroizing<Vec<Point>> {
    let mut ones = Zeroizing::new(zeros.to_vec());
    ristretto::add(&[*difference], &mut ones);
    let mut pairs = identities(0);
    pairs.reserve_exact(2 * zeros.len());
    pairs.extend(zeros.iter().zip(ones.iter()).flat_map(|(zero, one)| [*zero, *one]));
    pairs
}

/// The encodings of the doubles.
pub(crate) fn encode_doubles(halves: &[Point]) -> Zeroizing<Vec<Key>> {
    let mut encodings = Zeroizing::new(vec![[0; KEY]; halves.len()]);
    ristretto::encode_doubles_into(halves, &mut encodings);
    encodings
}

/// The encodings of the points themselves, which take one inversion each.
pub(crate) fn encode_all(points: &[Point]) -> Zeroizing<Vec<Key>> {
    let mut encodings = Zeroizing::new(vec![[0; KEY]; points.len()]);
    ristretto::encode_into(points, &mut encodings);
    encodings
}

/// The encoding of a point.
pub(crate) fn encode(point: Point) -> Key {
    encode_all(&[point])[0]
}

/// The points of canonical encodings.
///
/// # Errors
/// The index of the first that is invalid or the identity.
pub(crate) fn decode(encodings: &[Key]) -> Result<Zeroizing<Vec<Point>>, usize> {
    let mut points = identities(encodings.len());
    let decoded = ristretto::decode_into(encodings, &mut points);
    // The identity has one encoding, zeros.
    let identity = encodings.iter().position(|encoding| encoding.iter().fold(0, |or, byte| or | byte) == 0);
    match decoded.err().into_iter().chain(identity).min() {
        Some(place) => Err(place),
        None => Ok(points),
    }
}

/// [`decode`] for points from the peer. `first` is the number of the first one.
pub(crate) fn decode_from_peer(
    encodings: &[Key],
    what: &'static str,
    first: usize,
) -> Result<Zeroizing<Vec<Point>>, PfeError> {
    decode(encodings).map_err(|place| PfeError::Point { what, index: first + place })
}
