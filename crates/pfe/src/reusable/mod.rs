//! Protocols whose wiring is used for many runs: the wiring is a point for each operand, and each run garbles under fresh secrets.
//!
//! This module has the code that they share; a [`Wiring`] defines how points are hidden and how keys are derived.

mod blinds;
mod holder;
mod owner;
mod wiring;

pub use holder::{Holder, HolderRun};
pub use owner::{Owner, OwnerRun};
pub use wiring::Wiring;

/// Gates that a thread works on at a time; their blinds are one output of a pseudorandom function.
const GROUP: usize = 64;

const _: () =
    assert!(crate::bytes::WINDOW.is_multiple_of(GROUP), "blinds never repeat: groups begin where windows do");
