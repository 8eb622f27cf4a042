//! The receiving half: bytes from the socket become frames.
//!
//! Small frames pass through a staging buffer, many for each system call. The payload of a large frame is
//! read directly into the buffer that the channel will lend out, together with the header that follows it, so
//! a steady flow of large frames needs no copy.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

use crate::StreamId;
use crate::buffer::{BUFFER_BYTES, Pool, Segment};
use crate::frame::{FrameError, HEADER_BYTES, Header, Kind};
use crate::protocol_fault::ProtocolFault;

/// Bytes of the staging buffer.
const STAGING_BYTES: usize = 64 * 1024;

/// Payloads from this size on are read into their own buffer.
const LARGE_BYTES: usize = 32 * 1024;

/// Receives the frames that the reader finds.
pub(super) trait Sink {
    /// Checks a header; a failure must end the connection.
    fn admit(&mut self, header: &Header) -> Result<(), ProtocolFault>;
    /// A data frame whose payload was staged.
    fn staged(&mut self, stream: StreamId, payload: &[u8]);
    /// A data frame whose payload was read into its own buffer.
    fn direct(&mut self, stream: StreamId, payload: Segment);
}

/// Why reading ended.
pub(super) enum ReadFailure {
    /// The link ended between frames.
    End,
    /// The link failed or ended inside a frame.
    Io(io::Error),
    /// The peer violated a rule.
    Violation(ProtocolFault),
}

/// Bytes on their way from the socket.
pub(super) struct Reader {
    io: Box<dyn AsyncRead + Send + Unpin>,
    staging: Box<[u8]>,
    start: usize,
    end: usize,
    filling: Option<Filling>,
}

/// A large payload that is being read.
struct Filling {
    stream: StreamId,
    segment: Segment,
    missing: usize,
}

impl From<FrameError> for ReadFailure {
    fn from(error: FrameError) -> Self {
        ReadFailure::Violation(error.into())
    }
}

impl Reader {
    pub(super) fn new(io: Box<dyn AsyncRead + Send + Unpin>) -> Self {
        let staging = vec![0; STAGING_BYTES].into_boxed_slice();
        Reader { io, staging, start: 0, end: 0, filling: None }
    }

    /// Reads once and hands every complete frame to the sink.
    pub(super) fn drive(
        &mut self,
        cx: &mut Context<'_>,
        sink: &mut impl Sink,
        pool: &Pool,
    ) -> Poll<Result<(), ReadFailure>> {
        let n = match std::task::ready!(self.read_some(cx)) {
            Ok(0) => return Poll::Ready(Err(self.at_end())),
            Ok(n) => n,
            Err(error) => return Poll::Ready(Err(ReadFailure::Io(error))),
        };
        match self.filling.is_some() {
            true => self.filled(n, sink),
            false => self.end += n,
        }
        Poll::Ready(self.parse(sink, pool))
    }

    /// Reads and drops everything up to the end of the link.
    pub(super) fn skip(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.filling = None;
        loop {
            (self.start, self.end) = (0, 0);
            match std::task::ready!(self.read_some(cx)) {
                Ok(0) | Err(_) => return Poll::Ready(()),
                Ok(_) => {}
            }
        }
    }

    fn read_some(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let target = match &mut self.filling {
            Some(filling) => {
                &mut filling.segment.buffer[filling.segment.end..][..filling.missing + HEADER_BYTES]
            }
            None => {
                self.staging.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, self.end - self.start);
                &mut self.staging[self.end..]
            }
        };
        let mut target = ReadBuf::new(target);
        std::task::ready!(Pin::new(&mut self.io).poll_read(cx, &mut target))?;
        Poll::Ready(Ok(target.filled().len()))
    }

    fn at_end(&self) -> ReadFailure {
        match self.filling.is_none() && self.start == self.end {
            true => ReadFailure::End,
            false => ReadFailure::Io(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Processes `n` more bytes, of the large payload and possibly of the next header.
    fn filled(&mut self, n: usize, sink: &mut impl Sink) {
        let Some(mut filling) = self.filling.take() else { return };
        let payload = n.min(filling.missing);
        let surplus = n - payload;
        filling.segment.end += payload;
        filling.missing -= payload;
        let next = &filling.segment.buffer[filling.segment.end..][..surplus];
        self.staging[..surplus].copy_from_slice(next);
        (self.start, self.end) = (0, surplus);
        match filling.missing {
            0 => sink.direct(filling.stream, filling.segment),
            _ => self.filling = Some(filling),
        }
    }

    /// Hands over the complete frames in the staging buffer, and starts on a large one.
    fn parse(&mut self, sink: &mut impl Sink, pool: &Pool) -> Result<(), ReadFailure> {
        while self.filling.is_none()
            && let Some(bytes) = self.staging[self.start..self.end].first_chunk()
        {
            let header = Header::decode(bytes)?;
            let payload = self.start + HEADER_BYTES;
            let present = self.end - payload;
            if header.length() <= present {
                sink.admit(&header).map_err(ReadFailure::Violation)?;
                self.start = payload + header.length();
                if header.kind() == Kind::Data {
                    sink.staged(header.stream(), &self.staging[payload..self.start]);
                }
            } else if header.length() >= LARGE_BYTES {
                sink.admit(&header).map_err(ReadFailure::Violation)?;
                self.fill(&header, payload, pool);
            } else {
                return Ok(());
            }
        }
        Ok(())
    }

    fn fill(&mut self, header: &Header, payload: usize, pool: &Pool) {
        let mut segment = Segment::new(pool.take(BUFFER_BYTES));
        segment.append(&self.staging[payload..self.end]);
        let missing = header.length() - segment.len();
        (self.start, self.end) = (0, 0);
        self.filling = Some(Filling { stream: header.stream(), segment, missing });
    }
}
