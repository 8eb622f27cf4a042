//! Conversions of values from one domain to another.
//!
//! | from | to | how | cost of a word of `bits` bits |
//! |---|---|---|---|
//! | `yao` | `bool` | [`y2b`]: the colours of the labels are shares | nothing |
//! | `bool` | `yao` | [`b2y`]: the second party's share is its input, the first's flips labels | `bits` OTs and 16 bytes each, 1 round |
//! | `arith` | `yao` | [`a2y`]: both shares are inputs of an adder, which setup garbles | `bits` OTs, 16·bits bytes of labels and bits-1 ANDs in setup; `bits` bits and 16·bits bytes, 1 round |
//! | `arith` | `bool` | [`a2b`]: both shares are inputs of an adder | an adder's AND triples and layers |
//! | `bool` | `arith` | [`b2a`]: opened under bits that are shared in both ways | `bits` bits each way, 1 round |
//! | `bool`, a bit | `arith`, a word | [`bits_to_arith`]: the same, for a single bit | a bit each way, 1 round |
//! | `yao` | `arith` | [`y2b`], then [`b2a`] | as [`b2a`] |
//!
//! Source: ABY (NDSS'15), §IV. All lanes of a value are sent together.
//! Security: semi-honest; see each function.

mod adder;
mod bit_to_arith;
mod bool_to_arith;
mod from_arith;
mod to_labels;
mod yao_and_bool;

pub use adder::adder;
pub use bit_to_arith::{bits_to_arith, bits_to_arith_cost};
pub use bool_to_arith::b2a;
pub(crate) use bool_to_arith::mask_b2a;
pub use from_arith::{a2b, a2b_addends, a2y};
pub use to_labels::{ToLabels, to_labels};
pub use yao_and_bool::{b2y, y2b};
