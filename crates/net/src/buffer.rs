//! Frame buffers and their pool.

use std::sync::{Mutex, PoisonError};

use crate::frame::{HEADER_BYTES, MAX_PAYLOAD};

/// Bytes of each buffer: the largest frame, or the largest payload and the following header.
pub(crate) const BUFFER_BYTES: usize = HEADER_BYTES + MAX_PAYLOAD;

/// Buffers kept for reuse by one connection.
const KEPT_BUFFERS: usize = 32;

/// One buffer of [`BUFFER_BYTES`].
pub(crate) type Buffer = Box<[u8]>;

/// Buffers of one connection, so that frames are not allocated one by one. A buffer never moves to another
/// connection, so its previous content was already known to this peer. The buffer used last is reused first,
/// while it is in the cache.
#[derive(Default)]
pub(crate) struct Pool {
    free: Mutex<Vec<Buffer>>,
}

impl Pool {
    /// A buffer with unspecified content.
    pub(crate) fn take(&self) -> Buffer {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(|| vec![0; BUFFER_BYTES].into_boxed_slice())
    }

    /// Gives a buffer back.
    pub(crate) fn put(&self, buffer: Buffer) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < KEPT_BUFFERS && buffer.len() == BUFFER_BYTES {
            free.push(buffer);
        }
    }
}

/// The bytes `start..end` of a buffer.
#[derive(Default)]
pub(crate) struct Segment {
    pub(crate) buffer: Buffer,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Segment {
    /// An empty segment at the start of a buffer.
    pub(crate) fn new(buffer: Buffer) -> Self {
        Segment { buffer, start: 0, end: 0 }
    }

    /// The bytes held.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Number of bytes held.
    pub(crate) fn len(&self) -> usize {
        self.end - self.start
    }

    /// Bytes that can still be appended.
    pub(crate) fn room(&self) -> usize {
        self.buffer.len() - self.end
    }

    /// Appends; the caller has checked [`Segment::room`].
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        self.buffer[self.end..][..bytes.len()].copy_from_slice(bytes);
        self.end += bytes.len();
    }

    /// Takes `n` bytes from the front; the caller has checked [`Segment::len`].
    pub(crate) fn take(&mut self, n: usize) -> &[u8] {
        let bytes = &self.buffer[self.start..self.end][..n];
        self.start += n;
        bytes
    }
}
