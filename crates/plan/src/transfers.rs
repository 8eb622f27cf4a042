use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Named;

/// How oblivious transfers are extended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransferExtension {
    /// By SoftSpokenOT, with the `k` of the security parameters.
    #[default]
    SoftSpoken,
    /// Silently, for up to some hundred thousand transfers.
    SilentSmall,
    /// Silently, for millions of transfers.
    SilentLarge,
}

impl TransferExtension {
    /// The name in reports and in errors where parties differ.
    pub const fn name(self) -> &'static str {
        match self {
            TransferExtension::SoftSpoken => "softspoken",
            TransferExtension::SilentSmall => "silent-small",
            TransferExtension::SilentLarge => "silent-large",
        }
    }
}

impl fmt::Display for TransferExtension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The extension that a user asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TransferChoice {
    /// Whichever is soonest over the [`Link`] for the transfers of the run.
    #[default]
    Auto,
    /// [`TransferExtension::SoftSpoken`].
    SoftSpoken,
    /// The silent extension that is soonest for the transfers of the run.
    Silent,
}

impl Named for TransferChoice {
    const ALL: &'static [TransferChoice] =
        &[TransferChoice::Auto, TransferChoice::SoftSpoken, TransferChoice::Silent];

    fn name(self) -> &'static str {
        match self {
            TransferChoice::Auto => "auto",
            TransferChoice::SoftSpoken => "softspoken",
            TransferChoice::Silent => "silent",
        }
    }
}

/// The link that a plan is made for. It is the same at both parties; the link of the run may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Link {
    /// Bits a second in one direction.
    pub bits_per_second: u64,
    /// Microseconds of a round trip.
    pub round_us: u64,
}

impl Link {
    /// Two processes of one machine.
    pub const LOOPBACK: Link = Link { bits_per_second: 20_000_000_000, round_us: 50 };
    /// Two sites of one region.
    pub const SITES: Link = Link { bits_per_second: 250_000_000, round_us: 10_000 };

    /// A link of this bandwidth with this one-way latency.
    pub fn one_way(bits_per_second: u64, latency: Duration) -> Link {
        let round_us = u64::try_from(2 * latency.as_nanos() / 1000).unwrap_or(u64::MAX);
        Link { bits_per_second, round_us }
    }
}

/// Approximate time to make and use a byte: a garbled AND of 32 bytes takes some 30 ns.
const BYTE_PICOSECONDS: u128 = 1000;

impl Link {
    /// Approximate time of a byte, including the computing for it.
    pub(crate) fn byte_picoseconds(self) -> u128 {
        BYTE_PICOSECONDS + 8_000_000_000_000 / u128::from(self.bits_per_second.max(1))
    }

    /// Bits that each party sends and computes in the time of a round.
    pub(crate) fn round_bits(self) -> u64 {
        // Times are those of the bytes of both parties.
        let bytes = u128::from(self.round_us) * 1_000_000 / self.byte_picoseconds() / 2;
        u64::try_from(8 * bytes).unwrap_or(u64::MAX)
    }
}

impl Default for Link {
    fn default() -> Link {
        Link::SITES
    }
}

impl fmt::Display for Link {
    /// Bandwidth and one-way latency.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mbit, ms) = (self.bits_per_second as f64 / 1e6, self.round_us as f64 / 2e3);
        write!(f, "{mbit} Mbit/s, {ms} ms one way")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_told_by_the_time_one_way() {
        let link = Link::one_way(250_000_000, Duration::from_millis(5));
        assert_eq!((link, &link.to_string()[..]), (Link::SITES, "250 Mbit/s, 5 ms one way"));
        let link = Link::one_way(64_000, Duration::from_nanos(500));
        assert_eq!((link.round_us, &link.to_string()[..]), (1, "0.064 Mbit/s, 0.0005 ms one way"));
        assert_eq!(Link::one_way(1, Duration::MAX).round_us, u64::MAX);
    }
}
