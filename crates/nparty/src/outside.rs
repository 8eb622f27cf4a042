//! Outside parties: they don't compute, but give inputs and receive results, in any number, beside the parties that
//! compute.
//!
//! They are the input parties and result parties of ISO/IEC 4922-1. Each [visits](visit()) all computing parties, on links of its own.
//! The computing parties continue without an outside party that doesn't come in time.
//!
//! 1. An input. The computing parties draw uniform elements that nobody knows, and each sends the outside party its shares of them. From all
//!    these shares the outside party computes its mask, and it sends its input less the mask to each computing party. When time is up, the
//!    computing parties exchange hashes of what they have received. An outside party that has sent all of them the same has given its input: the
//!    sum of what they received and the mask that they share.
//! 2. A result. The computing parties draw a mask again, open the result plus the mask to themselves, and each sends the outside party its
//!    share of the mask and the opened sum. The outside party takes the difference.
//! 3. A run of a program in which outside parties have roles. All of them must come. Their inputs and results are shared in pieces, or where parties may depart from the
//!    protocol under masks as above, which are random bits: see [`Sharing`](crate::compiled::Sharing).
//!
//! Security: any t computing parties and any outside parties together learn nothing about another outside party's inputs and results: these are masked by
//! uniform elements of which they have t shares. An outside party checks that all shares of a mask are consistent and that all computing parties send it the
//! same, so it does not use a mask that t of them have changed. An outside party that sends different messages to different computing parties counts as
//! absent: it cannot end the computation, only a run in which it has a role. Nothing checks that its input is in a range, as with any party's input; the inputs of a
//! run under masks are bits, because the masks are bits and everyone sees that what is added to them is.
//!
//! Cost of an input element: one element to the outside party from each computing party, and one back. Of a result element: an opening, and two
//! elements from each computing party. For each party that is awaited, 32 bytes from each computing party to each other, and their opening.
//!
//! Source: masked inputs of clients as in Damgård, Damgård, Nielsen, Nordholt and Toft, “Confidential benchmarking based on multiparty computation”
//! (FC 2016); offline clients as in Geisler's VIFF, chapter 3.

pub(crate) mod collect;
mod gathering;
mod links;
mod masks;
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
