//! Circuit files: Bristol format, Bristol Fashion, the compact [`netlist`], and the forms of Fairplay and FairplayMP;
//! AIGER and BLIF to read.
//!
//! Readers are strict: every wire is driven once and before it is read, and all counts of the header hold. Reading
//! merges equal gates and folds constants, so a circuit may come out smaller than its file.

pub mod aiger;
pub mod blif;
pub mod bristol;
pub mod bristol_fashion;
pub mod fairplay;
pub mod netlist;
mod reader;
mod writer;

use crate::circuit::Circuit;

/// A file that violates its format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct FormatError {
    /// The line, from 1.
    pub line: usize,
    /// The problem.
    pub problem: Problem,
}

/// A problem of a line of a circuit file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file ends too early.
    #[error("the file ends where {0} should follow")]
    Ends(&'static str),
    /// Not a number.
    #[error("“{0}” is not a number")]
    NotANumber(String),
    /// The number of fields does not fit the kind of line.
    #[error("{found} fields where {expected} should be")]
    Fields {
        /// Fields the line should have.
        expected: usize,
        /// Fields it has.
        found: usize,
    },
    /// A gate with an unknown name.
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
    /// Counts of the header that are impossible.
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
    /// Unexpected text.
    #[error("“{found}” where {expected} should be")]
    Expected {
        /// The expected text.
        expected: &'static str,
        /// The text found.
        found: String,
    },
    /// A line that ends too early.
    #[error("the line ends where {0} should follow")]
    Lacks(&'static str),
    /// The length of a truth table does not fit the gate's inputs.
    #[error("the table of a gate with {inputs} inputs has {found} entries")]
    Table {
        /// The gate's inputs.
        inputs: usize,
        /// Entries of the table.
        found: usize,
    },
    /// More inputs than a gate may have.
    #[error("a gate with {inputs} inputs has more than the {limit} that are read")]
    FanIn {
        /// The gate's inputs.
        inputs: usize,
        /// The limit.
        limit: usize,
    },
    /// The number of wires differs from the announced one.
    #[error("{found} wires where {expected} are announced")]
    Inputs {
        /// Wires that the line announces.
        expected: usize,
        /// Wires it has.
        found: usize,
    },
    /// The number of bits differs from the one announced for a player.
    #[error("the inputs of {player} have {found} bits where {expected} are announced")]
    PlayerBits {
        /// The player.
        player: String,
        /// Bits announced.
        expected: usize,
        /// Bits of the inputs.
        found: usize,
    },
    /// A wire for which nothing says whose bit it is.
    #[error(
        "nothing says whose bit wire {0} is; the file .fmt beside this one does, or a comment like //output$input.alice$0"
    )]
    Unnamed(usize),
    /// A wire that is named as an input but is not one.
    #[error("wire {0} is named as an input, but no line declares it as one")]
    NoInput(usize),
    /// The bits of a number do not count from 0.
    #[error("the bits of {0} do not count from 0 on, each once")]
    Gaps(String),
    /// Two inputs, or two outputs, of one name and player.
    #[error("{0} is named twice")]
    NamedTwice(String),
    /// A name without bits.
    #[error("{0} has no bits")]
    NoBits(String),
    /// More gates than a circuit may have.
    #[error("more than {limit} gates")]
    TooManyGates {
        /// The limit.
        limit: usize,
    },
    /// A problem of the accompanying file.
    #[error("of the file .fmt: {0}")]
    InNames(Box<Problem>),
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

/// An input or output of a circuit, as named in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// The player that gives or receives it.
    pub player: String,
    /// Its name, including the player's if the file has it there.
    pub name: String,
}

/// A circuit whose groups of inputs and outputs belong to players.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayersCircuit {
    /// The circuit.
    pub circuit: Circuit,
    /// The owner of each group of inputs.
    pub inputs: Vec<Port>,
    /// The owner of each group of outputs.
    pub outputs: Vec<Port>,
}

/// The content of a circuit file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CircuitFile {
    /// A circuit in a Bristol format, which names no players.
    Plain(Circuit),
    /// A circuit of Fairplay.
    Players(PlayersCircuit),
}

/// Reads any of the formats, which is detected by its first lines. `names` is the text of the accompanying
/// file that ends in `.fmt`, which only [SHDL](fairplay::shdl) has.
///
/// Errors: [`FormatError`], as the format's own reader.
pub fn read_file(text: &str, names: Option<&str>, max_wires: usize) -> Result<CircuitFile, FormatError> {
    match fairplay::form_of(text) {
        Some(form) => fairplay::read(form, text, names, max_wires).map(CircuitFile::Players),
        None => read(text, max_wires).map(CircuitFile::Plain),
    }
}

/// Reads either Bristol format, which is detected by the third line.
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
mod netlist_tests;
#[cfg(test)]
mod tests;
