//! What is drawn from common keys, for tests that ask whether anything is drawn twice.

use std::cell::RefCell;

use crate::parties::PartyIndex;

/// Something that a party drew with the key of one set.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    pub(crate) me: PartyIndex,
    /// The field it was drawn in.
    pub(crate) field: String,
    /// Names the key.
    pub(crate) key: u128,
    /// Purpose and number of the stream.
    pub(crate) lane: u64,
    /// Whether places are bits, not blocks.
    pub(crate) of_bits: bool,
    /// The first place, and how many there are.
    pub(crate) first: u128,
    pub(crate) count: u128,
}

thread_local! {
    static DRAWN: RefCell<Option<Vec<Draw>>> = const { RefCell::new(None) };
}

/// From now on what this thread draws is recorded.
pub(crate) fn start() {
    DRAWN.set(Some(Vec::new()));
}

/// What was drawn since then.
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
