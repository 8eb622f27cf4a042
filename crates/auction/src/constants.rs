//! What decides the layout of messages and files, and limits on what others may send.

use std::time::Duration;

/// Version of the messages between both servers, of the log and of the database. Servers of different versions refuse each other.
pub(crate) const VERSION: u32 = 2;

/// Bytes of the name of a bid.
pub(crate) const NAME_BYTES: usize = 16;

/// Bytes of what blinds the commitment to a half.
pub(crate) const BLINDING_BYTES: usize = 32;

/// Most bytes of a signed log that is read from a file.
pub(crate) const MAX_LOG_BYTES: u64 = 1 << 30;

/// Most bytes of a request's body: a half is 16 bytes and at most 64, a blinding 32, all in hexadecimal digits.
pub(crate) const MAX_BODY_BYTES: usize = 1024;

/// Most bytes of a message between both servers.
pub(crate) const MAX_MESSAGE_BYTES: usize = 4 << 20;

/// Most bids that one message or one entry of the log is about.
pub(crate) const MAX_BATCH: usize = 512;

/// Most prices of a ladder.
pub(crate) const MAX_PRICES: usize = 10_000;

/// Most bids of an auction, whatever its definition says.
pub(crate) const MAX_BIDS: u32 = 100_000;

/// Most halves that wait for their other half, in all auctions together.
pub(crate) const MAX_PENDING: usize = 20_000;

/// Most bids of an auction that are refused after they were stored; then the auction takes no more.
pub(crate) const MAX_REFUSED: usize = 400_000;

/// How long a client has to finish the handshake of TLS and to send the head of a request.
pub(crate) const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long a client has to send the body of a request.
pub(crate) const BODY_TIME: Duration = Duration::from_secs(10);

/// How long a connection of a client may last.
pub(crate) const CONNECTION_TIME: Duration = Duration::from_secs(600);

/// Most connections of clients at once.
pub(crate) const MAX_CONNECTIONS: usize = 4096;

/// How long an answer to a bid waits for the decision of both servers before it says that the bid is pending.
pub(crate) const DECISION_TIME: Duration = Duration::from_secs(10);
