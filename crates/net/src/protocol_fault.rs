//! Violations of rules by a peer.

use std::error::Error;
use std::sync::Arc;

use crate::frame::{FrameError, Kind};

/// A rule that a peer violated, of the transport or of a protocol above it.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProtocolFault {
    /// Bytes that are not a frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A frame after the farewell.
    #[error("{kind:?} frame after the farewell")]
    AfterFarewell {
        /// The kind of frame.
        kind: Kind,
    },
    /// A frame of a stream that has ended.
    #[error("stream {stream}: frame after the end")]
    AfterEnd {
        /// The stream.
        stream: u32,
    },
    /// More bytes than this side has granted.
    #[error("stream {stream}: {bytes} bytes beyond the credit")]
    BeyondCredit {
        /// The stream.
        stream: u32,
        /// The number of bytes beyond the credit.
        bytes: u64,
    },
    /// Credit that revokes a grant, or exceeds a window.
    #[error("stream {stream}: credit does not advance: {position} bytes after {granted}")]
    Credit {
        /// The stream.
        stream: u32,
        /// The new grant.
        position: u64,
        /// The previous grant.
        granted: u64,
    },
    /// A frame out of order.
    #[error("stream {stream}: frame at position {position} where {due} was due")]
    Position {
        /// The stream.
        stream: u32,
        /// The position in the frame.
        position: u64,
        /// The expected position.
        due: u64,
    },
    /// Streams that were not opened on this side.
    #[error("more than {limit} streams that were not opened here")]
    Unopened {
        /// The limit.
        limit: usize,
    },
    /// The end of a stream before all expected bytes arrived.
    #[error("stream {stream} ended before the bytes that were due")]
    EndedEarly {
        /// The stream.
        stream: u32,
    },
    /// Bytes beyond the last ones of a protocol.
    #[error("stream {stream}: {bytes} bytes that nobody asked for")]
    Unasked {
        /// The stream.
        stream: u32,
        /// The number of bytes.
        bytes: u64,
    },
    /// The first bytes are those of another protocol.
    #[error("it does not begin with a greeting")]
    NoGreeting,
    /// A greeting that is too long.
    #[error("its greeting has {length} bytes, at most {limit} are allowed")]
    LongGreeting {
        /// Its length.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// A greeting that cannot be decoded.
    #[error("its greeting is malformed")]
    Greeting,
    /// An error of TLS.
    #[error("TLS: {0}")]
    Tls(rustls::Error),
    /// A message that violates the protocol above the transport.
    #[error("{0}")]
    Message(Arc<dyn Error + Send + Sync>),
}
