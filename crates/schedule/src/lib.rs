//! Schedules: programs as circuits over bundles of wires, and the one walk over them.
//!
//! A [`Schedule`] says what is done with which bundles, in bodies that apply each other; a [`Layout`] says how long bundles live. A
//! [`walk::Walker`] walks both: engines run its tasks with shares or labels, predictions count them, and [`evaluate_clear`] and
//! [`circuit_of`] give them their meaning. What is the same in every run of a body is counted without a walk ([`Tally`]).
//!
//! Nothing here is secret or knows a channel.

mod arithmetic;
mod bundle;
mod constants;
mod counts;
mod depth;
mod evaluate;
mod layers;
mod layout;
mod rules;
mod schedule;
mod tally;
mod validate;
pub mod walk;

pub use arithmetic::{ArithOp, Relation};
pub use bundle::{Bundle, MAX_ARITH_BITS};
pub use constants::LAYOUT;
pub use counts::ScheduleStats;
pub use evaluate::{EvaluateError, circuit_of, evaluate_clear};
pub use layout::{BodyLayout, Layout};
pub use schedule::{Action, Body, BundleId, Operand, Schedule, Step};
pub use tally::{Applied, Tally};
pub use validate::ScheduleError;
