//! Errors of universal circuits.

use crate::Construction;

/// Why a universal circuit, program or run was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UniversalError {
    /// The circuit needs more gates than it is padded to.
    #[error("the circuit needs {needed} gates, copy gates included, and the size has {gates}")]
    TooManyGates {
        /// Gates that the circuit needs.
        needed: usize,
        /// Gates of the size.
        gates: usize,
    },
    /// More inputs, gates and outputs than can be numbered.
    #[error("{poles} inputs, gates and outputs are more than the limit of {limit}")]
    TooLarge {
        /// Inputs, gates and outputs.
        poles: usize,
        /// The limit.
        limit: usize,
    },
    /// The number of input bits is not that of the size.
    #[error("the universal circuit has {expected} input bits, {given} were given")]
    InputCount {
        /// Input bits of the circuit.
        expected: usize,
        /// Bits given.
        given: usize,
    },
    /// An order of inputs that does not contain each input once.
    #[error("input {input} has a place that another input has or that does not exist")]
    InputOrder {
        /// The input.
        input: usize,
    },
    /// A program of another size.
    #[error("the program and the universal circuit have different sizes")]
    ProgramSize,
    /// A program for another construction.
    #[error("the program is for the construction {program:?}, and the universal circuit has {circuit:?}")]
    ProgramConstruction {
        /// The program's construction.
        program: Construction,
        /// The circuit's construction.
        circuit: Construction,
    },
}
