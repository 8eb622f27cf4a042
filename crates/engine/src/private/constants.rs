//! Constants of the wire format of a private function, apart from its protocol.

use tacit_net::StreamId;

/// The stream that carries the announcement and the protocol.
pub(crate) const STREAM: StreamId = StreamId(1);

/// What the data's owner says to an announced interface: that it goes on, or why not.
pub(crate) const ACCEPTED: u8 = 0x61;
pub(crate) const OTHER_INTERFACE: u8 = 0x62;
pub(crate) const TOO_LARGE: u8 = 0x63;
pub(crate) const DECLINED: u8 = 0x64;
pub(crate) const NOTHING_PREPARED: u8 = 0x65;

/// Bytes of the name of a set of prepared runs.
pub(crate) const SET_NAME_BYTES: usize = 16;

/// Most sets of prepared runs that a holder names.
pub(crate) const MAX_SETS: usize = 64;

/// The version of the form of interfaces.
pub(crate) const INTERFACE_VERSION: u32 = 2;

/// Largest announced interface.
pub(crate) const MAX_INTERFACE_BYTES: usize = 1 << 20;
