/// Peak resident memory of this process so far, in bytes, if the system reports it.
pub fn peak_bytes() -> Option<u64> {
    parse(&std::fs::read_to_string("/proc/self/status").ok()?)
}

fn parse(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_high_water_mark() {
        assert_eq!(parse("Name:\tx\nVmHWM:\t   12 kB\nVmRSS:\t 1 kB\n"), Some(12 * 1024));
        assert_eq!(parse("VmHWM:\t 12\n"), None);
        assert_eq!(parse(""), None);
    }
}
