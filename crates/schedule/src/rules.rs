//! Checks of the rules of schedules.

/// The violated rule, if any.
pub(crate) type Checked = Result<(), &'static str>;

pub(crate) fn require(holds: bool, reason: &'static str) -> Checked {
    if holds { Ok(()) } else { Err(reason) }
}
