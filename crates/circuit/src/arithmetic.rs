//! Words of literals, least significant bit first, and the smallest known circuits over them.
//!
//! Every function takes the builder first and returns a fresh word. Widths are the callers' affair: operands of one
//! width unless a function says otherwise. Constant bits fold away, so a word with known zeros on top costs what
//! the narrower word costs.

mod add;

pub use add::{add, add_with_carry, negate, subtract};
