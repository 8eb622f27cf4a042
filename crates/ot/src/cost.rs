//! The costs of extensions, and the choice of the cheapest.

use crate::cot::Extension;
use crate::{ferret, softspoken};

/// A link between two parties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Bits per second in one direction.
    pub bits_per_second: f64,
    /// Seconds of a round trip.
    pub round_seconds: f64,
}

impl Link {
    /// Two processes of one machine.
    pub const LOOPBACK: Link = Link { bits_per_second: 20e9, round_seconds: 50e-6 };
}

impl Extension {
    /// All extensions; within each kind, those that compute least come first.
    pub fn all() -> impl Iterator<Item = Extension> {
        let silent = ferret::Params::ALL.into_iter().map(Extension::Ferret);
        softspoken::Params::ALL.into_iter().map(Extension::SoftSpoken).chain(silent)
    }

    /// Bytes of setup, base OTs included: those of the sender and those of the receiver. Exact.
    pub const fn setup_bytes(self) -> (u64, u64) {
        match self {
            Extension::SoftSpoken(params) => params.setup_bytes(),
            Extension::Ferret(params) => params.setup_bytes(),
        }
    }

    /// Bytes of setup from [`softspoken::BASE_OTS`] OTs of the other direction, without the cost of those OTs: bytes of
    /// the sender and of the receiver. Exact.
    pub const fn derived_bytes(self) -> (u64, u64) {
        match self {
            Extension::SoftSpoken(params) => (0, params.grown_bytes()),
            Extension::Ferret(params) => params.derived_bytes(),
        }
    }

    /// Bytes of the first `count` OTs after setup, all from one party. Exact.
    pub const fn bytes(self, count: u64) -> u64 {
        match self {
            Extension::SoftSpoken(params) => params.bytes(count),
            Extension::Ferret(params) => params.bytes(count),
        }
    }

    /// Seconds of one core of the slower party for an OT, measured on a server core of 2021 with vector AES of 256 bits
    /// (`make bench-ot`). Only the ratios between extensions matter.
    const fn seconds_per_ot(self) -> f64 {
        match self {
            Extension::SoftSpoken(softspoken::Params::K1 | softspoken::Params::K2) => 9e-9,
            Extension::SoftSpoken(softspoken::Params::K4) => 12e-9,
            Extension::SoftSpoken(softspoken::Params::K8) => 52e-9,
            Extension::Ferret(ferret::Params::Small) => 36e-9,
            Extension::Ferret(ferret::Params::Large) => 56e-9,
        }
    }

    /// Computing seconds and rounds of setup, without those of the base OTs.
    const fn setup_seconds(self) -> (f64, f64) {
        match self {
            Extension::SoftSpoken(_) => (0.0, 0.0),
            Extension::Ferret(ferret::Params::Small) => (8e-3, 1.0),
            Extension::Ferret(ferret::Params::Large) => (60e-3, 1.0),
        }
    }

    /// Predicted seconds from the start of setup, without base OTs, until `count` OTs are made over `link`: setup,
    /// then the slower of computing and sending, which happen at the same time.
    pub fn seconds(self, count: u64, link: Link) -> f64 {
        let (sender, receiver) = self.setup_bytes();
        let sending = |bytes: u64| 8.0 * bytes as f64 / link.bits_per_second;
        let (computing, rounds) = self.setup_seconds();
        let setup = computing + rounds * link.round_seconds + sending(sender + receiver);
        setup + (count as f64 * self.seconds_per_ot()).max(sending(self.bytes(count)))
    }

    /// The extension that makes `count` OTs over `link` soonest, by [`Extension::seconds`].
    ///
    /// A pure function: parties that agree on count and link agree on the extension.
    pub fn cheapest(count: u64, link: Link) -> Extension {
        let default = Extension::SoftSpoken(softspoken::Params::default());
        Extension::all().fold(default, |best, other| {
            if other.seconds(count, link) < best.seconds(count, link) { other } else { best }
        })
    }
}

impl From<softspoken::Params> for Extension {
    fn from(params: softspoken::Params) -> Extension {
        Extension::SoftSpoken(params)
    }
}

impl From<ferret::Params> for Extension {
    fn from(params: ferret::Params) -> Extension {
        Extension::Ferret(params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(bits_per_second: f64, round_seconds: f64) -> Link {
        Link { bits_per_second, round_seconds }
    }

    #[test]
    fn few_ots_are_not_worth_silence_and_many_on_narrow_links_are() {
        let (cloud, narrow) = (link(70e6, 0.17), link(10e6, 0.17));
        let few = Extension::cheapest(1000, cloud);
        assert!(matches!(few, Extension::SoftSpoken(_)), "{few:?}");
        for count in [10_000_000, 1_000_000_000] {
            let on_cloud = Extension::cheapest(count, cloud);
            assert!(matches!(on_cloud, Extension::Ferret(_)), "{on_cloud:?}");
            assert_eq!(Extension::cheapest(count, narrow), Extension::Ferret(ferret::Params::Large));
            let loopback = Extension::cheapest(count, Link::LOOPBACK);
            assert!(matches!(loopback, Extension::SoftSpoken(_)), "{loopback:?}");
        }
        let some = Extension::cheapest(300_000, link(5e6, 0.01));
        assert_eq!(some, Extension::Ferret(ferret::Params::Small));
    }

    #[test]
    fn the_choice_is_never_worse_than_another() {
        for count in [0, 1, 5000, 40_000, 1 << 20, 1 << 26, 1 << 40] {
            for link in [Link::LOOPBACK, link(1e9, 1e-3), link(70e6, 0.17), link(1e5, 1.0)] {
                let chosen = Extension::cheapest(count, link).seconds(count, link);
                assert!(Extension::all().all(|other| chosen <= other.seconds(count, link)));
            }
        }
    }

    #[test]
    fn more_ots_never_cost_less() {
        for extension in Extension::all() {
            let costs: Vec<f64> = (0..40).map(|i| extension.seconds(1 << i, link(70e6, 0.17))).collect();
            assert!(costs.windows(2).all(|pair| pair[0] <= pair[1]), "{extension:?}: {costs:?}");
        }
    }
}
