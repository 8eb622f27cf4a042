//! Shares of words modulo 2^bits: the domain `arith`.
//!
//! A word is the sum of one word at each party, for any width from 1 to 128. Sums, and products with public words, are
//! local; a product takes a triple of [`crate::triples`] and one round, and a square or a matrix product takes less
//! than the products it replaces. Shares are `u128`s below 2^bits, lane after lane.
//!
//! Source: ABY (NDSS'15), §III-A; products by triples after Beaver, *Efficient Multiparty Protocols Using Circuit
//! Randomization* (CRYPTO'91).
//! Security: semi-honest; what a party sees of a product is masked by words of a triple that it does not know.

mod local;
mod multiply;
mod opening;

pub use local::{add, add_public, multiply_public, negate, scan, segment_sum, subtract, truncate};
pub use multiply::{Factors, matrix_product, multiply, multiply_all, square};
pub use opening::{constant, input, open, random};
