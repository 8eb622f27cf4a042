//! What stands on the wire of a live session.

use tacit_net::StreamId;

/// The streams of a session.
pub(crate) const INPUTS: StreamId = StreamId(1);
pub(crate) const BATCHES: StreamId = StreamId(2);
pub(crate) const ANSWERS: StreamId = StreamId(3);
pub(crate) const CONTROL: StreamId = StreamId(4);
/// That of stored shares, in sessions with a store.
pub(crate) const STORED_SHARES: StreamId = StreamId(5);

/// What is said on the control stream: that this side has ended in good order, or that the programs differ.
pub(crate) const FAREWELL: u8 = 0;
pub(crate) const DIVERGENCE: u8 = 1;

/// What the evaluator answers to a batch, and to the end.
pub(crate) const DONE: u8 = 1;
pub(crate) const CLOSED: u8 = 2;

/// Bytes that name an input: path, number and tag.
pub(crate) const NAME_BYTES: usize = 40;
