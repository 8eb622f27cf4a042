//! What making correlated randomness takes.

use std::iter::Sum;

/// What making correlated randomness takes. Numbers stay at the largest one rather than wrap: what is beyond counting is
/// beyond every limit that it is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Price {
    /// Random OTs in which the first, and in which the second party is the sender.
    pub ots: [u64; 2],
    /// Bytes of messages besides those of OTs that the first and that the second party sends. Exact.
    pub bytes: [u64; 2],
    /// How often a party flips from sending to receiving, about: once for each window of messages.
    pub flips: u64,
    /// Flips for OTs alone, where these are extended by SoftSpokenOT; silent ones take none.
    pub ot_flips: u64,
}

impl Price {
    /// What `times` as much takes, one after the other.
    pub fn times(self, times: u64) -> Price {
        let all = |count: u64| count.saturating_mul(times);
        let Price { ots, bytes, flips, ot_flips } = self;
        Price { ots: ots.map(all), bytes: bytes.map(all), flips: all(flips), ot_flips: all(ot_flips) }
    }

    /// The sum of this and `other`.
    pub fn and(self, other: Price) -> Price {
        let each = |x: [u64; 2], y: [u64; 2]| [x[0].saturating_add(y[0]), x[1].saturating_add(y[1])];
        Price {
            ots: each(self.ots, other.ots),
            bytes: each(self.bytes, other.bytes),
            flips: self.flips.saturating_add(other.flips),
            ot_flips: self.ot_flips.saturating_add(other.ot_flips),
        }
    }

    /// This, and the same with the parties exchanged.
    pub(super) fn both_ways(self) -> Price {
        let Price { ots: [x, y], bytes: [from_first, from_second], .. } = self;
        self.and(Price { ots: [y, x], bytes: [from_second, from_first], ..self })
    }

    /// What `count` pieces take that are made a `window` of them at a time, each window of so many at the price of `one`.
    pub(super) fn windows(count: u64, window: usize, one: impl Fn(u64) -> Price) -> Price {
        let (whole, rest) = (count / window as u64, count % window as u64);
        let last = if rest == 0 { Price::default() } else { one(rest) };
        one(window as u64).times(whole).and(last)
    }
}

impl Sum for Price {
    fn sum<I: Iterator<Item = Price>>(prices: I) -> Price {
        prices.fold(Price::default(), Price::and)
    }
}
