//! The streams of a connection, and the rules that every frame is checked against before it is kept.

use std::collections::VecDeque;

use foldhash::{HashMap, HashSet};

use crate::buffer::{Pool, Segment};
use crate::frame::{Header, Kind, MAX_PAYLOAD};
use crate::protocol_fault::ProtocolFault;
use crate::{NetError, StreamId};

/// Bytes that may be sent on a stream before the other side has opened it.
pub(crate) const FIRST_CREDIT: u64 = MAX_PAYLOAD as u64;

/// Streams that the peer may use before they are opened here.
const MAX_UNOPENED: usize = 64;

/// Limit on the credit that a peer may grant; larger grants are refused.
const MAX_CREDIT: u64 = 1 << 40;

/// One stream, both directions.
pub(super) struct Stream {
    /// Payload received and not yet taken by the channel.
    pub(super) queue: VecDeque<Segment>,
    /// Bytes received so far, in whole frames.
    pub(super) received: u64,
    /// Bytes that the channel has consumed.
    consumed: u64,
    /// Total bytes that the peer may send.
    granted: u64,
    /// Total bytes that this side may send.
    pub(super) credit: u64,
    /// The peer has sent everything.
    pub(super) ended: bool,
    opened: bool,
    /// The channel was dropped: further frames are checked but not kept.
    abandoned: bool,
}

/// All streams of a connection and how the connection ended.
#[derive(Default)]
pub(super) struct Table {
    streams: HashMap<StreamId, Stream>,
    finished: HashSet<StreamId>,
    unopened: usize,
    /// The peer said that nothing follows.
    pub(super) closing: bool,
    /// The first failure, which is kept.
    pub(super) failure: Option<NetError>,
}

impl Stream {
    fn new() -> Self {
        Stream {
            queue: VecDeque::new(),
            received: 0,
            consumed: 0,
            granted: FIRST_CREDIT,
            credit: FIRST_CREDIT,
            ended: false,
            opened: false,
            abandoned: false,
        }
    }

    /// Keeps a payload that was read separately, or appends it if there is room.
    pub(super) fn keep(&mut self, payload: &[u8], pool: &Pool) {
        self.received += payload.len() as u64;
        if self.abandoned {
            return;
        }
        if self.queue.back().is_none_or(|last| last.room() < payload.len()) {
            self.queue.push_back(Segment::new(pool.take(payload.len())));
        }
        if let Some(last) = self.queue.back_mut() {
            last.append(payload);
        }
    }

    /// Keeps a payload in the buffer that it was read into.
    pub(super) fn keep_segment(&mut self, segment: Segment, pool: &Pool) {
        self.received += segment.len() as u64;
        if self.abandoned {
            pool.put(segment.buffer);
        } else {
            self.queue.push_back(segment);
        }
    }

    /// The next bytes for the channel, and the credit to announce if enough was consumed since the last
    /// announcement.
    pub(super) fn pop(&mut self, window: u64) -> Option<(Segment, Option<u64>)> {
        let segment = self.queue.pop_front()?;
        self.consumed += segment.len() as u64;
        let target = self.consumed + window;
        let grant = !self.ended && target - self.granted >= window / 2;
        if grant {
            self.granted = target;
        }
        Some((segment, grant.then_some(target)))
    }

    /// Bytes received and not yet consumed.
    pub(super) fn unread(&self) -> u64 {
        self.received - self.consumed
    }
}

impl Table {
    /// Marks a stream as opened here and returns the credit to announce for it.
    pub(super) fn open(&mut self, id: StreamId, window: u64) -> Result<u64, NetError> {
        let known = self.streams.contains_key(&id);
        let stream = self.streams.entry(id).or_insert_with(Stream::new);
        if stream.opened || self.finished.contains(&id) {
            return Err(NetError::StreamReused { stream: id });
        }
        stream.opened = true;
        stream.granted = window;
        self.unopened -= usize::from(known);
        Ok(window)
    }

    /// A stream that was opened here and is not finished.
    pub(super) fn stream(&mut self, id: StreamId) -> Option<&mut Stream> {
        self.streams.get_mut(&id)
    }

    /// Forgets a stream that both sides have ended; its number stays used.
    pub(super) fn finish(&mut self, id: StreamId) {
        self.streams.remove(&id);
        self.finished.insert(id);
    }

    /// Drops the unread bytes of a stream whose channel is gone.
    pub(super) fn abandon(&mut self, id: StreamId, pool: &Pool) {
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.abandoned = true;
            stream.queue.drain(..).for_each(|segment| pool.put(segment.buffer));
        }
    }

    /// Checks a header against the state of its stream, before anything is allocated for it; applies credit
    /// and end.
    ///
    /// The error names the violated rule.
    pub(super) fn admit(&mut self, header: &Header) -> Result<(), ProtocolFault> {
        if self.closing {
            return Err(ProtocolFault::AfterFarewell { kind: header.kind() });
        }
        match header.kind() {
            Kind::Data => self.admit_data(header),
            Kind::Credit => self.admit_credit(header),
            Kind::End => self.admit_end(header),
            Kind::Close => {
                self.closing = true;
                Ok(())
            }
            Kind::Abort => Ok(()),
        }
    }

    fn admit_data(&mut self, header: &Header) -> Result<(), ProtocolFault> {
        let stream = self.receiving(header)?;
        let end = header.position() + header.length() as u64;
        if end > stream.granted {
            let (stream, bytes) = (header.stream().0, end - stream.granted);
            return Err(ProtocolFault::BeyondCredit { stream, bytes });
        }
        Ok(())
    }

    fn admit_end(&mut self, header: &Header) -> Result<(), ProtocolFault> {
        self.receiving(header)?.ended = true;
        Ok(())
    }

    fn admit_credit(&mut self, header: &Header) -> Result<(), ProtocolFault> {
        let stream = self.entry(header.stream())?;
        if header.position() <= stream.credit || header.position() - stream.credit > MAX_CREDIT {
            let (stream, position, granted) = (header.stream().0, header.position(), stream.credit);
            return Err(ProtocolFault::Credit { stream, position, granted });
        }
        stream.credit = header.position();
        Ok(())
    }

    /// The stream of a data or end frame, if the frame is the stream's next one.
    fn receiving(&mut self, header: &Header) -> Result<&mut Stream, ProtocolFault> {
        let stream = self.entry(header.stream())?;
        if stream.ended {
            return Err(ProtocolFault::AfterEnd { stream: header.stream().0 });
        }
        if header.position() != stream.received {
            let (stream, position, due) = (header.stream().0, header.position(), stream.received);
            return Err(ProtocolFault::Position { stream, position, due });
        }
        Ok(stream)
    }

    fn entry(&mut self, id: StreamId) -> Result<&mut Stream, ProtocolFault> {
        if !self.streams.contains_key(&id) {
            if self.finished.contains(&id) {
                return Err(ProtocolFault::AfterEnd { stream: id.0 });
            }
            if self.unopened >= MAX_UNOPENED {
                return Err(ProtocolFault::Unopened { limit: MAX_UNOPENED });
            }
            self.unopened += 1;
        }
        Ok(self.streams.entry(id).or_insert_with(Stream::new))
    }
}
