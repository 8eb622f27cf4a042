use serde::{Deserialize, Serialize};

/// How long a phase takes, by cause, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PhaseTime {
    /// Time in which the parties compute.
    pub computing_ns: u64,
    /// Time in which a party waits for bytes to be sent.
    pub sending_ns: u64,
    /// Latency of messages that follow one another.
    pub waiting_ns: u64,
}

impl PhaseTime {
    /// The sum of all; saturates.
    pub fn nanoseconds(self) -> u64 {
        self.computing_ns.saturating_add(self.sending_ns).saturating_add(self.waiting_ns)
    }

    /// The time of so many such phases; saturates.
    #[must_use]
    pub fn repeated(self, times: u64) -> PhaseTime {
        PhaseTime {
            computing_ns: self.computing_ns.saturating_mul(times),
            sending_ns: self.sending_ns.saturating_mul(times),
            waiting_ns: self.waiting_ns.saturating_mul(times),
        }
    }

    /// The sum of all, in seconds.
    pub fn seconds(self) -> f64 {
        self.nanoseconds() as f64 * 1e-9
    }
}
