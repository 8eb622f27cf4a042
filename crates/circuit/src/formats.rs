//! Circuit files: Bristol format and Bristol Fashion.
//!
//! Readers are strict: every wire is driven once and before it is read, and all counts of the header hold. Reading
//! merges equal gates and folds constants, so a circuit may come out smaller than its file.

pub mod bristol;
pub mod bristol_fashion;
mod reader;
mod writer;

use crate::circuit::Circuit;

/// A file that is not what its format demands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct FormatError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a line of a circuit file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file ends too early.
    #[error("the file ends where {0} should follow")]
    Ends(&'static str),
    /// Not a number.
    #[error("“{0}” is not a number")]
    NotANumber(String),
    /// Another number of fields than the line's kind has.
    #[error("{found} fields where {expected} should be")]
    Fields {
        /// Fields the line should have.
        expected: usize,
        /// Fields it has.
        found: usize,
    },
    /// A gate of another name.
    #[error("unknown gate “{0}”")]
    UnknownGate(String),
    /// A gate with a number of inputs or outputs that its kind does not have.
    #[error("a gate {gate} can't have {inputs} inputs and {outputs} outputs")]
    Arity {
        /// The gate.
        gate: &'static str,
        /// Inputs it was given.
        inputs: usize,
        /// Outputs it was given.
        outputs: usize,
    },
    /// A wire beyond those of the header.
    #[error("wire {0} is beyond the wires of the header")]
    NoSuchWire(usize),
    /// A wire that is read before it is driven.
    #[error("wire {0} is read before it is driven")]
    Undriven(usize),
    /// A wire that is driven a second time.
    #[error("wire {0} is driven twice")]
    DrivenTwice(usize),
    /// A constant other than 0 and 1.
    #[error("{0} is not a bit")]
    NotABit(usize),
    /// Counts of the header that can't be.
    #[error("{wires} wires can't hold {inputs} inputs and {outputs} outputs")]
    Header {
        /// Wires.
        wires: usize,
        /// Input bits.
        inputs: usize,
        /// Output bits.
        outputs: usize,
    },
    /// More wires than can be read.
    #[error("{wires} wires are more than the limit of {limit}")]
    TooLarge {
        /// Wires of the header.
        wires: usize,
        /// The limit.
        limit: usize,
    },
    /// Something after the last gate.
    #[error("the header promises {0} gates, and more follows")]
    Trailing(usize),
    /// Wires that no gate drives.
    #[error("{0} wires are driven by no gate")]
    Missing(usize),
}

/// A circuit that a format can't hold, or a failure to write it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// Groups of inputs or outputs that Bristol format can't express.
    #[error(
        "Bristol format holds at most two inputs and one output; this circuit has {inputs} and {outputs}"
    )]
    Groups {
        /// Input groups.
        inputs: usize,
        /// Output groups.
        outputs: usize,
    },
    /// A constant output of a circuit without inputs, which Bristol format can't express.
    #[error("Bristol format can't hold constants without an input")]
    Constant,
    /// The file can't be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// The most wires a file may have unless a caller says otherwise.
pub const MAX_WIRES: usize = 1 << 27;

/// Reads either format; the third line tells which it is.
///
/// Errors: [`FormatError`], as the format's own reader.
pub fn read(text: &str, max_wires: usize) -> Result<Circuit, FormatError> {
    let third = text.lines().filter(|line| !line.trim().is_empty()).nth(2);
    let is_gate = |line: &str| line.trim_end().ends_with(|last: char| last.is_ascii_alphabetic());
    match third.is_none_or(is_gate) {
        true => bristol::read(text, max_wires),
        false => bristol_fashion::read(text, max_wires),
    }
}

#[cfg(test)]
mod tests;
