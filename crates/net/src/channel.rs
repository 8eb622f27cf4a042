//! One stream of a connection.

use std::sync::Arc;
use std::time::Duration;

use crate::buffer::{Buffer, Segment};
use crate::connection::shared::{Check, Shared};
use crate::connection::wait::Timer;
use crate::frame::{HEADER_BYTES, MAX_PAYLOAD};
use crate::protocol_fault::ProtocolFault;
use crate::{NetError, Received, StreamId};

/// Most contiguous bytes that [`Channel::reserve`] and [`Channel::receive`] give out.
pub const MAX_RESERVE: usize = 64 * 1024;

/// Frames at the start of a message that leave while the rest is made, and their bytes: the peer may have waited for the first ones.
const EARLY_FRAMES: u8 = 8;
const EARLY_FRAME: usize = 16 * 1024;

/// Longer than any run.
const FOREVER: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// An ordered stream of bytes to and from the peer. The peer does not see where one `send` ends and the next
/// begins.
///
/// Time limits: every wait ends with [`NetError::Timeout`] if the peer makes no progress on it within the
/// connection's limit. When receiving, progress is a frame of this stream; when sending, a frame that the
/// network accepted or credit for this stream. There are no keep-alive frames: a peer that computes for
/// longer than the limit before it sends the awaited bytes counts as silent. So long computations must send
/// in between, and a link must be fast enough to carry one window within the limit.
///
/// A future of this type that is dropped before it is ready may have processed part of its bytes: drop the
/// channel, too. Dropping a channel loses unflushed bytes; [`Channel::finish`] loses nothing.
pub struct Channel {
    shared: Arc<Shared>,
    stream: StreamId,
    /// The frame being filled, after room for the header.
    outgoing: Option<Buffer>,
    filled: usize,
    /// Payload bytes handed to the connection.
    sent: u64,
    incoming: Segment,
    /// Bytes joined from several frames.
    joined: Vec<u8>,
    timer: Timer,
    /// Payload bytes taken from the connection.
    taken: u64,
    rounds: u64,
    /// Whether something was sent since the last receive.
    turned: bool,
    /// How many more frames leave early, before this side next receives.
    early: u8,
}

impl std::fmt::Debug for Channel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Channel")
            .field("peer", &self.shared.peer())
            .field("stream", &self.stream)
            .finish_non_exhaustive()
    }
}

impl Channel {
    pub(crate) fn new(shared: Arc<Shared>, stream: StreamId) -> Self {
        Channel {
            shared,
            stream,
            outgoing: None,
            filled: 0,
            sent: 0,
            incoming: Segment::default(),
            joined: Vec::new(),
            timer: Timer::default(),
            taken: 0,
            rounds: 0,
            turned: false,
            early: EARLY_FRAMES,
        }
    }

    /// Name of the peer.
    pub fn peer(&self) -> String {
        self.shared.peer()
    }

    /// Number of the stream.
    pub fn stream(&self) -> StreamId {
        self.stream
    }

    /// Bytes that the peer may send before they are read here. At least half of them are granted at any time.
    pub fn window(&self) -> usize {
        self.shared.window() as usize
    }

    /// Bytes sent so far, without the transport's overhead.
    pub fn bytes_sent(&self) -> u64 {
        self.sent + self.filled as u64
    }

    /// Bytes received and read so far, without the transport's overhead.
    pub fn bytes_received(&self) -> u64 {
        self.taken - self.incoming.len() as u64
    }

    /// Switches from sending to receiving so far: how often a receive followed a send.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Begins a phase of a protocol: the next receive does not count as a round of the previous phase.
    pub fn begin_phase(&mut self) {
        self.turned = false;
    }

    /// Sends bytes. They are copied into the send buffer; a full frame is sent at once, the rest with
    /// [`Channel::flush`] or the next receive.
    ///
    /// Errors: how the connection failed, or [`NetError::Timeout`] if the peer accepts nothing.
    pub async fn send(&mut self, mut bytes: &[u8]) -> Result<(), NetError> {
        while !bytes.is_empty() {
            let room = self.room().await?;
            let n = room.min(bytes.len());
            self.buffer(n).copy_from_slice(&bytes[..n]);
            bytes = &bytes[n..];
        }
        Ok(())
    }

