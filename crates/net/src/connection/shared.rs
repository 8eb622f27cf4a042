//! The state that the handles and channels of one connection share, and how bytes move on it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};

use super::reader::{ReadFailure, Reader, Sink};
use super::table::Table;
use super::wakers::Wakers;
use super::writer::{Outgoing, Writer};
use crate::buffer::{Pool, Segment};
use crate::frame::{HEADER_BYTES, Header, Kind};
use crate::protocol_fault::ProtocolFault;
use crate::{Meter, NetError, Options, StreamId};

/// Bytes that may be queued before a further frame must wait: one frame can be sent while the next is filled.
const QUEUE_BYTES: usize = 256 * 1024;

/// The result of a check of the connection's state.
pub(crate) enum Check<T> {
    /// The awaited result.
    Done(T),
    /// Not yet; the number changes whenever the peer makes progress, which restarts the time limit.
    Waiting(u64),
}

/// The state that the handles and channels of one connection share. Locks are taken in the order reader,
/// table or writer, pool; never table and writer together.
pub(crate) struct Shared {
    peer: RwLock<Arc<str>>,
    pub(super) timeout: Duration,
    window: u64,
    frame: usize,
    meter: Meter,
    pool: Pool,
    table: Mutex<Table>,
    pub(super) reader: Mutex<Reader>,
    writer: Mutex<Writer>,
    /// Whether a wait for the peer has reached its limit.
    silent: AtomicBool,
    pub(super) wakers: Arc<Wakers>,
    /// `wakers` in the form that sockets need.
    pub(super) waker: Waker,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(super) fn new(
        reader: Box<dyn AsyncRead + Send + Unpin>,
        writer: Box<dyn AsyncWrite + Send + Unpin>,
        options: Options,
    ) -> Shared {
        let wakers = Arc::new(Wakers::default());
        Shared {
            timeout: options.timeout,
            window: options.granted_window(),
            frame: options.frame_payload(),
            peer: RwLock::new(options.peer.into()),
            meter: options.meter,
            pool: Pool::default(),
            table: Mutex::default(),
            reader: Mutex::new(Reader::new(reader)),
            writer: Mutex::new(Writer::new(writer)),
            silent: AtomicBool::new(false),
            waker: Waker::from(wakers.clone()),
            wakers,
        }
    }

    /// Renames the peer.
    pub(super) fn name_peer(&self, name: &str) {
        *self.peer.write().unwrap_or_else(PoisonError::into_inner) = name.into();
    }

    pub(crate) fn peer(&self) -> String {
        self.peer.read().unwrap_or_else(PoisonError::into_inner).to_string()
    }

    pub(crate) fn window(&self) -> u64 {
        self.window
    }

    pub(crate) fn frame(&self) -> usize {
        self.frame
    }

    pub(crate) fn meter(&self) -> &Meter {
        &self.meter
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    pub(super) fn table(&self) -> MutexGuard<'_, Table> {
        lock(&self.table)
    }

