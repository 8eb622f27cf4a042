//! What can be wrong with what a peer sends.

use thiserror::Error;

/// What is wrong with a peer's message. Its text follows the message's name, as in “bob's message 3”.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageError {
    /// It is longer than any message.
    #[error("is {length} bytes long; at most {limit} are allowed")]
    Length {
        /// Bytes that it announces.
        length: usize,
        /// The most.
        limit: usize,
    },
    /// The sender has told before what it would agree on.
    #[error("repeats agreement {number}, which each party tells once")]
    RepeatedAgreement {
        /// Its number in the task.
        number: u64,
    },
    /// It belongs to a field that the computation does not have.
    #[error("belongs to field {field}, which this computation does not have")]
    Field {
        /// The number of the field.
        field: u8,
    },
    /// A range has no known type.
    #[error("has an unknown type ({kind})")]
    Kind {
        /// Its number.
        kind: u8,
    },
    /// A range has no elements, or too many.
    #[error("announces {count} elements in one range; 1 to {limit} are allowed")]
    Count {
        /// How many it announces.
        count: usize,
        /// The most.
        limit: usize,
    },
    /// A range has more operations than elements.
    #[error("announces {operations} operations for {count} elements; an operation has at least one")]
    Operations {
        /// How many operations it announces.
        operations: usize,
        /// How many elements.
        count: usize,
    },
    /// A range has positions that no operation has.
    #[error("has elements up to position {end}; positions are below {limit}")]
    Position {
        /// The position after the last.
        end: u64,
        /// Where positions end.
        limit: u64,
    },
    /// It ends within a range.
    #[error("ends {missing} bytes before its last range does")]
    Short {
        /// How many bytes are missing.
        missing: usize,
    },
    /// Bytes stand for no element of the field.
    #[error("has a number that is not in the field among the {count} elements at position {first}")]
    NotInField {
        /// Position of the first element of the range.
        first: u64,
        /// How many elements the range has.
        count: usize,
    },
    /// Elements come twice.
    #[error("repeats some of the {count} elements at position {first}, which were sent before")]
    Repeated {
        /// Position of the first element of the range.
        first: u64,
        /// How many elements the range has.
        count: usize,
    },
    /// A hash of opened values has another length.
    #[error("has a hash of {length} bytes; hashes of opened values have {expected}")]
    Digest {
        /// How long it is.
        length: usize,
        /// How long it must be.
        expected: usize,
    },
    /// A hash of opened values comes twice.
    #[error("repeats the hash of synchronisation {epoch} of a task, which was sent before")]
    RepeatedDigest {
        /// The number of the synchronisation in its task, counted from 0.
        epoch: u64,
    },
    /// It is about a verification, and nothing is verified.
    #[error("is about a verification, and nothing is verified in this computation")]
    NotVerified,
    /// It is about another verification, or comes twice.
    #[error(
        "is about step {step} of verification {number}, which was sent before, is not due or does not exist"
    )]
    Verification {
        /// The number of the verification, counted from 0.
        number: u64,
        /// The step of it.
        step: u64,
    },
    /// A sign of life is a part of another message.
    #[error("has a sign of life together with other content; a sign of life is a message of its own")]
    Busy,
}

/// What is wrong with a peer's list of stored material. Its text follows “bob's list of stored material”.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum HoldingsError {
    /// It is longer than any list.
    #[error("is {length} bytes long; at most {limit} are allowed")]
    Length {
        /// Bytes that it announces.
        length: usize,
        /// The most.
        limit: usize,
    },
    /// It can't be decoded.
    #[error("cannot be decoded: its {length} bytes are not a list")]
    Format {
        /// How many bytes there are.
        length: usize,
    },
    /// Entries overlap or are not in order.
    #[error(
        "is not in order: the entries from {first} on overlap those before them, or end beyond the last number"
    )]
    Order {
        /// The first entry of the stretch that is out of order.
        first: u64,
    },
}
