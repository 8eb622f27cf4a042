use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tacit_net::{Meter, Phase};
use tacit_plan::{Side, TABLE_BYTES};

/// How often progress is told.
const INTERVAL: Duration = Duration::from_millis(50);

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The phase.
    pub phase: Phase,
    /// ANDs that were garbled or evaluated in this phase; in analysis, steps of making circuits smaller that are done.
    pub and_done: u64,
    /// ANDs of the phase, or steps that may be done; 0 where it has none.
    pub and_total: u64,
}

/// Is told the progress of a run, about 20 times a second and at its end, on a thread of its own.
#[derive(Clone)]
pub struct ProgressSink(Arc<dyn Fn(Progress) + Send + Sync>);

impl ProgressSink {
    /// Calls `tell`, which should return soon.
    pub fn new(tell: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        ProgressSink(Arc::new(tell))
    }

    /// Steps of making circuits smaller are done.
    pub(crate) fn optimising(&self, steps: u64, total: u64) {
        (self.0)(Progress { phase: Phase::Analysis, and_done: steps.min(total), and_total: total });
    }
}

impl fmt::Debug for ProgressSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgressSink")
    }
}

/// Counts the ANDs of the phase that runs.
#[derive(Debug, Default)]
pub(crate) struct Tracker {
    done: AtomicU64,
    total: AtomicU64,
}

impl Tracker {
    /// A phase of `total` ANDs starts.
    pub fn start(&self, total: u64) {
        self.done.store(0, Relaxed);
        self.total.store(total, Relaxed);
    }

    /// `count` more ANDs are done.
    pub fn done(&self, count: u64) {
        self.done.fetch_add(count, Relaxed);
    }
}

/// Tells progress until it is dropped, and once more then.
pub(crate) struct Ticker {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// What a ticker looks at.
pub(crate) struct Watched {
    pub tracker: Arc<Tracker>,
    pub meter: Meter,
    pub side: Side,
}

impl Ticker {
    /// Starts telling `sink`.
    pub fn start(watched: Watched, sink: ProgressSink) -> std::io::Result<Ticker> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let tick = move || {
            loop {
                // Read before, so that what has been done by the end is told too.
                let last = stopped.load(Relaxed);
                sink.0(watched.progress());
                if last {
                    break;
                }
                thread::park_timeout(INTERVAL);
            }
        };
        let thread = thread::Builder::new().name("tacit progress".to_owned()).spawn(tick)?;
        Ok(Ticker { stop, thread: Some(thread) })
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A sink that panicked has told so itself; the run is not its concern.
            // It only tells progress, and the run has ended.
            let _ = thread.join();
        }
    }
}

impl Watched {
    /// Steps count when they end; within a long one the tables that have travelled tell how far it is.
    fn progress(&self) -> Progress {
        let phase = self.meter.phase();
        let counts = self.meter.counts(phase);
        let bytes = match self.side {
            Side::Garbler => counts.bytes_sent,
            Side::Evaluator => counts.bytes_received,
        };
        let and_total = self.tracker.total.load(Relaxed);
        let and_done = self.tracker.done.load(Relaxed).max(bytes / TABLE_BYTES).min(and_total);
        Progress { phase, and_done, and_total }
    }
}

/// Starts telling the progress. A system that has no thread left for it still has a run.
pub(crate) fn ticker(
    progress: &Option<ProgressSink>,
    side: Side,
    tracker: &Arc<Tracker>,
    meter: &Meter,
) -> Option<Ticker> {
    let watched = Watched { tracker: tracker.clone(), meter: meter.clone(), side };
    Ticker::start(watched, progress.clone()?).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn tells_until_dropped() {
        let (sender, told) = mpsc::channel();
        let sink = ProgressSink::new(move |progress| sender.send(progress).unwrap_or_default());
        let tracker = Arc::new(Tracker::default());
        tracker.start(10);
        tracker.done(4);
        let watched = Watched { tracker, meter: Meter::new(), side: Side::Garbler };
        let ticker = Ticker::start(watched, sink).unwrap();
        let first = told.recv_timeout(Duration::from_secs(5)).unwrap();
        assert_eq!(first, Progress { phase: Phase::Analysis, and_done: 4, and_total: 10 });
        drop(ticker);
        while told.try_recv().is_ok() {}
        assert!(matches!(
            told.recv_timeout(Duration::from_secs(5)),
            Err(mpsc::RecvTimeoutError::Disconnected)
        ));
    }
}
