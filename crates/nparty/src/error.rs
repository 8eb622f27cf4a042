//! Why a computation ended.

mod sharing;

pub use sharing::SharingError;

use std::sync::Arc;

use tacit_net::NetError;
use tacit_store::StoreError;
use thiserror::Error;

/// Why a computation among n parties ended. `call_site` says where in the program, if it told.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The link to a party failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The parties, the threshold and the field do not fit.
    #[error(transparent)]
    Sharing(#[from] SharingError),
    /// A party is silent, or its program does not come to an operation.
    #[error("{peer}: {what} within {seconds} s while {call_site} waits for it")]
    Late {
        /// Its name.
        peer: String,
        /// What it did not do.
        what: &'static str,
        /// The time limit.
        seconds: f64,
        /// The operation that waits.
        call_site: String,
    },
    /// Another party ended the computation.
    #[error("{peer} has ended the computation{}", because(.blamed.as_deref(), .reason))]
    Ended {
        /// Who ended it.
        peer: String,
        /// Because of whom, if it said.
        blamed: Option<String>,
        /// Why, in its own words; empty if it did not say.
        reason: String,
    },
    /// A party runs another program.
    #[error("{peer} runs another program: the first difference is {call_site}")]
    OtherProgram {
        /// Its name.
        peer: String,
        /// Where in this party's program.
        call_site: String,
    },
    /// A party sent what no program makes it send.
    #[error("{peer}: {detail}")]
    Message {
        /// Its name.
        peer: String,
        /// What was wrong.
        detail: String,
    },
    /// Not all parties were told the same.
    #[error("{peer} has seen other opened values before {call_site}")]
    Equivocation {
        /// Whose hash differs.
        peer: String,
        /// The synchronisation that found it.
        call_site: String,
    },
    /// This party's store cannot give or keep what was asked.
    #[error(transparent)]
    Store(Arc<StoreError>),
    /// The program asked for something impossible.
    #[error("{0}")]
    Usage(String),
    /// The operating system has no randomness.
    #[error("no random bytes from the operating system")]
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

/// The end of the sentence on a party that ended the computation.
fn because(blamed: Option<&str>, reason: &str) -> String {
    let blamed = blamed.map_or(String::new(), |name| format!(" because of {name}"));
    match reason {
        "" => blamed,
        reason => format!("{blamed} ({reason})"),
    }
}

impl RunError {
    /// Why the computation ended, for other parties: what the first who noticed said.
    pub(crate) fn reason(&self) -> String {
        match self {
            RunError::Ended { reason, .. } => reason.clone(),
            // Which names files here.
            RunError::Store(_) => "its store of prepared material cannot be used".to_owned(),
            RunError::Panicked => "it met an internal error".to_owned(),
            error => error.to_string(),
        }
    }

    /// The party that it is about, if it is about one.
    pub fn peer(&self) -> Option<&str> {
        match self {
            RunError::Net(error) => error.peer(),
            RunError::Ended { peer, blamed, .. } => Some(blamed.as_ref().unwrap_or(peer)),
            RunError::Late { peer, .. }
            | RunError::OtherProgram { peer, .. }
            | RunError::Message { peer, .. }
            | RunError::Equivocation { peer, .. } => Some(peer),
            RunError::Sharing(_)
            | RunError::Store(_)
            | RunError::Usage(_)
            | RunError::Entropy
            | RunError::GivenUp(_)
            | RunError::Panicked
            | RunError::Over => None,
        }
    }
}
