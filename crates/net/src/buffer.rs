//! Frame buffers and their pool.

use std::sync::{Mutex, PoisonError};

use crate::frame::{HEADER_BYTES, MAX_PAYLOAD};

/// Bytes of a large buffer: the largest frame, or the largest payload and the following header.
pub(crate) const BUFFER_BYTES: usize = HEADER_BYTES + MAX_PAYLOAD;

/// Bytes of a small buffer. Most frames of a session fit, and memory for large ones takes longer to get than they take to send.
const SMALL_BYTES: usize = 4096;

/// Buffers of each size kept for reuse by one connection.
const KEPT_BUFFERS: usize = 32;

/// One buffer of [`BUFFER_BYTES`] or [`SMALL_BYTES`].
pub(crate) type Buffer = Box<[u8]>;

/// Buffers of one connection, so that frames are not allocated one by one. A buffer never moves to another
/// connection, so its previous content was already known to this peer. The buffer used last is reused first,
/// while it is in the cache.
#[derive(Default)]
pub(crate) struct Pool {
    small: Mutex<Vec<Buffer>>,
    large: Mutex<Vec<Buffer>>,
}

impl Pool {
    /// A buffer of at least so many bytes, at most [`BUFFER_BYTES`], with unspecified content.
    pub(crate) fn take(&self, least: usize) -> Buffer {
        let bytes = if least <= SMALL_BYTES { SMALL_BYTES } else { BUFFER_BYTES };
        let free = self.of(bytes).lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(|| vec![0; bytes].into_boxed_slice())
    }

    /// Gives a buffer back.
    pub(crate) fn put(&self, buffer: Buffer) {
        let mut free = self.of(buffer.len()).lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < KEPT_BUFFERS && [SMALL_BYTES, BUFFER_BYTES].contains(&buffer.len()) {
            free.push(buffer);
        }
    }

    /// A buffer of at least so many bytes, with the first bytes of another one, which it is if that is large enough.
    pub(crate) fn grown(&self, buffer: Buffer, used: usize, least: usize) -> Buffer {
        if least <= buffer.len() {
            return buffer;
        }
        let mut larger = self.take(least);
        larger[..used].copy_from_slice(&buffer[..used]);
        self.put(buffer);
        larger
    }

    fn of(&self, bytes: usize) -> &Mutex<Vec<Buffer>> {
        if bytes <= SMALL_BYTES { &self.small } else { &self.large }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_as_large_as_they_must_be_and_are_used_again() {
        let pool = Pool::default();
        for (least, bytes) in [(1, SMALL_BYTES), (SMALL_BYTES, SMALL_BYTES), (SMALL_BYTES + 1, BUFFER_BYTES)]
        {
            let buffer = pool.take(least);
            let (length, memory) = (buffer.len(), buffer.as_ptr());
            assert_eq!(length, bytes);
            pool.put(buffer);
            let again = pool.take(least);
            assert_eq!(again.as_ptr(), memory);
        }
        let mut buffer = pool.take(1);
        buffer[..3].copy_from_slice(&[1, 2, 3]);
        let memory = buffer.as_ptr();
        let same = pool.grown(buffer, 3, SMALL_BYTES);
        assert_eq!(same.as_ptr(), memory);
        let larger = pool.grown(same, 3, BUFFER_BYTES);
        assert_eq!((larger.len(), &larger[..3]), (BUFFER_BYTES, &[1, 2, 3][..]));
        let smaller = pool.take(1);
        assert_eq!(smaller.as_ptr(), memory, "it is free again");
        pool.put(Box::default());
        assert_eq!(pool.take(0).len(), SMALL_BYTES);
    }
}
