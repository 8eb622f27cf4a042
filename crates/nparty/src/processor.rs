use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The time for which this process has had a processor, all its threads together.
pub fn process_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let (seconds, nanoseconds) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or(0), nanoseconds.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_with_work() {
        let before = process_time();
        let mut hash = blake3::hash(b"");
        while process_time() < before + Duration::from_millis(5) {
            hash = blake3::hash(hash.as_bytes());
        }
        assert!(process_time() > before);
    }
}
