//! Private functions over sessions: one party holds a function; the other has the data, and only it learns the
//! result.
//!
//! The parties meet as for every run, and compare who holds the function and what is about to happen. The holder then announces the function's [`Interface`], which is
//! all that the owner ever learns of it besides the result, and which names the [`Protocol`](tacit_pfe::Protocol). The owner compares it with the interface that it was
//! given, if any, and with the size that it accepts, before it allocates or sends anything for it. Then both continue with the protocol, or both end.
//!
//! | party | a run | a run that was prepared | preparing runs |
//! |---|---|---|---|
//! | the function's holder | [`hold`] | [`hold_prepared`] | [`prepare`] |
//! | the data's owner | [`Announced::meet`], then [`Announced::run`] or [`Announced::decline`] | [`Announced::meet_prepared`], then the same | [`prepare_for`] |
//!
//! Security: semi-honest, see `docs/private-functions.md`. Whatever the peer announces, the owner allocates at most 64 bytes for each of the
//! gates and inputs that it accepts (for universal circuits 128, including outputs), and a few megabytes.

mod announcement;
mod batches;
mod blocking;
pub(crate) mod constants;
mod error;
mod holder;
mod interface;
mod meeting;
mod owner;
mod report;
mod sets;
#[cfg(test)]
mod tests;

pub use blocking::BlockingAnnounced;
pub use error::{InterfaceError, PrivateError, Refusal};
pub use holder::{Held, hold, hold_prepared, prepare};
pub use interface::{Interface, bits_of_words};
pub use owner::{Accepted, Announced, prepare_for};
pub use report::{PredictedPhase, PrivateReport, PrivateSide, PrivateTask};
