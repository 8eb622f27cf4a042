use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How oblivious transfers are extended. Reactive sessions always extend theirs by SoftSpokenOT.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transfers {
    /// By SoftSpokenOT, with the `k` of the security parameters.
    #[default]
    SoftSpoken,
    /// Silently, for up to some hundred thousand.
    SilentSmall,
    /// Silently, for millions.
    SilentLarge,
}

impl Transfers {
    /// The name in reports and where the parties differ.
    pub const fn name(self) -> &'static str {
        match self {
            Transfers::SoftSpoken => "softspoken",
            Transfers::SilentSmall => "silent-small",
            Transfers::SilentLarge => "silent-large",
        }
    }
}

impl fmt::Display for Transfers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The extension that a user asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TransferChoice {
    /// Whichever makes what a run takes soonest over the [`Link`].
    #[default]
    Auto,
    /// [`Transfers::SoftSpoken`].
    SoftSpoken,
    /// The silent one that makes what a run takes soonest.
    Silent,
}

impl TransferChoice {
    /// All of them.
    pub const ALL: [TransferChoice; 3] =
        [TransferChoice::Auto, TransferChoice::SoftSpoken, TransferChoice::Silent];

    /// The name in session files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            TransferChoice::Auto => "auto",
            TransferChoice::SoftSpoken => "softspoken",
            TransferChoice::Silent => "silent",
        }
    }
}

/// There is no extension of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are no transfers \"{0}\": \"auto\", \"softspoken\" or \"silent\"")]
pub struct UnknownTransfers(String);

impl FromStr for TransferChoice {
    type Err = UnknownTransfers;

    fn from_str(name: &str) -> Result<TransferChoice, UnknownTransfers> {
        let found = TransferChoice::ALL.into_iter().find(|choice| choice.name() == name);
        found.ok_or_else(|| UnknownTransfers(name.to_owned()))
    }
}

/// The link that a plan is made for. The same at both parties; that of a run may be another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Link {
    /// Bits a second in one direction.
    pub bits_per_second: u64,
    /// Microseconds there and back.
    pub round_us: u64,
}

impl Link {
    /// Two processes of one machine.
    pub const LOOPBACK: Link = Link { bits_per_second: 20_000_000_000, round_us: 50 };
    /// Two sites of one region.
    pub const SITES: Link = Link { bits_per_second: 250_000_000, round_us: 10_000 };
}

/// Time to make a byte and to use it, about: a garbled AND of 32 bytes takes some 30 ns.
const BYTE_PICOSECONDS: u128 = 1000;

impl Link {
    /// About how long a byte takes, with what is computed for it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for choice in TransferChoice::ALL {
            assert_eq!(choice.name().parse(), Ok(choice));
        }
        assert!("ferret".parse::<TransferChoice>().unwrap_err().to_string().contains("silent"));
    }
}
