//! Finds the cause of a failed session if a party has only said that it gives up.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::{Connection, NetError, StreamId};

/// A stream on which nothing is sent.
pub(crate) const SILENT_STREAM: StreamId = StreamId(u32::MAX - 1);

/// How long to listen for a better reason if a party has only said that it gives up.
pub const LAST_WORDS: Duration = Duration::from_millis(500);

/// For an error that only says that a party has given up: another failure, often of a third party, which that
/// party noticed first.
pub(super) async fn cause(connections: impl Iterator<Item = &Connection>, error: NetError) -> NetError {
    if !is_vague(&error) {
        return error;
    }
    let until = Instant::now() + LAST_WORDS;
    for connection in connections {
        let failed = async { connection.open(SILENT_STREAM)?.arrival().await };
        if let Ok(Err(failure)) = timeout_at(until, failed).await
            && !is_vague(&failure)
        {
            return failure;
        }
    }
    error
}

fn is_vague(error: &NetError) -> bool {
    matches!(error, NetError::Aborted { .. })
}
