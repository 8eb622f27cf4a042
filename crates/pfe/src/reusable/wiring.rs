//! How wires' points are hidden in operands, and how operands' keys are computed from wires' keys.

use curve25519_dalek::scalar::Scalar;
use tacit_crypto::Prg;
use tacit_math::ristretto::Point;
use tacit_net::Channel;
use zeroize::{Zeroize, Zeroizing};

use crate::PfeError;
use crate::rows::Key;

/// A way to hide which wire an operand reads, under which keys of wires lead to keys of operands.
///
/// Points come in batches. Some are given by their halves, whose doubles are encoded with fewer inversions.
pub trait Wiring: Send + Sync + 'static {
    /// What the holder keeps of an operand from setup to online. Secret.
    type Shift: Copy + Send + Sync + Zeroize;

    /// The owner's secrets of one run.
    type Secret: Send + Sync;

    /// The part of the owner's secrets that the holder needs for its shifts.
    type Public: Send + Sync;

    /// From the halves of points of wires to those of the points that hide them, by a secret blind each.
    fn operands(wires: &mut [Point], blinds: &[Scalar]);

    /// The shifts that lead from wires' keys to operands' keys.
    fn shifts(blinds: &[Scalar], public: &Self::Public) -> Zeroizing<Vec<Self::Shift>>;

    /// The shifts of these blinds as they are kept in a store, encoded.
    fn stored_shifts(blinds: &[Scalar], public: &Self::Public) -> Zeroizing<Vec<Key>>;

    /// Shifts that were kept in a store.
    ///
    /// # Errors The place of the first that is invalid.
    fn read_shifts(stored: &[Key]) -> Result<Zeroizing<Vec<Self::Shift>>, usize>;

    /// From the keys of the wires that operands read to those of the operands.
    fn keys(wires: &mut [Point], shifts: &[Self::Shift]);

    /// Fresh secrets.
    fn draw(prg: &mut Prg) -> Self::Secret;

    /// Sends what the holder needs for its shifts.
    fn send_public(
        secret: &Self::Secret,
        channel: &mut Channel,
    ) -> impl Future<Output = Result<(), PfeError>> + Send;

    /// Receives it.
    fn receive_public(channel: &mut Channel) -> impl Future<Output = Result<Self::Public, PfeError>> + Send;

    /// The keys of operands, for 0 and for 1 each, from the holder's points.
    fn operand_keys(secret: &Self::Secret, points: Zeroizing<Vec<Point>>) -> Zeroizing<Vec<Point>>;

    /// The halves of wires' keys, for 0 and for 1 each, from the halves of their points.
    fn wire_keys(secret: &Self::Secret, halves: Zeroizing<Vec<Point>>) -> Zeroizing<Vec<Point>>;
}
