//! Links between parties: channels over memory, sockets and TLS, with limits on everything that a peer can do.
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
mod error;
pub mod fault;
pub mod frame;
pub mod keys;
pub mod memory;
mod meter;
mod options;
pub mod session;
pub mod shape;
pub mod socket;
mod tls;

pub use channel::{Channel, MAX_RESERVE};
pub use connection::Connection;
pub use error::NetError;
pub use meter::{Counts, Meter, Phase};
pub use options::Options;
pub use session::Session;

/// Number of a stream within a connection. Both sides use the same number for the same stream, and each number once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId(pub u32);
