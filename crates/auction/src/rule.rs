//! The winner of an auction, and what it pays.
//!
//! The price climbs the ladder. A bid is in while it is at least the price. At the first price at which only one bid is in, that bid wins
//! and pays this price. If all remaining bids drop out at once, or several are in when the ladder ends, then among
//! the bids that were in last, the one accepted first wins, at the last price at which they were in.

/// The outcome of an auction after some prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The next price must be asked.
    Open,
    /// No bid reached the first price.
    Unsold,
    /// The index of the bid that won, in order of acceptance, and the index of the price that it pays.
    Sold {
        /// Which bid.
        bid: usize,
        /// Which price.
        price: usize,
    },
}

/// The outcome after the prices so far. `in_at` has, for each price, the bids that were in, in order of acceptance; the ladder has `prices` prices.
pub fn outcome(in_at: &[Vec<usize>], prices: usize) -> Outcome {
    let Some((last, before)) = in_at.split_last() else { return Outcome::Open };
    match (last.as_slice(), before.last()) {
        ([], None) => Outcome::Unsold,
        ([], Some(earlier)) => Outcome::Sold { bid: earlier[0], price: before.len() - 1 },
        ([only], _) => Outcome::Sold { bid: *only, price: before.len() },
        ([first, ..], _) if in_at.len() == prices => Outcome::Sold { bid: *first, price: before.len() },
        _ => Outcome::Open,
    }
}

/// The outcome for bids in the clear, in order of acceptance: the result that the servers must find without seeing the bids.
pub fn outcome_in_the_clear(bids: &[u64], prices: &[u64]) -> Outcome {
    let mut in_at: Vec<Vec<usize>> = Vec::new();
    for price in prices {
        in_at.push((0..bids.len()).filter(|bid| bids[*bid] >= *price).collect());
        match outcome(&in_at, prices.len()) {
            Outcome::Open => {}
            found => return found,
        }
    }
    Outcome::Unsold
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_in_pays_the_first_price_at_which_it_is_alone() {
        let prices = [10, 20, 30, 40];
        let of = |bids: &[u64]| outcome_in_the_clear(bids, &prices);
        assert_eq!(of(&[]), Outcome::Unsold);
        assert_eq!(of(&[9, 5]), Outcome::Unsold);
        assert_eq!(of(&[10]), Outcome::Sold { bid: 0, price: 0 });
        assert_eq!(of(&[15, 39, 20]), Outcome::Sold { bid: 1, price: 2 });
        assert_eq!(of(&[15, 29, 21]), Outcome::Sold { bid: 1, price: 1 });
        assert_eq!(of(&[5, 90, 80]), Outcome::Sold { bid: 1, price: 3 });
    }
}
