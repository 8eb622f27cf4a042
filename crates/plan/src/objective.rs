use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Named;

/// The quantity that a plan minimises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Objective {
    /// Time of setup and online together.
    #[default]
    Total,
    /// Time from inputs to outputs; among equals, time of setup too.
    Online,
    /// Bytes of both parties; among equals, time.
    Bytes,
    /// The price of the bytes and processors of both parties by a [`Tariff`]; among equals, time.
    Money,
    /// Bytes of memory of the party that takes more; among equals, time.
    Memory,
}

impl Named for Objective {
    const ALL: &'static [Objective] =
        &[Objective::Total, Objective::Online, Objective::Bytes, Objective::Money, Objective::Memory];

    fn name(self) -> &'static str {
        match self {
            Objective::Total => "total",
            Objective::Online => "online",
            Objective::Bytes => "bytes",
            Objective::Money => "money",
            Objective::Memory => "memory",
        }
    }
}

/// The prices of runs, in millionths of a currency. Both parties plan by the same tariff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tariff {
    /// Price of 10^9 bytes, whoever sends them.
    pub gigabyte: u64,
    /// Price of a processor for an hour.
    pub core_hour: u64,
}

/// Millionths of a whole.
const MILLION: u64 = 1_000_000;

impl Tariff {
    /// Digits of a price after its point.
    const DIGITS: usize = 6;

    /// Millionths of a price that is written as a decimal number.
    pub fn price(text: &str) -> Option<u64> {
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(part) || part.len() > Tariff::DIGITS {
            return None;
        }
        let whole = whole.parse::<u64>().ok()?.checked_mul(MILLION)?;
        whole.checked_add(format!("{part:0<width$}", width = Tariff::DIGITS).parse().ok()?)
    }

    /// Price of this many bytes and nanoseconds of processors, in millionths of millionths; saturates.
    pub(crate) fn cost(self, bytes: u64, processor_ns: u64) -> u64 {
        let bytes = u128::from(bytes) * u128::from(self.gigabyte) / 1000;
        let computing = u128::from(processor_ns) * u128::from(self.core_hour) / 3_600_000;
        u64::try_from(bytes.saturating_add(computing)).unwrap_or(u64::MAX)
    }
}

impl fmt::Display for Tariff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let price = |millionths: u64| millionths as f64 / MILLION as f64;
        write!(f, "{} a gigabyte and {} a core-hour", price(self.gigabyte), price(self.core_hour))
    }
}

/// The criterion that decides between plans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Goal {
    /// The quantity to minimise.
    pub objective: Objective,
    /// The prices of sending and computing.
    pub tariff: Tariff,
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.objective {
            Objective::Money => write!(f, "money, at {}", self.tariff),
            objective => f.write_str(objective.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_decimal_numbers() {
        let cases = [("0", 0), ("0.09", 90_000), ("12", 12 * MILLION), ("1.000001", MILLION + 1)];
        for (text, millionths) in cases {
            assert_eq!(Tariff::price(text), Some(millionths), "{text}");
        }
        for text in ["", ".", "1.", ".5", "-1", "+1", "1e3", "0.0000001", "99999999999999", "1.2.3", "1.+5"] {
            assert_eq!(Tariff::price(text), None, "{text}");
        }
    }

    #[test]
    fn bytes_and_processors_cost_what_the_tariff_says() {
        let tariff = Tariff { gigabyte: 90_000, core_hour: 40_000 };
        // A gigabyte, and half an hour of two processors.
        let pico = 1_000_000_000_000;
        assert_eq!(tariff.cost(1_000_000_000, 0), pico * 9 / 100);
        assert_eq!(tariff.cost(0, 3_600_000_000_000), pico * 4 / 100);
        assert_eq!(tariff.cost(u64::MAX, u64::MAX), u64::MAX);
        assert_eq!(tariff.to_string(), "0.09 a gigabyte and 0.04 a core-hour");
    }
}
