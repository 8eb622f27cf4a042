//! Private decoders, for whoever fuzzes them. No part of the interface.

use crate::{kept, live};

/// What the garbler of a live session says before a batch: it names as many steps as it has tags.
pub fn live_header(bytes: &[u8]) {
    live::header::fuzz(bytes);
}

/// A row of a store of kept shares, and the share in it.
pub fn kept_row(bytes: &[u8]) {
    kept::fuzz(bytes);
}
