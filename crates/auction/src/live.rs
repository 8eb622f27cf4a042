//! The leader while a price is live, and the sealed bids to ask next.
//!
//! Manual bidders raise the price openly to a price of the ladder. A sealed bid raises it by one step of the ladder, for its absent
//! bidder. Whoever set the price leads. Sealed bids that do not lead are asked whether they are at least the next price of the
//! ladder. Bids that are lower are out for good; of the others, the one accepted first leads, at that price. A sealed bid that
//! was outbid is asked again with the others. When no bid is left to ask, or the ladder has ended, the price stands.
//!
//! Source: Geisler, "Cryptographic protocols: theory and implementation", 2010, section 2.1: each time the bid goes up, it becomes known
//! whether a client "wants to raise the bid, say by some fixed amount agreed in advance". Here that amount is a step of the ladder.

/// The bidder who has set the price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leader {
    /// A manual bidder: the number of its raise, in order of acceptance.
    Manual(usize),
    /// A sealed bid, in order of acceptance.
    Sealed(usize),
}

/// A live price.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Floor {
    /// The price, as an index in the ladder; `None` before the first.
    pub price: Option<usize>,
    /// Who pays it if nobody raises it.
    pub leader: Option<Leader>,
    /// Sealed bids that are not out and do not lead, in order of acceptance.
    pub challengers: Vec<usize>,
}

impl Floor {
    /// The next price of a ladder with `prices` prices, if there is a bid to ask.
    pub fn next(&self, prices: usize) -> Option<usize> {
        let next = self.price.map_or(0, |price| price + 1);
        (next < prices && !self.challengers.is_empty()).then_some(next)
    }

    /// Adds a sealed bid.
    pub fn enter(&mut self, bid: usize) {
        let place = self.challengers.partition_point(|other| *other < bid);
        self.challengers.insert(place, bid);
    }

    /// A manual bidder sets a price, if it is above the present one.
    pub fn raise(&mut self, price: usize, raise: usize) -> bool {
        let higher = self.price.is_none_or(|present| price > present);
        if higher {
            self.lead(price, Leader::Manual(raise));
        }
        higher
    }

    /// Takes the answers: for each challenger, whether it is at least the next price.
    pub fn answer(&mut self, still_in: &[bool]) {
        let mut answers = still_in.iter();
        self.challengers.retain(|_| answers.next() == Some(&true));
        if !self.challengers.is_empty() {
            let first = self.challengers.remove(0);
            self.lead(self.price.map_or(0, |price| price + 1), Leader::Sealed(first));
        }
    }

    /// Whether a sealed bid is not out.
    pub fn has(&self, bid: usize) -> bool {
        self.leader == Some(Leader::Sealed(bid)) || self.challengers.binary_search(&bid).is_ok()
    }

    fn lead(&mut self, price: usize, leader: Leader) {
        if let Some(Leader::Sealed(outbid)) = self.leader.replace(leader) {
            self.enter(outbid);
        }
        self.price = Some(price);
    }
}

/// An event of an auction with a live price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A sealed bid of this maximum is accepted.
    Bid(u64),
    /// A manual bidder raises the price to this index of the ladder.
    Raise(usize),
}

/// The outcome of these events in the clear, if all bids are asked after each: the leader at the end, and the index of its price in the
/// ladder. The servers must find the same without seeing the bids. Raises that are not above the price are refused.
pub fn live_in_the_clear(events: &[Event], prices: &[u64]) -> Option<(Leader, usize)> {
    let (mut floor, mut bids, mut raises) = (Floor::default(), Vec::new(), 0);
    for event in events {
        match event {
            Event::Bid(maximum) => {
                floor.enter(bids.len());
                bids.push(*maximum);
            }
            Event::Raise(price) => raises += usize::from(floor.raise(*price, raises)),
        }
        while let Some(next) = floor.next(prices.len()) {
            let still_in: Vec<bool> =
                floor.challengers.iter().map(|bid| bids[*bid] >= prices[next]).collect();
            floor.answer(&still_in);
        }
    }
    Some((floor.leader?, floor.price?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Event::{Bid, Raise};

    const PRICES: [u64; 4] = [10, 20, 30, 40];

    #[test]
    fn bids_raise_by_one_step_and_the_first_to_offer_a_price_has_it() {
        let of = |events: &[Event]| live_in_the_clear(events, &PRICES);
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[Bid(9)]), None);
        assert_eq!(of(&[Bid(35)]), Some((Leader::Sealed(0), 0)));
        assert_eq!(of(&[Bid(35), Bid(12)]), Some((Leader::Sealed(0), 0)));
        assert_eq!(of(&[Bid(35), Bid(25)]), Some((Leader::Sealed(0), 2)));
        assert_eq!(of(&[Bid(25), Bid(45)]), Some((Leader::Sealed(1), 1)));
        assert_eq!(of(&[Raise(0), Raise(0)]), Some((Leader::Manual(0), 0)), "a price is set once");
        assert_eq!(of(&[Bid(35), Raise(1)]), Some((Leader::Sealed(0), 2)));
        assert_eq!(of(&[Bid(35), Raise(2)]), Some((Leader::Manual(0), 2)), "the bid is below the next price");
        assert_eq!(of(&[Bid(99), Raise(3)]), Some((Leader::Manual(0), 3)), "the ladder has ended");
        assert_eq!(of(&[Raise(1), Bid(29), Bid(30)]), Some((Leader::Sealed(1), 2)));
    }

    /// Whoever leads pays no more than it offered, and nobody else offers the next price.
    #[test]
    fn in_the_end_nobody_raises_the_price_of_the_leader() {
        let all: Vec<Event> = [5, 10, 25, 39, 99].into_iter().map(Bid).chain((0..4).map(Raise)).collect();
        for code in 0..all.len().pow(4) {
            let events: Vec<Event> = (0..4).map(|i| all[code / all.len().pow(i) % all.len()]).collect();
            let bids: Vec<u64> = events
                .iter()
                .filter_map(|event| if let Bid(bid) = event { Some(*bid) } else { None })
                .collect();
            let Some((leader, price)) = live_in_the_clear(&events, &PRICES) else {
                assert!(bids.iter().all(|bid| *bid < 10) && bids.len() == 4, "{events:?}");
                continue;
            };
            let others = bids.iter().enumerate().filter(|(bid, _)| leader != Leader::Sealed(*bid));
            let next = PRICES.get(price + 1).copied().unwrap_or(u64::MAX);
            assert!(others.into_iter().all(|(_, bid)| *bid < next), "{events:?}");
            assert!(
                events.iter().all(|event| !matches!(event, Raise(raised) if *raised > price)),
                "{events:?}"
            );
            if let Leader::Sealed(bid) = leader {
                assert!(bids[bid] >= PRICES[price], "{events:?}");
            }
        }
    }
}
