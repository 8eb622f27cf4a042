//! What a task has sent and used of what it received, counted as it goes.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::parties::PartyIndex;

/// Elements between this party and another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PeerTraffic {
    /// Elements sent to it.
    pub sent: u64,
    /// Elements of it that were used.
    pub received: u64,
}

/// Elements of one task by peer: shares of inputs, products and openings, without the heads of their messages.
#[derive(Debug)]
pub(crate) struct TaskTraffic(Box<[[AtomicU64; 2]]>);

impl TaskTraffic {
    pub(crate) fn new(parties: usize) -> TaskTraffic {
        TaskTraffic((0..parties).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect())
    }

    pub(super) fn sent(&self, peer: PartyIndex, elements: usize) {
        self.0[peer][0].fetch_add(elements as u64, Ordering::Relaxed);
    }

    pub(super) fn received(&self, peer: PartyIndex, elements: usize) {
        self.0[peer][1].fetch_add(elements as u64, Ordering::Relaxed);
    }

    /// The counts so far, by party.
    pub(crate) fn by_peer(&self) -> Vec<PeerTraffic> {
        let count = |[sent, received]: &[AtomicU64; 2]| PeerTraffic {
            sent: sent.load(Ordering::Relaxed),
            received: received.load(Ordering::Relaxed),
        };
        self.0.iter().map(count).collect()
    }
}
