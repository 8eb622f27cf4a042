//! Constants of the wire format of a session, and of the size of its messages.

use tacit_net::StreamId;

/// The stream that carries all runs of a session.
pub(crate) const STREAM: StreamId = StreamId(1);
/// The stream of what is not garbled, of plans that have such.
pub(crate) const SHARES: StreamId = StreamId(2);
/// The stream of stored shares, of programs that read or keep some.
pub(crate) const STORED_SHARES: StreamId = StreamId(3);

/// What a party says to the peer while it waits for others, and when it has all or lacks something.
pub(crate) const WAITING: [u8; 1] = [0x77];
pub(crate) const COMPLETE: [u8; 1] = [0x78];
pub(crate) const LACKING: [u8; 1] = [0x79];
