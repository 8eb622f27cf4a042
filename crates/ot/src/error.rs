//! Errors of oblivious transfer.

use tacit_net::NetError;
use thiserror::Error;

/// Why an OT protocol stopped.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OtError {
    /// The channel to the peer failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The peer sent a message that no honest party sends.
    #[error("the peer sent a malformed message: {0}")]
    Malformed(&'static str),
    /// A session has made as many OTs as its counters can tell apart.
    #[error("this OT session has made all the OTs that it may make; start a new session")]
    Exhausted,
    /// The caller's arguments have lengths that do not match.
    #[error("{what}: {given} given, {expected} expected")]
    Shape {
        /// What was counted.
        what: &'static str,
        /// How many there were.
        given: usize,
        /// How many there should be.
        expected: usize,
    },
}
