//! Parties that don't compute: they give inputs and are told results, in any number, beside the parties that compute.
//!
//! They are the input parties and result parties of ISO/IEC 4922-1. Each [visits](visit()) all computing parties, on links of its own;
//! these go on without whoever doesn't come in time.
//!
//! 1. An input. The computing parties draw uniform elements that nobody knows, and each tells the outside party its shares of them. From all of
//!    these it learns its mask, and tells each computing party its input less the mask. When time is up, these tell each other
//!    hashes of what they have received; whoever has told all of them the same has given its input, which is what they received plus
//!    the mask that they share.
//! 2. A result. The computing parties draw a mask again, open the result plus the mask to themselves, and each tells the outside
//!    party its share of the mask and what was opened. It takes the difference.
//!
//! Security: any t computing parties and any outside parties together learn nothing of another's inputs and results: what they see is masked by uniform
//! elements of which they have t shares. An outside party checks that all shares of a mask fit together and that all computing parties tell it the same, so it
//! gives nothing under, and takes nothing from, a mask that t of them have changed. An outside party that tells the computing parties different
//! things counts as one that did not come: it can end nothing. That its input is in a range is its own promise, as that of any party.
//!
//! Cost of an element given: one to the outside party from each computing party, and one back. Of an element told: an opening, and two elements from
//! each computing party. For each party that is awaited 32 bytes from each computing party to each other and their opening.
//!
//! Source: masked inputs of clients as in Damgård, Damgård, Nielsen, Nordholt and Toft, “Confidential benchmarking based on multiparty computation”
//! (FC 2016); offline clients as in Geisler's VIFF, chapter 3.

pub(crate) mod collect;
mod gathering;
mod links;
mod run;
mod running;
mod tell;
#[cfg(test)]
mod tests;
mod visit;

pub use crate::error::OutsideError;
pub use crate::reception::message::{Description, RunDescription};
pub use collect::{Collection, Request};
pub use run::SplitRun;
pub use running::{OutsideRun, Ran};
pub use tell::Telling;
pub use visit::{Told, Visited, visit};
