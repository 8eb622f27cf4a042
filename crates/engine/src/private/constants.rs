//! Constants of the wire format of a private function, besides those of its protocol.

use tacit_net::StreamId;

/// The stream that carries the announcement and the protocol.
pub(crate) const STREAM: StreamId = StreamId(1);

/// The answer of the data's owner to an announced interface: it continues, or why not.
pub(crate) const ACCEPTED: u8 = 0x61;
pub(crate) const OTHER_INTERFACE: u8 = 0x62;
pub(crate) const TOO_LARGE: u8 = 0x63;
pub(crate) const DECLINED: u8 = 0x64;
pub(crate) const NOTHING_PREPARED: u8 = 0x65;

/// Bytes of the name of a set of prepared runs.
pub(crate) const SET_NAME_BYTES: usize = 16;

/// Maximum sets of prepared runs that a holder announces.
pub(crate) const MAX_SETS: usize = 64;

/// The version of the form of interfaces.
pub(crate) const INTERFACE_VERSION: u32 = 2;

/// Maximum bytes of an announced interface.
pub(crate) const MAX_INTERFACE_BYTES: usize = 1 << 20;
