//! Constants of the wire format between computing and outside parties.

use tacit_net::StreamId;

/// The stream of shares between a computing party and an outside party.
pub(crate) const STREAM: StreamId = StreamId(5);
/// Bits of shares that are sent and received at a time.
pub(crate) const WINDOW: usize = 1 << 20;
/// What a computing party sends now and then, so that outside parties know that it is alive.
pub(crate) const KEEP_ALIVE: [u8; 1] = [0];
/// What a computing party sends before shares of outputs.
pub(crate) const READY: [u8; 1] = [1];
