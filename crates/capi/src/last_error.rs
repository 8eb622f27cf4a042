//! The message of the last failed call of each thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char};

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Keeps a message for [`message`].
pub(crate) fn remember(mut message: String) {
    message.retain(|letter| letter != '\0');
    LAST.with_borrow_mut(|last| *last = CString::new(message).unwrap_or_default());
}

/// The last message, valid until the next is kept.
pub(crate) fn message() -> *const c_char {
    LAST.with_borrow(|last| last.as_ptr())
}
