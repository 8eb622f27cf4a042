use std::time::Duration;

/// Time for which this thread has had a processor so far, if the system reports it.
pub(crate) fn thread_time() -> Option<Duration> {
    parse(&std::fs::read_to_string("/proc/thread-self/schedstat").ok()?)
}

fn parse(status: &str) -> Option<Duration> {
    Some(Duration::from_nanos(status.split(' ').next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_first_number() {
        assert_eq!(parse("1500 20 3\n"), Some(Duration::from_nanos(1500)));
        assert_eq!((parse(""), parse("x 1 2")), (None, None));
    }
}
