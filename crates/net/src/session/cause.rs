//! Why a meeting failed of which a party has only said that it gives up.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::handshake::Link;
use crate::{NetError, StreamId};

/// A stream on which nothing is sent.
pub(crate) const SILENT_STREAM: StreamId = StreamId(u32::MAX - 1);

/// How long to listen for a better reason.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Of an error that says only that a party has given up, what has failed besides: often a third party, which that one has noticed before.
pub(super) async fn cause(links: &[Link], error: NetError) -> NetError {
    let until = Instant::now() + LAST_WORDS;
    for link in links.iter().filter(|_| is_vague(&error)) {
        let failed = async { link.connection.open(SILENT_STREAM)?.arrival().await };
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
