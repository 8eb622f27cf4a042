//! Programs to circuits: a [`Schedule`](tacit_schedule::Schedule) is a program cut into circuits and moves of data, which is what engines walk.
//!
//! [`lower`] cuts a program so that no circuit grows with repetition: scalars go into one circuit, where
//! constants and equal gates are found across operations; wide vectors become circuits over lanes; bodies of
//! calls, maps and loops are kept once. [`flatten`] makes one circuit of everything, for files, and
//! [`program_from_circuit`] goes the other way.
//!
//! ```
//! use tacit_ir::{Builder, Shape, Words};
//! use tacit_lower::{Options, lower};
//! use tacit_schedule::evaluate_clear;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut program = Builder::new("product");
//! let (alice, bob) = (program.role("A"), program.role("B"));
//! let integer = Shape::Integer { bits: 32, signed: false };
//! let (x, y) = (program.input("x", alice, integer.clone())?, program.input("y", bob, integer.clone())?);
//! let z = program.output("z", vec![alice, bob], integer)?;
//! let mut main = program.template("main", vec![]);
//! let (a, b) = (main.input(&program, x)?[0], main.input(&program, y)?[0]);
//! let product = main.mul(a, b)?;
//! main.output(&program, z, &[product])?;
//! let program = program.finish(main)?;
//!
//! let schedule = lower(&program, &Options::default())?;
//! assert_eq!(schedule.and_count(), 559);
//! let inputs = [vec![Words::scalar(32, 6)], vec![Words::scalar(32, 7)]];
//! assert_eq!(evaluate_clear(&schedule, &inputs, || 0)?, [[Words::scalar(32, 42)]]);
//! # Ok(())
//! # }
//! ```

mod ceiling;
mod classes;
mod compiled;
mod constants;
mod cost;
mod domains;
mod error;
mod files;
mod inline;
mod inner_products;
mod library;
mod lowering;
mod options;
mod partition;
mod pinned;
mod sums;
mod tiles;
mod widen;
mod wire_map;
mod wires;
mod words;

pub use ceiling::Ceiling;
pub use classes::{Assigned, OpClass};
pub use compiled::{CompiledCircuit, CompiledError};
pub use constants::LAYOUT;
pub use error::LowerError;
pub use files::{flatten, flatten_for, program_from_circuit, program_from_players};
pub use library::Library;
pub use lowering::{lower, lower_with, lower_within, operation_domains};
pub use options::Options;
pub use pinned::movable_classes;
pub use widen::with_wide_ands;
pub use wire_map::{WireMap, Wired};
