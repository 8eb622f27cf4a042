//! Records what is opened to all, for tests of what openings reveal.

use std::cell::RefCell;

use tacit_math::field::Field;

use crate::parties::PartyIndex;

/// Elements that a party saw, of at most 128 bits.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    pub(crate) me: PartyIndex,
    /// Their field.
    pub(crate) field: String,
    /// The position of the first element.
    pub(crate) first: u64,
    pub(crate) numbers: Vec<u128>,
}

thread_local! {
    static OPENED: RefCell<Option<Vec<Opening>>> = const { RefCell::new(None) };
}

/// Starts to record what parties of this thread open.
pub(crate) fn start() {
    OPENED.set(Some(Vec::new()));
}

/// Returns what was opened since then.
pub(crate) fn take() -> Vec<Opening> {
    OPENED.take().unwrap_or_default()
}

pub(super) fn opened<F: Field>(me: PartyIndex, field: &F, first: u64, elements: &[F::Element]) {
    OPENED.with_borrow_mut(|opened| {
        let Some(opened) = opened else { return };
        let number = |element: &F::Element| {
            let mut bytes = vec![0; field.bytes()];
            field.encode(*element, &mut bytes);
            bytes.iter().take(16).rev().fold(0, |number, byte| number << 8 | u128::from(*byte))
        };
        let numbers = elements.iter().map(number).collect();
        opened.push(Opening { me, field: format!("{field:?}"), first, numbers });
    });
}
