//! Symmetric cryptography under the protocols: AES as a permutation, the correlation-robust hashes built from it, the
//! garbling kernels of half gates and three halves, messages that tell a third party the signs of differences, a
//! pseudorandom generator and wrappers for secrets.
//!
//! Everything is constant time in its secret arguments and available on every [`Backend`]: vector AES of 512
//! or 256 bits, AES-NI, ARMv8, and a portable bitsliced form in plain safe Rust. The machine's best backend
//! is chosen at run time, and tests check that all agree.
//!
//! ```
//! use tacit_crypto::{Prg, Secret};
//! use tacit_math::Block;
//!
//! let mut first = Prg::new(Block(7));
//! let mut second = Prg::new(Block(7));
//! assert_eq!(first.next_block(), second.next_block());
//! assert_eq!(format!("{:?}", Secret::new(42u64)), "Secret(..)");
//! ```

pub mod aes;
mod backend;
mod constants;
pub mod difference_signs;
pub mod fold;
pub mod half_gates;
pub mod half_tree;
pub mod local_code;
pub mod mitccrh;
mod oracle;
mod orthomorphism;
mod prg;
mod random;
mod secret;
mod simd;
pub mod tccr;
pub mod three_halves;

pub use backend::Backend;
pub use constants::LAYOUT;
pub use oracle::{Oracle, OracleStream};
pub use prg::Prg;
pub use random::{EntropyError, random_seed};
pub use secret::Secret;
