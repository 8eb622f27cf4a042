//! Violations of the protocol of runs by a peer.

use tacit_net::NetError;

use crate::Failure;

/// A message that a computing party never sends, or not at this time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PeerFault {
    /// A message of a computing party to one that waits for its outputs.
    #[error("its message {byte:#04x} means neither that it computes nor that it has outputs")]
    OutputsWord { byte: u8 },
    /// A message of a party that gathers what it needs.
    #[error(
        "its message {byte:#04x} means neither that it has everything that it needs nor that it lacks something"
    )]
    ReadinessWord { byte: u8 },
    /// A message of a party that stores prepared runs.
    #[error("its message {byte:#04x} does not mean that it has stored the prepared runs")]
    NotStored { byte: u8 },
    /// A message of a party that stores shares.
    #[error("its message {byte:#04x} does not mean that it has kept its shares")]
    NotKept { byte: u8 },
    /// The hashes differ, but no field does.
    #[error("its hash differs, but all fields agree")]
    Contradiction,
    /// Too many offers of prepared runs that this party does not have.
    #[error("it offered {count} prepared runs in succession, none of which this party has")]
    Offers { count: usize },
    /// A violation in a live session.
    #[error(transparent)]
    Live(#[from] LiveFault),
    /// A violation while the link is measured.
    #[error(transparent)]
    Calibration(#[from] CalibrationFault),
}

/// A message that a party never sends while it measures its link and its machine with this one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CalibrationFault {
    #[error("it asks for a transfer of {bytes} bytes; {least} to {most} are possible")]
    Transfer { bytes: u64, least: u64, most: u64 },
    #[error("it asks for more than {limit} transfers")]
    Transfers { limit: usize },
    #[error(
        "what it has measured is not possible: a time of more than an hour, or a bandwidth of 0 or of more than 10^15 bits a second"
    )]
    Samples,
    #[error("its message {byte:#04x} means neither that it measures its machine nor that it has done so")]
    State { byte: u8 },
    #[error("its machine takes {picoseconds} picoseconds for {unit}; 1 to 10^15 are possible")]
    Rate { unit: &'static str, picoseconds: u64 },
    #[error("the description of its machine is no text of at most {limit} bytes")]
    Machine { limit: usize },
}

/// A message that a party of a live session never sends, or not at this time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LiveFault {
    #[error("its message {byte:#04x} on the control stream is neither a farewell nor a divergence")]
    ControlWord { byte: u8 },
    #[error("it answers {found:#04x} where {expected:#04x} is expected")]
    Answer { found: u8, expected: u8 },
    #[error("it has closed the stream of answers")]
    Unanswered,
    #[error("a batch's header has {length} bytes; 1 to {limit} are possible")]
    HeaderLength { length: usize, limit: usize },
    #[error("a batch's header contradicts itself")]
    HeaderUnsound,
    #[error("a batch's header is malformed")]
    HeaderMalformed,
    #[error("it lowers the same steps to another program")]
    OtherProgram,
    #[error("it runs step {number} of a task for the second time")]
    RepeatedStep { number: u64 },
    #[error("it runs step {number} of a task before the step's operands")]
    EarlyStep { number: u64 },
    #[error("it says of {told} values whether they stay live, but the batch makes {made}")]
    OtherValues { told: usize, made: usize },
    #[error("it gives an input that is not its own, step {number} of a task")]
    ForeignInput { number: u64 },
    #[error("it gives an input for the second time, step {number} of a task")]
    RepeatedInput { number: u64 },
    #[error("it gives {given} {what} of inputs at once; at most {limit} are allowed")]
    Inputs { given: u64, limit: u64, what: &'static str },
    #[error("it announces a run while another is in progress, step {number} of a task")]
    EarlyRun { number: u64 },
    #[error("it begins a run that was not announced, step {number} of a task")]
    UnknownRun { number: u64 },
    #[error("it compares {count} steps, at most {limit} are allowed")]
    ComparedSteps { count: usize, limit: usize },
    #[error("it announces {count} stored values; at most {limit} are allowed")]
    StoredNames { count: usize, limit: usize },
    #[error("it announces a stored value with a name of {length} bytes; at most {limit} are allowed")]
    StoredName { length: usize, limit: usize },
    #[error("the names of the values that it keeps have more than {limit} bytes in total")]
    StoredNameBytes { limit: usize },
    #[error("it announces a stored value whose name is not text")]
    StoredNameText,
}

impl PeerFault {
    /// The failure of a run with this peer.
    pub fn by(self, peer: impl Into<String>) -> Failure {
        NetError::message(peer, self).into()
    }
}
