use std::fmt;

use tacit_crypto::EntropyError;
use tacit_ir::{InterpretError, ValidateError};
use tacit_net::{NetError, Phase};
use tacit_ot::OtError;
use tacit_pfe::PfeError;
use tacit_plan::PlanError;
use tacit_twoparty::ShareError;
use tacit_twoparty::yao::YaoError;

use crate::live::error::LiveError;
use crate::private::PrivateError;
use crate::store::StoreError;
use crate::stored_shares::ShareStoreError;
use crate::{InputError, Operation};
use tacit_schedule::walk::WalkError;

/// Why a run has no outcome.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// There is no plan for the program.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The program is malformed.
    #[error(transparent)]
    Program(#[from] ValidateError),
    /// The program cannot be run in the clear.
    #[error(transparent)]
    Interpret(#[from] InterpretError),
    /// An input is missing, or not of its port's type.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The session does not have the party as a computing one, or has other parties.
    #[error("party {party} {reason}")]
    Party {
        /// The party.
        party: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// A phase failed.
    #[error("{}{phase}, {operation}: {source}", Peer(.source, .peer), phase = .phase.name())]
    Failed {
        /// The other party.
        peer: String,
        /// The phase.
        phase: Phase,
        /// The operation.
        operation: Operation,
        /// The failure.
        source: Box<Failure>,
    },
    /// The run was asked to end: see [`crate::CancelFlag`].
    #[error("cancelled during {}", .phase.name())]
    Cancelled {
        /// The phase.
        phase: Phase,
    },
    /// The system refused a resource that every run needs.
    #[error("cannot start: {0}")]
    System(#[from] std::io::Error),
}

/// The cause of a phase's failure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The link to the peer.
    #[error(transparent)]
    Net(#[from] NetError),
    /// Oblivious transfer.
    #[error(transparent)]
    Ot(OtError),
    /// Yao's protocol.
    #[error(transparent)]
    Yao(YaoError),
    /// A protocol on shares.
    #[error(transparent)]
    Share(ShareError),
    /// The walk over the schedule.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The plan, or the security parameters.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The store of prepared runs.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Stored shares.
    #[error(transparent)]
    ShareStore(#[from] ShareStoreError),
    /// A step that was appended to a reactive program.
    #[error(transparent)]
    Live(#[from] LiveError),
    /// The protocol of private functions.
    #[error(transparent)]
    Pfe(PfeError),
    /// The announcement of a private function.
    #[error(transparent)]
    Private(#[from] PrivateError),
    /// No randomness.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// The run was asked to end.
    #[error("cancelled")]
    Cancelled,
}

impl From<OtError> for Failure {
    fn from(error: OtError) -> Self {
        match error {
            OtError::Net(error) => Failure::Net(error),
            other => Failure::Ot(other),
        }
    }
}

impl From<PfeError> for Failure {
    fn from(error: PfeError) -> Failure {
        match error {
            PfeError::Net(error) => Failure::Net(error),
            PfeError::Ot(error) => error.into(),
            PfeError::Entropy(error) => Failure::Entropy(error),
            other => Failure::Pfe(other),
        }
    }
}

impl From<YaoError> for Failure {
    fn from(error: YaoError) -> Self {
        match error {
            YaoError::Net(error) => Failure::Net(error),
            YaoError::Ot(error) => error.into(),
            other => Failure::Yao(other),
        }
    }
}

impl From<ShareError> for Failure {
    fn from(error: ShareError) -> Self {
        match error {
            ShareError::Net(error) => Failure::Net(error),
            ShareError::Ot(error) => error.into(),
            ShareError::Yao(error) => error.into(),
            other => Failure::Share(other),
        }
    }
}

/// Whose fault the error is, for exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The options or the session.
    Usage,
    /// The program.
    Program,
    /// An input.
    Input,
    /// The peer is absent, gone, silent, not the expected one, or wants to run something else.
    Peer,
    /// The protocol was aborted: a message was wrong, or one side gave up.
    Abort,
}

impl RunError {
    /// The source line of the program that the error is about, if any.
    pub fn line(&self) -> Option<u32> {
        let line = match self {
            RunError::Plan(PlanError::Lower(error)) => error.line(),
            RunError::Plan(PlanError::Memory { line, .. }) => *line,
            RunError::Failed { operation: Operation::Gates { line }, .. } => *line,
            _ => 0,
        };
        (line > 0).then_some(line)
    }

    /// The class of the error.
    pub fn class(&self) -> Class {
        match self {
            RunError::Plan(PlanError::Lower(_) | PlanError::Budget { .. }) => Class::Program,
            RunError::Plan(_) | RunError::Party { .. } | RunError::System(_) => Class::Usage,
            RunError::Program(_) | RunError::Interpret(InterpretError::Invalid(_)) => Class::Program,
            RunError::Interpret(_) | RunError::Input(_) => Class::Input,
            RunError::Cancelled { .. } => Class::Abort,
            RunError::Failed { source, .. } => source.class(),
        }
    }
}

impl Failure {
    fn class(&self) -> Class {
        match self {
            Failure::Net(NetError::Listen { .. } | NetError::Session(_)) => Class::Usage,
            Failure::Net(
                NetError::Timeout { .. }
                | NetError::Closed { .. }
                | NetError::Finished { .. }
                | NetError::Authentication { .. }
                | NetError::Mismatch { .. }
                | NetError::Unreachable { .. }
                | NetError::Absent { .. }
                | NetError::Io { .. },
            ) => Class::Peer,
            Failure::Walk(_) | Failure::Live(_) => Class::Program,
            Failure::Plan(PlanError::Uncountable(_) | PlanError::ShiftWidth { .. }) => Class::Program,
            Failure::Plan(_) => Class::Usage,
            Failure::ShareStore(ShareStoreError::Apart { .. } | ShareStoreError::Unrelated { .. }) => {
                Class::Peer
            }
            Failure::Store(_) | Failure::ShareStore(_) | Failure::Entropy(_) => Class::Usage,
            Failure::Private(error) => error.class(),
            Failure::Net(_)
            | Failure::Ot(_)
            | Failure::Yao(_)
            | Failure::Share(_)
            | Failure::Pfe(_)
            | Failure::Cancelled => Class::Abort,
        }
    }

    /// Whether this only reports a failure at the other side.
    pub(crate) fn is_echo(&self) -> bool {
        matches!(self, Failure::Net(NetError::Aborted { .. } | NetError::Closed { .. }))
    }
}

impl PrivateError {
    fn class(&self) -> Class {
        match self {
            PrivateError::Interface(_)
            | PrivateError::NoSetup { .. }
            | PrivateError::NothingPrepared { .. }
            | PrivateError::NothingLeft => Class::Usage,
            PrivateError::Data(_) => Class::Input,
            PrivateError::OtherInterface { .. }
            | PrivateError::TooLarge { .. }
            | PrivateError::Refused(_)
            | PrivateError::Declined => Class::Peer,
            PrivateError::Announced(_)
            | PrivateError::Answer { .. }
            | PrivateError::Sets { .. }
            | PrivateError::Set { .. } => Class::Abort,
        }
    }
}

/// Names the peer if the error itself does not.
struct Peer<'a>(&'a Failure, &'a str);

impl fmt::Display for Peer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Failure::Net(error) if error.peer().is_some() => Ok(()),
            _ => write!(f, "with {}, ", self.1),
        }
    }
}
