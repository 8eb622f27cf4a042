use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

use crate::error::Failure;

/// A request to end a run early, which any thread may make: a signal handler, a user interface.
///
/// Clones share one request. The run tells its peer and returns [`crate::RunError::Cancelled`].
#[derive(Clone, Debug, Default)]
pub struct CancelFlag {
    shared: Arc<CancelState>,
}

#[derive(Debug, Default)]
struct CancelState {
    cancelled: AtomicBool,
    wake: Notify,
}

impl CancelFlag {
    /// A flag that nobody has raised.
    pub fn new() -> Self {
        CancelFlag::default()
    }

    /// Asks the run to end. Asking again changes nothing.
    pub fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::SeqCst);
        self.shared.wake.notify_waiters();
    }

    /// Whether somebody asked.
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::SeqCst)
    }

    /// Completes once somebody asked.
    pub async fn cancelled(&self) {
        loop {
            let woken = self.shared.wake.notified();
            if self.is_cancelled() {
                return;
            }
            woken.await;
        }
    }
}

/// What `work` gives, unless the run is cancelled first.
pub(crate) async fn unless_cancelled<T, E: Into<Failure>>(
    cancel: &CancelFlag,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, Failure> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(Failure::Cancelled),
        result = work => result.map_err(Into::into),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn wakes_a_waiter() {
        let flag = CancelFlag::new();
        let other = flag.clone();
        let waiter = tokio::spawn(async move { other.cancelled().await });
        assert!(!flag.is_cancelled());
        tokio::task::yield_now().await;
        flag.cancel();
        tokio::time::timeout(Duration::from_secs(5), waiter).await.expect("woken").unwrap();
        tokio::time::timeout(Duration::from_secs(5), flag.cancelled()).await.expect("stays raised");
    }
}
