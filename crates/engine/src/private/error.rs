//! Why two parties do not evaluate a private function.

use tacit_ir::data::DataError;
use tacit_pfe::{FunctionError, Protocol};

use super::constants::MAX_INTERFACE_BYTES;

/// Why an interface of a private function is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InterfaceError {
    /// It is not JSON, or not of the form of interfaces.
    #[error("the interface is malformed: {0}")]
    Form(String),
    /// A type that there is not.
    #[error(
        "{path}: {found} is no type; types are u1, u8, i32, f64 and the like, lists of members, and arrays"
    )]
    Type {
        /// The variable.
        path: String,
        /// What is there.
        found: String,
    },
    /// Inputs or outputs that no function may have.
    #[error("the {what} of the interface: {reason}")]
    Shape {
        /// Which.
        what: &'static str,
        /// What is wrong with them.
        reason: String,
    },
    /// It is of another version than this release reads.
    #[error("the interface is of version {found}; this release reads version {known}")]
    Version {
        /// The version found.
        found: u64,
        /// The version known.
        known: u64,
    },
    /// A protocol that there is not.
    #[error("the interface names the protocol {found:?}; protocols are {known}", known = protocols())]
    Protocol {
        /// What is there.
        found: String,
    },
    /// Its sizes do not go together.
    #[error(transparent)]
    Size(#[from] FunctionError),
    /// It is longer than is announced.
    #[error("the interface has {given} bytes; at most {limit} are possible", limit = MAX_INTERFACE_BYTES)]
    Length {
        /// Its length.
        given: usize,
    },
}

fn protocols() -> String {
    Protocol::ALL.map(Protocol::name).join(", ")
}

/// Why the data's owner went no further than the announcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It has an interface, and it is another one.
    #[error("it was given another interface of the function; publish the interface anew")]
    OtherInterface,
    /// The function is larger than it accepts.
    #[error("it accepts only smaller functions; announce fewer gates, or let it accept more")]
    TooLarge,
    /// It does not go on for a reason of its own, such as data that do not fit.
    #[error("it does not give its data to a function of this interface")]
    Declined,
}

/// Why two parties do not evaluate a private function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrivateError {
    /// The interface given here is none.
    #[error(transparent)]
    Interface(#[from] InterfaceError),
    /// The peer announced what is no interface.
    #[error("it announced an unusable function: {0}")]
    Announced(InterfaceError),
    /// The peer announced another interface than the one given here.
    #[error(
        "it announced a function with other {what} than the given interface: {theirs}, where {ours} is expected"
    )]
    OtherInterface {
        /// What differs.
        what: &'static str,
        /// As given here.
        ours: String,
        /// As announced.
        theirs: String,
    },
    /// The peer announced a function that is larger than accepted.
    #[error(
        "it announced a function of {announced} gates and inputs together; at most {limit} are accepted (--max-gates)"
    )]
    TooLarge {
        /// As announced.
        announced: usize,
        /// As accepted.
        limit: usize,
    },
    /// The data's owner went no further.
    #[error("the data's owner refused the function: {0}")]
    Refused(Refusal),
    /// The data's owner answered with an unknown word.
    #[error("its answer {byte:#04x} to the announced function is unknown")]
    Answer {
        /// The word.
        byte: u8,
    },
    /// This party did not go on.
    #[error("this party did not give its data to the announced function")]
    Declined,
    /// This party's data do not fit the interface.
    #[error(transparent)]
    Data(#[from] DataError),
}
