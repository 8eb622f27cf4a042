//! The sending half: frames queued in order, written as far as the socket accepts them.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;

use crate::buffer::{Pool, Segment};
use crate::frame::HEADER_BYTES;

/// Pieces handed to the socket in one call.
const PIECES: usize = 8;

/// A frame, or the rest of one.
pub(super) enum Outgoing {
    /// Header and payload in one buffer.
    Data(Segment),
    /// Only a header.
    Control { bytes: [u8; HEADER_BYTES], start: usize },
}

/// Frames on their way to the socket.
pub(super) struct Writer {
    io: Box<dyn AsyncWrite + Send + Unpin>,
    queue: VecDeque<Outgoing>,
    queued_bytes: usize,
    /// Total frames queued, and total frames handed to the socket.
    pub(super) queued: u64,
    pub(super) written: u64,
    /// The socket may hold bytes back until it is told to flush.
    unflushed: bool,
    /// The socket failed; the remaining frames were dropped.
    broken: Option<io::ErrorKind>,
    untouched_front: bool,
}

impl Outgoing {
    fn bytes(&self) -> &[u8] {
        match self {
            Outgoing::Data(segment) => &segment.buffer[segment.start..segment.end],
            Outgoing::Control { bytes, start } => &bytes[*start..],
        }
    }

    fn advance(&mut self, n: usize) {
        match self {
            Outgoing::Data(segment) => segment.start += n,
            Outgoing::Control { start, .. } => *start += n,
        }
    }
}

impl Writer {
    pub(super) fn new(io: Box<dyn AsyncWrite + Send + Unpin>) -> Self {
        Writer {
            io,
            queue: VecDeque::new(),
            queued_bytes: 0,
            queued: 0,
            written: 0,
            unflushed: false,
            broken: None,
            untouched_front: true,
        }
    }

    /// Adds a frame behind all others.
    pub(super) fn push(&mut self, frame: Outgoing) {
        self.queued_bytes += frame.bytes().len();
        self.queued += 1;
        self.queue.push_back(frame);
    }

    /// Bytes queued and not yet taken by the socket.
    pub(super) fn queued_bytes(&self) -> usize {
        self.queued_bytes
    }

    /// Everything queued has left this process.
    pub(super) fn is_idle(&self) -> bool {
        self.queue.is_empty() && !self.unflushed
    }

    /// The socket takes nothing more.
    pub(super) fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// Drops the frames not yet begun; the peer must still see whole frames.
    pub(super) fn discard(&mut self, pool: &Pool) {
        let keep = usize::from(!self.untouched_front);
        while self.queue.len() > keep {
            if let Some(frame) = self.queue.pop_back() {
                self.queued_bytes -= frame.bytes().len();
                self.written += 1;
                recycle(frame, pool);
            }
        }
    }

    /// Writes until the queue is empty and flushed, or the socket accepts no more.
    pub(super) fn drive(&mut self, cx: &mut Context<'_>, pool: &Pool) -> Poll<io::Result<()>> {
        if let Some(kind) = self.broken {
            return Poll::Ready(Err(kind.into()));
        }
        let result = self.write_all(cx, pool);
        if let Poll::Ready(Err(error)) = &result {
            self.broken = Some(error.kind());
        }
        result
    }

    /// Tells the peer that nothing follows, once everything queued is written.
    pub(super) fn shutdown(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }

    fn write_all(&mut self, cx: &mut Context<'_>, pool: &Pool) -> Poll<io::Result<()>> {
        while !self.queue.is_empty() {
            match std::task::ready!(self.write_some(cx)) {
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Ok(n) => self.advance(n, pool),
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        if self.unflushed {
            std::task::ready!(Pin::new(&mut self.io).poll_flush(cx))?;
            self.unflushed = false;
        }
        Poll::Ready(Ok(()))
    }

    fn write_some(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if self.queue.len() == 1 || !self.io.is_write_vectored() {
            return Pin::new(&mut self.io).poll_write(cx, self.queue[0].bytes());
        }
        let mut slices = [IoSlice::new(&[]); PIECES];
        let count = self.queue.len().min(PIECES);
        for (slice, frame) in slices.iter_mut().zip(&self.queue) {
            *slice = IoSlice::new(frame.bytes());
        }
        Pin::new(&mut self.io).poll_write_vectored(cx, &slices[..count])
    }

    fn advance(&mut self, mut n: usize, pool: &Pool) {
        self.unflushed = true;
        self.queued_bytes -= n;
        while let Some(front) = self.queue.front_mut() {
            let length = front.bytes().len();
            if n < length {
                front.advance(n);
                self.untouched_front &= n == 0;
                return;
            }
            n -= length;
            self.written += 1;
            self.untouched_front = true;
            self.queue.pop_front().into_iter().for_each(|frame| recycle(frame, pool));
        }
    }
}

fn recycle(frame: Outgoing, pool: &Pool) {
    if let Outgoing::Data(segment) = frame {
        pool.put(segment.buffer);
    }
}
