//! Ready-made circuits.

mod aes;
mod sha256;

pub use aes::{aes128, sub_byte};
pub use sha256::sha256_compression;
