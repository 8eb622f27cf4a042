//! What can go wrong between a computing party and one outside.

use thiserror::Error;

/// What a computing party, or one outside, has done wrong. Its text follows the party's name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutsideError {
    /// A message has more bytes than any.
    #[error("has announced a message of {length} bytes, and none has more than {limit}")]
    Long {
        /// What it announced.
        length: usize,
        /// The most.
        limit: usize,
    },
    /// Bytes that are no message.
    #[error("has sent a message that cannot be read")]
    Unreadable,
    /// A message that has no place here.
    #[error("has sent {what}, which is not due")]
    NotDue {
        /// What it is.
        what: &'static str,
    },
    /// Masked elements of another number.
    #[error("has sent {given} bytes for an input of {expected}")]
    Size {
        /// What was sent.
        given: usize,
        /// What was due.
        expected: usize,
    },
    /// Bytes stand for no element of the field.
    #[error("has sent a number that is not in the field")]
    NotInField,
    /// The computing parties are not in one computation.
    #[error("is in another computation than the party before; was one of them started anew?")]
    OtherComputation,
    /// The computing parties say different things.
    #[error("says something else of {name} than the party before")]
    Differs {
        /// The input or result.
        name: String,
    },
    /// Shares of a mask are shares of nothing.
    #[error(
        "or another computing party has sent a wrong share of the mask for {name}; nothing was given or taken under it"
    )]
    Mask {
        /// The input or result.
        name: String,
    },
    /// A party outside has not given its inputs of a run.
    #[error("has not given its inputs in time to all computing parties, though the program has a role of it")]
    Absent,
    /// A program that a party outside was not asked to take part in.
    #[error("runs {name}, in which this party speaks for {}, and it takes part in no such program", .roles.join(" and "))]
    OtherRun {
        /// The program.
        name: String,
        /// The roles.
        roles: Vec<String>,
    },
    /// The party was there before.
    #[error("has been visited by this party before in this computation; a party comes once")]
    Again,
}
