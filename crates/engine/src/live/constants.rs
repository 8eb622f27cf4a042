//! Constants of the wire format of a live session.

use tacit_net::StreamId;

/// The streams of a reactive program, besides those of its session.
pub(crate) const INPUTS: StreamId = StreamId(4);
pub(crate) const BATCHES: StreamId = StreamId(5);
pub(crate) const ANSWERS: StreamId = StreamId(6);
pub(crate) const CONTROL: StreamId = StreamId(7);

/// Messages on the control stream: this side has ended in good order, or the programs differ.
pub(crate) const FAREWELL: u8 = 0;
pub(crate) const DIVERGENCE: u8 = 1;

/// The evaluator's answer to a batch, and to the end.
pub(crate) const DONE: u8 = 1;
pub(crate) const CLOSED: u8 = 2;

/// Bytes that identify an input or a run: path, number and tag.
pub(crate) const NAME_BYTES: usize = 40;

/// The evaluator's messages in place of the number of inputs that follow: the run that the garbler has announced begins, or the
/// evaluator has nothing to run.
pub(crate) const RUN: u32 = u32::MAX;
pub(crate) const NO_RUN: u32 = u32::MAX - 1;
