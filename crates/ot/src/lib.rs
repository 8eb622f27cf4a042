//! Oblivious transfer: base OTs, their extension to correlated and random OTs, and chosen OTs from random ones.
//!
//! | module | what | from |
//! |---|---|---|
//! | [`endemic`] | a few random OTs by public-key cryptography | nothing |
//! | [`softspoken`] | any number of correlated OTs (`cot`) | 128 base OTs |
//! | [`rot`] | random OTs: independent random blocks | correlated OTs and a hash |
//! | [`chosen`] | the sender's messages by the receiver's choices | random OTs |
//!
//! Semi-honest parties. Memory does not grow with the number of OTs beyond the caller's own slices.

pub mod chosen;
pub mod endemic;
mod error;
pub mod rot;
pub mod softspoken;

pub use error::OtError;