    pub(super) fn writer(&self) -> MutexGuard<'_, Writer> {
        lock(&self.writer)
    }

    pub(super) fn open(&self, stream: StreamId) -> Result<(), NetError> {
        let mut table = self.table();
        let aborted = match &table.failure {
            None => false,
            Some(NetError::Aborted { .. }) => true,
            Some(failure) => return Err(failure.clone()),
        };
        let grant = table.open(stream, self.window)?;
        drop(table);
        if !aborted {
            self.push_control(Header::credit(stream, grant));
            self.drive_write();
        }
        Ok(())
    }

    /// Forgets a stream that both sides have ended.
    pub(crate) fn finish_stream(&self, stream: StreamId) {
        self.table().finish(stream);
    }

    /// Drops the content of a stream whose channel is gone.
    pub(crate) fn abandon_stream(&self, stream: StreamId) {
        self.table().abandon(stream, &self.pool);
    }

    /// Queues the payload of a segment, which has room for the header in front.
    pub(crate) fn push_data(&self, stream: StreamId, position: u64, mut segment: Segment) {
        let header = self.data_header(stream, position, segment.len());
        segment.start -= HEADER_BYTES;
        segment.buffer[segment.start..][..HEADER_BYTES].copy_from_slice(&header);
        self.writer().push(Outgoing::Data(segment));
        self.drive_write();
    }

    /// Queues a payload that its owner gives away, and a header before it.
    pub(crate) fn push_given(&self, stream: StreamId, position: u64, payload: Vec<u8>) {
        let header = self.data_header(stream, position, payload.len());
        self.writer().push(Outgoing::Given { header, payload, start: 0 });
        self.drive_write();
    }

    /// The header of a data frame that is sent now, and counted.
    fn data_header(&self, stream: StreamId, position: u64, length: usize) -> [u8; HEADER_BYTES] {
        let header = Header::data(stream, position, length).in_phase(self.meter.phase());
        self.meter.sent(&header);
        header.encode()
    }

    /// The memory of a payload that was given away and has been written.
    pub(crate) fn take_written(&self) -> Option<Vec<u8>> {
        self.writer().given.pop()
    }

    /// Queues the end of a stream.
    pub(crate) fn push_end(&self, stream: StreamId, position: u64) {
        self.push_control(Header::end(stream, position));
    }

    pub(super) fn push_control(&self, header: Header) {
        let header = header.in_phase(self.meter.phase());
        self.meter.sent(&header);
        self.writer().push(Outgoing::Control { bytes: header.encode(), start: 0 });
    }

    /// Whether a frame that ends at `position` may be queued now; otherwise a number that grows as the peer makes progress.
    pub(crate) fn may_push(&self, stream: StreamId, position: u64) -> Result<Check<()>, NetError> {
        let credit = {
            let mut table = self.table();
            self.alive(&table)?;
            table.stream(stream).map_or(0, |stream| stream.credit)
        };
        let writer = self.writer();
        match credit >= position && writer.queued_bytes() < QUEUE_BYTES {
            true => Ok(Check::Done(())),
            false => Ok(Check::Waiting(credit.wrapping_add(writer.written))),
        }
    }

    /// Whether everything queued has left this process; otherwise a number that grows as the peer takes it.
    pub(crate) fn flushed(&self) -> Result<Check<()>, NetError> {
        let writer = self.writer();
        if writer.is_idle() {
            return Ok(Check::Done(()));
        }
        let written = writer.written;
        drop(writer);
        self.alive(&self.table())?;
        Ok(Check::Waiting(written))
    }

    /// The next bytes of a stream.
    pub(crate) fn pop(&self, id: StreamId) -> Result<Check<Segment>, NetError> {
        let mut table = self.table();
        let stream = table.stream(id).filter(|stream| !stream.queue.is_empty());
        if let Some((segment, grant)) = stream.and_then(|stream| stream.pop(self.window)) {
            drop(table);
            if let Some(grant) = grant {
                self.push_control(Header::credit(id, grant));
                self.drive_write();
            }
            return Ok(Check::Done(segment));
        }
        if table.stream(id).is_some_and(|stream| stream.ended) {
            return Err(self.violation(ProtocolFault::EndedEarly { stream: id.0 }));
        }
        self.alive(&table)?;
        Ok(Check::Waiting(table.stream(id).map_or(0, |stream| stream.received)))
    }

    /// Whether the peer has ended a stream and everything was read.
    pub(crate) fn ended(&self, id: StreamId) -> Result<Check<()>, NetError> {
        let mut table = self.table();
        let (ended, unread) = table.stream(id).map_or((true, 0), |stream| (stream.ended, stream.unread()));
        match (ended, unread) {
            (true, 0) => Ok(Check::Done(())),
            (false, 0) => self.alive(&table).map(|()| Check::Waiting(0)),
            (_, unread) => Err(self.violation(ProtocolFault::Unasked { stream: id.0, bytes: unread })),
        }
    }

    pub(crate) fn violation(&self, fault: ProtocolFault) -> NetError {
        NetError::Protocol { peer: self.peer(), fault }
    }

    /// An error unless the peer may still send and receive.
    pub(super) fn alive(&self, table: &Table) -> Result<(), NetError> {
        match &table.failure {
            Some(failure) => Err(failure.clone()),
            None if table.closing => Err(NetError::Finished { peer: self.peer() }),
            None => Ok(()),
        }
    }

    /// Notes that the peer has exceeded a time limit.
    pub(super) fn note_silence(&self) {
        self.silent.store(true, Ordering::Relaxed);
    }

    /// Whether the peer has exceeded a time limit.
    pub(super) fn peer_was_silent(&self) -> bool {
        self.silent.load(Ordering::Relaxed)
    }

    /// Records the first failure and wakes everyone.
    pub(super) fn fail(&self, error: NetError) {
        self.table().failure.get_or_insert(error);
        self.wakers.wake_all();
    }

    /// Writes as much as the socket accepts; true if anything moved.
    pub(super) fn drive_write(&self) -> bool {
        let mut writer = self.writer();
        let before = (writer.written, writer.queued_bytes());
        let result = writer.drive(&mut Context::from_waker(&self.waker), &self.pool);
        let moved = before != (writer.written, writer.queued_bytes());
        drop(writer);
        if let Poll::Ready(Err(error)) = result {
            // The peer's last words say more than a broken pipe does.
            while self.drive_read() {}
            self.fail(NetError::from_io(&self.peer(), error));
        }
        moved
    }

    /// Reads once; true if anything was read.
    pub(super) fn drive_read(&self) -> bool {
        if self.table().failure.is_some() {
            return false;
        }
        let mut delivery = Delivery { shared: self };
        let result =
            lock(&self.reader).drive(&mut Context::from_waker(&self.waker), &mut delivery, &self.pool);
        match result {
            Poll::Pending => false,
            Poll::Ready(Ok(())) => true,
            Poll::Ready(Err(failure)) => {
                self.read_failed(failure);
                false
            }
        }
    }

    fn read_failed(&self, failure: ReadFailure) {
        let peer = self.peer();
        match failure {
            ReadFailure::End if self.table().closing => self.fail(NetError::Finished { peer }),
            ReadFailure::End => self.fail(NetError::Closed { peer }),
            ReadFailure::Io(error) => self.fail(NetError::from_io(&peer, error)),
            ReadFailure::Violation(fault) => {
                self.fail(NetError::Protocol { peer, fault });
                self.push_abort();
            }
        }
    }
}

/// Delivers frames from the reader to their channels.
struct Delivery<'a> {
    shared: &'a Shared,
}

impl Sink for Delivery<'_> {
    fn admit(&mut self, header: &Header) -> Result<(), ProtocolFault> {
        self.shared.meter.received(header);
        let mut table = self.shared.table();
        table.admit(header)?;
        if header.kind() == Kind::Abort {
            let peer = self.shared.peer();
            table.failure.get_or_insert(NetError::Aborted { peer });
            table.closing = true;
        }
        Ok(())
    }

    fn staged(&mut self, stream: StreamId, payload: &[u8]) {
        if let Some(stream) = self.shared.table().stream(stream) {
            stream.keep(payload, &self.shared.pool);
        }
    }

    fn direct(&mut self, stream: StreamId, payload: Segment) {
        if let Some(stream) = self.shared.table().stream(stream) {
            stream.keep_segment(payload, &self.shared.pool);
        }
    }
}
