//! Universal circuits: public circuits that a private program turns into any circuit of a size. `tacit-pfe` uses them as one of its
//! ways to evaluate private functions.
//!
//! | type | what |
//! |---|---|
//! | [`Graph`] | the private circuit in a form that can be programmed: gates with any of the 16 tables of two operands, each value used at most twice, padded to a public [`Size`] |
//! | [`UniversalCircuit`] | the public circuit of a size: universal gates, and about `3 n log2 n` switches for `n` gates by the smallest [`Construction`] |
//! | [`Program`] | the private settings of switches and gates |
//!
//! [`UniversalCircuit::to_circuit`] returns it as a Boolean circuit that takes the program as an input. A protocol that evaluates
//! universal circuits directly implements [`Switches`]: see `tacit-pfe`.
//!
//! ```
//! use tacit_circuit::{CircuitBuilder, arithmetic};
//! use tacit_universal::{Construction, Graph, Program, UniversalCircuit};
//!
//! let mut builder = CircuitBuilder::new();
//! let (a, b) = (builder.input(8), builder.input(8));
//! let sum = arithmetic::add(&mut builder, &a, &b);
//! let circuit = builder.finish(vec![sum])?;
//! let graph = Graph::from_circuit(&circuit, Some(100))?;
//! let universal = UniversalCircuit::new(graph.size(), Construction::Liu);
//! let bits = |value: u8| (0..8).map(move |i| value >> i & 1 == 1);
//! let program = Program::new(&graph, Construction::Liu);
//! let output = universal.evaluate(&program, &bits(200).chain(bits(100)).collect::<Vec<_>>())?;
//! assert_eq!(output, bits(44).collect::<Vec<_>>());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Construction`] determines how edge-universal graphs are built, in which any pole may be connected to any later one: from blocks of two or four
//! poles, and recursively from two or four such graphs whose poles are the blocks (Liu, Yu, Zhao, Zhang, Liu and Zhao, "Pushing the Limits of Valiant's Universal
//! Circuits: Simpler, Tighter and More Compact", CRYPTO 2021, `3 n log2 n`) or lie between them (Valiant, STOC 1976; Kiss and Schneider, EUROCRYPT 2016;
//! Günther, Kiss and Schneider, ASIACRYPT 2017: `5 n log2 n` and `4.75 n log2 n`). Switches whose control bit has no effect are left out: those of the first
//! and last block, of inputs and outputs, and of one of the blocks in a graph of two.

mod block;
mod construction;
mod controls;
mod count;
mod error;
mod graph;
mod level;
mod plan;
mod program;
mod routes;
mod settings;
mod size;
mod split;
mod universal_circuit;
mod walk;

pub use construction::Construction;
pub use count::SwitchCount;
pub use error::UniversalError;
pub use graph::Graph;
pub use program::Program;
pub use size::Size;
pub use universal_circuit::UniversalCircuit;
pub use walk::{Control, Switches};
