//! Counts what a task has sent, and used of what it received.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::parties::PartyIndex;

/// Elements between this party and another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PeerTraffic {
    /// Elements sent to it.
    pub sent: u64,
    /// Elements from it that were used.
    pub received: u64,
}

impl PeerTraffic {
    /// Adds traffic to that of each peer.
    pub(crate) fn add_all(all: &mut [PeerTraffic], more: &[PeerTraffic]) {
        for (all, more) in all.iter_mut().zip(more) {
            all.sent += more.sent;
            all.received += more.received;
        }
    }
}

/// Elements of one task by peer: shares of inputs, products and openings, without the heads of their messages.
#[derive(Debug)]
pub(crate) struct TaskTraffic {
    by_peer: Box<[[AtomicU64; 2]]>,
    /// The same in bytes.
    bytes: Box<[[AtomicU64; 2]]>,
    /// The counter of all tasks, which counts them too.
    all: Option<Arc<TaskTraffic>>,
}

impl TaskTraffic {
    pub(crate) fn new(parties: usize, all: Option<Arc<TaskTraffic>>) -> TaskTraffic {
        let zeros = || (0..parties).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect();
        TaskTraffic { by_peer: zeros(), bytes: zeros(), all }
    }

    fn count(&self, peer: PartyIndex, direction: usize, (elements, width): (usize, usize)) {
        for counted in [Some(self), self.all.as_deref()].into_iter().flatten() {
            counted.by_peer[peer][direction].fetch_add(elements as u64, Ordering::Relaxed);
            counted.bytes[peer][direction].fetch_add((elements * width) as u64, Ordering::Relaxed);
        }
    }

    /// Counts elements sent to a peer, each of this many bytes.
    pub(super) fn sent(&self, peer: PartyIndex, elements: (usize, usize)) {
        self.count(peer, 0, elements);
    }

    /// The same for elements from it.
    pub(super) fn received(&self, peer: PartyIndex, elements: (usize, usize)) {
        self.count(peer, 1, elements);
    }

    /// The counts so far, by party.
    pub(crate) fn by_peer(&self) -> Vec<PeerTraffic> {
        counts(&self.by_peer)
    }

    /// The same in bytes.
    pub(crate) fn bytes_by_peer(&self) -> Vec<PeerTraffic> {
        counts(&self.bytes)
    }
}

fn counts(counted: &[[AtomicU64; 2]]) -> Vec<PeerTraffic> {
    let count = |[sent, received]: &[AtomicU64; 2]| PeerTraffic {
        sent: sent.load(Ordering::Relaxed),
        received: received.load(Ordering::Relaxed),
    };
    counted.iter().map(count).collect()
}
