//! Proofs about circuits and programs by SAT.
//!
//! [`check`] proves that a C program does nothing undefined, that its assertions hold and that its bounds
//! suffice, or finds inputs for which this is false; [`test()`] writes those as a C file that anyone can
//! compile and run. [`never_set`] proves that output bits of a circuit are never set, or finds inputs that
//! set them. [`equal`] proves that two circuits compute the same, or finds inputs on which they differ, and
//! [`sweep`] merges nodes of a circuit that are always equal. Limits count the solver's conflicts, so that
//! the same question gets the same answer on every machine.
//!
//! ```
//! use tacit_check::{Limits, Verdict, equal};
//! use tacit_circuit::{Circuit, CircuitBuilder, CircuitError, Lit, arithmetic};
//!
//! fn circuit(write: impl Fn(&mut CircuitBuilder, &[Lit], &[Lit]) -> Vec<Lit>) -> Result<Circuit, CircuitError> {
//!     let mut builder = CircuitBuilder::new();
//!     let (a, b) = (builder.input(32), builder.input(32));
//!     let output = write(&mut builder, &a, &b);
//!     builder.finish(vec![output])
//! }
//!
//! let sum = circuit(|builder, a, b| arithmetic::add(builder, a, b))?;
//! let same = circuit(|builder, a, b| arithmetic::add(builder, b, a))?;
//! let other = circuit(|builder, a, b| arithmetic::subtract(builder, a, b))?;
//! assert_eq!(equal(&sum, &same, &Limits::default()), Ok(Verdict::Equal));
//! assert!(matches!(equal(&sum, &other, &Limits::default()), Ok(Verdict::Different(_))));
//! # Ok::<(), CircuitError>(())
//! ```

mod check;
mod cnf;
mod harness;
mod inputs;
mod limits;
mod minimise;
mod patterns;
mod prove;
pub mod solver;
mod sweep;
mod verify;

pub use check::{CheckError, Finding, Report, check};
pub use harness::{HarnessError, model_checker_source, test};
pub use inputs::{Inputs, to_json};
pub use limits::{Limits, Stop};
pub use prove::{Outcome, never_set};
pub use sweep::{CompareError, Swept, Verdict, equal, sweep};
pub use verify::{NativeRuns, Verification, VerifyError, run_natively, verify};
