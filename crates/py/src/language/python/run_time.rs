//! The time of compiled programs among any number of parties: measured, and beside the predicted one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tacit_engine::{Deviation, PhaseSeconds, RateSource};
use tacit_net::Phase;
use tacit_nparty::Security;
use tacit_nparty::compiled::{Compiled, Plan};
use tacit_nparty::dynamic::AnyTask;
use tacit_plan::{Link, PhaseTime, WorkAmong};

/// The time of a run by the plan's model, from its inputs to its last output.
pub fn predicted(compiled: &Compiled, plan: &Plan, link: Link) -> PhaseTime {
    let prediction = plan.prediction();
    let work = WorkAmong {
        parties: prediction.sent.len() as u64,
        products: prediction.products,
        opened: prediction.opened,
        rounds: prediction.rounds,
        most_bytes: prediction.most_bytes_sent(),
        has_words: compiled.has_words(),
    };
    work.time(link)
}

/// Counts the runs of a session, to see which of them ran at the same time.
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
}

impl<'a> Stopwatch<'a> {
    /// Starts now.
    pub fn start(runs: &'a RunCount, task: &'a dyn AnyTask) -> Stopwatch<'a> {
        let alone = runs.running.fetch_add(1, Ordering::SeqCst) == 0;
        let begun = runs.begun.fetch_add(1, Ordering::SeqCst) + 1;
        Stopwatch { runs, task, began: Instant::now(), idle: task.idle(), begun, alone }
    }

    /// What was measured until now.
    pub fn stop(self) -> Measured {
        let all = self.began.elapsed();
        Measured {
            all,
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
    /// Whether no other run took place meanwhile.
    alone: bool,
    security: Security,
}

impl Measured {
    /// Adds another run's time.
    pub fn add(&mut self, other: Measured) {
        self.all += other.all;
        self.waiting += other.waiting;
        self.alone &= other.alone;
    }

    /// The measured seconds.
    pub fn report(&self) -> Value {
        let times = self.seconds();
        json!({
            "seconds": times.all,
            "network_seconds": times.network,
            "compute_seconds": times.compute,
        })
    }

    fn seconds(&self) -> PhaseSeconds<'static> {
        let (all, network) = (self.all.as_secs_f64(), self.waiting.as_secs_f64());
        PhaseSeconds { phase: Phase::Online.name(), all, network, compute: all - network, processor: None }
    }

    /// The deviation from the predicted time of all runs, if it is large enough to be reported.
    pub fn deviation(&self, predicted: PhaseTime, link: Link) -> Option<Deviation> {
        let found = self.seconds().deviation(predicted, link, RateSource::Among)?;
        let reason = self.unpredicted().map_or(found.reason, str::to_owned);
        Some(Deviation { reason, ..found })
    }

    /// A part of the time that no prediction has.
    fn unpredicted(&self) -> Option<&'static str> {
        match self.security {
            _ if !self.alone => Some("other programs of the session ran at the same time"),
            Security::Active => {
                Some("what other parties send was verified, and the time of that is not predicted")
            }
            Security::Passive => None,
        }
    }
}
