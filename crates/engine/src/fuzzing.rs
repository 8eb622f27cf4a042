//! Private decoders, for fuzzing. Not part of the interface.

use crate::{live, stored_shares};

/// The garbler's header before a batch of a live session: it must have as many steps as tags.
pub fn live_header(bytes: &[u8]) {
    live::header::fuzz(bytes);
}

/// The inputs for which the evaluator of a live session requests labels, at a garbler whose program has some.
pub fn live_inputs(bytes: &[u8]) {
    live::inputs::fuzz(bytes);
}

/// The names of values that a party of a live session keeps: at most a few megabytes.
pub fn live_names(bytes: &[u8]) {
    live::stored_shares::fuzz(bytes);
}

/// A row of a share store, and the share in it.
pub fn stored_share(bytes: &[u8]) {
    stored_shares::fuzz(bytes);
}
