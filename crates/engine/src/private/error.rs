//! Why two parties do not evaluate a private function.

use core::fmt;

use tacit_ir::data::DataError;
use tacit_pfe::{FunctionError, Protocol};

use super::constants::MAX_INTERFACE_BYTES;

/// Why an interface of a private function is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InterfaceError {
    /// It is not JSON, or not in the form of interfaces.
    #[error("the interface is malformed: {0}")]
    Form(String),
    /// An unknown type.
    #[error(
        "{path}: {found} is not a type; types are u1, u8, i32, f64 and the like, lists of members, and arrays"
    )]
    Type {
        /// The variable.
        path: String,
        /// What was found.
        found: String,
    },
    /// Inputs or outputs that are not possible.
    #[error("the {what} of the interface: {reason}")]
    Shape {
        /// Which of them.
        what: &'static str,
        /// What is wrong with them.
        reason: String,
    },
    /// This release does not read its version.
    #[error("the interface has version {found}; this release reads version {known}")]
    Version {
        /// The version found.
        found: u64,
        /// The version known.
        known: u64,
    },
    /// An unknown protocol.
    #[error("the interface names the protocol {found:?}; protocols are {known}", known = protocols())]
    Protocol {
        /// What was found.
        found: String,
    },
    /// Its sizes do not fit together.
    #[error(transparent)]
    Size(#[from] FunctionError),
    /// It is too long to be announced.
    #[error("the interface has {given} bytes; at most {limit} are possible", limit = MAX_INTERFACE_BYTES)]
    Length {
        /// Its length.
        given: usize,
    },
}

fn protocols() -> String {
    Protocol::ALL.map(Protocol::name).join(", ")
}

/// Why the data's owner did not continue after the announcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It expects another interface.
    #[error("it expects another interface of the function; publish the interface again")]
    OtherInterface,
    /// The function is larger than it accepts.
    #[error("it accepts only smaller functions; announce fewer gates, or let it accept more")]
    TooLarge,
    /// Its store has none of the prepared runs.
    #[error("its store has none of the runs prepared here; run `tacit pfe --prepare` at both parties")]
    NothingPrepared,
    /// It declined for a reason of its own, such as data that do not fit.
    #[error("it declined to give its data to a function with this interface")]
    Declined,
}

/// What else is prepared, for an error's text.
struct Others(u64, u64);

impl fmt::Display for Others {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Others(0, 0) => Ok(()),
            Others(0, builds) => write!(f, " by this build ({builds} by another)"),
            Others(functions, _) => write!(f, ", but {functions} of another function with its interface"),
        }
    }
}

/// Why two parties do not evaluate a private function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrivateError {
    /// The interface given here is invalid.
    #[error(transparent)]
    Interface(#[from] InterfaceError),
    /// The peer announced an invalid interface.
    #[error("it announced an unusable function: {0}")]
    Announced(InterfaceError),
    /// The peer announced another interface than the one given here.
    #[error(
        "it announced a function whose {what} differ from the given interface: {theirs} where {ours} is expected"
    )]
    OtherInterface {
        /// What differs.
        what: &'static str,
        /// As given here.
        ours: String,
        /// As announced.
        theirs: String,
    },
    /// The peer announced a function that is larger than this party accepts.
    #[error(
        "it announced a function of {announced} gates and inputs together; at most {limit} are accepted (--max-gates)"
    )]
    TooLarge {
        /// The announced size.
        announced: usize,
        /// The accepted size.
        limit: usize,
    },
    /// The data's owner did not continue.
    #[error("the data's owner refused the function: {0}")]
    Refused(Refusal),
    /// The answer of the data's owner is unknown.
    #[error("its answer {byte:#04x} to the announced function is unknown")]
    Answer {
        /// The answer.
        byte: u8,
    },
    /// The protocol has no setup to prepare.
    #[error("the protocol {} prepares nothing; runs are prepared with --protocol half-elgamal", .protocol.name())]
    NoSetup {
        /// The protocol.
        protocol: Protocol,
    },
    /// No run of the function is prepared.
    #[error("no run of this function is prepared{}; run `tacit pfe --prepare` at both parties", Others(*.functions, *.builds))]
    NothingPrepared {
        /// Number of ready runs of other functions with the same interface.
        functions: u64,
        /// Number of ready runs that another build of Tacit made.
        builds: u64,
    },
    /// The two stores have no entry in common.
    #[error(
        "no prepared run of this function is left that both parties have; run `tacit pfe --prepare` at both"
    )]
    NothingLeft,
    /// The peer announced an impossible number of sets.
    #[error("it announced {given} sets of prepared runs, which is not a possible number here")]
    Sets {
        /// How many.
        given: usize,
    },
    /// The peer chose a set that it was not offered.
    #[error("it chose set {index} of prepared runs, which was not offered")]
    Set {
        /// Its number.
        index: u8,
    },
    /// This party did not continue.
    #[error("this party did not give its data to the announced function")]
    Declined,
    /// This party's data do not fit the interface.
    #[error(transparent)]
    Data(#[from] DataError),
}
