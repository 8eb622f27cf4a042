//! A link slowed down on purpose: limited bandwidth and added latency on what this side sends.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::str::FromStr;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf, ReadHalf, WriteHalf};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::Notify;
use tokio::time::{Sleep, sleep};

use crate::socket::ByteStream;

/// Bytes that are sent together; the receiver sees them when the last one has arrived.
const CHUNK_BYTES: usize = 16 * 1024;

/// Bytes that may wait to be sent before the sender has to wait, as in a socket's buffer.
const BACKLOG_BYTES: u64 = 256 * 1024;

/// The runtime's timers may be this late, counted generously.
const TIMER_LATENESS: Duration = Duration::from_millis(2);

/// A thread that sleeps usually wakes up this late.
const THREAD_LATENESS: Duration = Duration::from_micros(100);

/// The properties of a link in one direction. If they shape a link, both sides shape what they send, so a
/// round trip takes twice the latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Bits per second; at least 1.
    pub bandwidth_bits_per_s: u64,
    /// Latency in one direction.
    pub latency: Duration,
}

impl Shape {
    /// One gigabit per second, 0.25 ms each way.
    pub const LAN: Shape = Shape { bandwidth_bits_per_s: 1_000_000_000, latency: Duration::from_micros(250) };

    /// 100 megabits per second, 50 ms each way.
    pub const WAN: Shape = Shape { bandwidth_bits_per_s: 100_000_000, latency: Duration::from_millis(50) };

    /// 20 megabits per second, 40 ms each way.
    pub const MOBILE: Shape = Shape { bandwidth_bits_per_s: 20_000_000, latency: Duration::from_millis(40) };

    /// The same with three digits of its bandwidth and of its latency.
    #[must_use]
    pub fn rounded(self) -> Shape {
        let nanoseconds = u64::try_from(self.latency.as_nanos()).unwrap_or(u64::MAX);
        Shape {
            bandwidth_bits_per_s: three_digits(self.bandwidth_bits_per_s),
            latency: Duration::from_nanos(three_digits(nanoseconds)),
        }
    }

    /// The form that it is parsed from, like `93.1mbit,4.05ms`.
    pub fn form(&self) -> String {
        let (bits, nanoseconds) = (self.bandwidth_bits_per_s as f64, self.latency.as_nanos() as f64);
        let bandwidth = match self.bandwidth_bits_per_s {
            1_000_000_000.. => format!("{}gbit", bits / 1e9),
            1_000_000.. => format!("{}mbit", bits / 1e6),
            _ => format!("{}kbit", bits / 1e3),
        };
        match self.latency.as_micros() {
            1_000.. => format!("{bandwidth},{}ms", nanoseconds / 1e6),
            _ => format!("{bandwidth},{}us", nanoseconds / 1e3),
        }
    }

    /// The time for which `bytes` occupy the link.
    pub(crate) fn duration(&self, bytes: u64) -> Duration {
        let nanos = u128::from(bytes) * 8_000_000_000 / u128::from(self.bandwidth_bits_per_s.max(1));
        Duration::from_nanos(nanos.min(u128::from(u64::MAX)) as u64)
    }

    /// `stream` behind such a link. Must be called on a tokio runtime.
    ///
    /// A thread of its own delivers the bytes in time, whatever the caller's runtime computes meanwhile.
    pub fn apply(self, stream: Box<dyn ByteStream>) -> Box<dyn ByteStream> {
        let (reader, writer) = tokio::io::split(stream);
        let line = Arc::new(Line::default());
        let runtime = DELIVERY.as_ref().map_or_else(Handle::current, |runtime| runtime.handle().clone());
        runtime.spawn(deliver(line.clone(), writer));
        let transit = Transit::new(self, Instant::now());
        Box::new(Shaped { transit, reader, line, runtime, turn: None })
    }
}

/// The runtime that delivers the bytes of all links of the process, if it could be started.
static DELIVERY: LazyLock<Option<Runtime>> = LazyLock::new(|| {
    Builder::new_multi_thread().worker_threads(1).thread_name("tacit-links").enable_time().build().ok()
});

/// A text that is not a shape of a link.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected lan, wan, mobile or a form like 100mbit,20ms; found \"{found}\"")]
pub struct ShapeError {
    /// The text.
    pub found: String,
}

impl FromStr for Shape {
    type Err = ShapeError;

