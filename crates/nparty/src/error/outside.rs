//! Errors between computing parties and outside parties.

use thiserror::Error;

/// What a computing or outside party has done wrong. Its text follows the party's name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutsideError {
    /// A message is too long.
    #[error("has announced a message of {length} bytes; at most {limit} are allowed")]
    Long {
        /// The announced length.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// Bytes that are not a message.
    #[error("has sent a message that cannot be decoded")]
    Unreadable,
    /// A message that is not expected now.
    #[error("has sent {what}, which is not due")]
    NotDue {
        /// What was sent.
        what: &'static str,
    },
    /// The wrong number of masked elements.
    #[error("has sent {given} bytes for an input of {expected}")]
    Size {
        /// Bytes sent.
        given: usize,
        /// Bytes expected.
        expected: usize,
    },
    /// Bytes do not encode an element of the field.
    #[error("has sent a number that is not in the field")]
    NotInField,
    /// The computing parties are not in one computation.
    #[error("is in another computation than an earlier computing party; was one of them restarted?")]
    OtherComputation,
    /// The computing parties contradict each other.
    #[error("describes {name} differently than an earlier computing party")]
    Differs {
        /// The input or result.
        name: String,
    },
    /// The shares of a mask are inconsistent.
    #[error(
        "or another computing party has sent a wrong share of the mask for {name}; this mask was not used"
    )]
    Mask {
        /// The input or result.
        name: String,
    },
    /// An outside party has not given its inputs to a run.
    #[error("has not given its inputs in time to all computing parties, though it has a role in the program")]
    Absent,
    /// The computing parties have different inputs of an outside party to a run.
    #[error(
        "has not sent all computing parties the same masked inputs of the program, or one of these denies it; nothing was computed with them"
    )]
    Contradicts,
    /// Masked inputs to a run are not bits.
    #[error("has sent masked inputs of the program that are not bits")]
    NotBits,
    /// A program in which an outside party was not told to take part.
    #[error("runs {name}, in which this party speaks for {}, but this party takes part in no such program", .roles.join(" and "))]
    OtherRun {
        /// The program.
        name: String,
        /// The roles.
        roles: Vec<String>,
    },
    /// The party has visited before.
    #[error("has been visited by this party before in this computation; a party can visit only once")]
    Again,
}
