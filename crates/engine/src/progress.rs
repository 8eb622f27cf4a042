use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tacit_net::{Counts, Meter, Phase};
use tacit_plan::{Prediction, Side, TABLE_BYTES};

/// How often progress is reported.
const INTERVAL: Duration = Duration::from_millis(50);

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The phase.
    pub phase: Phase,
    /// What was done in this phase: ANDs that were garbled or evaluated, or bytes in a phase without ANDs; in analysis, steps
    /// of making circuits smaller.
    pub done: u64,
    /// The final value of `done`, or its maximum; 0 if it is not known.
    pub total: u64,
    /// The traffic on the network.
    pub traffic: ProgressTraffic,
}

/// The traffic in a phase so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgressTraffic {
    /// Bytes that this party sent.
    pub bytes_sent: u64,
    /// Bytes that it received.
    pub bytes_received: u64,
    /// Bytes that both parties are predicted to send in the phase; 0 without a prediction.
    pub bytes_predicted: u64,
}

/// Receives the progress of a run, about 20 times a second and at its end, on a thread of its own.
#[derive(Clone)]
pub struct ProgressSink(Arc<dyn Fn(Progress) + Send + Sync>);

impl ProgressSink {
    /// A sink that calls `tell`, which should return soon.
    pub fn new(tell: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        ProgressSink(Arc::new(tell))
    }

    /// Reports the steps of making circuits smaller.
    pub(crate) fn optimising(&self, steps: u64, total: u64) {
        let traffic = ProgressTraffic::default();
        (self.0)(Progress { phase: Phase::Analysis, done: steps.min(total), total, traffic });
    }
}

impl fmt::Debug for ProgressSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgressSink")
    }
}

/// Counts the ANDs of the current phase, and holds the prediction of what it sends.
#[derive(Debug, Default)]
pub(crate) struct Tracker {
    done: AtomicU64,
    total: AtomicU64,
    predicted: AtomicU64,
}

impl Tracker {
    /// Starts a part of a phase, with `total` ANDs.
    pub fn start(&self, total: u64) {
        self.done.store(0, Relaxed);
        self.total.store(total, Relaxed);
    }

    /// Starts a phase with this prediction.
    pub fn expect(&self, prediction: &Prediction, phase: Phase) {
        let traffic = match phase {
            Phase::Analysis => return self.predicted.store(0, Relaxed),
            Phase::Setup => prediction.setup,
            Phase::Online => prediction.online,
        };
        self.predicted.store(traffic.garbler_bytes.saturating_add(traffic.evaluator_bytes), Relaxed);
    }

    /// Counts `count` more ANDs.
    pub fn done(&self, count: u64) {
        self.done.fetch_add(count, Relaxed);
    }
}

/// Reports progress until it is dropped, and once more then.
pub(crate) struct Ticker {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// The sources of a ticker's reports.
pub(crate) struct Watched {
    tracker: Arc<Tracker>,
    meter: Meter,
    /// The meter's counts before the run.
    before: [Counts; 3],
    side: Side,
}

impl Ticker {
    /// Starts to report to `sink`.
    pub fn start(watched: Watched, sink: ProgressSink) -> std::io::Result<Ticker> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let tick = move || {
            loop {
                // Read first, so that the last report includes everything.
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
            // A sink that panicked has reported so itself. The run does not depend on it, and has ended.
            let _ = thread.join();
        }
    }
}

impl Watched {
    /// A run on this side begins.
    pub fn new(tracker: Arc<Tracker>, meter: Meter, side: Side) -> Watched {
        let before = meter.by_phase();
        Watched { tracker, meter, before, side }
    }

    fn progress(&self) -> Progress {
        let phase = self.meter.phase();
        let Counts { bytes_sent, bytes_received, .. } =
            self.meter.counts(phase).since(self.before[phase as usize]);
        let bytes_predicted = self.tracker.predicted.load(Relaxed);
        let traffic = ProgressTraffic { bytes_sent, bytes_received, bytes_predicted };
        let (done, total) = self.amounts(traffic);
        Progress { phase, done: done.min(total), total, traffic }
    }

    /// The work done, and the work in all. Steps count when they end. Within a long step, the tables sent so far determine the
    /// progress; in a phase without ANDs, all bytes do.
    fn amounts(&self, traffic: ProgressTraffic) -> (u64, u64) {
        let ProgressTraffic { bytes_sent, bytes_received, bytes_predicted } = traffic;
        let tables = match self.side {
            Side::Garbler => bytes_sent,
            Side::Evaluator => bytes_received,
        };
        match self.tracker.total.load(Relaxed) {
            0 => (bytes_sent + bytes_received, bytes_predicted),
            ands => (self.tracker.done.load(Relaxed).max(tables / TABLE_BYTES), ands),
        }
    }
}

/// Starts to report the progress. If the system has no thread left for this, the run continues without.
pub(crate) fn ticker(
    progress: &Option<ProgressSink>,
    side: Side,
    tracker: &Arc<Tracker>,
    meter: &Meter,
) -> Option<Ticker> {
    let watched = Watched::new(tracker.clone(), meter.clone(), side);
    Ticker::start(watched, progress.clone()?).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use tacit_plan::Traffic;

    use super::*;

    #[test]
    fn tells_until_dropped() {
        let (sender, told) = mpsc::channel();
        let sink = ProgressSink::new(move |progress| sender.send(progress).unwrap_or_default());
        let tracker = Arc::new(Tracker::default());
        tracker.start(10);
        tracker.done(4);
        let watched = Watched::new(tracker, Meter::new(), Side::Garbler);
        let ticker = Ticker::start(watched, sink).unwrap();
        let first = told.recv_timeout(Duration::from_secs(5)).unwrap();
        let traffic = ProgressTraffic::default();
        assert_eq!(first, Progress { phase: Phase::Analysis, done: 4, total: 10, traffic });
        drop(ticker);
        while told.try_recv().is_ok() {}
        assert!(matches!(
            told.recv_timeout(Duration::from_secs(5)),
            Err(mpsc::RecvTimeoutError::Disconnected)
        ));
    }

    #[test]
    fn a_phase_without_ands_goes_by_the_bytes_that_are_predicted() {
        let setup = Traffic { garbler_bytes: 30, evaluator_bytes: 12, ..Traffic::default() };
        let prediction = Prediction { setup, ..Prediction::default() };
        let (tracker, meter) = (Arc::new(Tracker::default()), Meter::new());
        let watched = Watched::new(tracker.clone(), meter.clone(), Side::Evaluator);
        meter.set_phase(Phase::Setup);
        tracker.expect(&prediction, Phase::Setup);
        let Progress { phase, done, total, traffic } = watched.progress();
        assert_eq!((phase, done, total), (Phase::Setup, 0, 42));
        assert_eq!(traffic.bytes_predicted, 42);
        tracker.start(7);
        assert_eq!(watched.progress().total, 7);
        tracker.expect(&prediction, Phase::Analysis);
        assert_eq!(watched.progress().traffic, ProgressTraffic::default());
    }
}
