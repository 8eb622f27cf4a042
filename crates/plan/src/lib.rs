//! The plan of a run: circuits, who garbles, when tables travel, and the predicted cost.
//!
//! [`plan`] turns a program into a [`Plan`]. Each party makes it independently from the same program, and
//! they compare its hash before any input is used. Operations run in Yao's garbled circuits, or on shares of
//! bits or of sums if the program pins values to those domains, or if the plan is better so.

mod among;
mod bound;
mod candidate;
mod ceiling;
mod choice;
mod constants;
mod cost;
mod domain;
mod drafts;
mod error;
mod flow;
mod garbler;
mod garbling;
mod hash;
mod limits;
mod matrices;
mod message_order;
mod mixed;
mod mode;
mod named;
mod objective;
mod options;
mod parties;
mod phase_time;
#[allow(clippy::module_inception, reason = "the type that the crate is about")]
mod plan;
mod planner;
mod print;
mod profile;
mod security;
mod sharing;
mod side_by_side;
mod tables;
mod transfers;
mod work;

pub use among::WorkAmong;
pub use bound::{Bound, OperationCost, Unbounded, bound, operation_costs};
pub use constants::LAYOUT;
pub use cost::{Forecast, PredictedMemory, PredictedTime, Prediction, PricedRun, Prices, Traffic};
pub use domain::DomainChoice;
pub use error::PlanError;
pub use flow::{Flow, FlowNode};
pub use garbler::GarblerChoice;
pub use garbling::Garbling;
pub use limits::Limits;
pub use matrices::{Lattices, MatrixChoice};
pub use message_order::{Column, Event, Gates, MessageOrder, Recipients, Reveal};
pub use mode::{AUTO_TABLE_BYTES, Mode, ModeChoice, TABLE_BYTES};
pub use named::Named;
pub use objective::{Goal, Objective, Tariff};
pub use options::PlanOptions;
pub use parties::{Parties, Side};
pub use phase_time::PhaseTime;
pub use plan::Plan;
pub use planner::{plan, plan_watched, with_other_garbler};
pub use profile::Profile;
pub use security::{InsecureLevel, SecurityLevel, SecurityParams};
pub use sharing::ShareForm;
pub use transfers::{Link, TransferChoice, TransferExtension};
pub use work::{DomainWork, Material, Work};
