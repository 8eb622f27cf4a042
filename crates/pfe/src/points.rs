//! Points of ristretto255: of wires, of peers, and their encodings in batches.

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity;
use tacit_crypto::{Oracle, Prg};
use zeroize::Zeroizing;

use crate::PfeError;
use crate::rows::Key;

/// Bytes of a seed of wires' points.
pub(crate) const SEED: usize = 32;

/// The points w_i of which a wire's W_i is the double, from a public seed: a hash onto the group, so nobody knows a logarithm.
pub(crate) struct WirePoints(Oracle);

impl WirePoints {
    pub fn new(seed: &[u8; SEED]) -> WirePoints {
        WirePoints(Oracle::new("tacit private functions v1: wire").absorb(seed))
    }

    /// w_i for wire i.
    pub fn half(&self, wire: usize) -> RistrettoPoint {
        let mut bytes = [0; 64];
        self.0.clone().absorb(&(wire as u64).to_le_bytes()).stream().fill(&mut bytes);
        RistrettoPoint::from_uniform_bytes(&bytes)
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
pub(crate) fn random_point(prg: &mut Prg) -> RistrettoPoint {
    let mut bytes = Zeroizing::new([0; 64]);
    loop {
        prg.fill_bytes(&mut *bytes);
        let point = RistrettoPoint::from_uniform_bytes(&bytes);
        if !point.is_identity() {
            return point;
        }
    }
}

/// The encodings of the doubles, with one inversion for all.
pub(crate) fn encode_doubles(halves: &[RistrettoPoint]) -> Zeroizing<Vec<Key>> {
    let encodings = Zeroizing::new(RistrettoPoint::double_and_compress_batch(halves));
    Zeroizing::new(encodings.iter().map(CompressedRistretto::to_bytes).collect())
}

/// The point of a canonical encoding, other than the identity.
pub(crate) fn decode(bytes: &Key) -> Option<RistrettoPoint> {
    CompressedRistretto(*bytes).decompress().filter(|point| !point.is_identity())
}

/// [`decode`] for a point of the peer.
pub(crate) fn decode_from_peer(
    bytes: &Key,
    what: &'static str,
    index: usize,
) -> Result<RistrettoPoint, PfeError> {
    decode(bytes).ok_or(PfeError::Point { what, index })
}
