//! Records what is drawn from common keys, for tests that nothing is drawn twice.

use std::cell::RefCell;

use crate::parties::PartyIndex;

/// A range that a party drew with the key of one set.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    pub(crate) me: PartyIndex,
    /// The field it was drawn in.
    pub(crate) field: String,
    /// Identifies the key.
    pub(crate) key: u128,
    /// Purpose and number of the stream.
    pub(crate) lane: u64,
    /// Whether places count bits, not blocks.
    pub(crate) of_bits: bool,
    /// The first place, and the number of places.
    pub(crate) first: u128,
    pub(crate) count: u128,
}

thread_local! {
    static DRAWN: RefCell<Option<Vec<Draw>>> = const { RefCell::new(None) };
}

/// Starts to record what this thread draws.
pub(crate) fn start() {
    DRAWN.set(Some(Vec::new()));
}

/// Returns what was drawn since then.
pub(crate) fn take() -> Vec<Draw> {
    DRAWN.take().unwrap_or_default()
}

pub(crate) fn record(draw: impl FnOnce() -> Draw) {
    DRAWN.with_borrow_mut(|drawn| {
        if let Some(drawn) = drawn {
            drawn.push(draw());
        }
    });
}
