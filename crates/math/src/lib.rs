//! Mathematics under the protocols: 128-bit blocks, packed bit vectors, the transposition of bit matrices,
//! finite fields, number-theoretic transforms, powers modulo large numbers, and batches of points of ristretto255.
//!
//! Everything here is pure: no channel, no clock, no randomness. Only this crate and `tacit-crypto` hold SIMD
//! and `unsafe`; each such path has a portable twin and a test that both agree.
//!
//! ```
//! use tacit_math::{Bits, Block};
//!
//! let choices: Bits = [true, false, true].into_iter().collect();
//! assert_eq!(choices.count_ones(), 2);
//! assert_eq!(Block(5) ^ Block(1), Block(4));
//! assert!(Block(5).lsb());
//! ```

#[cfg(target_endian = "big")]
compile_error!("blocks are viewed as their little-endian bytes, so big-endian targets are not supported");

mod bits;
mod block;
pub mod field;
pub mod ntt;
pub mod powers;
pub mod ristretto;
mod table;
pub mod transpose;
mod wipe;

pub use bits::{Bits, BitsError};
pub use block::Block;
pub use table::Table;
pub use wipe::{Wiped, append, reserve, wipe, zeros};
