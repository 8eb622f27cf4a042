//! The limits and timeouts of a connection.

use std::time::Duration;

use crate::Meter;
use crate::frame::MAX_PAYLOAD;

/// Settings of one connection. The two ends may differ in all of them.
#[derive(Clone, Debug)]
pub struct Options {
    /// Name of the peer, for errors.
    pub peer: String,
    /// The longest time that a call waits while the peer makes no progress; see [`crate::Channel`] for what
    /// counts as progress.
    pub timeout: Duration,
    /// Bytes of each stream that the peer may send before they are read here; at least
    /// [`Options::MIN_WINDOW`] is used. A peer that sends frames of the worst size makes the buffers for them
    /// up to eight times as large, never larger.
    pub window: usize,
    /// Payload bytes at which a frame is sent automatically, 1 to [`MAX_PAYLOAD`].
    pub frame: usize,
    /// The meter; clones of a meter share their counters.
    pub meter: Meter,
}

impl Options {
    /// The minimum window: two of the largest frames, so that one can be in transit while the other is read.
    pub const MIN_WINDOW: usize = 2 * MAX_PAYLOAD;

    /// The default window.
    pub const DEFAULT_WINDOW: usize = 4 << 20;

    /// The default settings, with the peer's name.
    pub fn for_peer(peer: impl Into<String>) -> Self {
        Options {
            peer: peer.into(),
            timeout: Duration::from_secs(30),
            window: Self::DEFAULT_WINDOW,
            frame: MAX_PAYLOAD,
            meter: Meter::new(),
        }
    }

    pub(crate) fn granted_window(&self) -> u64 {
        self.window.max(Self::MIN_WINDOW) as u64
    }

    pub(crate) fn frame_payload(&self) -> usize {
        self.frame.clamp(1, MAX_PAYLOAD)
    }
}

impl Default for Options {
    fn default() -> Self {
        Options::for_peer("peer")
    }
}
