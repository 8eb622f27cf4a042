//! Why a computation ended.

mod message;
mod outside;
mod sharing;
mod usage;
mod verification;

pub use message::{HoldingsError, MessageError};
pub use outside::OutsideError;
pub use sharing::SharingError;
pub use usage::UsageError;
pub use verification::VerificationError;

use std::sync::Arc;

use tacit_compare::CompareError;
use tacit_net::NetError;
use tacit_store::StoreError;
use thiserror::Error;

/// Why a computation among n parties ended. `call_site` is the place in the program, if the program gave it.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The link to a party failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The parties, the threshold and the field do not fit.
    #[error(transparent)]
    Sharing(#[from] SharingError),
    /// Nothing came from a party within the time limit.
    #[error("{peer} sent nothing for {seconds} s while {call_site} waited for it; is it still running?")]
    Silent {
        /// Its name.
        peer: String,
        /// The time limit.
        seconds: f64,
        /// The operation that waits.
        call_site: String,
    },
    /// A party's program did not reach an operation within the time limit.
    #[error(
        "{peer}'s program did not reach {call_site} within {seconds} s, though it is running; if it only needs longer, raise limits.timeout_s"
    )]
    Late {
        /// Its name.
        peer: String,
        /// The time limit.
        seconds: f64,
        /// The operation that waits.
        call_site: String,
    },
    /// Another party ended the computation.
    #[error("{peer} has ended the computation{}", because(.blamed.as_deref(), .reason))]
    Ended {
        /// The party that ended it.
        peer: String,
        /// The party that it blamed, if any.
        blamed: Option<String>,
        /// Its reason, in its own words; empty if it gave none.
        reason: String,
    },
    /// A party runs another program.
    #[error(
        "{peer} runs another program: the first difference is {call_site}; all parties must run the same program"
    )]
    OtherProgram {
        /// Its name.
        peer: String,
        /// The place in this party's program.
        call_site: String,
    },
    /// A party sent a message that follows from no program.
    #[error("{peer}'s message {number} {error}")]
    Message {
        /// Its name.
        peer: String,
        /// The number of the message among those from this party, counted from 1.
        number: u64,
        /// What is wrong with it.
        error: MessageError,
    },
    /// A party's list of its stored material is wrong.
    #[error("{peer}'s list of stored material {error}")]
    Holdings {
        /// Its name.
        peer: String,
        /// What is wrong with it.
        error: HoldingsError,
    },
    /// Not all parties were sent the same shares.
    #[error(
        "{peer} has seen other opened values than this party before {call_site}: some party sent different shares to different parties"
    )]
    Equivocation {
        /// The party whose hash differs.
        peer: String,
        /// The synchronisation that detected it.
        call_site: String,
    },
    /// A party has departed from the protocol, in a computation that is protected against it.
    #[error("{} {error}; nothing that follows from it was opened", .peer.as_deref().unwrap_or("some party"))]
    Verification {
        /// The party, if it is known. If it was named by another party, that one may be lying.
        peer: Option<String>,
        /// What it did.
        error: VerificationError,
    },
    /// A computing party or an outside party violated their protocol.
    #[error("{peer} {error}")]
    Outside {
        /// The other party.
        peer: String,
        /// What is wrong with its message.
        error: OutsideError,
    },
    /// The comparison by the two parties that compare for all failed.
    #[error("comparison by two parties: {0}")]
    Comparison(Arc<CompareError>),
    /// This party's store cannot provide or keep material.
    #[error(transparent)]
    Store(Arc<StoreError>),
    /// The program asked for something impossible.
    #[error(transparent)]
    Usage(Box<UsageError>),
    /// The operating system refused something that a party needs.
    #[error("the operating system provides no {what}: {cause}")]
    System {
        /// What is needed.
        what: &'static str,
        /// Why.
        cause: Arc<std::io::Error>,
    },
    /// The list of stored material cannot be encoded.
    #[error("internal error: the list of stored material cannot be encoded: {0}")]
    Encoding(postcard::Error),
    /// The operating system provides no randomness.
    #[error("the operating system's random generator failed")]
    Entropy,
    /// This party's program gave up.
    #[error("{0}")]
    GivenUp(String),
    /// The thread that computes has panicked.
    #[error("internal error in the computation; its report is on stderr")]
    Panicked,
    /// The computation is over.
    #[error("the computation has ended")]
    Over,
}

impl From<StoreError> for RunError {
    fn from(error: StoreError) -> RunError {
        RunError::Store(Arc::new(error))
    }
}

impl From<UsageError> for RunError {
    fn from(error: UsageError) -> RunError {
        RunError::Usage(Box::new(error))
    }
}

/// The end of the message that a party ended the computation.
fn because(blamed: Option<&str>, reason: &str) -> String {
    let blamed = blamed.map_or(String::new(), |name| format!(" because of {name}"));
    match reason {
        "" => blamed,
        reason => format!("{blamed} ({reason})"),
    }
}

impl RunError {
    /// Why the computation ended, for other parties: the reason that the first party to notice gave.
    pub(crate) fn reason(&self) -> String {
        match self {
            RunError::Ended { reason, .. } => reason.clone(),
            // The error itself names files of this machine.
            RunError::Store(_) => "its store of prepared material cannot be used".to_owned(),
            RunError::Panicked => "it met an internal error".to_owned(),
            error => error.to_string(),
        }
    }

    /// The party that the error is about, if any.
    pub fn peer(&self) -> Option<&str> {
        match self {
            RunError::Net(error) => error.peer(),
            RunError::Ended { peer, blamed, .. } => Some(blamed.as_ref().unwrap_or(peer)),
            RunError::Verification { peer, .. } => peer.as_deref(),
            RunError::Silent { peer, .. }
            | RunError::Late { peer, .. }
            | RunError::OtherProgram { peer, .. }
            | RunError::Message { peer, .. }
            | RunError::Holdings { peer, .. }
            | RunError::Outside { peer, .. }
            | RunError::Equivocation { peer, .. } => Some(peer),
            RunError::Sharing(_)
            | RunError::Store(_)
            | RunError::Comparison(_)
            | RunError::Usage(_)
            | RunError::System { .. }
            | RunError::Encoding(_)
            | RunError::Entropy
            | RunError::GivenUp(_)
            | RunError::Panicked
            | RunError::Over => None,
        }
    }
}
