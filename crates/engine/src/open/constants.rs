//! Constants of the wire format of a session, and of the size of its messages.

use tacit_net::StreamId;

/// The stream that carries all runs of a session.
pub(crate) const STREAM: StreamId = StreamId(1);
/// The stream of values that are not garbled, for plans that have such values.
pub(crate) const SHARES: StreamId = StreamId(2);
/// The stream of stored shares, for programs that read or keep some.
pub(crate) const STORED_SHARES: StreamId = StreamId(3);

/// Messages to the peer: this party waits for others, has everything that it needs, or lacks something.
pub(crate) const WAITING: [u8; 1] = [0x77];
pub(crate) const COMPLETE: [u8; 1] = [0x78];
pub(crate) const LACKING: [u8; 1] = [0x79];
