//! The clock for deadlines. It never goes back, whatever the machine's clock does.
//!
//! Its time is the machine's time at the start, or the latest stored time if that is later, plus the time since then on a monotonic clock.
//! It follows the machine's clock while both are near, and ignores and counts jumps. So decisions made before a restart
//! stay valid: a deadline that has passed has passed for good.

use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Maximum distance, in milliseconds, at which the machine's clock is followed.
const NEAR_MS: u64 = 2000;

/// A source of time: the machine's clock, in milliseconds since 1970, and a monotonic one. Tests have their own sources.
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
