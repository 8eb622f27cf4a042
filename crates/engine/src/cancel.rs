use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tacit_net::Connection;
use tokio::sync::Notify;

use crate::error::Failure;

/// A request to end a run early, which any thread may make, such as a signal handler or a user interface.
///
/// Clones share one request. The thread that makes it informs peers at once; the run returns [`crate::RunError::Cancelled`].
#[derive(Clone, Debug, Default)]
pub struct CancelFlag {
    shared: Arc<CancelState>,
}

#[derive(Debug, Default)]
struct CancelState {
    cancelled: AtomicBool,
    wake: Notify,
    links: Mutex<RunningLinks>,
}

/// The links of running runs, each group with a number.
#[derive(Debug, Default)]
struct RunningLinks {
    given: u64,
    links: Vec<(u64, Vec<Connection>)>,
}

impl CancelState {
    fn links(&self) -> MutexGuard<'_, RunningLinks> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Links that a [`CancelFlag`] interrupts, until this is dropped.
struct Interruptible {
    shared: Arc<CancelState>,
    number: u64,
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        self.shared.links().links.retain(|(number, _)| *number != self.number);
    }
}

impl CancelFlag {
    /// A flag that is not raised.
    pub fn new() -> Self {
        CancelFlag::default()
    }

    /// Asks the run to end. Asking again changes nothing.
    pub fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::SeqCst);
        self.shared.wake.notify_waiters();
        // The run may be in the middle of a long computation, and the peer need not wait for its end.
        self.shared.links().links.iter().flat_map(|(_, links)| links).for_each(Connection::interrupt);
    }

    /// Interrupts links when the flag is raised, or now if it is raised.
    fn interrupts(&self, links: Vec<Connection>) -> Interruptible {
        let mut running = self.shared.links();
        running.given += 1;
        let number = running.given;
        if self.is_cancelled() {
            links.iter().for_each(Connection::interrupt);
        }
        running.links.push((number, links));
        Interruptible { shared: self.shared.clone(), number }
    }

    /// Whether the flag is raised.
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::SeqCst)
    }

    /// Completes once the flag is raised.
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

/// The output of `work`, unless the run is cancelled first.
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

/// The same for work over links, which are interrupted when the run is cancelled.
pub(crate) async fn unless_interrupted<T, E: Into<Failure>>(
    cancel: &CancelFlag,
    links: Vec<Connection>,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, Failure> {
    let _links = cancel.interrupts(links);
    // Any failure then is a consequence of the cancellation.
    let cancelled = |error| if cancel.is_cancelled() { Failure::Cancelled } else { error };
    unless_cancelled(cancel, work).await.map_err(cancelled)
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use tacit_net::{NetError, Options, StreamId, memory};

    use super::*;

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
    }

    #[test]
    fn the_peer_learns_of_it_while_the_run_computes() {
        let (own, peers) = memory::pair(Options::default());
        let peer = thread::spawn(move || {
            block_on(async {
                peers.open(StreamId(1)).expect("a stream").receive(1).await.expect_err("ended")
            })
        });
        let flag = CancelFlag::new();
        let asked = flag.clone();
        let asks = thread::spawn(move || asked.cancel());
        let computes = async {
            // This thread does nothing else until the peer has been told.
            let told = peer.join().expect("no panic");
            assert!(matches!(told, NetError::Aborted { .. }), "{told}");
            own.open(StreamId(1)).map(drop)
        };
        let ended = block_on(unless_interrupted(&flag, vec![own.clone()], computes));
        assert!(matches!(ended, Err(Failure::Cancelled)), "{ended:?}");
        asks.join().expect("no panic");
        assert!(flag.shared.links().links.is_empty(), "links are forgotten with the run");
    }

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
