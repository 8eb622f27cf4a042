//! Violations of the protocol of runs by a peer.

use tacit_net::NetError;

use crate::Failure;

/// A message that a computing party never sends, or not then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PeerFault {
    /// Word of a computing party to one that waits for its outputs.
    #[error("its word {byte:#04x} says neither that it computes nor that it has outputs")]
    OutputsWord { byte: u8 },
    /// Word of a party that gathers what it needs.
    #[error("its word {byte:#04x} says neither that it has all it needs nor that it lacks something")]
    ReadinessWord { byte: u8 },
    /// Word of a party that stores prepared runs.
    #[error("its word {byte:#04x} does not say that it has stored what was prepared")]
    NotStored { byte: u8 },
    /// Word of a party that stores shares.
    #[error("its word {byte:#04x} does not say that it has kept its shares")]
    NotKept { byte: u8 },
    /// Another hash of what agrees field by field.
    #[error("it says at once that the two sides differ and that they do not")]
    Contradiction,
    /// Offers of prepared runs that lead nowhere.
    #[error("it offered {count} prepared runs one after the other, none of which is here")]
    Offers { count: usize },
    /// Something in a live session.
    #[error(transparent)]
    Live(#[from] LiveFault),
}

/// A message that a party of a live session never sends, or not then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LiveFault {
    #[error("its word {byte:#04x} on the control stream is neither a farewell nor a divergence")]
    ControlWord { byte: u8 },
    #[error("it answers {found:#04x} where {expected:#04x} is due")]
    Answer { found: u8, expected: u8 },
    #[error("it takes no more answers")]
    Unanswered,
    #[error("a batch's header has {length} bytes; 1 to {limit} are possible")]
    HeaderLength { length: usize, limit: usize },
    #[error("a batch's header contradicts itself")]
    HeaderUnsound,
    #[error("a batch's header is malformed")]
    HeaderMalformed,
    #[error("it makes another program of the same steps")]
    OtherProgram,
    #[error("it runs step {number} of a task for the second time")]
    RepeatedStep { number: u64 },
    #[error("it runs step {number} of a task before the step's operands")]
    EarlyStep { number: u64 },
    #[error("it tells of {told} values that are kept or not, where there are {made}")]
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
