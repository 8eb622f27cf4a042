//! How the rules of schedules are checked.

/// What is wrong, if anything.
pub(crate) type Checked = Result<(), &'static str>;

pub(crate) fn require(holds: bool, reason: &'static str) -> Checked {
    if holds { Ok(()) } else { Err(reason) }
}
