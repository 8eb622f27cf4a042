//! What setup makes for protocols on shares, before any input is known.
//!
//! | material | what it is | serves |
//! |---|---|---|
//! | [`Ands`] | shared bits a, b and c = a·b | an AND each |
//! | [`Vectors`] | a shared bit a, bits b and c = a·b for each b | ANDs with a common operand each: a choice between words, say |
//! | [`Products`] | words a, b and c = a·b modulo 2^bits | a product each |
//! | [`Squares`] | words a and c = a² modulo 2^bits | a square each |
//! | [`Matrices`] | matrices A, B and C = A·B modulo 2^bits | a matrix product each |
//! | [`DoublyShared`] | the random bits of words, shared by exclusive or and by sum | the conversion of a word from `bool` to `arith` each |
//! | [`Conjunctions`] | shared bits and the products of all their subsets | an AND of as many operands each |
//! | [`Lookups`] | at one party a table of 16 random entries of two bits, at the other one of the entries | a comparison of four bits of each party each |
//! | [`SummedBits`] | random bits, shared by exclusive or and by sum | the conversion of a bit to a word each |
//! | [`Scalings`] | a random bit r, shared in both ways, words b, and r·b modulo 2^bits | the product of a bit and a word each |
//!
//! All of it is random and shared between the parties, none depends on inputs, and each piece serves once. A
//! [`Demand`] counts what a run needs, a [`Provider`] makes it, a [`Stock`] hands it out in the order of the run.
//!
//! [`Ots`] is the provider that makes everything from random OTs, extended by SoftSpokenOT or silently
//! ([`tacit_ot::cot::Extension`]). Others (homomorphic encryption) stand behind the same trait.

pub(crate) mod bit_and_word;
pub(crate) mod boolean;
mod conjunctions;
mod demand;
mod doubly_shared;
mod encoding;
mod gilboa;
pub(crate) mod lookups;
mod matrix;
pub(crate) mod ots;
mod stock;

pub use bit_and_word::{Scalings, SummedBits};
pub use boolean::{Ands, Vectors};
pub use conjunctions::Conjunctions;
pub use demand::Demand;
pub use doubly_shared::DoublyShared;
pub use gilboa::{Products, Squares};
pub use lookups::{ENTRIES, INDEX_BITS, Lookups};
pub(crate) use matrix::accumulate;
pub use matrix::{Matrices, MatrixShape};
pub use ots::Ots;
pub use stock::Stock;

use crate::ShareError;
use std::collections::BTreeMap;
use tacit_net::Channel;

/// Makes material together with the peer's provider, which makes the same at the same time.
///
/// Both may split equal totals into calls only in the same way. Everything made is secret.
pub trait Provider: Send {
    /// Triples of bits with a common operand, all in one sequence; how many, by the other operands of each, 1 to 128.
    ///
    /// # Errors
    /// [`ShareError`].
    fn vectors(
        &mut self,
        channel: &mut Channel,
        counts: &BTreeMap<u32, u64>,
    ) -> impl Future<Output = Result<BTreeMap<u32, Vectors>, ShareError>> + Send;

    /// Triples modulo 2^bits.
    ///
    /// # Errors
    /// [`ShareError`].
    fn products(
        &mut self,
        channel: &mut Channel,
        bits: u32,
        count: usize,
    ) -> impl Future<Output = Result<Products, ShareError>> + Send;

    /// Pairs modulo 2^bits.
    ///
    /// # Errors
    /// [`ShareError`].
    fn squares(
        &mut self,
        channel: &mut Channel,
        bits: u32,
        count: usize,
    ) -> impl Future<Output = Result<Squares, ShareError>> + Send;

    /// Triples of matrices of one shape.
    ///
    /// # Errors
    /// [`ShareError`].
    fn matrices(
        &mut self,
        channel: &mut Channel,
        shape: MatrixShape,
        count: usize,
    ) -> impl Future<Output = Result<Matrices, ShareError>> + Send;

    /// Bits for words of `bits` bits.
    ///
    /// # Errors
    /// [`ShareError`].
    fn doubly_shared(
        &mut self,
        channel: &mut Channel,
        bits: u32,
        count: usize,
    ) -> impl Future<Output = Result<DoublyShared, ShareError>> + Send;

    /// Random tables with one entry each known to the other party, `count` in each direction.
    ///
    /// # Errors
    /// [`ShareError`].
    fn lookups(
        &mut self,
        channel: &mut Channel,
        count: usize,
    ) -> impl Future<Output = Result<Lookups, ShareError>> + Send;

    /// Random bits with shares by sum modulo 2^bits.
    ///
    /// # Errors
    /// [`ShareError`].
    fn summed_bits(
        &mut self,
        channel: &mut Channel,
        bits: u32,
        count: usize,
    ) -> impl Future<Output = Result<SummedBits, ShareError>> + Send;

    /// Products of random bits and random words modulo 2^bits.
    ///
    /// # Errors
    /// [`ShareError`].
    fn scalings(
        &mut self,
        channel: &mut Channel,
        bits: u32,
        count: usize,
    ) -> impl Future<Output = Result<Scalings, ShareError>> + Send;
}

/// Refuses widths that words cannot have.
pub(crate) fn check_width(bits: u32) -> Result<(), ShareError> {
    if (1..=128).contains(&bits) { Ok(()) } else { Err(ShareError::Width { bits }) }
}
