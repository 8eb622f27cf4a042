//! Biçer, Bingöl, Kiraz and Levi's protocol: a private function that is executed many times under fresh exponents.
//!
//! As [`crate::half_elgamal`], with blinds that are multiplied:
//!
//! 1. *Introduction*, once. P1 sends V_j = t_j·W_π(j) for every operand j, with t_j uniform and not 0.
//! 2. *Setup*, each run. P2 draws α₀ and α₁. The keys of wire i are K_i^b = α_b·W_i, those of operand j are L_j^b = α_b·V_j. P2 garbles every gate.
//! 3. *Online*. P1 computes an operand's key from a wire's key X as t_j·X, evaluates all gates and returns labels of the outputs.
//!
//! It exists only for comparison with half-ElGamal, which sends about as many bytes and needs no multiplication by P1 online.
//!
//! Source: *Highly efficient and re-executable private function evaluation with linear complexity* (IEEE TDSC 2020). Differs: wires' points are hashed
//! from a seed and not sent; rows and hashes are those of half-ElGamal.
//!
//! Security: semi-honest. The wiring is hidden because points multiplied by pseudorandom numbers look random (where two operands read one wire, by
//! decisional Diffie–Hellman); inputs are hidden by decisional Diffie–Hellman in the random oracle model.
//! Cost: [`bytes`]; for a gate, P1 does 2 multiplications in its introduction and 2 online, and P2 does 6.

use curve25519_dalek::scalar::Scalar;
use tacit_crypto::{Prg, Secret};
use tacit_math::ristretto::Point;
use tacit_net::Channel;
use zeroize::Zeroizing;

use crate::bytes::{self, Bytes, Rounds};
use crate::reusable::{self, Wiring};
use crate::rows::Key;
use crate::{PfeError, Size, points};

/// The holder of a private function.
pub type Holder = reusable::Holder<Multiplicative>;

/// P1's state between the setup of one run and its online phase.
pub type HolderRun<'a> = reusable::HolderRun<'a, Multiplicative>;

/// The owner of the data.
pub type Owner = reusable::Owner<Multiplicative>;

/// P2's state between the setup of one run and its online phase.
pub type OwnerRun = reusable::OwnerRun;

/// Bytes of each phase. Exact.
pub fn bytes(size: &Size) -> Bytes {
    bytes::re_executable(size)
}

/// Rounds of a run that introduces its function, at each party. Exact.
pub fn rounds(size: &Size) -> Rounds {
    bytes::reusable_rounds(size)
}

/// Blinds are multiplied: V_j = t_j·W_π(j).
pub enum Multiplicative {}

impl Wiring for Multiplicative {
    /// t_j.
    type Shift = Scalar;

    /// α₀ and α₁.
    type Secret = Secret<[Scalar; 2]>;

    type Public = ();

    fn operands(wires: &mut [Point], blinds: &[Scalar]) {
        points::multiply_each(blinds, wires);
    }

    fn shifts(blinds: &[Scalar], (): &()) -> Zeroizing<Vec<Scalar>> {
        Zeroizing::new(blinds.to_vec())
    }

    fn stored_shifts(blinds: &[Scalar], (): &()) -> Zeroizing<Vec<Key>> {
        Zeroizing::new(blinds.iter().map(Scalar::to_bytes).collect())
    }

    fn read_shifts(stored: &[Key]) -> Result<Zeroizing<Vec<Scalar>>, usize> {
        let mut shifts = Zeroizing::new(Vec::with_capacity(stored.len()));
        for (place, bytes) in stored.iter().enumerate() {
            let shift = Option::from(Scalar::from_canonical_bytes(*bytes));
            shifts.push(shift.filter(|shift| *shift != Scalar::ZERO).ok_or(place)?);
        }
        Ok(shifts)
    }

    fn keys(wires: &mut [Point], shifts: &[Scalar]) {
        points::multiply_each(shifts, wires);
    }

    fn draw(prg: &mut Prg) -> Secret<[Scalar; 2]> {
        let mut draw = || points::random_scalar(|bytes| prg.fill_bytes(bytes));
        let zero = draw();
        let mut one = draw();
        while one == zero {
            one = draw();
        }
        Secret::new([zero, one])
    }

    async fn send_public(_: &Secret<[Scalar; 2]>, _: &mut Channel) -> Result<(), PfeError> {
        Ok(())
    }

    async fn receive_public(_: &mut Channel) -> Result<(), PfeError> {
        Ok(())
    }

    fn operand_keys(secret: &Secret<[Scalar; 2]>, points: Zeroizing<Vec<Point>>) -> Zeroizing<Vec<Point>> {
        let [mut zeros, mut ones] = [points.clone(), points];
        let [zero, one] = secret.expose();
        points::multiply_all(zero, &mut zeros);
        points::multiply_all(one, &mut ones);
        Zeroizing::new(zeros.iter().zip(ones.iter()).flat_map(|(zero, one)| [*zero, *one]).collect())
    }

    fn wire_keys(secret: &Secret<[Scalar; 2]>, halves: Zeroizing<Vec<Point>>) -> Zeroizing<Vec<Point>> {
        Multiplicative::operand_keys(secret, halves)
    }
}
