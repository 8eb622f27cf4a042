//! Schedules: programs as circuits over bundles of wires, and the walk over them.
//!
//! A [`Schedule`] lists the steps on bundles, in bodies that apply each other; a [`Layout`] says how long
//! bundles live. A [`walk::Walker`] walks both: engines run its tasks with shares or labels, predictions
//! count them, and [`evaluate_clear`] and [`circuit_of`] define their meaning. Quantities that are the same
//! in every run of a body are counted without a walk ([`Tally`]).
//!
//! Nothing here is secret or uses a channel.

mod bound;
mod bounds;
mod bundle;
mod computing;
mod constants;
mod consumption;
mod conversions;
mod counts;
mod depth;
pub mod domains;
mod effort;
mod evaluate;
mod kernel;
mod kernels;
mod label_work;
mod layers;
mod layout;
mod peak;
mod rules;
mod schedule;
mod tally;
mod validate;
pub mod walk;

pub use bound::Bound;
pub use bundle::Bundle;
pub use computing::{Computing, Unit};
pub use constants::LAYOUT;
pub use consumption::Consumed;
pub use conversions::{ArithToBool, ArithToHe, ArithToYao, BoolToArith, BoolToYao, HeToArith, YaoToBool};
pub use counts::ScheduleStats;
pub use domains::arith::{ArithOp, MAX_ARITH_BITS, Relation};
pub use domains::{Circuits, Combined, DomainRules, Elements, rules};
pub use effort::Effort;
pub use evaluate::{EvaluateError, circuit_of, evaluate_clear};
pub use kernel::{ClearOperands, KernelRules, Site};
pub use kernels::{Conversion, Kernel, Widths, Written, last_conversion, narrow};
pub use label_work::label_work;
pub use layout::{BodyLayout, Layout};
pub use peak::Peak;
pub use schedule::{Action, Body, BundleId, Operand, Schedule, Step};
pub use tally::{Applied, Tally};
pub use validate::ScheduleError;
