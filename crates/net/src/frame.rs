//! The frame: 16 bytes of header, then at most [`MAX_PAYLOAD`] bytes of one stream.
//!
//! | bytes | content |
//! |---|---|
//! | 0 | kind in the low half, the sender's phase in the high half |
//! | 1–3 | payload length, little-endian |
//! | 4–7 | stream, little-endian |
//! | 8–15 | position, little-endian |
//!
//! The position numbers the stream's bytes, so that a lost, repeated, reordered or shortened frame is noticed
//! at the next header: in a data frame it is the number of bytes sent before, in an end frame the total
//! number sent, in a credit frame the total number that the other side may send. A connection belongs to one
//! session, which is bound when it is established, so frames do not name the session again. The phase is only
//! for the two parties' meters, so that both count a frame in the same phase.

use crate::{Phase, StreamId};

/// Bytes of a frame's header.
pub const HEADER_BYTES: usize = 16;

/// Most payload bytes in one frame.
pub const MAX_PAYLOAD: usize = 256 * 1024;

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Bytes of a stream, at least one.
    Data = 1,
    /// The receiver allows the sender to continue up to this position.
    Credit = 2,
    /// The sender's stream ends at this position.
    End = 3,
    /// The sender is finished with the connection; nothing follows.
    Close = 4,
    /// The sender gave up; nothing follows.
    Abort = 5,
}

/// A frame's header; cannot be built from bytes that violate the rules of a single frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    kind: Kind,
    phase: Phase,
    length: u32,
    stream: StreamId,
    position: u64,
}

/// Why 16 bytes are not a frame's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The first byte names no kind of frame.
    #[error("unknown frame kind {0}")]
    UnknownKind(u8),
    /// The first byte names no phase.
    #[error("unknown phase {0}")]
    UnknownPhase(u8),
    /// The payload would be longer than any frame's.
    #[error("frame of {0} bytes, at most {MAX_PAYLOAD} are allowed")]
    Oversized(u32),
    /// A data frame without payload.
    #[error("empty data frame")]
    Empty,
    /// A payload where the kind has none.
    #[error("{0:?} frame with a payload")]
    Payload(Kind),
    /// A frame about the whole connection that names a stream or a position.
    #[error("{0:?} frame with a stream or position")]
    Field(Kind),
    /// A stream's end would not fit into 64 bits.
    #[error("stream position beyond 64 bits")]
    Position,
}

impl Header {
    /// Bytes `position..position + length` of a stream; `length` is 1 to [`MAX_PAYLOAD`].
    pub(crate) fn data(stream: StreamId, position: u64, length: usize) -> Self {
        // A channel's buffer is never longer; the reader at the other end checks what arrives.
        debug_assert!((1..=MAX_PAYLOAD).contains(&length));
        Header { length: length as u32, ..Header::bare(Kind::Data, stream, position) }
    }

    /// The peer may send up to `position`.
    pub(crate) fn credit(stream: StreamId, position: u64) -> Self {
        Header::bare(Kind::Credit, stream, position)
    }

    /// The stream ends at `position`.
    pub(crate) fn end(stream: StreamId, position: u64) -> Self {
        Header::bare(Kind::End, stream, position)
    }

    /// A farewell in good order.
    pub(crate) fn close() -> Self {
        Header::bare(Kind::Close, StreamId(0), 0)
    }

    /// The only error that a peer is ever told.
    pub(crate) fn abort() -> Self {
        Header::bare(Kind::Abort, StreamId(0), 0)
    }

    fn bare(kind: Kind, stream: StreamId, position: u64) -> Self {
        Header { kind, phase: Phase::Analysis, length: 0, stream, position }
    }

    /// The frame as sent in `phase`.
    pub(crate) fn in_phase(self, phase: Phase) -> Self {
        Header { phase, ..self }
    }

    /// The sender's phase when the frame was queued.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The kind of the frame.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Payload bytes that follow the header.
    pub fn length(&self) -> usize {
        self.length as usize
    }

    /// The stream that the frame belongs to.
    pub fn stream(&self) -> StreamId {
        self.stream
    }

    /// The position in the stream, as the kind defines it.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The header as it is sent.
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..4]
            .copy_from_slice(&(self.length << 8 | (self.phase as u32) << 4 | self.kind as u32).to_le_bytes());
        bytes[4..8].copy_from_slice(&self.stream.0.to_le_bytes());
        bytes[8..].copy_from_slice(&self.position.to_le_bytes());
        bytes
    }

    /// Reads a header.
    ///
    /// Errors: [`FrameError`] for anything that [`Header::encode`] does not produce.
    pub fn decode(bytes: &[u8; HEADER_BYTES]) -> Result<Self, FrameError> {
        let [b0, b1, b2, b3, s0, s1, s2, s3, position @ ..] = *bytes;
        let header = Header {
            kind: Kind::decode(b0 & 15)?,
            phase: Phase::decode(b0 >> 4).ok_or(FrameError::UnknownPhase(b0 >> 4))?,
            length: u32::from_le_bytes([b1, b2, b3, 0]),
            stream: StreamId(u32::from_le_bytes([s0, s1, s2, s3])),
            position: u64::from_le_bytes(position),
        };
        header.check().map(|()| header)
    }

    fn check(&self) -> Result<(), FrameError> {
        match self.kind {
            Kind::Data if self.length == 0 => Err(FrameError::Empty),
            Kind::Data if self.length() > MAX_PAYLOAD => Err(FrameError::Oversized(self.length)),
            Kind::Data => {
                self.position.checked_add(u64::from(self.length)).map(|_| ()).ok_or(FrameError::Position)
            }
            kind if self.length != 0 => Err(FrameError::Payload(kind)),
            kind @ (Kind::Close | Kind::Abort) if self.stream.0 != 0 || self.position != 0 => {
                Err(FrameError::Field(kind))
            }
            _ => Ok(()),
        }
    }
}

impl Kind {
    fn decode(byte: u8) -> Result<Self, FrameError> {
        [Kind::Data, Kind::Credit, Kind::End, Kind::Close, Kind::Abort]
            .into_iter()
            .find(|kind| *kind as u8 == byte)
            .ok_or(FrameError::UnknownKind(byte))
    }
}
