//! Correlated randomness: the material that setup makes for protocols on shares, before any input is known.
//!
//! | kind | a piece | use |
//! |---|---|---|
//! | [`BitTriples`] | a shared bit a, bits b and c = a·b for each b | an AND, or ANDs with a common operand, such as a selection between words |
//! | [`NaryTriples`] | shared bits and the products of all their subsets | an AND of as many operands |
//! | [`WordTriples`] | words a, b and c = a·b modulo 2^bits | a product |
//! | [`SquarePairs`] | words a and c = a² modulo 2^bits | a square |
//! | [`MatrixTriples`] | matrices A, B and C = A·B modulo 2^bits | a matrix product |
//! | [`EdaBits`] | the random bits of a word, shared by exclusive or and by sum | the conversion of a word from `bool` to `arith` |
//! | [`LookupTables`] | at one party a table of 16 random entries of two bits, at the other one of the entries | a comparison of four bits of each party |
//! | [`DaBits`] | a random bit, shared by exclusive or and by sum | the conversion of a bit to a word |
//! | [`BitWordTriples`] | a random bit r, shared in both ways, a word b, and r·b modulo 2^bits | the product of a bit and a word |
//!
//! All of it is random and shared between the parties; none depends on inputs, and each piece is used once. A
//! [`Requirement`] counts the material of a run, a [`Provider`] makes it and describes what both parties send
//! meanwhile ([`Dialogue`]), and a [`Pool`] hands it out in the order of the run.
//!
//! Each kind is a file here, with the contents of a piece ([`CorrelationKind`]), how [`Ots`] makes it, and what is sent
//! ([`OtKind`], or [`Provider`] if several shapes are made together). Its lines below make it part of requirements and pools.
//! Another provider implements [`Provider`] for each kind; it may also pass kinds on to the cheaper of two providers. Triples
//! of matrices may come from lattices instead, shape by shape ([`LatticeMatrices`]), and so may those of words and squares,
//! width by width ([`LatticeWords`]).

pub(crate) mod bit_triples;
mod bit_word_triples;
mod columns;
pub(crate) mod da_bits;
mod eda_bits;
pub(crate) mod encrypted;
pub(crate) mod gilboa;
mod kind;
pub(crate) mod lattice;
pub(crate) mod lookup_tables;
mod matrix_triples;
mod nary_triples;
pub(crate) mod ots;
mod pool;
mod provider;
mod square_pairs;
mod word_triples;

pub use bit_triples::BitTriples;
pub use bit_word_triples::BitWordTriples;
pub use columns::{Columns, Word};
pub use da_bits::DaBits;
pub use eda_bits::EdaBits;
pub use encrypted::{DgkTriples, EncryptedTriples, PaillierTriples, TripleScheme, triple_bytes};
pub use kind::{CorrelationKind, PieceCounts};
pub use lattice::{LatticeMatrices, LatticeWords, OnlineMatrices, key_size};
pub use lookup_tables::{ENTRIES, INDEX_BITS, LookupTables};
pub(crate) use matrix_triples::accumulate;
pub use matrix_triples::{MatrixShape, MatrixTriples};
pub use nary_triples::NaryTriples;
pub use ots::{OtKind, Ots};
pub use pool::{Batches, Registered};
pub use provider::Provider;
pub use square_pairs::SquarePairs;
pub use word_triples::WordTriples;

use crate::pack::{WordReader, WordWriter};
use crate::{Dialogue, ShareError};
use tacit_net::Channel;
use tacit_schedule::Consumed;

// In the order in which they are made and stored.
pool::register! {
    /// ANDs, by how many of them share an operand.
    bit_triples: BitTriples,
    /// ANDs of several operands, by their number.
    nary_triples: NaryTriples,
    /// Products, by width.
    word_triples: WordTriples,
    /// Squares, by width.
    square_pairs: SquarePairs,
    /// Matrix products.
    matrix_triples: MatrixTriples,
    /// Words converted from `bool` to `arith`, by width.
    eda_bits: EdaBits,
    /// Lookups by the other's index in a table of one party, in each direction.
    lookup_tables: LookupTables,
    /// Bits converted from `bool` to `arith`, each to a word of its own, by its width.
    da_bits: DaBits,
    /// Products of a bit in `bool` and a word in `arith`, by width.
    bit_word_triples: BitWordTriples,
}

/// Refuses impossible widths.
pub(crate) fn check_width(bits: u32) -> Result<(), ShareError> {
    if (1..=128).contains(&bits) { Ok(()) } else { Err(ShareError::Width { bits }) }
}
