//! Metrics for Prometheus. They are only counts, and identify no bid.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// One counter for each name.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    pub requests: Count,
    pub refused_requests: Count,
    pub halves: Count,
    pub accepted: Count,
    pub refused: Count,
    pub raises: Count,
    pub checked: Count,
    pub invalid: Count,
    pub comparisons: Count,
    pub link_starts: Count,
    pub link_failures: Count,
}

/// A number that only grows.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    pub fn add(&self, count: usize) {
        self.0.fetch_add(count as u64, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Metrics {
    /// The text format, with further numbers as gauges.
    pub fn text(&self, gauges: &[(&str, &str, u64)]) -> String {
        let counters = [
            ("requests_total", "Requests that were answered", &self.requests),
            (
                "requests_refused_total",
                "Requests that were refused before they reached an auction",
                &self.refused_requests,
            ),
            ("halves_total", "Halves of bids that were stored", &self.halves),
            ("bids_accepted_total", "Bids accepted by both servers", &self.accepted),
            (
                "bids_refused_total",
                "Bids and raises refused by both servers after a half or raise was stored",
                &self.refused,
            ),
            ("raises_total", "Raises of a live price by manual bidders", &self.raises),
            ("bids_checked_total", "Bids whose halves were checked", &self.checked),
            ("bids_invalid_total", "Bids whose halves do not decode to bits", &self.invalid),
            ("comparisons_total", "Comparisons of a bid and a price", &self.comparisons),
            ("link_starts_total", "Sessions with the other server", &self.link_starts),
            (
                "link_failures_total",
                "Sessions with the other server that failed or could not be established",
                &self.link_failures,
            ),
        ];
        let mut text = String::new();
        let counters = counters.map(|(name, help, count)| (name, help, count.get(), "counter"));
        let gauges = gauges.iter().map(|(name, help, value)| (*name, *help, *value, "gauge"));
        for (name, help, value, kind) in counters.into_iter().chain(gauges) {
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "# HELP tacit_auction_{name} {help}.\n# TYPE tacit_auction_{name} {kind}\ntacit_auction_{name} {value}\n"
            );
        }
        text
    }
}
