//! Tests of the crate's surface, across schemes.

mod decoders;
mod generic;
