//! What a peer sent that the rules forbid.

use std::error::Error;
use std::sync::Arc;

use crate::frame::{FrameError, Kind};

/// A rule that a peer broke, of the transport or of a protocol above it.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProtocolFault {
    /// Bytes that are no frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A frame after the farewell.
    #[error("{kind:?} frame after the farewell")]
    AfterFarewell {
        /// Which kind of frame.
        kind: Kind,
    },
    /// A frame of a stream that has ended.
    #[error("stream {stream}: frame after the end")]
    AfterEnd {
        /// The stream.
        stream: u32,
    },
    /// More bytes than this side has room for.
    #[error("stream {stream}: {bytes} bytes beyond the credit")]
    BeyondCredit {
        /// The stream.
        stream: u32,
        /// How many too many.
        bytes: u64,
    },
    /// Credit that takes back what was granted, or is more than a window.
    #[error("stream {stream}: credit does not advance: {position} bytes after {granted}")]
    Credit {
        /// The stream.
        stream: u32,
        /// What is granted now.
        position: u64,
        /// What was granted before.
        granted: u64,
    },
    /// A frame out of order.
    #[error("stream {stream}: frame at position {position} where {due} was due")]
    Position {
        /// The stream.
        stream: u32,
        /// Where the frame says that it stands.
        position: u64,
        /// Where the next one stands.
        due: u64,
    },
    /// Streams that nobody here has opened.
    #[error("more than {limit} streams that were not opened here")]
    Unopened {
        /// How many there may be.
        limit: usize,
    },
    /// The end of a stream of which more was to come.
    #[error("stream {stream} ended before the bytes that were due")]
    EndedEarly {
        /// The stream.
        stream: u32,
    },
    /// Bytes behind the last that a protocol has.
    #[error("stream {stream}: {bytes} bytes that nobody asked for")]
    Unasked {
        /// The stream.
        stream: u32,
        /// How many.
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
        /// The longest that there is.
        limit: usize,
    },
    /// A greeting that can't be read.
    #[error("its greeting is malformed")]
    Greeting,
    /// What TLS refuses.
    #[error("TLS: {0}")]
    Tls(rustls::Error),
    /// A message that the protocol above the transport does not have.
    #[error("{0}")]
    Message(Arc<dyn Error + Send + Sync>),
}
