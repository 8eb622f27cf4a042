//! Private decoders, for whoever fuzzes them. No part of the interface.

use crate::{live, stored_shares};

/// What the garbler of a live session says before a batch: it names as many steps as it has tags.
pub fn live_header(bytes: &[u8]) {
    live::header::fuzz(bytes);
}

/// The inputs for which the evaluator of a live session asks labels, at a garbler whose program has some.
pub fn live_inputs(bytes: &[u8]) {
    live::inputs::fuzz(bytes);
}

/// What a party of a live session tells that it has kept: no more than a few megabytes of names.
pub fn live_names(bytes: &[u8]) {
    live::stored_shares::fuzz(bytes);
}

/// A row of a share store, and the share in it.
pub fn stored_share(bytes: &[u8]) {
    stored_shares::fuzz(bytes);
}
