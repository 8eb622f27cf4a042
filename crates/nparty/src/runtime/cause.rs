//! Why a computation ended that a party has only said it gives up.

use std::time::Duration;

use tacit_net::{NetError, Session, StreamId};
use tokio::time::{Instant, timeout_at};

use crate::error::RunError;

/// A stream on which nothing is sent.
pub(crate) const CAUSE_STREAM: StreamId = StreamId(19);

/// How long to listen for a better reason when a party has only said that it gives up, and to say one's own.
pub(super) const LAST_WORDS: Duration = Duration::from_millis(500);

/// Whether a failure says only that a party has given up, and not why.
pub(super) fn is_vague(error: &RunError) -> bool {
    matches!(error, RunError::Net(NetError::Aborted { .. }))
}

/// Of an error that says only that a party has given up, what has failed besides.
pub(crate) async fn cause(session: &Session, error: RunError) -> RunError {
    if !is_vague(&error) {
        return error;
    }
    let until = Instant::now() + LAST_WORDS;
    for connection in session.peers().filter_map(|name| session.connection(name)) {
        let failed = async { connection.open(CAUSE_STREAM)?.arrival().await };
        if let Ok(Err(failure)) = timeout_at(until, failed).await {
            let failure = RunError::from(failure);
            if !is_vague(&failure) {
                return failure;
            }
        }
    }
    error
}
