//! Random sharings of values that nobody knows, made from sharings that all parties deal.
//!
//! Each party shares random elements. Of the n sharings at one place, an adversary may know t. Multiplying them with a Vandermonde matrix of n - t rows yields
//! n - t sharings that are uniform and independent given those t, since any n - t of its columns are independent.
//!
//! | file | contents |
//! |---|---|
//! | `keys` | elements that two parties draw from a common key, without a message |
//! | `dealer` | how a party deals, and how it extracts |
//! | `block` | which sharings are dealt together |
//!
//! A dealt sharing is addressed by its place among a task's sharings, which follows from what the task writes. So neither messages nor the order in which
//! operations run decide which sharing an operation uses.

mod block;
mod dealer;
mod keys;

pub(crate) use block::{BlockPlace, MAX_COLUMNS};
pub(crate) use dealer::{Dealer, DealtSharings, Degree};
pub(crate) use keys::PairKeys;
