//! One link to one peer, and the streams on it.
//!
//! A connection has no task of its own. Any wait on one of its channels moves the bytes of all of them, in
//! both directions. So one core serves a party without context switches between computing and sending, two
//! parties can run in one thread in tests, and two sides that both send cannot block each other, because
//! every wait to send also receives. While nobody waits, the operating system's socket buffers continue.

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

/// An ordered link to one peer that carries streams, each with its own credit. Clones share the same link.
///
/// Must be used on a tokio runtime with its timer enabled. To the peer, dropping a connection and its
/// channels without [`Connection::close`] looks like a crash.
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
    /// A connection over any byte stream whose other end is a connection, too.
    ///
    /// Security: as good as the byte stream; nothing is added here.
    pub fn over<T>(io: T, options: Options) -> Self
    where
        T: AsyncRead + AsyncWrite + Send + 'static,
    {
        let (reader, writer) = tokio::io::split(io);
        Connection::over_halves(reader, writer, options)
    }

    /// A connection over the two halves of a byte stream, if they can work separately.
    pub fn over_halves<R, W>(reader: R, writer: W, options: Options) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Connection { shared: Arc::new(Shared::new(Box::new(reader), Box::new(writer), options)) }
    }

    /// Opens a stream. Both sides open the same number; each number can be used once in the life of a
    /// connection. Bytes that the peer sent on the stream earlier are kept, within limits: they can be read even if the peer has aborted
    /// since, for they may say why.
    ///
    /// Cost: one frame without payload, which grants the peer this side's window.
    ///
    /// Errors: [`NetError::StreamReused`], or how the connection failed before; that the peer has aborted is told by the channel.
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

    /// Closes the connection in good order: everything sent is delivered, then both sides say farewell.
    /// Channels should be finished before.
    ///
    /// Errors: [`NetError::Timeout`] if the peer does not close as well, [`NetError::Closed`] if it vanishes
    /// without a farewell, or how the connection failed earlier.
    pub async fn close(&self) -> Result<(), NetError> {
        self.shared.close().await
    }

    /// Gives up: tells the peer only that this side aborts. Every call that waits on this connection fails.
    /// If the peer does not react, this takes at most two seconds and at most the time limit; no time if the
    /// peer has already exceeded a time limit.
    pub async fn abort(&self) {
        self.shared.abort().await;
    }

    /// Notes that the peer has exceeded a time limit, for [`Connection::abort`]; waits note this by
    /// themselves.
    pub fn expect_nothing(&self) {
        self.shared.note_silence();
    }

    /// The first part of [`Connection::abort`], for any thread: tells the peer if the socket accepts it at
    /// once, and waits for nothing.
    pub fn interrupt(&self) {
        self.shared.interrupt();
    }

    /// Renames the peer once it has said who it is.
    pub(crate) fn name_peer(&self, name: &str) {
        self.shared.name_peer(name);
    }
}
