//! The time by which deadlines are decided. It never goes back, whatever the machine's clock does.
//!
//! Time is the machine's clock at the start, or the latest time that was stored if that is later, plus what a monotonic clock has counted since.
//! The machine's clock is followed while it is near, and ignored with a count when it jumps. What was decided before a restart
//! therefore stays decided: a deadline that has passed has passed for good.

use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How far the machine's clock may be from this one and still be followed, in milliseconds.
const NEAR_MS: u64 = 2000;

/// Where time comes from: the machine's clock, in milliseconds since 1970, and a monotonic one. Tests have their own.
pub type ClockSource = Box<dyn Fn() -> (u64, Duration) + Send + Sync>;

/// A clock that does not go back.
pub struct Clock {
    source: ClockSource,
    state: Mutex<State>,
}

struct State {
    /// The time at `counted`, in milliseconds since 1970.
    base: u64,
    counted: Duration,
    jumps: u64,
    jumped: bool,
}

impl Clock {
    /// A clock over a source, not before `latest`, in milliseconds since 1970.
    pub fn of(source: ClockSource, latest: u64) -> Clock {
        let (wall, counted) = source();
        let state = Mutex::new(State { base: wall.max(latest), counted, jumps: 0, jumped: false });
        Clock { source, state }
    }

    /// Milliseconds since 1970.
    pub fn now(&self) -> u64 {
        let (wall, counted) = (self.source)();
        let mut state = self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let passed = counted.saturating_sub(state.counted).as_millis() as u64;
        let own = state.base + passed;
        let near = wall.abs_diff(own) <= NEAR_MS;
        if near && wall >= state.base {
            (state.base, state.counted) = (wall, counted);
        } else if passed > 0 {
            (state.base, state.counted) = (own, state.counted + Duration::from_millis(passed));
        }
        state.jumps += u64::from(!near && !state.jumped);
        state.jumped = !near;
        state.base
    }

    /// How often the machine's clock has jumped.
    pub fn jumps(&self) -> u64 {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).jumps
    }
}

/// The machine's clocks.
pub fn machine() -> ClockSource {
    let start = Instant::now();
    let wall = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64);
    Box::new(move || (wall(), start.elapsed()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn jumps_are_ignored_and_time_never_goes_back() {
        let machine = Arc::new(Mutex::new((1_000_000u64, Duration::ZERO)));
        let set = |wall, counted| *machine.lock().unwrap() = (wall, Duration::from_millis(counted));
        let seen = machine.clone();
        let clock = Clock::of(Box::new(move || *seen.lock().unwrap()), 0);
        assert_eq!(clock.now(), 1_000_000);
        set(1_000_510, 500);
        assert_eq!(clock.now(), 1_000_510, "a near clock is followed");
        set(1_000_200, 600);
        let held = clock.now();
        assert!((1_000_510..=1_000_610).contains(&held), "{held}");
        set(10, 1_600);
        assert!((held + 900..=held + 1100).contains(&clock.now()), "back: {}", clock.now());
        set(99_000_000, 2_600);
        assert!(clock.now() < 1_004_000, "forth: {}", clock.now());
        assert_eq!(clock.jumps(), 1);
        let later = Clock::of(Box::new(|| (5, Duration::ZERO)), 1_003_000);
        assert_eq!(later.now(), 1_003_000, "not before what was stored");
    }
}
