use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Limits on the work of a proof.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Conflicts of the solver for each question. They count work: the same question always ends in the same
    /// way.
    pub conflicts: u32,
    /// Ends the work early.
    pub stop: Stop,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { conflicts: 300_000, stop: Stop::default() }
    }
}

/// Ends work early: at a given time, or when told to from another thread.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    told: Arc<AtomicBool>,
    at: Option<Instant>,
}

impl Stop {
    /// Stops after a duration.
    pub fn after(time: Duration) -> Self {
        Stop { told: Arc::default(), at: Instant::now().checked_add(time) }
    }

    /// The same without a time: stops only when told to.
    pub fn untimed(&self) -> Self {
        Stop { told: self.told.clone(), at: None }
    }

    /// Stops everything that has a clone of this.
    pub fn stop(&self) {
        self.told.store(true, Ordering::Relaxed);
    }

    /// Whether to stop.
    pub fn is_due(&self) -> bool {
        self.told.load(Ordering::Relaxed) || self.at.is_some_and(|at| Instant::now() >= at)
    }
}
