//! Constants of the messages by which two parties measure their link.

use tacit_net::StreamId;

/// The stream of all messages.
pub(crate) const STREAM: StreamId = StreamId(1);
/// Round trips that each party measures.
pub(crate) const ROUND_TRIPS: usize = 9;
/// Transfers in each direction that are measured, after those that find out how long they must be.
pub(crate) const TRANSFERS: usize = 7;
/// Bytes at the start of a transfer; the time of the others counts.
pub(crate) const LEAD_BYTES: usize = 4 << 10;
/// Minimum and maximum bytes of a transfer after its first ones, and the factor by which transfers become longer.
pub(crate) const LEAST_TRANSFER: u64 = 16 << 10;
pub(crate) const MOST_TRANSFER: u64 = 64 << 20;
pub(crate) const GROWTH: u64 = 4;
/// Maximum bytes of the description of a machine.
pub(crate) const MOST_MACHINE: usize = 200;

/// A party's states while both measure their machines.
pub(crate) const BUSY: u8 = 0x7a;
pub(crate) const READY: u8 = 0x7b;
