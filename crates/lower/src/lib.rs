//! Programs to circuits: a [`Schedule`] is a program cut into circuits and moves of data, which is what engines walk.

mod schedule;

pub use schedule::{Action, Body, Bundle, BundleId, Operand, Schedule, Step};