    /// Sends bytes that the caller gives away. If one frame holds them, they are not copied but sent as a frame of their own, at once.
    /// [`Channel::take_written`] gives their memory back.
    ///
    /// Errors: as [`Channel::send`].
    pub async fn give(&mut self, bytes: Vec<u8>) -> Result<(), NetError> {
        if bytes.is_empty() || bytes.len() > self.frame() {
            return self.send(&bytes).await;
        }
        self.dispatch().await?;
        let position = self.sent + bytes.len() as u64;
        self.admission(position).await?;
        self.shared.push_given(self.stream, self.sent, bytes);
        self.turned = true;
        self.count_frame(position);
        Ok(())
    }

    /// The memory of bytes that were given away, on this stream or another of the connection, and that the operating system has taken since; some
    /// is not kept.
    pub fn take_written(&mut self) -> Option<Vec<u8>> {
        self.shared.take_written()
    }

    /// Exactly `n` bytes of the send buffer, to be written in place; they count as sent. Their content is
    /// unspecified, so every byte must be written.
    ///
    /// Errors: [`NetError::TooLong`] beyond [`MAX_RESERVE`], else as [`Channel::send`].
    pub async fn reserve(&mut self, n: usize) -> Result<&mut [u8], NetError> {
        within_reserve(n)?;
        if self.filled > 0 && self.filled + n > self.frame() {
            self.dispatch().await?;
        }
        Ok(self.buffer(n))
    }

    /// Hands everything sent so far to the operating system.
    ///
    /// Errors: as [`Channel::send`].
    pub async fn flush(&mut self) -> Result<(), NetError> {
        self.dispatch().await?;
        let (shared, stream) = (&self.shared, self.stream);
        let waiting = || format!("sending bytes of stream {}", stream.0);
        shared.wait_limited(&mut self.timer, waiting, || shared.flushed()).await
    }

    /// The next `n` bytes from the peer, exactly. Sends pending bytes first. Nothing is copied if one frame
    /// holds all of them.
    ///
    /// Errors: [`NetError::TooLong`] beyond [`MAX_RESERVE`], [`NetError::Timeout`], or how the connection failed.
    pub async fn receive(&mut self, n: usize) -> Result<&[u8], NetError> {
        within_reserve(n)?;
        self.turn().await?;
        if self.incoming.len() == 0 && n > 0 {
            self.advance().await?;
        }
        if self.incoming.len() >= n {
            return Ok(self.incoming.take(n));
        }
        let mut joined = std::mem::take(&mut self.joined);
        joined.resize(n, 0);
        let result = self.fill(&mut joined).await;
        self.joined = joined;
        result.map(|()| &self.joined[..])
    }

    /// The next `n` bytes from the peer in the buffer that they were read into, if a frame ends with them and they are all that has been
    /// taken from the connection; else nothing, and they are still to be received. Sends pending bytes first.
    ///
    /// The peer may send as much again, so whoever holds many of them limits how many.
    ///
    /// Errors: [`NetError::Timeout`], or how the connection failed.
    pub async fn receive_frame(&mut self, n: usize) -> Result<Option<Received>, NetError> {
        self.turn().await?;
        if self.incoming.len() == 0 && n > 0 {
            self.advance().await?;
        }
        let whole = self.incoming.len() == n;
        Ok(whole.then(|| Received::new(std::mem::take(&mut self.incoming), self.shared.clone())))
    }

    /// Fills `bytes` completely with the next bytes from the peer. Sends pending bytes first.
    ///
    /// Errors: as [`Channel::receive`].
    pub async fn receive_into(&mut self, bytes: &mut [u8]) -> Result<(), NetError> {
        self.turn().await?;
        self.fill(bytes).await
    }

