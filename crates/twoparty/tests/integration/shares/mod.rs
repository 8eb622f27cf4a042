//! Protocols on shares, both parties in one thread, against plain arithmetic, with exact bytes and rounds.

mod arith;
mod boolean;
mod compare;
mod convert;
mod encrypted;
mod faults;
pub mod harness;
mod lattices;
mod material;
mod providers;
mod random;
mod resize;
mod reuse;
mod views;
