use serde::{Deserialize, Serialize};

/// How long a phase takes, and for what, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PhaseTime {
    /// Both parties compute.
    pub computing_ns: u64,
    /// Bytes are sent that a party waits for.
    pub sending_ns: u64,
    /// Messages are on their way that follow one another.
    pub waiting_ns: u64,
}

impl PhaseTime {
    /// All of it; saturates.
    pub fn nanoseconds(self) -> u64 {
        self.computing_ns.saturating_add(self.sending_ns).saturating_add(self.waiting_ns)
    }

    /// All of it.
    pub fn seconds(self) -> f64 {
        self.nanoseconds() as f64 * 1e-9
    }
}
