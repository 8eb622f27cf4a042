//! The time of compiled programs among any number of parties: measured, and beside the predicted one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tacit_engine::{Deviation, PhaseSeconds};
use tacit_net::Phase;
use tacit_nparty::dynamic::AnyTask;
use tacit_nparty::runtime::Prediction;
use tacit_nparty::{Security, process_time};
use tacit_plan::{Link, PhaseTime, Profile, WorkAmong};

/// The time of a run by the plan's model, from its inputs to its last output.
pub fn predicted(prediction: &Prediction, (link, profile): (Link, &Profile)) -> PhaseTime {
    let (computing, rounds) = (prediction.computing, prediction.rounds);
    WorkAmong { computing, rounds, most_bytes: prediction.most_bytes_sent() }.time(link, profile)
}

/// Counts the parties of this process, whose processor time is only that of a party if it is alone.
static PARTIES: RunCount = RunCount { begun: AtomicU64::new(0), running: AtomicU64::new(0) };

/// A party of this process, until it is dropped.
pub struct Present(());

impl Present {
    /// One more.
    pub fn new() -> Present {
        PARTIES.begun.fetch_add(1, Ordering::SeqCst);
        PARTIES.running.fetch_add(1, Ordering::SeqCst);
        Present(())
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        PARTIES.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The processor time of the process so far, and how many parties there have been, if there is one now.
fn alone_for() -> Option<(u64, Duration)> {
    let begun = PARTIES.begun.load(Ordering::SeqCst);
    (PARTIES.running.load(Ordering::SeqCst) == 1).then(|| (begun, process_time()))
}

/// Counts the runs of a session, or the parties of a process, to see which of them ran at the same time.
#[derive(Default)]
pub struct RunCount {
    begun: AtomicU64,
    running: AtomicU64,
}

/// Measures a run.
pub struct Stopwatch<'a> {
    runs: &'a RunCount,
    task: &'a dyn AnyTask,
    began: Instant,
    idle: Duration,
    /// How many runs had begun, this one included.
    begun: u64,
    alone: bool,
    process: Option<(u64, Duration)>,
}

impl<'a> Stopwatch<'a> {
    /// Starts now.
    pub fn start(runs: &'a RunCount, task: &'a dyn AnyTask) -> Stopwatch<'a> {
        let alone = runs.running.fetch_add(1, Ordering::SeqCst) == 0;
        let begun = runs.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let process = alone_for();
        Stopwatch { runs, task, began: Instant::now(), idle: task.idle(), begun, alone, process }
    }

    /// Measures from now on.
    pub fn restart(&mut self) {
        (self.began, self.idle, self.process) = (Instant::now(), self.task.idle(), alone_for());
    }

    /// What was measured until now.
    pub fn stop(self) -> Measured {
        let all = self.began.elapsed();
        let processor = match (self.process, alone_for()) {
            (Some((one, before)), Some((other, after))) if one == other => Some(after.saturating_sub(before)),
            _ => None,
        };
        Measured {
            all,
            processor,
            waiting: self.task.idle().saturating_sub(self.idle).min(all),
            alone: self.alone && self.runs.begun.load(Ordering::SeqCst) == self.begun,
            security: self.task.security(),
        }
    }
}

impl Drop for Stopwatch<'_> {
    fn drop(&mut self) {
        self.runs.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The measured time of runs.
#[derive(Clone, Copy)]
pub struct Measured {
    all: Duration,
    /// The part in which nothing was ready to be computed.
    waiting: Duration,
    /// The time in which the threads of this process had a processor, if the party was alone in it.
    processor: Option<Duration>,
    /// Whether no other run took place meanwhile.
    alone: bool,
    security: Security,
}

impl Measured {
    /// Adds another run's time.
    pub fn add(&mut self, other: Measured) {
        self.all += other.all;
        self.waiting += other.waiting;
        self.processor = self.processor.zip(other.processor).map(|(one, other)| one + other);
        self.alone &= other.alone;
    }

    /// The measured seconds.
    pub fn report(&self) -> Value {
        let times = self.seconds();
        json!({
            "seconds": times.all,
            "network_seconds": times.network,
            "compute_seconds": times.compute,
            "processor_seconds": self.processor.map(|processor| processor.as_secs_f64()),
        })
    }

    fn seconds(&self) -> PhaseSeconds<'static> {
        let (all, network) = (self.all.as_secs_f64(), self.waiting.as_secs_f64());
        let compute = all - network;
        // The process has several threads.
        let processor = self.processor.map(|processor| processor.as_secs_f64().min(compute));
        PhaseSeconds { phase: Phase::Online.name(), all, network, compute, processor }
    }

    /// The deviation from the predicted time of all runs, if it is large enough to be reported.
    pub fn deviation(&self, predicted: PhaseTime, link: Link) -> Option<Deviation> {
        let found = self.seconds().deviation(predicted, link)?;
        let reason = self.unpredicted().map_or(found.reason, str::to_owned);
        Some(Deviation { reason, ..found })
    }

    /// A part of the time that no prediction has.
    fn unpredicted(&self) -> Option<&'static str> {
        match self.security {
            _ if !self.alone => Some("other programs of the session ran at the same time"),
            Security::Active => {
                Some("what other parties send was verified, and the messages of that are not predicted")
            }
            Security::Passive => None,
        }
    }
}
