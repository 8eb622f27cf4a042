//! How operands' points hide wires' points, and how operands' keys are computed from wires' keys.

use curve25519_dalek::scalar::Scalar;
use tacit_crypto::Prg;
use tacit_math::ristretto::Point;
use tacit_net::Channel;
use zeroize::{Zeroize, Zeroizing};

use crate::PfeError;
use crate::rows::Key;

/// A way to hide which wire an operand reads, such that operands' keys can be computed from wires' keys.
///
/// Points are handled in batches. Some are represented by their halves, whose doubles are encoded with fewer inversions.
pub trait Wiring: Send + Sync + 'static {
    /// The holder's secret for an operand, kept from setup to online.
    type Shift: Copy + Send + Sync + Zeroize;

    /// The owner's secrets of one run.
    type Secret: Send + Sync;

    /// The part of the owner's secrets that the holder needs for its shifts.
    type Public: Send + Sync;

    /// Replaces the halves of wires' points by those of the points that hide them, each with a secret blind.
    fn operands(wires: &mut [Point], blinds: &[Scalar]);

    /// The shifts that lead from wires' keys to operands' keys.
    fn shifts(blinds: &[Scalar], public: &Self::Public) -> Zeroizing<Vec<Self::Shift>>;

    /// The shifts of these blinds as they are kept in a store, encoded.
    fn stored_shifts(blinds: &[Scalar], public: &Self::Public) -> Zeroizing<Vec<Key>>;

    /// Reads shifts from a store.
    ///
    /// # Errors
    /// The index of the first invalid one.
    fn read_shifts(stored: &[Key]) -> Result<Zeroizing<Vec<Self::Shift>>, usize>;

    /// Replaces the keys of the wires that operands read by the keys of the operands.
    fn keys(wires: &mut [Point], shifts: &[Self::Shift]);

    /// Fresh secrets.
    fn draw(prg: &mut Prg) -> Self::Secret;

    /// Sends the part of the secrets that the holder needs for its shifts.
    fn send_public(
        secret: &Self::Secret,
        channel: &mut Channel,
    ) -> impl Future<Output = Result<(), PfeError>> + Send;

    /// Receives the part of the owner's secrets that this party needs for its shifts.
    fn receive_public(channel: &mut Channel) -> impl Future<Output = Result<Self::Public, PfeError>> + Send;

    /// The keys of operands, for 0 and for 1 each, from the holder's points.
    fn operand_keys(secret: &Self::Secret, points: Zeroizing<Vec<Point>>) -> Zeroizing<Vec<Point>>;

    /// The halves of wires' keys, for 0 and for 1 each, from the halves of their points.
    fn wire_keys(secret: &Self::Secret, halves: Zeroizing<Vec<Point>>) -> Zeroizing<Vec<Point>>;
}
