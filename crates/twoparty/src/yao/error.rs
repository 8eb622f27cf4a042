//! Errors at one end of Yao's protocol.

use crate::stored::StoredFault;
use tacit_crypto::half_gates::ShapeError;
use tacit_net::NetError;
use tacit_ot::OtError;
use thiserror::Error;

/// Why a side of Yao's protocol stopped.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum YaoError {
    /// The channel to the peer failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// Oblivious transfer failed.
    #[error(transparent)]
    Ot(#[from] OtError),
    /// Two counts differ.
    #[error("{what}: {given} given, {expected} expected")]
    Shape {
        /// What was counted.
        what: &'static str,
        /// How many there were.
        given: u64,
        /// How many there should be.
        expected: u64,
    },
    /// A region's gate ids would repeat used ids or exceed the last usable one.
    #[error("gate ids from {first} on cannot be used: the bound is {expected}")]
    GateIds {
        /// The first id of the region.
        first: u64,
        /// The smallest id that may still be used, or the largest.
        expected: u64,
    },
    /// A circuit's gates contradict each other.
    #[error("the circuit is malformed: {0}")]
    Circuit(#[from] ShapeError),
    /// There is no memory for the tables that setup must keep.
    #[error("no memory for {bytes} bytes of prepared tables")]
    Memory {
        /// How many bytes were asked for.
        bytes: u64,
    },
    /// Material that was stored between setup and the run is invalid.
    #[error("the stored {what} cannot be used: {fault}; prepare the run again")]
    Stored {
        /// Tables and labels, or only labels.
        what: &'static str,
        /// The fault.
        fault: StoredFault,
    },
    /// An online walk needs other material than the setup walk prepared.
    #[error("{what}: the online walk needs {asked}, but {left} are left of those that setup prepared")]
    NotPrepared {
        /// The material.
        what: &'static str,
        /// How much is needed.
        asked: u64,
        /// How much is left.
        left: u64,
    },
}
