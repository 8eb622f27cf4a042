//! Links between parties: channels over memory, sockets and TLS, with limits on everything that a peer can
//! do.
//!
//! A [`Session`] connects a party with all others in a session file, and makes sure that everyone is the
//! party in the file and wants to run the same. It holds one [`Connection`] to each peer, which carries any
//! number of streams; a [`Channel`] is one end of a stream, and the only part that protocol code sees.
//!
//! | module | holds |
//! |---|---|
//! | [`session`] | who takes part, the session file, the greeting |
//! | [`keys`] | a party's key and its files |
//! | [`socket`] | addresses, TCP and Unix sockets |
//! | [`memory`] | connections inside one process |
//! | [`frame`] | the wire format |
//! | [`shape`], [`fault`], [`record`] | links made slower, disturbed, or recorded, for measurements and tests |
//!
//! The effects of a peer on this side are limited: a frame holds at most 256 KiB and is checked before
//! anything is allocated for it; a stream holds at most the granted window; every wait has a time limit,
//! which a peer extends only by making progress. All other misbehaviour ends in a [`NetError`] that names the
//! peer, and the peer is told of it by an abort without a reason.
//!
//! ```
//! use tacit_net::{NetError, Options, StreamId, memory};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), NetError> {
//! let (alice, bob) = memory::pair(Options::default());
//! let mut to_bob = alice.open(StreamId(1))?;
//! let mut to_alice = bob.open(StreamId(1))?;
//! to_bob.send(b"hello").await?;
//! to_bob.flush().await?;
//! assert_eq!(to_alice.receive(5).await?, b"hello");
//! # Ok(())
//! # }
//! ```

mod buffer;
mod channel;
mod connection;
mod constants;
mod error;
pub mod fault;
pub mod frame;
#[doc(hidden)]
pub mod fuzzing;
pub mod keys;
pub mod memory;
mod meter;
mod options;
mod phase;
mod protocol_fault;
mod received;
pub mod record;
pub mod session;
pub mod shape;
pub mod socket;
mod tls;

pub use channel::{Channel, MAX_RESERVE};
pub use connection::Connection;
pub use constants::LAYOUT;
pub use error::NetError;
pub use meter::{Counts, Meter};
pub use options::Options;
pub use phase::Phase;
pub use protocol_fault::ProtocolFault;
pub use received::Received;
pub use session::Session;

/// Number of a stream within a connection. Both sides use the same number for the same stream, and use it
/// once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId(pub u32);
