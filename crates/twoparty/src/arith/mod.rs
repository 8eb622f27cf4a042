//! Shares of words modulo 2^bits: the domain `arith`.
//!
//! A word is the sum of one word at each party, for any width from 1 to 128. Sums, and products with public words, are
//! local; a product takes a triple of [`crate::correlations`] and one round, and a square or a matrix product takes less
//! than the products it replaces. Shares are `u128`s below 2^bits, lane after lane.
//!
//! | function | result | cost, known in advance |
//! |---|---|---|
//! | [`multiply`], [`square`], [`matrix_product`] | products | a triple, a pair, a matrix triple; 1 round |
//! | [`compare_all`] ([`less`], [`equal`], [`most_significant`]) | a bit, shared by exclusive or | [`compare_cost`] |
//! | [`resize_all`] ([`resize`]) | exact shifts to the right, high bits, wider words | [`resize_cost`] |
//! | [`scale`], [`select`] | a word times a bit, selection between two words | [`scale_cost`] |
//!
//! Usage: operations that run in one layer go into one call of a function whose name ends in `_all`, so that they share messages;
//! widths may be mixed. The function whose name ends in `_cost` takes only the sizes and returns a [`crate::Cost`]: the
//! [`Requirement`](crate::correlations::Requirement) for setup, and bytes and rounds online, all exact. Costs of a run are added
//! with [`crate::Cost::then`]. Comparisons return bits in the form of [`crate::gmw`], lane after lane, which
//! [`crate::convert::bits_to_arith`] converts to words and [`select`] selects by.
//!
//! ```
//! use tacit_twoparty::arith::{self, ComparisonShape, Relation};
//! use tacit_twoparty::{Cost, End, ShareError};
//!
//! /// The larger of two words of 32 bits, lane by lane, and its cost for this many lanes.
//! async fn larger(end: &mut End, x: &[u128], y: &[u128]) -> Result<Vec<u128>, ShareError> {
//!     let less = arith::less(end, x, y, 32).await?;
//!     arith::select(end, &less, y, x, 32).await
//! }
//!
//! fn larger_cost(lanes: u64) -> Cost {
//!     let shape = ComparisonShape { relation: Relation::LessUnsigned, shared: [true; 2], bits: 32, lanes };
//!     let mut cost = arith::compare_cost(&[shape]);
//!     cost.then(&arith::scale_cost(32, lanes));
//!     cost
//! }
//! assert_eq!(larger_cost(1000).rounds(), [5 + 1; 2]);
//! ```
//!
//! Source: ABY (NDSS'15), §III-A; products by triples after Beaver, *Efficient Multiparty Protocols Using Circuit
//! Randomization* (CRYPTO'91).
//! Security: semi-honest; what a party sees of a product is masked by words of a triple that it does not know.

mod compare;
mod local;
mod millionaires;
mod multiply;
mod opening;
mod resize;
mod scale;

pub use compare::{
    Comparison, ComparisonOperand, ComparisonShape, Relation, compare_all, compare_cost, equal, less,
    most_significant,
};
pub use local::{add, add_public, multiply_public, negate, scan, segment_sum, subtract, truncate};
pub use multiply::{Factors, matrix_product, multiply, square};
pub(crate) use multiply::{mask_matrices, mask_products, mask_squares};
pub use opening::{constant, input, open, random};
pub use resize::{Resize, Resized, resize, resize_all, resize_cost};
pub use scale::{scale, scale_cost, select};
