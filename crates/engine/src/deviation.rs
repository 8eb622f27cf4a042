//! Finds phases that took another time than predicted, and the reasons.

use serde::{Deserialize, Serialize};
use tacit_plan::{Link, PhaseTime};

/// A phase that took longer or shorter than predicted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deviation {
    /// Its name.
    pub phase: String,
    /// Seconds that were predicted.
    pub predicted_seconds: f64,
    /// Seconds that it took.
    pub seconds: f64,
    /// The reason, as far as it is known.
    pub reason: String,
}

/// The times of a phase, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct PhaseSeconds<'a> {
    /// The phase's name.
    pub phase: &'a str,
    /// The whole phase.
    pub all: f64,
    /// Waiting for the network and the peer.
    pub network: f64,
    /// The rest.
    pub compute: f64,
    /// The part of that in which this party had a processor, if the system reports it.
    pub processor: Option<f64>,
}

/// Differences below this part of the prediction are not reported.
const TOLD: f64 = 0.15;
/// Nor are those below this many seconds, which scheduling causes.
const LEAST_SECONDS: f64 = 2e-3;

impl PhaseSeconds<'_> {
    /// The deviation of the phase from a prediction for a link, if it is large enough to be reported.
    pub fn deviation(self, predicted: PhaseTime, link: Link) -> Option<Deviation> {
        let (expected, found) = (predicted.seconds(), self.all);
        let difference = (found - expected).abs();
        if expected == 0.0 || difference <= (TOLD * expected).max(LEAST_SECONDS) {
            return None;
        }
        let reason = self.reason(predicted, link);
        Some(Deviation { phase: self.phase.to_owned(), predicted_seconds: expected, seconds: found, reason })
    }

    /// The part of the phase that differs most from its prediction.
    fn reason(self, predicted: PhaseTime, link: Link) -> String {
        let computing = predicted.computing_ns as f64 * 1e-9;
        let network = predicted.sending_ns.saturating_add(predicted.waiting_ns) as f64 * 1e-9;
        let used = self.processor.unwrap_or(self.compute);
        let kept = self.compute - used;
        let (by_computing, by_network) = (used - computing, self.network - network);
        if kept > by_computing.abs().max(by_network.abs()) {
            return format!("other work kept the processor busy for {kept:.3} s");
        }
        if by_computing.abs() >= by_network.abs() {
            let computed =
                if self.processor.is_some() { "computed" } else { "computed, or had no processor," };
            return format!(
                "this party {computed} for {used:.3} s where the profile says {computing:.3} s; `tacit calibrate` measures a machine"
            );
        }
        format!(
            "this party waited for the network and for others for {:.3} s where {network:.3} s were planned on a link of {link}",
            self.network
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(all: f64, network: f64, processor: Option<f64>) -> PhaseSeconds<'static> {
        PhaseSeconds { phase: "online", all, network, compute: all - network, processor }
    }

    #[test]
    fn the_part_that_differs_most_is_the_reason() {
        let predicted =
            PhaseTime { computing_ns: 500_000_000, sending_ns: 400_000_000, waiting_ns: 100_000_000 };
        let of = |phase: PhaseSeconds<'_>| {
            let found = phase.deviation(predicted, Link::SITES);
            found.map(|found| found.reason)
        };
        assert_eq!(of(phase(1.1, 0.5, Some(0.6))), None);
        let cases = [
            (phase(2.0, 0.5, Some(1.5)), "computed for 1.500 s where the profile says 0.500 s"),
            (phase(2.0, 0.5, Some(0.5)), "other work kept the processor busy for 1.000 s"),
            (phase(2.0, 1.5, Some(0.5)), "waited for the network and for others for 1.500 s where 0.500 s"),
            (phase(0.6, 0.5, None), "computed, or had no processor, for 0.100 s"),
        ];
        for (phase, words) in cases {
            let reason = of(phase).unwrap();
            assert!(reason.contains(words), "{reason}");
        }
    }

    #[test]
    fn nothing_is_said_of_what_was_not_predicted() {
        let of = |phase: PhaseSeconds<'_>, predicted| phase.deviation(predicted, Link::SITES);
        assert_eq!(of(phase(3.0, 1.0, None), PhaseTime::default()), None);
        let short = PhaseTime { computing_ns: 100_000, ..PhaseTime::default() };
        assert_eq!(of(phase(0.001, 0.0, None), short), None);
    }
}