    /// Sends `own` and fills `theirs` with the next bytes from the peer at the same time, so that two peers
    /// that both do so never wait for each other's credit, whatever the amount. The bytes are the same as
    /// with [`Channel::send`] and then [`Channel::receive_into`], and so is the single round. If both are
    /// empty, nothing happens.
    ///
    /// Errors: as both of them.
    pub async fn exchange(&mut self, mut own: &[u8], theirs: &mut [u8]) -> Result<(), NetError> {
        if own.is_empty() && theirs.is_empty() {
            return Ok(());
        }
        let mut left = theirs;
        loop {
            left = self.take_into(left);
            if !own.is_empty() && self.filled < self.frame() {
                let n = own.len().min(self.frame() - self.filled);
                self.buffer(n).copy_from_slice(&own[..n]);
                own = &own[n..];
            } else if self.filled == 0 || left.is_empty() {
                // A side that has received everything delays nobody.
                break;
            } else {
                self.dispatch_or_advance().await?;
            }
        }
        self.send(own).await?;
        self.flush().await?;
        self.receive_into(left).await
    }

    /// Waits, without a time limit, until the peer has sent something that is not read yet. Sends pending
    /// bytes first.
    ///
    /// For a stream on which nothing may ever arrive. Unlike other futures of a channel, this one may be
    /// dropped and the channel used further, once nothing is pending.
    ///
    /// Errors: how the connection failed, even if nothing was expected; as [`Channel::send`].
    pub async fn arrival(&mut self) -> Result<(), NetError> {
        self.turn().await?;
        if self.incoming.len() > 0 {
            return Ok(());
        }
        self.recycle();
        let (shared, stream) = (&self.shared, self.stream);
        let waiting = || format!("waiting for bytes of stream {}", stream.0);
        self.incoming = shared.wait(&mut self.timer, FOREVER, waiting, || shared.pop(stream)).await?;
        self.taken += self.incoming.len() as u64;
        Ok(())
    }

    /// Ends the stream and waits until the peer has ended it, too.
    ///
    /// Errors: [`NetError::Protocol`] if the peer sent more than was read; as [`Channel::receive`].
    pub async fn finish(mut self) -> Result<(), NetError> {
        self.dispatch().await?;
        self.shared.push_end(self.stream, self.sent);
        self.flush().await?;
        let (shared, stream) = (&self.shared, self.stream);
        if self.incoming.len() > 0 {
            let bytes = self.incoming.len() as u64;
            return Err(shared.violation(ProtocolFault::Unasked { stream: stream.0, bytes }));
        }
        let waiting = || format!("waiting for the end of stream {}", stream.0);
        shared.wait_limited(&mut self.timer, waiting, || shared.ended(stream)).await?;
        shared.finish_stream(stream);
        Ok(())
    }

    /// Bytes that still fit in the frame being filled, at least one.
    async fn room(&mut self) -> Result<usize, NetError> {
        if self.filled >= self.frame() {
            self.dispatch().await?;
        }
        Ok(self.frame() - self.filled)
    }

    /// Bytes of a full frame now.
    fn frame(&self) -> usize {
        match self.early {
            0 => self.shared.frame(),
            _ => self.shared.frame().min(EARLY_FRAME),
        }
    }

    /// The next `n` bytes of the send buffer, which has room for them.
    fn buffer(&mut self, n: usize) -> &mut [u8] {
        // The caller must respect `room`; more bytes would cause an index out of bounds.
        debug_assert!(self.filled + n <= MAX_PAYLOAD);
        self.turned |= n > 0;
        let start = HEADER_BYTES + self.filled;
        self.filled += n;
        let (pool, end) = (self.shared.pool(), start + n);
        let buffer = match self.outgoing.take() {
            Some(buffer) => pool.grown(buffer, start, end),
            None => pool.take(end),
        };
        &mut self.outgoing.insert(buffer)[start..end]
    }

    /// Hands the frame being filled to the connection, once the peer's credit covers it.
    async fn dispatch(&mut self) -> Result<(), NetError> {
        if self.filled == 0 {
            return Ok(());
        }
        self.admission(self.sent + self.filled as u64).await?;
        self.push();
        Ok(())
    }

