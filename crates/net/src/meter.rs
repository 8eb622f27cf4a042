//! Counts network traffic by phase.

use crate::Phase;
use crate::frame::{HEADER_BYTES, Header, Kind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The network traffic of one phase, as seen by this party.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Bytes of all frames sent, including headers. The overhead of TLS and TCP is not counted.
    pub bytes_sent: u64,
    /// Bytes of all frames received, including headers.
    pub bytes_received: u64,
    /// Data frames sent.
    pub messages_sent: u64,
    /// Data frames received.
    pub messages_received: u64,
    /// Switches from sending to receiving, summed over the channels.
    pub rounds: u64,
    /// Time that calls waited for the network, summed over the channels.
    pub waiting: Duration,
}

impl Counts {
    /// The sum of both.
    pub fn and(self, other: Counts) -> Counts {
        Counts {
            bytes_sent: self.bytes_sent + other.bytes_sent,
            bytes_received: self.bytes_received + other.bytes_received,
            messages_sent: self.messages_sent + other.messages_sent,
            messages_received: self.messages_received + other.messages_received,
            rounds: self.rounds + other.rounds,
            waiting: self.waiting + other.waiting,
        }
    }

    /// The increase since `before`, an earlier count of the same meter.
    pub fn since(self, before: Counts) -> Counts {
        Counts {
            bytes_sent: self.bytes_sent - before.bytes_sent,
            bytes_received: self.bytes_received - before.bytes_received,
            messages_sent: self.messages_sent - before.messages_sent,
            messages_received: self.messages_received - before.messages_received,
            rounds: self.rounds - before.rounds,
            waiting: self.waiting.saturating_sub(before.waiting),
        }
    }
}

/// Counters of a connection or of all connections of a session; clones share the counters.
///
/// A frame counts in the phase in which its sender queued it, at both parties. Rounds and waiting count in
/// the phase of the waiting party.
#[derive(Clone, Debug)]
pub struct Meter(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    phase: AtomicU8,
    phases: [PhaseCounters; 3],
}

#[derive(Debug, Default)]
struct PhaseCounters {
    bytes_sent: AtomicU64,
    bytes_received: AtomicU64,
    messages_sent: AtomicU64,
    messages_received: AtomicU64,
    rounds: AtomicU64,
    waiting_nanos: AtomicU64,
}

impl Default for Meter {
    fn default() -> Self {
        Meter::new()
    }
}

impl Meter {
    /// Counters at zero, in phase [`Phase::Analysis`].
    pub fn new() -> Self {
        Meter(Arc::new(Counters::default()))
    }

    /// From now on, counts everything in `phase`.
    pub fn set_phase(&self, phase: Phase) {
        self.0.phase.store(phase as u8, Relaxed);
    }

    /// The current phase.
    pub fn phase(&self) -> Phase {
        Phase::ALL[usize::from(self.0.phase.load(Relaxed))]
    }

    /// The counts of one phase so far.
    pub fn counts(&self, phase: Phase) -> Counts {
        let counters = &self.0.phases[phase as usize];
        Counts {
            bytes_sent: counters.bytes_sent.load(Relaxed),
            bytes_received: counters.bytes_received.load(Relaxed),
            messages_sent: counters.messages_sent.load(Relaxed),
            messages_received: counters.messages_received.load(Relaxed),
            rounds: counters.rounds.load(Relaxed),
            waiting: Duration::from_nanos(counters.waiting_nanos.load(Relaxed)),
        }
    }

    /// The counts of every phase so far, in the order of [`Phase::ALL`].
    pub fn by_phase(&self) -> [Counts; 3] {
        Phase::ALL.map(|phase| self.counts(phase))
    }

    /// The counts of all phases together.
    pub fn total(&self) -> Counts {
        Phase::ALL.into_iter().map(|phase| self.counts(phase)).fold(Counts::default(), Counts::and)
    }

    fn current(&self) -> &PhaseCounters {
        &self.0.phases[usize::from(self.0.phase.load(Relaxed))]
    }

    pub(crate) fn sent(&self, header: &Header) {
        let (counters, bytes, messages) = self.frame(header);
        counters.bytes_sent.fetch_add(bytes, Relaxed);
        counters.messages_sent.fetch_add(messages, Relaxed);
    }

    pub(crate) fn received(&self, header: &Header) {
        let (counters, bytes, messages) = self.frame(header);
        counters.bytes_received.fetch_add(bytes, Relaxed);
        counters.messages_received.fetch_add(messages, Relaxed);
    }

    /// The counters for a frame, its bytes, and whether it is a message.
    fn frame(&self, header: &Header) -> (&PhaseCounters, u64, u64) {
        let counters = &self.0.phases[header.phase() as usize];
        (counters, (HEADER_BYTES + header.length()) as u64, u64::from(header.kind() == Kind::Data))
    }

    pub(crate) fn round(&self) {
        self.current().rounds.fetch_add(1, Relaxed);
    }

    pub(crate) fn waited(&self, time: Duration) {
        self.current().waiting_nanos.fetch_add(time.as_nanos() as u64, Relaxed);
    }
}
