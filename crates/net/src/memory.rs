//! Connections inside one process.

use crate::record::Recorder;
use crate::{Connection, Options};

/// Bytes in transit in each direction before the sender waits.
const CAPACITY: usize = 1 << 20;

/// Both ends of a connection in memory, with the framing and the limits of every other transport.
///
/// Each end is named by its options; [`Options::peer`] is the name of the other end, so both names are the
/// same here; [`pair_with`] sets them separately. Each end has its own meter.
pub fn pair(options: Options) -> (Connection, Connection) {
    let other = Options { meter: crate::Meter::new(), ..options.clone() };
    pair_with(options, other)
}

/// As [`pair`], with options for each end.
pub fn pair_with(first: Options, second: Options) -> (Connection, Connection) {
    let (a, b) = tokio::io::duplex(CAPACITY);
    (Connection::over(a, first), Connection::over(b, second))
}

/// As [`pair`], with recorders of what each end sends.
pub fn recorded_pair(options: Options) -> ((Connection, Recorder), (Connection, Recorder)) {
    let (a, b) = tokio::io::duplex(CAPACITY);
    let end = |stream, options| {
        let recorder = Recorder::default();
        (Connection::over(recorder.apply(Box::new(stream)), options), recorder)
    };
    let other = Options { meter: crate::Meter::new(), ..options.clone() };
    (end(a, options), end(b, other))
}
