//! What setup makes for protocols on shares, before any input is known.
//!
//! | material | what it is | serves |
//! |---|---|---|
//! | [`Ands`] | shared bits a, b and c = a·b | an AND each |
//! | [`Selections`] | a shared bit a, words b and c = a·b | a choice between two words each |
//! | [`Products`] | words a, b and c = a·b modulo 2^bits | a product each |
//! | [`Squares`] | words a and c = a² modulo 2^bits | a square each |
//! | [`Matrices`] | matrices A, B and C = A·B modulo 2^bits | a matrix product each |
//! | [`DoublyShared`] | random bits, shared by exclusive or and by sum | the conversion of one bit from `bool` to `arith` each |
//!
//! All of it is random and shared between the parties, none depends on inputs, and each piece serves once. A
//! [`Demand`] counts what a run needs, a [`Provider`] makes it, a [`Stock`] hands it out in the order of the run.
//!
//! [`Ots`] is the provider that makes everything from random OTs. Others (silent OT, homomorphic encryption) stand
//! behind the same trait.

mod boolean;
mod doubly_shared;
mod gilboa;
mod matrix;
mod ots;
mod stock;

pub use boolean::{Ands, Selections};
pub use doubly_shared::DoublyShared;
pub use gilboa::{Products, Squares};
pub(crate) use matrix::accumulate;
pub use matrix::{Matrices, MatrixShape};
pub use ots::Ots;
pub use stock::{Demand, Stock};

use crate::ShareError;
use tacit_net::Channel;

/// Makes material together with the peer's provider, which makes the same at the same time.
///
/// Both may split equal totals into calls only in the same way. Everything made is secret.
pub trait Provider: Send {
    /// AND triples.
    ///
    /// # Errors
    /// [`ShareError`]; after an error the provider is of no more use. So for all other methods.
    fn ands(
        &mut self,
        channel: &mut Channel,
        count: usize,
    ) -> impl Future<Output = Result<Ands, ShareError>> + Send;

    /// Triples for choices between words of `bits` bits, 1 to 128.
    ///
    /// # Errors
    /// [`ShareError`].
    fn selections(
        &mut self,
        channel: &mut Channel,
        bits: u32,
        count: usize,
    ) -> impl Future<Output = Result<Selections, ShareError>> + Send;

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
}

/// Refuses widths that words cannot have.
pub(crate) fn check_width(bits: u32) -> Result<(), ShareError> {
    if (1..=128).contains(&bits) { Ok(()) } else { Err(ShareError::Width { bits }) }
}
