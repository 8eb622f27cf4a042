use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much work a proof may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Conflicts of the solver for each question. They count work: the same question ends in the same way everywhere.
    pub conflicts: u32,
    /// Ends the work early.
    pub stop: Stop,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { conflicts: 300_000, stop: Stop::default() }
    }
}

/// Ends work early: at a moment, or when told to from another thread.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    told: Arc<AtomicBool>,
    at: Option<Instant>,
}

impl Stop {
    /// Stops after a time.
    pub fn after(time: Duration) -> Self {
        Stop { told: Arc::default(), at: Instant::now().checked_add(time) }
    }

    /// Stops only when told to, like this one, whatever the time.
    pub fn untimed(&self) -> Self {
        Stop { told: self.told.clone(), at: None }
    }

    /// Stops all that has a clone of this.
    pub fn stop(&self) {
        self.told.store(true, Ordering::Relaxed);
    }

    /// Whether to stop.
    pub fn is_due(&self) -> bool {
        self.told.load(Ordering::Relaxed) || self.at.is_some_and(|at| Instant::now() >= at)
    }
}
