//! Disturbs what one side sends, so that tests can see how the other side reacts.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::frame::{HEADER_BYTES, Header, MAX_PAYLOAD};
use crate::session::Wrap;
use crate::socket::ByteStream;

/// A fault that occurs once. Offsets count the bytes or frames sent while the fault is armed, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The link is cut in both directions before the byte at this offset.
    Cut(u64),
    /// Nothing is sent from the byte at this offset on, though the link stays.
    Silence(u64),
    /// One bit of the byte at an offset is flipped.
    Flip {
        /// The byte.
        offset: u64,
        /// The bit, 0 to 7.
        bit: u8,
    },
    /// Meaningless bytes precede the byte at an offset.
    Garbage {
        /// The byte.
        offset: u64,
        /// The number of bytes.
        length: usize,
    },
    /// A frame is sent twice.
    Repeat(u64),
    /// A frame and the next one change places.
    Swap(u64),
    /// A frame is left out.
    Omit(u64),
    /// A frame lacks its last byte.
    Truncate(u64),
    /// A frame claims to be longer than any frame may be.
    Oversize(u64),
}

/// Turns a fault on at a moment of the test's choice; starts turned off.
#[derive(Clone, Debug, Default)]
pub struct Switch(Arc<AtomicBool>);

impl Switch {
    /// Arms the fault: it counts bytes and frames from now on.
    pub fn arm(&self) {
        self.0.store(true, Relaxed);
    }

    fn is_armed(&self) -> bool {
        self.0.load(Relaxed)
    }
}

impl Fault {
    /// `stream` with the fault, armed from the start.
    pub fn apply(self, stream: Box<dyn ByteStream>) -> Box<dyn ByteStream> {
        let switch = Switch::default();
        switch.arm();
        Box::new(Faulty::new(stream, self, switch))
    }

    /// A wrapper that puts the fault on a link of a session, armed from the start.
    pub fn wrap(self) -> Wrap {
        Arc::new(move |stream| self.apply(stream))
    }

    /// A wrapper that puts the fault on a link of a session, armed by the switch.
    pub fn wrap_armed_by(self, switch: Switch) -> Wrap {
        Arc::new(move |stream| Box::new(Faulty::new(stream, self, switch.clone())))
    }

    /// The frame concerned, for faults of frames.
    fn frame(self) -> Option<u64> {
        match self {
            Fault::Repeat(index)
            | Fault::Swap(index)
            | Fault::Omit(index)
            | Fault::Truncate(index)
            | Fault::Oversize(index) => Some(index),
            _ => None,
        }
    }
}

/// A byte stream with a fault in what is sent.
struct Faulty {
    /// None once the link is cut.
    inner: Option<Box<dyn ByteStream>>,
    fault: Fault,
    switch: Switch,
    /// Bytes or frames seen since the fault was armed.
    seen: u64,
    silent: bool,
    cut: bool,
    /// The frame that is being collected.
    frame: Vec<u8>,
    /// The frame that is held back until its successor is sent.
    held: Vec<u8>,
    ready: VecDeque<u8>,
}

impl Faulty {
    fn new(stream: Box<dyn ByteStream>, fault: Fault, switch: Switch) -> Self {
        Faulty {
            inner: Some(stream),
            fault,
            switch,
            seen: 0,
            silent: false,
            cut: false,
            frame: Vec::new(),
            held: Vec::new(),
            ready: VecDeque::new(),
        }
    }

    fn take_in(&mut self, bytes: &[u8]) {
        match self.fault.frame() {
            Some(index) => bytes.iter().for_each(|byte| self.take_frame_byte(*byte, index)),
            None if !self.switch.is_armed() => self.ready.extend(bytes),
            None => bytes.iter().for_each(|byte| self.take_byte(*byte)),
        }
    }

    fn take_byte(&mut self, byte: u8) {
        let at = |offset: u64| offset == self.seen;
        match self.fault {
            Fault::Cut(offset) if at(offset) => self.cut = true,
            Fault::Silence(offset) if at(offset) => self.silent = true,
            Fault::Garbage { offset, length } if at(offset) => self.ready.extend(garbage(length)),
            _ => {}
        }
        let flip = match self.fault {
            Fault::Flip { offset, bit } if at(offset) => 1 << (bit % 8),
            _ => 0,
        };
        self.seen += 1;
        if !self.cut && !self.silent {
            self.ready.push_back(byte ^ flip);
        }
    }

    fn take_frame_byte(&mut self, byte: u8, index: u64) {
        self.frame.push(byte);
        let length = self
            .frame
            .first_chunk::<HEADER_BYTES>()
            .map(|header| HEADER_BYTES + Header::decode(header).map_or(0, |header| header.length()));
        if length == Some(self.frame.len()) {
            let frame = std::mem::take(&mut self.frame);
            let armed = self.switch.is_armed();
            self.pass_frame(frame, armed && self.seen == index);
            self.seen += u64::from(armed);
        }
    }

    fn pass_frame(&mut self, mut frame: Vec<u8>, concerned: bool) {
        match self.fault {
            Fault::Repeat(_) if concerned => self.ready.extend(frame.iter().copied()),
            Fault::Swap(_) if concerned => {
                self.held = frame;
                return;
            }
            Fault::Omit(_) if concerned => return,
            Fault::Truncate(_) if concerned => {
                frame.pop();
            }
            Fault::Oversize(_) if concerned => {
                frame[1..4].copy_from_slice(&(MAX_PAYLOAD as u32 + 1).to_le_bytes()[..3]);
            }
            _ => {}
        }
        self.ready.extend(frame);
        self.ready.extend(std::mem::take(&mut self.held));
    }

    /// Sends what is ready, then cuts the link if that is the fault.
    fn poll_drain(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.ready.is_empty() {
            let Some(inner) = &mut self.inner else { return Poll::Ready(cut()) };
            let n = ready!(Pin::new(inner).poll_write(cx, self.ready.as_slices().0))?;
            if n == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.ready.drain(..n);
        }
        if self.cut {
            self.inner = None;
            return Poll::Ready(cut());
        }
        Poll::Ready(Ok(()))
    }
}

fn cut<T>() -> io::Result<T> {
    Err(io::ErrorKind::ConnectionReset.into())
}

/// Meaningless bytes, the same each time.
fn garbage(length: usize) -> impl Iterator<Item = u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    })
    .take(length)
}

impl AsyncRead for Faulty {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.inner {
            Some(inner) => Pin::new(inner).poll_read(cx, buf),
            None => Poll::Ready(cut()),
        }
    }
}

impl AsyncWrite for Faulty {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_drain(cx))?;
        self.take_in(bytes);
        // Bytes that cannot be sent now are sent with the next write or flush.
        match self.poll_drain(cx) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            _ => Poll::Ready(Ok(bytes.len())),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_drain(cx))?;
        match &mut self.inner {
            Some(inner) => Pin::new(inner).poll_flush(cx),
            None => Poll::Ready(cut()),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_drain(cx))?;
        let silent = self.silent;
        match &mut self.inner {
            Some(_) if silent => Poll::Ready(Ok(())),
            Some(inner) => Pin::new(inner).poll_shutdown(cx),
            None => Poll::Ready(cut()),
        }
    }
}
