//! Computation among n parties on Shamir shares.
//!
//! A value is shared with a random polynomial of degree t, the threshold, over a finite field: t parties learn nothing of it, t + 1
//! determine it. Sums need no communication; for products the parties must be at least 2t + 1.
//!
//! | module | holds |
//! |---|---|
//! | [`scheme`] | sharing, opening, Lagrange coefficients |
//! | [`sets`] | sets of parties that have keys in common |
//! | [`randomness`] | where what nobody knows comes from |
//! | `dealing` | random sharings that all deal, and extraction from them |
//! | [`prss`] | random and zero sharings without communication |
//! | [`product`] | multiplication: what a party computes before and after its messages |
//! | [`runtime`] | runs operations as their operands arrive |
//! | [`program`] | what a program is written with: tasks and values |
//! | [`protocol`] | what is made of sums, products and openings: powers, comparisons, sorting |
//! | [`stored`] | what is made ahead and kept on disk |
//! | [`party`] | a party that joins the others and runs a program |
//! | [`outside`] | parties that give inputs and are told results, and don't compute |
//! | `reception` | the links to those parties |
//! | [`dynamic`] | the same for fields that are chosen at run time |
//! | [`compiled`] | programs that were compiled to circuits |
//!
//! Everything below the runtime's links is pure: what a party must send it returns, what it received it is given. What a party draws is addressed
//! by the identity of the operation that needs it, so messages may be grouped and ordered in any way.
//!
//! Security: against t passive parties, or where [`Security::Active`] is asked for against t that depart from the protocol in any way, who then can stop the computation and do
//! nothing else.

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
pub use randomness::Randomness;
pub use scheme::Scheme;
pub use security::Security;
