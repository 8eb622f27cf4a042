//! Random sharings that nobody knows, from sharings that all parties deal.
//!
//! Each party shares random elements. Of the n sharings at one place, t may be known to an adversary; the products with a Vandermonde matrix of n - t rows are
//! n - t sharings that are uniform and independent given those t, since each n - t of its columns are independent.
//!
//! | file | holds |
//! |---|---|
//! | `keys` | what each two parties draw without a message |
//! | `dealer` | how a party deals, and how it extracts |
//! | `block` | which sharings are dealt together |
//!
//! What is dealt is addressed by its place in a task's sharings, which follows from what the task writes. So messages, and the order in which operations run, never
//! decide which sharing an operation uses.

mod block;
mod dealer;
mod keys;

pub(crate) use block::{BlockPlace, MAX_COLUMNS};
pub(crate) use dealer::{Dealer, DealtSharings, Degree};
pub(crate) use keys::PairKeys;
