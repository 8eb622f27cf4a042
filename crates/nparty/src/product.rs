//! Products of shared values: what each party computes around its messages.
//!
//! | parties | protocol | elements sent, all parties together | rounds |
//! |---|---|---|---|
//! | 3 | [`Replicated`]: everyone passes a masked product on | 3 | 1 |
//! | more | [`King`]: one party opens masked products | 3t, and what double sharings take | 2 |
//!
//! A product is the local product of two shares, a share of degree 2t, or any sum of such products: an inner product costs as
//! much as one multiplication.

pub(crate) mod king;
pub(crate) mod opening;
pub(crate) mod replicated;

pub use king::{King, king_of};
pub use replicated::Replicated;