    /// `lan`, `wan`, `mobile`, or a bandwidth and the latency in one direction, as in `100mbit,20ms` or `1gbit,0.5ms`.
    fn from_str(text: &str) -> Result<Self, ShapeError> {
        let wrong = || ShapeError { found: text.to_owned() };
        match text {
            "lan" => return Ok(Shape::LAN),
            "wan" => return Ok(Shape::WAN),
            "mobile" => return Ok(Shape::MOBILE),
            _ => {}
        }
        let (bandwidth, latency) = text.split_once(',').ok_or_else(wrong)?;
        let bits = quantity(bandwidth, &[("gbit", 1e9), ("mbit", 1e6), ("kbit", 1e3)]).ok_or_else(wrong)?;
        let seconds = quantity(latency, &[("us", 1e-6), ("ms", 1e-3), ("s", 1.0)]).ok_or_else(wrong)?;
        if !(1.0..=1e15).contains(&bits) || seconds > 3600.0 {
            return Err(wrong());
        }
        Ok(Shape { bandwidth_bits_per_s: bits.round() as u64, latency: Duration::from_secs_f64(seconds) })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = self.latency.as_secs_f64() * 1e3;
        write!(f, "{}kbit,{milliseconds}ms", self.bandwidth_bits_per_s as f64 / 1e3)
    }
}

/// A number with its first three digits, rounded; those after them are 0.
fn three_digits(number: u64) -> u64 {
    let digits = number.checked_ilog10().unwrap_or(0);
    let unit = 10u64.pow(digits.saturating_sub(2));
    (number / unit + u64::from(number % unit > unit / 2)).saturating_mul(unit)
}

/// A number that is not negative, with one of the units.
fn quantity(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let (number, scale) =
        units.iter().find_map(|(unit, scale)| Some((text.trim().strip_suffix(unit)?, scale)))?;
    let plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value: f64 = number.parse().ok().filter(|_| plain)?;
    Some(value * scale)
}

/// Bytes in transit.
#[derive(Default)]
struct Line {
    state: Mutex<LineState>,
    /// Notified when there is something new to deliver.
    news: Notify,
}

#[derive(Default)]
struct LineState {
    chunks: VecDeque<(Instant, Arc<[u8]>)>,
    closing: bool,
    /// Everything was delivered after closing.
    closed: bool,
    failure: Option<io::ErrorKind>,
    waiting: Option<Waker>,
}

impl Line {
    fn state(&self) -> MutexGuard<'_, LineState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        self.state().closing = true;
        self.news.notify_one();
    }

    fn end(&self, failure: Option<io::ErrorKind>) {
        let mut state = self.state();
        (state.closed, state.failure) = (true, failure);
        state.chunks.clear();
        if let Some(waker) = state.waiting.take() {
            waker.wake();
        }
    }
}

/// Writes each chunk at its time of arrival.
async fn deliver(line: Arc<Line>, writer: Writer) {
    let result = deliver_all(&line, writer).await;
    line.end(result.err().map(|error| error.kind()));
}

type Writer = WriteHalf<Box<dyn ByteStream>>;

async fn deliver_all(line: &Line, mut writer: Writer) -> io::Result<()> {
    loop {
        let (next, closing) = {
            let mut state = line.state();
            (state.chunks.pop_front(), state.closing)
        };
        match next {
            Some((due, bytes)) => {
                let written;
                (writer, written) = write_at(due, writer, &bytes).await?;
                writer.write_all(&bytes[written..]).await?;
                writer.flush().await?;
            }
            None if closing => return writer.shutdown().await,
            None => line.news.notified().await,
        }
    }
}

/// Writes bytes at a time, to within some ten microseconds, as far as they can be written at once; returns how many were. The runtime's
/// timers count whole milliseconds, so a thread waits for the last ones, and writes before anything else is scheduled.
async fn write_at(due: Instant, mut writer: Writer, bytes: &Arc<[u8]>) -> io::Result<(Writer, usize)> {
    let left = || due.saturating_duration_since(Instant::now());
    if let Some(whole) = left().checked_sub(TIMER_LATENESS) {
        sleep(whole).await;
    }
    let rest = left();
    if rest.is_zero() {
        return Ok((writer, 0));
    }
    let bytes = bytes.clone();
    let write = move || {
        wait_exactly(rest);
        let polled = Pin::new(&mut writer).poll_write(&mut Context::from_waker(Waker::noop()), &bytes);
        let written = match polled {
            Poll::Ready(written) => written?,
            Poll::Pending => 0,
        };
        Ok((writer, written))
    };
    tokio::task::spawn_blocking(write).await.unwrap_or_else(|stopped| Err(io::Error::other(stopped)))
}

