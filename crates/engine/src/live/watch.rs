//! The time limit of a live session.

use std::time::{Duration, Instant};

use tacit_net::{Meter, NetError};

use super::script::{ScriptState, SharedScript, Waiter};

/// The minimum time between two looks at the clock.
const LOOK: Duration = Duration::from_millis(500);

/// Fails if something is awaited, and for the time limit no byte was transferred and nothing was opened.
///
/// Openings are awaited, the peer in a run, and the peer's end after this program has ended. While a run is in progress, the time
/// limits of its own streams apply. A program that is busy with other work has no time limit, nor does the peer's.
pub(super) async fn watch(shared: &SharedScript, meter: &Meter, peer: &str, limit: Duration) -> NetError {
    loop {
        shared.when(|state| awaited(state).map(drop)).await;
        if let Some(waiting) = stalled(shared, meter, limit).await {
            return NetError::Timeout { peer: peer.to_owned(), waiting, seconds: limit.as_secs_f64() };
        }
    }
}

/// What is awaited, once it has been awaited for too long; `None` when nothing is awaited any more.
async fn stalled(shared: &SharedScript, meter: &Meter, limit: Duration) -> Option<String> {
    let mut moved = (bytes(meter), Instant::now());
    loop {
        tokio::time::sleep((limit / 8).min(LOOK)).await;
        let now = bytes(meter);
        if now != moved.0 {
            moved = (now, Instant::now());
        }
        let (since, what) = awaited(&shared.state())?;
        if moved.1.max(since).elapsed() > limit {
            return Some(what);
        }
    }
}

fn bytes(meter: &Meter) -> u64 {
    let total = meter.total();
    total.bytes_sent + total.bytes_received
}

/// What is awaited, and since when.
fn awaited(state: &ScriptState) -> Option<(Instant, String)> {
    if state.running {
        return None;
    }
    let awaited =
        state.outstanding.iter().filter_map(|(step, awaited)| Some((awaited.since?, step, awaited)));
    if let Some((since, (id, number), outstanding)) = awaited.min_by_key(|(since, ..)| *since) {
        let path = state.paths.get(id);
        let place = path.and_then(|path| path.mark(*number)).map(|mark| format!(" at {}", mark.place));
        let name = path.map_or("", |path| path.name.as_str());
        let what = match outstanding.waiter {
            Waiter::Opening(_) => "opening a value",
            Waiter::Work(_) => "waiting for the peer to come to a run",
        };
        return Some((since, format!("{what}{} (task {name})", place.unwrap_or_default())));
    }
    state.closing.map(|since| (since, "waiting for its program to end".to_owned()))
}
