//! Half-ElGamal: a private function on private data with one point for each operand of a gate.
//!
//! Group of prime order q with base point P; wires' points W_i are hashed from a public seed.
//!
//! 1. *Introduction*, once. P1 sends V_j = W_π(j) + r_j·P for every operand j, with r_j uniform.
//! 2. *Setup*, each run. P2 draws a and R, sends A = a·P. The keys of wire i are K_i⁰ = a·W_i and K_i¹ = K_i⁰ + R, those of
//!    operand j are L_j⁰ = a·V_j and L_j¹ = L_j⁰ + R. P2 garbles every gate from its operands' keys to its result's and sends it.
//! 3. *Online*. P2 sends the keys of its inputs, P1 gets those of its own by oblivious transfer. P1 gets from a wire's key X to that of an
//!    operand by X + r_j·A, since L_j^b = a·W_π(j) + r_j·A + b·R = K_π(j)^b + r_j·A, evaluates all gates and returns labels of the outputs, which
//!    P2 alone can read.
//!
//! Source: the use of Diffie–Hellman for the wiring goes back to Katz and Malka (ASIACRYPT'11) with ElGamal; Biçer, Bingöl, Kiraz and
//! Levi (IEEE TDSC 2020) reuse a wiring under fresh exponents. `docs/private-functions.md` has the proof.
//! Differs: hashes cover the encoding of a key's double, and r_j is even, so that all encodings share inversions.
//!
//! Security: semi-honest; the wiring is hidden as far as the r_j, which a key of 256 bits gives, are pseudorandom, inputs by decisional Diffie–Hellman in the random oracle model.
//! Cost: see [`bytes`]; for a gate, P1 has 4 multiplications by tables and 3 points to hash or decode, P2 has 3 multiplications without.

use crate::Size;
pub use holder::{Holder, HolderRun};
pub use owner::{Owner, OwnerRun};

mod blinds;
mod holder;
mod owner;

/// Gates that a thread works on at a time; their blinds are one answer of a pseudorandom function.
const GROUP: usize = 64;

const _: () =
    assert!(crate::bytes::WINDOW.is_multiple_of(GROUP), "blinds never repeat: groups begin where windows do");

/// Bytes of each phase. Exact.
pub fn bytes(size: &Size) -> crate::Bytes {
    crate::bytes::half_elgamal(size)
}

/// Rounds of a run that introduces its function, at each party. Exact.
pub fn rounds(size: &Size) -> crate::Rounds {
    crate::bytes::half_elgamal_rounds(size)
}
