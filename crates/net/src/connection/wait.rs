//! The only way to wait on a connection: move bytes, check again, within the time limit.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

use super::shared::{Check, Shared};
use super::wakers::{PlaceId, Wakers};
use crate::NetError;

/// A timer that is allocated once and reused for every wait of its owner.
#[derive(Default)]
pub(crate) struct Timer(Option<Pin<Box<Sleep>>>);

impl Timer {
    fn start(&mut self, limit: Duration) {
        match &mut self.0 {
            Some(sleep) => sleep.as_mut().reset(Instant::now() + limit),
            None => self.0 = Some(Box::pin(sleep(limit))),
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().map_or(Poll::Pending, |sleep| sleep.as_mut().poll(cx))
    }
}

/// The place of a wait among those to be woken; freed when the wait ends or is dropped.
struct Place<'a> {
    wakers: &'a Wakers,
    id: PlaceId,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.wakers.leave(self.id);
    }
}

impl Shared {
    /// Waits until `check` is done, moving bytes in both directions meanwhile.
    ///
    /// Errors: [`NetError::Timeout`] if the number from `check` does not change within the time limit; errors
    /// of `check`.
    pub(crate) async fn wait<T>(
        &self,
        timer: &mut Timer,
        limit: Duration,
        waiting: impl Fn() -> String,
        mut check: impl FnMut() -> Result<Check<T>, NetError>,
    ) -> Result<T, NetError> {
        if let Check::Done(value) = check()? {
            return Ok(value);
        }
        let place = Place { wakers: &self.wakers, id: self.wakers.place() };
        let mut since = None;
        let mut last_progress = 0;
        let result = poll_fn(|cx| {
            self.wakers.add(place.id, cx.waker());
            let (found, moved) = self.drive(&mut check);
            let progress = match found? {
                Check::Done(value) => return Poll::Ready(Ok(value)),
                Check::Waiting(progress) => progress,
            };
            if moved {
                self.wakers.wake_others(place.id);
            }
            if since.is_none() || progress != last_progress {
                since.get_or_insert_with(Instant::now);
                last_progress = progress;
                timer.start(limit);
            }
            timer.poll(cx).map(|()| Err(self.timed_out(limit, &waiting)))
        })
        .await;
        if let Some(since) = since {
            self.meter().waited(since.elapsed());
        }
        result
    }

    /// Waits as [`Shared::wait`] does, with the connection's own time limit.
    pub(crate) async fn wait_limited<T>(
        &self,
        timer: &mut Timer,
        waiting: impl Fn() -> String,
        check: impl FnMut() -> Result<Check<T>, NetError>,
    ) -> Result<T, NetError> {
        self.wait(timer, self.timeout, waiting, check).await
    }

    /// Moves bytes until `check` is done or the socket has nothing more to do; also returns whether any bytes
    /// moved.
    fn drive<T>(
        &self,
        check: &mut impl FnMut() -> Result<Check<T>, NetError>,
    ) -> (Result<Check<T>, NetError>, bool) {
        let mut moved = self.drive_write();
        loop {
            match check() {
                Ok(Check::Waiting(_)) if self.drive_read() => moved = true,
                Ok(Check::Waiting(_)) => return (check(), moved),
                other => return (other, moved),
            }
        }
    }

    fn timed_out(&self, limit: Duration, waiting: &impl Fn() -> String) -> NetError {
        self.note_silence();
        NetError::Timeout { peer: self.peer(), waiting: waiting(), seconds: limit.as_secs_f64() }
    }
}
