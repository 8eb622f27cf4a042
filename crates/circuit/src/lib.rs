//! Boolean circuits over AND and XOR: building, measuring, storing and running them.
//!
//! A [`CircuitBuilder`] writes gates and merges equal ones, a [`Circuit`] is the finished graph, and an
//! [`Executable`] is the same graph as straight-line code over few slots, which protocols run. Protocols pay
//! for AND gates; XOR and complements are nearly free, so everything here counts ANDs.
//!
//! ```
//! use tacit_circuit::{CircuitBuilder, arithmetic};
//!
//! let mut builder = CircuitBuilder::new();
//! let (a, b) = (builder.input(8), builder.input(8));
//! let sum = arithmetic::add(&mut builder, &a, &b);
//! let circuit = builder.finish(vec![sum])?;
//! assert_eq!(circuit.stats().and_count, 7);
//! let bits = |value: u8| (0..8).map(move |i| value >> i & 1 == 1);
//! let output = circuit.evaluate(&bits(200).chain(bits(100)).collect::<Vec<_>>())?;
//! assert_eq!(output, bits(44).collect::<Vec<_>>());
//! # Ok::<(), tacit_circuit::CircuitError>(())
//! ```

pub mod arithmetic;
mod builder;
mod circuit;
mod constants;
mod evaluate;
mod executable;
pub mod formats;
mod inputs;
pub mod library;
mod lit;
mod objective;
mod optimise;

pub use builder::CircuitBuilder;
pub use circuit::{Circuit, CircuitError, Node, Stats};
pub use constants::LAYOUT;
pub use executable::{Conjunction, Executable, Layer, MAX_GROUP, Output, Target};
pub use lit::Lit;
pub use objective::Objective;
pub use optimise::{Optimised, Optimiser, OptimiserBudget, Progress, optimise, optimise_for};
