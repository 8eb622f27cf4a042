//! Programs to circuits: a [`Schedule`] is a program cut into circuits and moves of data, which is what engines walk.

mod cost;
mod counts;
mod error;
mod evaluate;
mod files;
mod inline;
mod lowering;
mod options;
mod partition;
mod schedule;
mod validate;
mod wires;
mod words;

pub use counts::ScheduleStats;
pub use error::LowerError;
pub use evaluate::{EvaluateError, evaluate_clear};
pub use files::{flatten, program_from_circuit};
pub use lowering::lower;
pub use options::Options;
pub use schedule::{Action, Body, Bundle, BundleId, Operand, Schedule, Step};
pub use validate::ScheduleError;
