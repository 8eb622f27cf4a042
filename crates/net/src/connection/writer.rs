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

/// Payloads that were given away and written, and whose memory is kept until it is asked for.
const KEPT_PAYLOADS: usize = 8;

/// A frame, or the rest of one.
pub(super) enum Outgoing {
    /// Header and payload in one buffer.
    Data(Segment),
    /// Only a header.
    Control { bytes: [u8; HEADER_BYTES], start: usize },
    /// A header, and a payload in memory of its own.
    Given { header: [u8; HEADER_BYTES], payload: Vec<u8>, start: usize },
}

/// Frames on their way to the socket.
pub(super) struct Writer {
    io: Box<dyn AsyncWrite + Send + Unpin>,
    queue: VecDeque<Outgoing>,
    queued_bytes: usize,
    /// Memory of written payloads that were given away.
    pub(super) given: Vec<Vec<u8>>,
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
    /// What is left, which is at least one byte.
    fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let parts: [&[u8]; 2] = match self {
            Outgoing::Data(segment) => [segment.bytes(), &[]],
            Outgoing::Control { bytes, start } => [&bytes[*start..], &[]],
            Outgoing::Given { header, payload, start } => match start.checked_sub(HEADER_BYTES) {
                None => [&header[*start..], payload],
                Some(start) => [&payload[start..], &[]],
            },
        };
        parts.into_iter().filter(|part| !part.is_empty())
    }

    /// Number of bytes left.
    fn len(&self) -> usize {
        self.parts().map(<[u8]>::len).sum()
    }

    fn advance(&mut self, n: usize) {
        match self {
            Outgoing::Data(segment) => segment.start += n,
            Outgoing::Control { start, .. } | Outgoing::Given { start, .. } => *start += n,
        }
    }
}

impl Writer {
    pub(super) fn new(io: Box<dyn AsyncWrite + Send + Unpin>) -> Self {
        Writer {
            io,
            queue: VecDeque::new(),
            queued_bytes: 0,
            given: Vec::new(),
            queued: 0,
            written: 0,
            unflushed: false,
            broken: None,
            untouched_front: true,
        }
    }

    /// Adds a frame behind all others.
    pub(super) fn push(&mut self, frame: Outgoing) {
        self.queued_bytes += frame.len();
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
                self.queued_bytes -= frame.len();
                self.written += 1;
                self.recycle(frame, pool);
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
        let (mut slices, mut count) = ([IoSlice::new(&[]); PIECES], 0);
        for (slice, part) in slices.iter_mut().zip(self.queue.iter().flat_map(Outgoing::parts)) {
            *slice = IoSlice::new(part);
            count += 1;
        }
        match count == 1 || !self.io.is_write_vectored() {
            true => Pin::new(&mut self.io).poll_write(cx, &slices[0]),
            false => Pin::new(&mut self.io).poll_write_vectored(cx, &slices[..count]),
        }
    }

    fn advance(&mut self, mut n: usize, pool: &Pool) {
        self.unflushed = true;
        self.queued_bytes -= n;
        while let Some(front) = self.queue.front_mut() {
            let length = front.len();
            if n < length {
                front.advance(n);
                self.untouched_front &= n == 0;
                return;
            }
            n -= length;
            self.written += 1;
            self.untouched_front = true;
            if let Some(frame) = self.queue.pop_front() {
                self.recycle(frame, pool);
            }
        }
    }

    fn recycle(&mut self, frame: Outgoing, pool: &Pool) {
        match frame {
            Outgoing::Data(segment) => pool.put(segment.buffer),
            Outgoing::Given { payload, .. } if self.given.len() < KEPT_PAYLOADS => self.given.push(payload),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Takes so many bytes, then no more; with what it took.
    #[derive(Clone, Default)]
    struct Narrow(Arc<Mutex<(usize, Vec<u8>)>>);

    impl AsyncWrite for Narrow {
        fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            let (room, taken) = &mut *self.0.lock().unwrap();
            let n = bytes.len().min(*room);
            if n == 0 {
                return Poll::Pending;
            }
            *room -= n;
            taken.extend_from_slice(&bytes[..n]);
            Poll::Ready(Ok(n))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[test]
    fn frames_that_have_begun_are_written_whole_and_the_others_dropped() {
        let given =
            |byte: u8| Outgoing::Given { header: [byte; HEADER_BYTES], payload: vec![byte; 84], start: 0 };
        for begun in 0..=316 {
            let (narrow, pool) = (Narrow::default(), Pool::default());
            let mut writer = Writer::new(Box::new(narrow.clone()));
            [given(1), Outgoing::Control { bytes: [9; HEADER_BYTES], start: 0 }, given(2), given(3)]
                .into_iter()
                .for_each(|frame| writer.push(frame));
            assert_eq!(writer.queued_bytes(), 316);
            let mut context = Context::from_waker(std::task::Waker::noop());
            narrow.0.lock().unwrap().0 = begun;
            let _ = writer.drive(&mut context, &pool);
            assert_eq!(writer.queued_bytes(), 316 - begun);
            writer.discard(&pool);
            narrow.0.lock().unwrap().0 = 1000;
            assert!(matches!(writer.drive(&mut context, &pool), Poll::Ready(Ok(()))));
            let ends = [0, 100, 116, 216, 316];
            let whole = ends.into_iter().find(|end| *end >= begun).unwrap();
            let all = [vec![1; 100], vec![9; 16], vec![2; 100], vec![3; 100]].concat();
            assert!(narrow.0.lock().unwrap().1 == all[..whole], "{begun} bytes were written before");
            assert!(
                writer.is_idle() && writer.queued_bytes() == 0 && (writer.queued, writer.written) == (4, 4)
            );
        }
    }
}
