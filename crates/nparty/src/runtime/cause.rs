//! Why a computation ended that a party has only said it gives up.

use tacit_net::{NetError, Session};

use crate::error::RunError;

/// Whether a failure says only that a party has given up, and not why.
pub(super) fn is_vague(error: &RunError) -> bool {
    matches!(error, RunError::Net(NetError::Aborted { .. }))
}

/// As [`Session::cause`], of an error of the session.
pub(crate) async fn cause(session: &Session, error: RunError) -> RunError {
    match error {
        RunError::Net(error) => session.cause(error).await.into(),
        error => error,
    }
}
