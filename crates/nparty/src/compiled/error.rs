use tacit_schedule::walk::WalkError;
use thiserror::Error;

use crate::error::RunError;

/// Why a compiled program does not run among n parties.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum CompiledError {
    /// A role has no party.
    #[error("role {role} has no party; say which party speaks for it")]
    Role {
        /// The role.
        role: String,
    },
    /// A role's party is not in the session.
    #[error("a role is given to party {party}, but the {parties} parties are counted from 0")]
    Party {
        /// The party.
        party: usize,
        /// How many there are.
        parties: usize,
    },
    /// The schedule is not well-formed.
    #[error(transparent)]
    Schedule(#[from] tacit_schedule::ScheduleError),
    /// The program has no circuits.
    #[error(transparent)]
    Lower(#[from] tacit_lower::LowerError),
    /// The schedule has values or operations that only two parties have.
    #[error("{body} has values or operations of a domain in which only two parties compute")]
    Summed {
        /// The template.
        body: String,
    },
    /// The field of the computation has no room for words.
    #[error(
        "words of {bits} bits and their masks need a field of {needed} bits among these parties; the modulus has {has} bits: choose a \
         larger prime, or leave the words as bits"
    )]
    Room {
        /// Bits of the words.
        bits: u32,
        /// Bits that the order of a field must have.
        needed: usize,
        /// Bits that the order of this one has.
        has: usize,
    },
    /// Parties may depart from the protocol, and there is no verification of words.
    #[error(
        "with security = \"active\" compiled programs are computed on bits, and this one has values in arith; leave out the domain and its pins, or agree on \"passive\""
    )]
    WordsNotVerified,
    /// A circuit of the schedule has ANDs of more than two operands.
    #[error("a circuit has ANDs of more than two operands, which only two parties can compute")]
    WideAnds,
    /// The schedule belongs to another program.
    #[error("the schedule belongs to another program")]
    OtherSchedule,
    /// There must be an entry for each input port.
    #[error("{given} inputs are given, but the program has {expected}")]
    Inputs {
        /// How many were given.
        given: usize,
        /// How many there are.
        expected: usize,
    },
    /// An input of this party is missing or has another type, or was given for another party.
    #[error("input {input} {}", if *.mine { "is missing or has another type than in the program" } else { "is given here, but another party gives it" })]
    Input {
        /// The input.
        input: String,
        /// Whether this party gives it.
        mine: bool,
    },
    /// An opened value is not a bit.
    #[error("output {output} has an element that is not a bit: some party computed something else")]
    NoBit {
        /// The output.
        output: String,
    },
    /// A bundle of wires is too large.
    #[error("there is no memory for {lanes} lanes of {bits} bits each")]
    Memory {
        /// Width of each lane.
        bits: u32,
        /// Lanes in all instances.
        lanes: usize,
    },
    /// The computation has ended.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl From<WalkError> for CompiledError {
    fn from(error: WalkError) -> Self {
        match error {
            WalkError::Memory { bits, lanes } => CompiledError::Memory { bits, lanes: lanes as usize },
            // Every schedule was checked before its walk.
            WalkError::Unwritten | WalkError::Input { .. } | WalkError::Supplied | WalkError::Domain => {
                CompiledError::OtherSchedule
            }
        }
    }
}
