//! Half-ElGamal: a private function on private data with one point for each operand of a gate.
//!
//! The group has prime order q and base point P. Wires' points W_i are hashed from a public seed.
//!
//! 1. *Introduction*, once. P1 sends V_j = W_π(j) + r_j·P for every operand j, with r_j uniform.
//! 2. *Setup*, each run. P2 draws a and R, and sends A = a·P. The keys of wire i are K_i⁰ = a·W_i and K_i¹ = K_i⁰ + R; those of
//!    operand j are L_j⁰ = a·V_j and L_j¹ = L_j⁰ + R. P2 garbles every gate from its operands' keys to its result's and sends it.
//! 3. *Online*. P2 sends the keys of its inputs, and P1 gets the keys of its own by oblivious transfer. P1 computes an operand's key from a wire's
//!    key X as X + r_j·A, since L_j^b = a·W_π(j) + r_j·A + b·R = K_π(j)^b + r_j·A, evaluates all gates and returns labels of the outputs, which
//!    only P2 can read.
//!
//! Source: the use of Diffie–Hellman for the wiring goes back to Katz and Malka (ASIACRYPT'11), with ElGamal; Biçer, Bingöl, Kiraz and
//! Levi (IEEE TDSC 2020) reuse a wiring under fresh exponents. `docs/private-functions.md` has the proof.
//! Differs: the encoding of a key's double is hashed, and r_j is even, so that all encodings share inversions.
//!
//! Security: semi-honest. The wiring is hidden because the r_j, derived from a key of 256 bits, are pseudorandom; inputs are hidden by decisional
//! Diffie–Hellman in the random oracle model.
//! Cost: see [`bytes`]; for a gate, P1 does 4 multiplications by tables and hashes or decodes 3 points, and P2 does 3 multiplications without tables.

use curve25519_dalek::scalar::Scalar;
use tacit_crypto::{Prg, Secret};
use tacit_math::ristretto::{self, Fixed, Point};
use tacit_net::Channel;
use zeroize::Zeroizing;

use crate::bytes::{self, Bytes, Rounds, Traffic};
use crate::reusable::{self, Wiring};
use crate::rows::{KEY, Key};
use crate::{PfeError, Size, points};

/// The holder of a private function.
pub type Holder = reusable::Holder<Additive>;

/// P1's state between the setup of one run and its online phase.
pub type HolderRun<'a> = reusable::HolderRun<'a, Additive>;

/// The owner of the data.
pub type Owner = reusable::Owner<Additive>;

/// P2's state between the setup of one run and its online phase.
pub type OwnerRun = reusable::OwnerRun;

/// Bytes of each phase. Exact.
pub fn bytes(size: &Size) -> Bytes {
    bytes::half_elgamal(size)
}

/// Bytes of the setup of one run in a store, at the function's holder and at the data's owner. Exact.
pub fn entry_bytes(size: &Size) -> [usize; 2] {
    crate::entry::entry_bytes::<Key>(size)
}

/// Rounds of an introduction and any number of setups that follow it, at each party. Exact.
pub fn prepared_rounds() -> Traffic {
    Traffic { holder: 2, owner: 1 }
}

/// Rounds of a run that introduces its function, at each party. Exact.
pub fn rounds(size: &Size) -> Rounds {
    bytes::reusable_rounds(size)
}

/// Blinds are added: V_j = W_π(j) + r_j·P, where r_j is twice the number drawn.
pub enum Additive {}

/// a, and R with its half.
pub struct RunSecret {
    a: Secret<Scalar>,
    r: Zeroizing<Point>,
    half_r: Zeroizing<Point>,
}

impl Wiring for Additive {
    /// r_j·A.
    type Shift = Point;

    type Secret = RunSecret;

    /// A table of A.
    type Public = Fixed;

    fn operands(wires: &mut [Point], blinds: &[Scalar]) {
        ristretto::add(&points::multiples(ristretto::base(), blinds), wires);
    }

    fn shifts(blinds: &[Scalar], public: &Fixed) -> Zeroizing<Vec<Point>> {
        let doubles = Zeroizing::new(blinds.iter().map(|blind| blind + blind).collect::<Vec<_>>());
        points::multiples(public, &doubles)
    }

    fn stored_shifts(blinds: &[Scalar], public: &Fixed) -> Zeroizing<Vec<Key>> {
        points::encode_doubles(&points::multiples(public, blinds))
    }

    fn read_shifts(stored: &[Key]) -> Result<Zeroizing<Vec<Point>>, usize> {
        points::decode(stored)
    }

    fn keys(wires: &mut [Point], shifts: &[Point]) {
        ristretto::add(shifts, wires);
    }

    fn draw(prg: &mut Prg) -> RunSecret {
        let a = Secret::new(points::random_scalar(|bytes| prg.fill_bytes(bytes)));
        let half_r = Zeroizing::new(points::random_point(prg));
        RunSecret { a, r: Zeroizing::new(half_r.double()), half_r }
    }

    async fn send_public(secret: &RunSecret, channel: &mut Channel) -> Result<(), PfeError> {
        let public = points::multiples(ristretto::base(), &[*secret.a.expose()]);
        Ok(channel.send(&points::encode(public[0])).await?)
    }

    async fn receive_public(channel: &mut Channel) -> Result<Fixed, PfeError> {
        let mut point = [[0; KEY]];
        channel.receive_into(point.as_flattened_mut()).await?;
        let point = points::decode_from_peer(&point, "public key", 0)?;
        Ok(Fixed::new(&point[0]))
    }

    fn operand_keys(secret: &RunSecret, mut points: Zeroizing<Vec<Point>>) -> Zeroizing<Vec<Point>> {
        points::multiply_all(secret.a.expose(), &mut points);
        points::pairs(&points, &secret.r)
    }

    fn wire_keys(secret: &RunSecret, mut halves: Zeroizing<Vec<Point>>) -> Zeroizing<Vec<Point>> {
        points::multiply_all(secret.a.expose(), &mut halves);
        points::pairs(&halves, &secret.half_r)
    }
}
