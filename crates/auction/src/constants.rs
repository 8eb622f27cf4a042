//! Constants that determine the layout of messages and files, and limits for messages from others.

use std::time::Duration;

/// Version of the messages between both servers, of the log and of the database. Servers of different versions refuse each other.
pub(crate) const VERSION: u32 = 2;

/// Bytes of the name of a bid.
pub(crate) const NAME_BYTES: usize = 16;

/// Bytes of the blinding in a commitment to a half.
pub(crate) const BLINDING_BYTES: usize = 32;

/// Maximum bytes of a signed log read from a file.
pub(crate) const MAX_LOG_BYTES: u64 = 1 << 30;

/// Maximum bytes of a request's body: a half has 16 bytes and at most 64 more, a blinding has 32, all in hexadecimal digits.
pub(crate) const MAX_BODY_BYTES: usize = 1024;

/// Maximum bytes of a message between the servers.
pub(crate) const MAX_MESSAGE_BYTES: usize = 4 << 20;

/// Maximum bids in one message or one entry of the log.
pub(crate) const MAX_BATCH: usize = 512;

/// Maximum prices of a ladder.
pub(crate) const MAX_PRICES: usize = 10_000;

/// Maximum bids of an auction, whatever its definition says.
pub(crate) const MAX_BIDS: u32 = 100_000;

/// Maximum halves that wait for their other half, in all auctions together.
pub(crate) const MAX_PENDING: usize = 20_000;

/// Maximum bids of an auction that are refused after they were stored; then the auction takes no more bids.
pub(crate) const MAX_REFUSED: usize = 400_000;

/// How long a client has to finish the TLS handshake and to send the head of a request.
pub(crate) const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long a client has to send the body of a request.
pub(crate) const BODY_TIME: Duration = Duration::from_secs(10);

/// How long a connection of a client may last.
pub(crate) const CONNECTION_TIME: Duration = Duration::from_secs(600);

/// Maximum simultaneous connections of clients.
pub(crate) const MAX_CONNECTIONS: usize = 4096;

/// How long an answer to a bid waits for the decision of both servers before it says that the bid is pending.
pub(crate) const DECISION_TIME: Duration = Duration::from_secs(10);
