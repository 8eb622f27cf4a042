//! What a protocol on shares takes, known from sizes alone.

use crate::correlations::Requirement;
use crate::exchange::WINDOW;

/// What a protocol on shares takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Correlated randomness, which setup makes.
    pub requirement: Requirement,
    /// Bytes that the first and that the second party sends online.
    pub bytes: [u64; 2],
    /// Rounds: messages that both parties send at the same time, and that the next ones depend on.
    pub rounds: u64,
}

impl Cost {
    /// Adds what comes after it.
    pub fn then(&mut self, next: &Cost) {
        self.requirement.add(&next.requirement, 1);
        self.bytes = [0, 1].map(|i| self.bytes[i].saturating_add(next.bytes[i]));
        self.rounds = self.rounds.saturating_add(next.rounds);
    }

    /// Adds messages of both parties at the same time.
    pub(crate) fn exchange(&mut self, bytes: [u64; 2]) {
        self.bytes = [0, 1].map(|i| self.bytes[i].saturating_add(bytes[i]));
        self.rounds += bytes[0].max(bytes[1]).div_ceil(WINDOW as u64);
    }
}
