//! What can't be a universal circuit.

use crate::Construction;

/// A circuit or size that no universal circuit is made for, or a run with another number of inputs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UniversalError {
    /// The circuit takes more gates than it is padded to.
    #[error("the circuit takes {needed} gates with its copy gates, the size has {gates}")]
    TooManyGates {
        /// Gates the circuit takes.
        needed: usize,
        /// Gates of the size.
        gates: usize,
    },
    /// More inputs, gates and outputs than can be numbered.
    #[error("{poles} inputs, gates and outputs are more than the limit of {limit}")]
    TooLarge {
        /// Inputs, gates and outputs.
        poles: usize,
        /// The most there may be.
        limit: usize,
    },
    /// Another number of input bits than the size's.
    #[error("the universal circuit has {expected} input bits, {given} were given")]
    InputCount {
        /// Bits the circuit takes.
        expected: usize,
        /// Bits given.
        given: usize,
    },
    /// An order of inputs that does not name each of them once.
    #[error("input {input} has the place of another one, or one that there is not")]
    InputOrder {
        /// The input.
        input: usize,
    },
    /// A program of another size.
    #[error("the program is for another size than the universal circuit")]
    ProgramSize,
    /// A program for another construction.
    #[error("the program is for the construction {program:?}, the universal circuit is of {circuit:?}")]
    ProgramConstruction {
        /// What the program is for.
        program: Construction,
        /// What the circuit is.
        circuit: Construction,
    },
}
