//! Universal circuits: public circuits that a private program turns into any circuit of a size. They are the other way to
//! evaluate private functions, beside the crate `tacit-pfe`.
//!
//! A [`Graph`] is the private circuit in the form that is programmed: gates with any of the 16 tables of two operands, each
//! value used at most twice, padded to a public [`Size`].

mod error;
mod graph;
mod size;

pub use error::UniversalError;
pub use graph::Graph;
pub use size::Size;
