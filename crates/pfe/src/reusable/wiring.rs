//! How wires' points are hidden in operands, and how wires' keys lead to operands'.

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use tacit_crypto::Prg;
use tacit_net::Channel;
use zeroize::{Zeroize, Zeroizing};

use crate::PfeError;
use crate::rows::Key;

/// A way to hide which wire an operand reads, under which keys of wires lead to keys of operands.
///
/// Some points are given by their halves, so that their doubles are encoded in batches.
pub trait Wiring: Send + Sync + 'static {
    /// What the holder keeps of an operand from setup to online. Secret.
    type Shift: Copy + Send + Sync + Zeroize;

    /// The owner's secrets of one run.
    type Secret: Send + Sync;

    /// What the holder needs of the owner's for its shifts.
    type Public: Send + Sync;

    /// The half of the point that hides a wire's, from the half of the wire's and a secret blind.
    fn operand(wire: &RistrettoPoint, blind: &Scalar) -> RistrettoPoint;

    /// What leads from a wire's key to the operand's.
    fn shift(blind: &Scalar, public: &Self::Public) -> Self::Shift;

    /// The shifts of these blinds as they are kept in a store, encoded.
    fn stored_shifts(blinds: &[Scalar], public: &Self::Public) -> Zeroizing<Vec<Key>>;

    /// A shift that was kept in a store, if it is one.
    fn stored_shift(stored: &Key) -> Option<Self::Shift>;

    /// The key of an operand, from that of the wire that it reads.
    fn key(wire: &RistrettoPoint, shift: &Self::Shift) -> RistrettoPoint;

    /// Fresh secrets.
    fn draw(prg: &mut Prg) -> Self::Secret;

    /// Sends what the holder needs for its shifts.
    fn send_public(
        secret: &Self::Secret,
        channel: &mut Channel,
    ) -> impl Future<Output = Result<(), PfeError>> + Send;

    /// Receives it.
    fn receive_public(channel: &mut Channel) -> impl Future<Output = Result<Self::Public, PfeError>> + Send;

    /// The keys of an operand, for 0 and for 1, from the holder's point.
    fn operand_keys(secret: &Self::Secret, point: &RistrettoPoint) -> Zeroizing<[RistrettoPoint; 2]>;

    /// The halves of a wire's keys, from the half of its point.
    fn wire_keys(secret: &Self::Secret, half: &RistrettoPoint) -> Zeroizing<[RistrettoPoint; 2]>;
}
