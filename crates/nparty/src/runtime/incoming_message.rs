//! A message of a peer that waits for the reactor.

use std::ops::Deref;

use tacit_net::Received;

/// Messages of fewer bytes are copied: a buffer of a connection holds 256 KiB, and a short message should not keep that much.
pub(super) const LEAST_IN_FRAME: usize = 1 << 17;

/// A message without its length.
pub(super) enum IncomingMessage {
    /// In the buffer that it was read into.
    InFrame(Received),
    /// In memory of its own.
    Copied(Vec<u8>),
}

impl Deref for IncomingMessage {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            IncomingMessage::InFrame(received) => received,
            IncomingMessage::Copied(message) => message,
        }
    }
}
