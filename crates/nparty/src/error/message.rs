//! Errors in messages of peers.

use thiserror::Error;

/// What is wrong with a peer's message. Its text follows the message's name, as in “bob's message 3”.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageError {
    /// It is longer than any message.
    #[error("is {length} bytes long; at most {limit} are allowed")]
    Length {
        /// The announced length.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// The sender has sent its value for this agreement before.
    #[error("repeats its value for agreement {number}, which each party sends once")]
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
        /// The announced number.
        count: usize,
        /// The limit.
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
        /// The end of positions.
        limit: u64,
    },
    /// It ends within a range.
    #[error("ends {missing} bytes before its last range does")]
    Short {
        /// How many bytes are missing.
        missing: usize,
    },
    /// Bytes do not encode an element of the field.
    #[error("has a number that is not in the field among the {count} elements at position {first}")]
    NotInField {
        /// Position of the first element of the range.
        first: u64,
        /// How many elements the range has.
        count: usize,
    },
    /// Elements are repeated.
    #[error("repeats some of the {count} elements at position {first}, which were sent before")]
    Repeated {
        /// Position of the first element of the range.
        first: u64,
        /// How many elements the range has.
        count: usize,
    },
    /// A hash of opened values has the wrong length.
    #[error("has a hash of {length} bytes; hashes of opened values have {expected}")]
    Digest {
        /// Its length.
        length: usize,
        /// The expected length.
        expected: usize,
    },
    /// A hash of opened values is repeated.
    #[error("repeats the hash of synchronisation {epoch} of a task, which was sent before")]
    RepeatedDigest {
        /// The number of the synchronisation in its task, counted from 0.
        epoch: u64,
    },
    /// It is about a verification, but nothing is verified.
    #[error("is about a verification, but nothing is verified in this computation")]
    NotVerified,
    /// It is about another verification, or repeated.
    #[error(
        "is about step {step} of verification {number}, which was sent before, is not due or does not exist"
    )]
    Verification {
        /// The number of the verification, counted from 0.
        number: u64,
        /// Its step.
        step: u64,
    },
    /// A keep-alive is part of another message.
    #[error("has a keep-alive together with other content; a keep-alive is a message of its own")]
    Busy,
}

/// What is wrong with a peer's list of stored material. Its text follows “bob's list of stored material”.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum HoldingsError {
    /// It is longer than any list.
    #[error("is {length} bytes long; at most {limit} are allowed")]
    Length {
        /// The announced length.
        length: usize,
        /// The limit.
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
        /// The first entry of the range that is out of order.
        first: u64,
    },
}
