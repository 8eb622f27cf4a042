//! Tests of the crate's public interface, across schemes.

mod constant_time;
mod decoders;
mod generic;
#[path = "../../../crypto/tests/memcheck/mod.rs"]
mod memcheck;