    /// Waits until a frame that ends at `position` may be handed to the connection.
    async fn admission(&mut self, position: u64) -> Result<(), NetError> {
        let (shared, stream) = (&self.shared, self.stream);
        let waiting = || format!("waiting to send on stream {}", stream.0);
        shared.wait_limited(&mut self.timer, waiting, || shared.may_push(stream, position)).await
    }

    /// Hands the frame being filled to the connection, or advances to the next received bytes once the
    /// current ones are used up, whichever is possible first.
    async fn dispatch_or_advance(&mut self) -> Result<(), NetError> {
        self.recycle();
        let (shared, stream) = (&self.shared, self.stream);
        let position = self.sent + self.filled as u64;
        let waiting = || format!("exchanging bytes on stream {}", stream.0);
        let either = || match (shared.may_push(stream, position)?, shared.pop(stream)?) {
            (Check::Waiting(credit), Check::Waiting(received)) => {
                Ok(Check::Waiting(credit.wrapping_add(received)))
            }
            (pushes, Check::Done(segment)) => {
                Ok(Check::Done((matches!(pushes, Check::Done(())), Some(segment))))
            }
            (Check::Done(()), Check::Waiting(_)) => Ok(Check::Done((true, None))),
        };
        let (pushes, segment) = shared.wait_limited(&mut self.timer, waiting, either).await?;
        if pushes {
            self.push();
        }
        if let Some(segment) = segment {
            self.incoming = segment;
            self.taken += self.incoming.len() as u64;
        }
        Ok(())
    }

    /// Hands the frame being filled to the connection, which accepts it.
    fn push(&mut self) {
        if let Some(buffer) = self.outgoing.take() {
            let segment = Segment { buffer, start: HEADER_BYTES, end: HEADER_BYTES + self.filled };
            self.shared.push_data(self.stream, self.sent, segment);
        }
        self.count_frame(self.sent + self.filled as u64);
        self.filled = 0;
    }

    /// A frame that ends at `position` was handed to the connection.
    fn count_frame(&mut self, position: u64) {
        self.sent = position;
        self.early = self.early.saturating_sub(1);
    }

    /// Sends pending bytes before a receive, and counts the round.
    async fn turn(&mut self) -> Result<(), NetError> {
        if self.filled > 0 {
            self.flush().await?;
        }
        if std::mem::take(&mut self.turned) {
            self.early = EARLY_FRAMES;
            self.rounds += 1;
            self.shared.meter().round();
        }
        Ok(())
    }

    async fn fill(&mut self, mut bytes: &mut [u8]) -> Result<(), NetError> {
        while !bytes.is_empty() {
            if self.incoming.len() == 0 {
                self.advance().await?;
            }
            bytes = self.take_into(bytes);
        }
        Ok(())
    }

    /// Fills `bytes` with received bytes, as far as possible; returns the unfilled part.
    fn take_into<'b>(&mut self, bytes: &'b mut [u8]) -> &'b mut [u8] {
        let n = self.incoming.len().min(bytes.len());
        let (now, rest) = bytes.split_at_mut(n);
        now.copy_from_slice(self.incoming.take(n));
        rest
    }

    /// Advances to the next received bytes once the current ones are used up.
    async fn advance(&mut self) -> Result<(), NetError> {
        self.recycle();
        let (shared, stream) = (&self.shared, self.stream);
        let waiting = || format!("waiting for bytes of stream {}", stream.0);
        self.incoming = shared.wait_limited(&mut self.timer, waiting, || shared.pop(stream)).await?;
        self.taken += self.incoming.len() as u64;
        Ok(())
    }

    fn recycle(&mut self) {
        self.shared.pool().put(std::mem::take(&mut self.incoming).buffer);
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.shared.abandon_stream(self.stream);
    }
}

fn within_reserve(n: usize) -> Result<(), NetError> {
    match n <= MAX_RESERVE {
        true => Ok(()),
        false => Err(NetError::TooLong { asked: n, limit: MAX_RESERVE }),
    }
}
