//! What a connection may use and how long it waits.

use std::time::Duration;

use crate::Meter;
use crate::frame::MAX_PAYLOAD;

/// Settings of one connection. The two ends may differ in all of them.
#[derive(Clone, Debug)]
pub struct Options {
    /// Name of the peer, for errors.
    pub peer: String,
    /// Longest time for which a call waits while the peer makes no progress; see [`crate::Channel`] for what counts as progress.
    pub timeout: Duration,
    /// Bytes of each stream that the peer may send ahead of what was read here; at least [`Options::MIN_WINDOW`] is used. A peer
    /// that sends frames of the most awkward size makes the buffers for them up to eight times as large, never larger.
    pub window: usize,
    /// Payload bytes at which a frame leaves by itself, 1 to [`MAX_PAYLOAD`].
    pub frame: usize,
    /// Where to count; clones of one meter count together.
    pub meter: Meter,
}

impl Options {
    /// Least window: two of the largest frames, so that one can be on its way while the other is read.
    pub const MIN_WINDOW: usize = 2 * MAX_PAYLOAD;

    /// The window where nothing else is asked for.
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
