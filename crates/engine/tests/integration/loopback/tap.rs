//! Records what a party sends in setup and online, in the clear, as the peer sees it.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};

use tacit_net::frame::{HEADER_BYTES, Header, Kind};
use tacit_net::session::Wrap;
use tacit_net::socket::ByteStream;
use tacit_net::{Phase, StreamId};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The payload of each stream, without what was sent to agree on a run; clones see the same.
#[derive(Clone, Default)]
pub struct Tap(Arc<Mutex<BTreeMap<StreamId, Vec<u8>>>>);

impl Tap {
    /// Taps what is sent on the links of a session.
    pub fn wrap(&self) -> Wrap {
        let tap = self.clone();
        Arc::new(move |inner| Box::new(Tapped { inner, tap: tap.clone(), header: Vec::new(), left: None }))
    }

    /// Everything that was sent until now, stream by stream.
    pub fn sent(&self) -> Vec<Vec<u8>> {
        self.0.lock().unwrap().values().cloned().collect()
    }

    /// Fails if 16 bytes are repeated, anywhere in any stream. A mask, a label, a row of a table or a correction that is
    /// repeated was made twice; since all of these are uniform, it does not happen by chance.
    pub fn assert_nothing_repeats(&self, what: &str) {
        let streams = self.sent();
        let mut seen = HashSet::new();
        for (stream, bytes) in streams.iter().enumerate() {
            for (place, window) in bytes.windows(16).enumerate() {
                assert!(seen.insert(window), "{what}: bytes {place} to {} of stream {stream}", place + 16);
            }
        }
        assert!(seen.len() > 400, "{what}: too little was sent");
    }
}

struct Tapped {
    inner: Box<dyn ByteStream>,
    tap: Tap,
    /// The header that is being read.
    header: Vec<u8>,
    /// The remaining bytes of the current payload, and its stream if it is kept.
    left: Option<(usize, Option<StreamId>)>,
}

impl Tapped {
    fn pass(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            bytes = match self.left.take() {
                Some((left, kept)) => {
                    let (now, rest) = bytes.split_at(left.min(bytes.len()));
                    if let Some(stream) = kept {
                        self.tap.0.lock().unwrap().entry(stream).or_default().extend(now);
                    }
                    self.left = Some((left - now.len(), kept)).filter(|(left, _)| *left > 0);
                    rest
                }
                None => {
                    let (now, rest) = bytes.split_at((HEADER_BYTES - self.header.len()).min(bytes.len()));
                    self.header.extend(now);
                    if let Some(header) = self.header.first_chunk() {
                        let header = Header::decode(header).unwrap();
                        let counts = header.kind() == Kind::Data && header.phase() != Phase::Analysis;
                        self.left = Some((header.length(), counts.then(|| header.stream())))
                            .filter(|(left, _)| *left > 0);
                        self.header.clear();
                    }
                    rest
                }
            };
        }
    }
}

impl AsyncRead for Tapped {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl AsyncWrite for Tapped {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let count = ready!(Pin::new(&mut self.inner).poll_write(cx, bytes))?;
        self.pass(&bytes[..count]);
        Poll::Ready(Ok(count))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