/// Sleeps, and waits actively if it woke up too early.
fn wait_exactly(time: Duration) {
    let start = Instant::now();
    std::thread::sleep(time.saturating_sub(THREAD_LATENESS));
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// When the bytes of one side arrive.
struct Transit {
    shape: Shape,
    /// The time at which the link has sent everything accepted so far.
    free_at: Instant,
}

impl Transit {
    fn new(shape: Shape, now: Instant) -> Transit {
        Transit { shape, free_at: now }
    }

    /// How long the backlog is too long for another chunk.
    fn blocked(&self, now: Instant) -> Duration {
        let backlog = self.shape.duration(BACKLOG_BYTES);
        self.free_at.saturating_duration_since(now).saturating_sub(backlog)
    }

    /// Accepts bytes; returns when they arrive.
    fn accept(&mut self, bytes: u64, now: Instant) -> Instant {
        self.free_at = self.free_at.max(now) + self.shape.duration(bytes);
        self.free_at + self.shape.latency
    }
}

/// The sender's end of a shaped link.
struct Shaped {
    transit: Transit,
    reader: ReadHalf<Box<dyn ByteStream>>,
    line: Arc<Line>,
    /// Keeps the timer of `turn`: a thread without a runtime may send, too, as when it interrupts a run.
    runtime: Handle,
    turn: Option<Pin<Box<Sleep>>>,
}

impl Shaped {
    /// Waits until the backlog is short enough for another chunk.
    fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            let blocked = self.transit.blocked(Instant::now());
            if blocked.is_zero() {
                self.turn = None;
                return Poll::Ready(());
            }
            let _timers = self.runtime.enter();
            let turn = self.turn.get_or_insert_with(|| Box::pin(sleep(blocked)));
            std::task::ready!(turn.as_mut().poll(cx));
            self.turn = None;
        }
    }
}

impl AsyncRead for Shaped {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.reader).poll_read(cx, buf)
    }
}

impl AsyncWrite for Shaped {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        std::task::ready!(self.poll_turn(cx));
        let bytes = &bytes[..bytes.len().min(CHUNK_BYTES)];
        let due = self.transit.accept(bytes.len() as u64, Instant::now());
        let mut state = self.line.state();
        if let Some(kind) = state.failure {
            return Poll::Ready(Err(kind.into()));
        }
        state.chunks.push_back((due, bytes.into()));
        drop(state);
        self.line.news.notify_one();
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.line.state().failure.map_or(Ok(()), |kind| Err(kind.into())))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.line.close();
        let mut state = self.line.state();
        if state.closed {
            return Poll::Ready(state.failure.map_or(Ok(()), |kind| Err(kind.into())));
        }
        state.waiting = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Shaped {
    fn drop(&mut self) {
        self.line.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 16 KiB take 16 ms, and the backlog 256 ms.
    const SHAPE: Shape = Shape { bandwidth_bits_per_s: 1024 * 1000 * 8, latency: Duration::from_millis(50) };

    #[test]
    fn bytes_arrive_after_all_bytes_before_them() {
        let start = Instant::now();
        let mut transit = Transit::new(SHAPE, start);
        let mut arrives = |at: u64, bytes| {
            transit.accept(bytes, start + Duration::from_millis(at)).duration_since(start).as_millis()
        };
        assert_eq!(arrives(10, 16 * 1024), 10 + 16 + 50);
        assert_eq!(arrives(10, 1024), 10 + 16 + 1 + 50);
        assert_eq!(arrives(12, 1024), 10 + 16 + 2 + 50);
        assert_eq!(arrives(100, 0), 100 + 50);
        assert_eq!(arrives(100, 32 * 1024), 100 + 32 + 50);
    }

    #[test]
    fn a_sender_is_blocked_by_more_than_the_backlog() {
        let start = Instant::now();
        let mut transit = Transit::new(SHAPE, start);
        for chunk in 0..16 {
            assert_eq!(transit.blocked(start), Duration::ZERO, "{chunk}");
            transit.accept(CHUNK_BYTES as u64, start);
        }
        assert_eq!(transit.blocked(start), Duration::ZERO);
        transit.accept(CHUNK_BYTES as u64, start);
        assert_eq!(transit.blocked(start), Duration::from_millis(16));
        assert_eq!(transit.blocked(start + Duration::from_millis(6)), Duration::from_millis(10));
        assert_eq!(transit.blocked(start + Duration::from_millis(16)), Duration::ZERO);
    }
}
