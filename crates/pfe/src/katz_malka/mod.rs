//! Katz and Malka's protocol: every wire's key is sent encrypted, and comes back blinded for every operand that reads the wire.
//!
//! P2 has the key pair of an additively homomorphic scheme. Keys are added in the group of its plaintexts.
//!
//! 1. *Precomputation*, once ([`Holder::introduce`]). P2 sends its public key.
//! 2. *setupN*, each run ([`Holder::setup_size`]). P2 draws R and, for every wire i that gates may read, K_i⁰, and sends Enc(K_i⁰);
//!    K_i¹ = K_i⁰ + R. P1 draws r_j for every operand j and computes Enc(r_j).
//! 3. *setupf*, each run ([`HolderWires::setup_function`]). P1 sends Enc(K_π(j)⁰) + Enc(r_j) for every operand. P2 decrypts L_j⁰ = K_π(j)⁰ + r_j,
//!    sets L_j¹ = L_j⁰ + R, garbles every gate from its operands' keys to its result's and sends it.
//! 4. *onlinex* ([`HolderRun::evaluate`]). P2 sends the keys of its inputs, and P1 gets the keys of its own by oblivious transfer. P1 computes an
//!    operand's key from a wire's key X as X + r_j, evaluates all gates and returns labels of the outputs, which only P2 can read.
//!
//! Phases 1 and 2 only depend on the function's size, phases 3 and 4 on the function. A run serves one function and one evaluation: from a second one
//! under the same ciphertexts, P1 would have K_i⁰ + b_i·R and K_i⁰ + b′_i·R′, whose difference reveals bits. The types enforce this: each step consumes the
//! run.
//!
//! Source: Katz and Malka (ASIACRYPT'11) with the optimisations of Holz, Kiss, Rathee and Schneider (ESORICS'20), sections 4.1 to 4.4.
//! `docs/private-functions.md` describes what each party sees. Differs: rows have colours and no redundancy; DJN's replies are packed too; BFV's plaintexts have
//! words of 16 bits and the keys of 16 wires, and its parameters hide the wiring statistically.
//!
//! Security: semi-honest. The documentation of each [`Scheme`] states its assumptions.
//! Cost: see [`bytes`]. For each input or gate, [`EcElgamal`] sends 322 bytes, [`Djn`] at 2048 bits about 680, [`Bfv`] about 5000.

pub use self::bfv::Bfv;
pub use self::bytes::{bytes, entry_bytes, prepared_rounds, rounds};
pub use self::djn::Djn;
pub use self::elgamal::EcElgamal;
pub use self::holder::{Holder, HolderRun, HolderWires};
pub use self::owner::{Owner, OwnerRun, OwnerWires};
pub use self::scheme::Scheme;
pub use self::scheme_name::SchemeName;

pub(crate) mod bfv;
pub(crate) mod bytes;
pub(crate) mod djn;
mod elgamal;
mod holder;
mod numbers;
mod owner;
mod scheme;
mod scheme_name;
mod streams;

/// Gates, wires or operands that a thread works on at a time.
const GROUP: usize = 64;
