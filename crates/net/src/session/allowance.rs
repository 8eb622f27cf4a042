//! A limit on the bytes that are read before the other end has proved who it is.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::socket::ByteStream;

/// Bytes that anyone may send: a handshake, and the longest greeting of a peer that does not wait for this
/// side's proof.
const UNPROVEN_BYTES: usize = 128 * 1024;

/// Lifts the limit.
#[derive(Clone)]
pub(super) struct Allowance(Arc<AtomicUsize>);

/// A stream with an [`Allowance`].
struct Limited {
    inner: Box<dyn ByteStream>,
    left: Arc<AtomicUsize>,
}

impl Allowance {
    /// Limits the bytes that can be read from `stream` until the limit is lifted.
    pub(super) fn over(stream: Box<dyn ByteStream>) -> (Box<dyn ByteStream>, Allowance) {
        let left = Arc::new(AtomicUsize::new(UNPROVEN_BYTES));
        (Box::new(Limited { inner: stream, left: left.clone() }), Allowance(left))
    }

    /// Lifts the limit, since the other end has proved who it is.
    pub(super) fn lift(&self) {
        self.0.store(usize::MAX, Relaxed);
    }
}

impl AsyncRead for Limited {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        let left = self.left.load(Relaxed);
        if left == usize::MAX {
            return Poll::Ready(Ok(()));
        }
        match left.checked_sub(buf.filled().len() - before) {
            Some(left) => {
                self.left.store(left, Relaxed);
                Poll::Ready(Ok(()))
            }
            None => {
                let detail = format!("more than {UNPROVEN_BYTES} bytes before it has proved who it is");
                Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, detail)))
            }
        }
    }
}

impl AsyncWrite for Limited {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn only_those_who_are_known_may_send_much() {
        let (near, mut far) = tokio::io::duplex(4 * UNPROVEN_BYTES);
        far.write_all(&vec![7; 3 * UNPROVEN_BYTES]).await.unwrap();
        let (mut stream, allowance) = Allowance::over(Box::new(near));
        let mut bytes = vec![0; UNPROVEN_BYTES];
        stream.read_exact(&mut bytes).await.unwrap();
        let error = stream.read_exact(&mut bytes[..1]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        allowance.lift();
        stream.read_exact(&mut bytes).await.unwrap();
    }
}
