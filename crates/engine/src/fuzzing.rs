//! Private decoders, for whoever fuzzes them. No part of the interface.

use crate::{kept, live};

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
    live::shelf::fuzz(bytes);
}

/// A row of a store of kept shares, and the share in it.
pub fn kept_row(bytes: &[u8]) {
    kept::fuzz(bytes);
}
