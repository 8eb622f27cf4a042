//! Computation among n parties on Shamir shares.
//!
//! A value is shared with a random polynomial of degree t, the threshold, over a finite field: t parties learn nothing about it, t
//! + 1 determine it. Sums need no communication; products need at least 2t + 1 parties.
//!
//! | module | contents |
//! |---|---|
//! | [`scheme`] | sharing, opening, Lagrange coefficients |
//! | [`sets`] | sets of parties that have keys in common |
//! | [`randomness`] | the two ways to make random sharings |
//! | `dealing` | random sharings that all parties deal, and extraction from them |
//! | [`prss`] | random and zero sharings without communication |
//! | [`product`] | multiplication: a party's computations before and after its messages |
//! | [`runtime`] | runs operations as their operands arrive |
//! | [`program`] | tasks and values, with which programs are written |
//! | [`protocol`] | protocols from sums, products and openings: powers, comparisons, sorting |
//! | [`stored`] | prepared material on disk |
//! | [`party`] | a party that joins the others and runs a program |
//! | [`outside`] | parties that give inputs and receive results, but don't compute |
//! | `reception` | the links to those parties |
//! | [`dynamic`] | the same for fields that are chosen at run time |
//! | [`compiled`] | programs that were compiled to circuits |
//! | [`calibration`] | how long this machine takes for them |
//!
//! Everything below the runtime's links is pure: it returns the messages that a party must send, and received messages are passed to it. Random
//! elements are addressed by the identity of the operation that needs them, so messages may be grouped and ordered in any way.
//!
//! Security: against t passive parties; or with [`Security::Active`] against t parties that depart from the protocol in any way, which then can only stop the computation.

pub mod calibration;
pub mod compiled;
mod constants;
pub(crate) mod dealing;
pub mod dynamic;
mod error;
#[doc(hidden)]
pub mod fuzzing;
pub mod outside;
mod parties;
pub mod party;
mod prf;
mod processor;
pub mod product;
pub mod program;
pub mod protocol;
pub mod prss;
pub mod randomness;
mod reception;
#[cfg(test)]
mod recorder;
pub mod runtime;
pub mod scheme;
mod security;
pub mod sets;
pub mod stored;

pub use constants::{LAYOUT, build};
pub use error::{RunError, SharingError, UsageError};
pub use parties::{Parties, PartyIndex};
pub use party::{Account, JoinTerms, Party};
pub use processor::process_time;
pub use randomness::Randomness;
pub use scheme::Scheme;
pub use security::Security;
