//! Finds why a computation ended if a party has only said that it gives up.

use tacit_net::{NetError, Session};

use crate::error::RunError;

/// Whether a failure only says that a party has given up, but not why.
pub(super) fn is_vague(error: &RunError) -> bool {
    matches!(error, RunError::Net(NetError::Aborted { .. }))
}

/// As [`Session::cause`], for an error of the session.
pub(crate) async fn cause(session: &Session, error: RunError) -> RunError {
    match error {
        RunError::Net(error) => session.cause(error).await.into(),
        error => error,
    }
}
