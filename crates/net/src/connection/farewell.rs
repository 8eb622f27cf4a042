//! The ways in which a connection ends.

use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::timeout;

use super::shared::{Check, Shared, lock};
use super::wait::Timer;
use crate::NetError;
use crate::frame::Header;

/// The longest time for which an abort waits for its frame to be sent and for the peer to react.
const ABORT_LIMIT: Duration = Duration::from_secs(2);

impl Shared {
    /// Says farewell and waits until the peer has done so, too.
    pub(super) async fn close(&self) -> Result<(), NetError> {
        let mut timer = Timer::default();
        self.table().failure.clone().map_or(Ok(()), Err)?;
        self.push_control(Header::close());
        self.wait_limited(&mut timer, || "sending the farewell".into(), || self.shut_down()).await?;
        let found =
            self.wait_limited(&mut timer, || "waiting for the farewell".into(), || self.peer_gone()).await?;
        self.table().failure.get_or_insert(NetError::Finished { peer: self.peer() });
        found
    }

    /// Gives up on the connection, and tells the peer if it still listens.
    pub(super) async fn abort(&self) {
        self.interrupt();
        if self.peer_was_silent() {
            // The peer has used up its time limit.
            return;
        }
        let mut timer = Timer::default();
        let limit = self.timeout.min(ABORT_LIMIT);
        // It makes no difference here whether the peer learns of it or is gone already.
        let _ = timeout(limit, async {
            self.wait(&mut timer, limit, String::new, || self.shut_down()).await?;
            self.wait(&mut timer, limit, String::new, || Ok(self.drained())).await
        })
        .await;
    }

    /// Fails every call on the connection, and queues the message to the peer that this side gives up.
    pub(super) fn interrupt(&self) {
        self.fail(NetError::Cancelled { peer: self.peer() });
        self.push_abort();
    }

    /// Queues the one error that a peer is told, in place of all frames not yet begun, and writes it if the
    /// socket accepts it.
    pub(super) fn push_abort(&self) {
        self.writer().discard(self.pool());
        self.push_control(Header::abort());
        self.drive_write();
    }

    /// Whether everything queued is written and the peer was told that nothing follows.
    fn shut_down(&self) -> Result<Check<()>, NetError> {
        let mut writer = self.writer();
        if !writer.is_idle() {
            let (written, broken) = (writer.written, writer.is_broken());
            drop(writer);
            return match broken {
                true => Err(self.failure_or_closed()),
                false => Ok(Check::Waiting(written)),
            };
        }
        match writer.shutdown(&mut Context::from_waker(&self.waker)) {
            Poll::Pending => Ok(Check::Waiting(writer.written)),
            // The peer may have closed its end at the same moment; reading shows whether it said farewell.
            Poll::Ready(_) => Ok(Check::Done(())),
        }
    }

    /// Whether the link has ended, and how.
    fn peer_gone(&self) -> Result<Check<Result<(), NetError>>, NetError> {
        match &self.table().failure {
            Some(NetError::Finished { .. }) => Ok(Check::Done(Ok(()))),
            Some(failure) => Err(failure.clone()),
            None => Ok(Check::Waiting(0)),
        }
    }

    /// Reads and drops bytes that still arrive after an abort, so that a reset does not destroy the abort
    /// frame.
    fn drained(&self) -> Check<()> {
        match lock(&self.reader).skip(&mut Context::from_waker(&self.waker)) {
            Poll::Ready(()) => Check::Done(()),
            Poll::Pending => Check::Waiting(0),
        }
    }

    fn failure_or_closed(&self) -> NetError {
        self.table().failure.clone().unwrap_or_else(|| NetError::Closed { peer: self.peer() })
    }
}
