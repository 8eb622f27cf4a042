//! Hashes of sent bytes, so that tests can pin a protocol's messages.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::StreamId;
use crate::frame::{HEADER_BYTES, Header, Kind};
use crate::session::Wrap;
use crate::socket::ByteStream;

/// Keeps a hash of the bytes sent on each stream; clones share the hashes.
///
/// Only the bytes count, not how they were split into frames or when credit was granted, so the hash of a
/// deterministic protocol is the same on every transport and in every run.
#[derive(Clone, Default)]
pub struct Recorder(Arc<Mutex<BTreeMap<StreamId, blake3::Hasher>>>);

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.streams().keys().map(|stream| (stream, self.sent(*stream)))).finish()
    }
}

impl Recorder {
    /// BLAKE3 of the bytes sent on a stream so far.
    pub fn sent(&self, stream: StreamId) -> [u8; 32] {
        let hash = self.streams().get(&stream).map(blake3::Hasher::finalize);
        *hash.unwrap_or_else(|| blake3::hash(&[])).as_bytes()
    }

    /// Records what is sent through `stream`, which must carry frames, as the stream below a
    /// [`crate::Connection`] does.
    pub fn apply(&self, stream: Box<dyn ByteStream>) -> Box<dyn ByteStream> {
        Box::new(Recorded { inner: stream, recorder: self.clone(), header: Vec::new(), current: None })
    }

    /// A wrapper that records a link of a session.
    pub fn wrap(&self) -> Wrap {
        let recorder = self.clone();
        Arc::new(move |stream| recorder.apply(stream))
    }

    fn streams(&self) -> MutexGuard<'_, BTreeMap<StreamId, blake3::Hasher>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A byte stream whose sent frames are inspected as they pass.
struct Recorded {
    inner: Box<dyn ByteStream>,
    recorder: Recorder,
    /// The current header.
    header: Vec<u8>,
    /// The stream of the current payload, and its remaining bytes.
    current: Option<(StreamId, usize)>,
}

impl Recorded {
    fn pass(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            bytes = match self.current.take() {
                Some((stream, left)) => self.pass_payload(bytes, stream, left),
                None => self.pass_header(bytes),
            };
        }
    }

    fn pass_payload<'a>(&mut self, bytes: &'a [u8], stream: StreamId, left: usize) -> &'a [u8] {
        let (payload, rest) = bytes.split_at(left.min(bytes.len()));
        self.recorder.streams().entry(stream).or_default().update(payload);
        self.current = Some((stream, left - payload.len())).filter(|(_, left)| *left > 0);
        rest
    }

    fn pass_header<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (part, rest) = bytes.split_at((HEADER_BYTES - self.header.len()).min(bytes.len()));
        self.header.extend(part);
        if let Some(bytes) = self.header.first_chunk() {
            let data = Header::decode(bytes).ok().filter(|header| header.kind() == Kind::Data);
            self.current = data.map(|header| (header.stream(), header.length()));
            self.header.clear();
        }
        rest
    }
}

impl AsyncRead for Recorded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl AsyncWrite for Recorded {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let n = ready!(Pin::new(&mut self.inner).poll_write(cx, bytes))?;
        self.pass(&bytes[..n]);
        Poll::Ready(Ok(n))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
