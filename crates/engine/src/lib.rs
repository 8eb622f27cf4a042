//! Runs plans: analysis, setup and online, over a session with the peer.
//!
//! [`plan`] makes the plan of a program, [`run`] runs it with the peer, and [`in_process`] runs both parties in one
//! process:
//!
//! ```
//! use tacit_engine::in_process;
//! use tacit_ir::{Builder, Shape, Words};
//! use tacit_plan::PlanOptions;
//!
//! // Which of two numbers is smaller?
//! let word = Shape::Integer { bits: 32, signed: false };
//! let mut program = Builder::new("millionaires");
//! let (alice, bob) = (program.role("A"), program.role("B"));
//! let (a, b) = (program.input("mil", alice, word.clone())?, program.input("mil", bob, word)?);
//! let less = program.output("less", vec![alice, bob], Shape::Integer { bits: 1, signed: false })?;
//! let mut main = program.template("main", vec![]);
//! let (x, y) = (main.input(&program, a)?[0], main.input(&program, b)?[0]);
//! let result = main.lt_u(x, y)?;
//! main.output(&program, less, &[result])?;
//! let program = program.finish(main)?;
//!
//! let inputs = [vec![Words::scalar(32, 5)], vec![Words::scalar(32, 7)]];
//! let both = in_process(&program, &inputs, &PlanOptions::default())?;
//! assert_eq!(both.evaluator.outputs, [[Words::scalar(1, 1)]]);
//! assert_eq!(both.garbler.report.work.and_count, 32);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod calibrate;
mod cancel;
mod constants;
mod deviation;
mod drive;
mod error;
#[doc(hidden)]
pub mod fuzzing;
mod greeting;
mod inputs;
mod job;
pub mod live;
mod local;
mod memory;
pub mod open;
mod operation;
mod options;
mod outside_parties;
mod peer_fault;
mod prices;
pub mod private;
mod processor;
mod profile_file;
mod progress;
mod report;
mod run;
mod sharing;
pub mod store;
pub mod stored_shares;

pub use cancel::CancelFlag;
pub use constants::{LAYOUT, build};
pub use deviation::{Deviation, PhaseSeconds};
pub use error::{Class, Failure, RunError};
pub use inputs::{ColumnSize, InputError};
pub use job::{Job, Outcome};
pub use local::{BothOutcomes, clear, in_process};
pub use memory::peak_bytes;
pub use open::{BlockingSession, OpenSession, Prepared, RunTask, SessionTerms};
pub use operation::Operation;
pub use options::{OptionError, RUN_OPTIONS, RunOption, RunOptions, Values};
pub use outside_parties::{OutsideOutcome, OutsideReport, take_part};
pub use prices::YaoPrices;
pub use profile_file::{ProfileError, ProfileFile, machine};
pub use progress::{Progress, ProgressSink, ProgressTraffic};
pub use report::{OperationReport, PhaseReport, REPORT_VERSION, Report};
pub use run::{block_on, bound, operation_costs, plan, plan_watched, run, with_other_garbler};
pub use store::{Store, StoreError};
pub use stored_shares::{OtherShares, ShareCorruption, ShareStatus, ShareStore, ShareStoreError};
