//! What can go wrong at one end of Yao's protocol.

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
    /// What was given does not fit together.
    #[error("{what}: {given} given, {expected} expected")]
    Shape {
        /// What was counted.
        what: &'static str,
        /// How many there were.
        given: u64,
        /// How many there should be.
        expected: u64,
    },
    /// A region's gate ids would repeat ids already used or pass the last usable one.
    #[error("gate ids from {first} on cannot be used: the bound is {expected}")]
    GateIds {
        /// The first id of the region.
        first: u64,
        /// The least id that may still be used, or the greatest.
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
    /// What was stored between setup and the run is not what it should be.
    #[error("the stored {what} cannot be used: {fault}; prepare the run again")]
    Stored {
        /// Tables and labels, or labels alone.
        what: &'static str,
        /// What is wrong with it.
        fault: StoredFault,
    },
    /// An online walk asks for other material than the setup walk prepared.
    #[error("{what}: the online walk asks for {asked}, {left} are left of what setup prepared")]
    NotPrepared {
        /// Which material.
        what: &'static str,
        /// How much was asked for.
        asked: u64,
        /// How much is left.
        left: u64,
    },
}
