//! One link to one peer, and the streams on it.
//!
//! A connection has no task of its own. Whoever waits on one of its channels moves the bytes of all of them, in both directions:
//! so one core serves a party without a change of context between computing and sending, two parties can run in one thread in
//! tests, and two sides that both send cannot block each other, because every wait to send also receives. While nobody waits, the operating
//! system's socket buffers carry on.

mod farewell;
mod reader;
pub(crate) mod shared;
pub(crate) mod table;
pub(crate) mod wait;
mod wakers;
mod writer;

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::{Channel, Meter, NetError, Options, StreamId};
use shared::Shared;

/// An ordered link to one peer that carries streams, each with its own credit. Clones are the same link.
///
/// Must be used on a tokio runtime with its timer enabled. Dropping a connection and its channels without
/// [`Connection::close`] looks to the peer like a crash.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("peer", &self.shared.peer()).finish_non_exhaustive()
    }
}

impl Connection {
    /// A connection over any byte stream whose other end does the same.
    ///
    /// Security: as good as the byte stream; nothing is added here.
    pub fn over<T>(io: T, options: Options) -> Self
    where
        T: AsyncRead + AsyncWrite + Send + 'static,
    {
        let (reader, writer) = tokio::io::split(io);
        Connection::over_halves(reader, writer, options)
    }

    /// A connection over the two halves of a byte stream, where they can work apart.
    pub fn over_halves<R, W>(reader: R, writer: W, options: Options) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Connection { shared: Arc::new(Shared::new(Box::new(reader), Box::new(writer), options)) }
    }

    /// Opens a stream. Both sides open the same number; each number serves once in the life of a connection. What the peer sent
    /// on the stream before is kept, within limits.
    ///
    /// Cost: one frame without payload, which grants the peer this side's window.
    ///
    /// Errors: [`NetError::StreamReused`], or how the connection failed before.
    pub fn open(&self, stream: StreamId) -> Result<Channel, NetError> {
        self.shared.open(stream)?;
        Ok(Channel::new(self.shared.clone(), stream))
    }

    /// Name of the peer.
    pub fn peer(&self) -> String {
        self.shared.peer()
    }

    /// The counters of this connection.
    pub fn meter(&self) -> &Meter {
        self.shared.meter()
    }

    /// Closes the connection in good order: everything sent is delivered, then both sides say farewell. Channels should be
    /// finished before.
    ///
    /// Errors: [`NetError::Timeout`] if the peer does not close too, [`NetError::Closed`] if it vanishes without a farewell,
    /// or how the connection failed before.
    pub async fn close(&self) -> Result<(), NetError> {
        self.shared.close().await
    }

    /// Gives up: tells the peer that this side aborts, and nothing else. Every call that waits on this connection fails.
    /// Takes at most two seconds, and at most the time limit, when the peer does not react; no time if it has let a time limit pass.
    pub async fn abort(&self) {
        self.shared.abort().await;
    }

    /// Notes that the peer has let a time limit pass, for [`Connection::abort`]; waits note that by themselves.
    pub fn expect_nothing(&self) {
        self.shared.note_silence();
    }

    /// The beginning of [`Connection::abort`], for any thread: tells the peer as far as the socket takes it at once, and waits for nothing.
    pub fn interrupt(&self) {
        self.shared.interrupt();
    }

    /// Renames the peer once it has said who it is.
    pub(crate) fn name_peer(&self, name: &str) {
        self.shared.name_peer(name);
    }
}
