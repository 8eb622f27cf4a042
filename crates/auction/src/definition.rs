//! The definition of an auction: its title, prices and deadline. An auction opens only if both servers have the same definition in a file.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::AuctionError;
use crate::constants::{MAX_BIDS, MAX_PRICES};

/// How the price of an auction moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It climbs the ladder after the deadline, with sealed bids only.
    #[default]
    Ladder,
    /// It is live until the deadline: manual bidders raise it openly, and sealed bids raise it for bidders who are away.
    Live,
}

/// A definition, which is public.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Its name in URLs: 1 to 40 lower-case letters, digits and hyphens.
    pub id: String,
    /// The title that bidders see.
    pub title: String,
    /// The unit of prices, such as `EUR`.
    pub unit: String,
    /// How the price moves.
    #[serde(default)]
    pub kind: Kind,
    /// The end of bidding, in seconds since 1970.
    pub deadline: u64,
    /// The prices, each higher than the one before. The first is the least at which the auction sells.
    pub prices: Vec<u64>,
    /// Milliseconds from one price to the next.
    #[serde(default)]
    pub interval_ms: u64,
    /// Maximum number of bids.
    #[serde(default = "most_bids")]
    pub most_bids: u32,
}

fn most_bids() -> u32 {
    10_000
}

impl Definition {
    /// Reads a file.
    ///
    /// # Errors
    /// [`AuctionError::File`] and [`AuctionError::Definition`], both with the file's name.
    pub fn load(path: &Path, bits: u32) -> Result<Definition, AuctionError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| AuctionError::File { file: path.into(), source })?;
        let fault = |reason: String| AuctionError::Definition { file: path.display().to_string(), reason };
        let definition: Definition = toml::from_str(&text).map_err(|error| fault(error.to_string()))?;
        definition.check(bits).map_err(fault)?;
        Ok(definition)
    }

    /// Checks that prices are increasing numbers of `bits` bits and that everything else is within its limits. The error says what is wrong.
    pub fn check(&self, bits: u32) -> Result<(), String> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.id.is_empty() || self.id.len() > 40 || !self.id.chars().all(plain) {
            return Err("id: 1 to 40 lower-case letters, digits and hyphens are expected".into());
        }
        if self.title.len() > 200 || self.unit.len() > 20 {
            return Err("title: at most 200 bytes; unit: at most 20 bytes".into());
        }
        if self.prices.is_empty() || self.prices.len() > MAX_PRICES {
            return Err(format!("prices: 1 to {MAX_PRICES} are expected"));
        }
        if let Some(pair) = self.prices.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(format!("prices: {} is not above {}, the price before it", pair[1], pair[0]));
        }
        let highest = self.prices[self.prices.len() - 1];
        if bits < 64 && highest >> bits != 0 {
            return Err(format!("prices: {highest} has more than {bits} bits"));
        }
        if self.most_bids == 0 || self.most_bids > MAX_BIDS {
            return Err(format!("most_bids: 1 to {MAX_BIDS} are expected"));
        }
        match self.deadline.checked_mul(1000) {
            Some(_) => Ok(()),
            None => Err("deadline: seconds since 1970 are expected".into()),
        }
    }

    /// The deadline in milliseconds.
    pub fn deadline_ms(&self) -> u64 {
        self.deadline.saturating_mul(1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn definition() -> Definition {
        Definition {
            id: "vase-1".into(),
            title: "A vase".into(),
            unit: "EUR".into(),
            kind: Kind::Ladder,
            deadline: 1_900_000_000,
            prices: vec![10, 20, 30],
            interval_ms: 0,
            most_bids: 10,
        }
    }

    #[test]
    fn faults_are_named() {
        let fault = |change: &dyn Fn(&mut Definition)| {
            let mut changed = definition();
            change(&mut changed);
            changed.check(8).unwrap_err()
        };
        definition().check(8).unwrap();
        assert!(fault(&|d| d.id = "Vase".into()).contains("id"));
        assert!(fault(&|d| d.id = String::new()).contains("id"));
        assert!(fault(&|d| d.prices = vec![]).contains("prices"));
        assert!(fault(&|d| d.prices = vec![1, 1]).contains("not above"));
        assert!(fault(&|d| d.prices = vec![1, 256]).contains("8 bits"));
        assert!(fault(&|d| d.most_bids = 0).contains("most_bids"));
        assert!(fault(&|d| d.deadline = u64::MAX).contains("deadline"));
        assert!(fault(&|d| d.title = "x".repeat(201)).contains("title"));
    }
}
