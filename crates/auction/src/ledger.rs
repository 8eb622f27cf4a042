//! The decisions of both servers: a log of public entries, and the state that follows from it.
//!
//! Server A writes entries; server B accepts each only if it follows the rules here, which both apply. A restart reads the log
//! again. Each entry continues a chain of hashes, so two logs of which neither is a prefix of the other have different hashes. The log is also
//! the audit log: it has the names of bids, which are random, and decisions.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::constants::{MAX_BATCH, MAX_REFUSED};
use crate::definition::{Definition, Kind};
use crate::live::{Floor, Leader};
use crate::name::Name;
use crate::raise::{About, Raise};
use crate::receipt::Digits;
use crate::rule::{Outcome, outcome};
use crate::terms;

/// A decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// The first entry: the keys and parameters of all later entries.
    Meet {
        /// BLAKE3 of the DGK key.
        key: String,
        /// Bits of bids, sizes of the key, and the servers' keys for their link.
        parameters: String,
    },
    /// An auction, whose definition both servers have, begins to take bids.
    Open {
        /// The definition.
        definition: Definition,
    },
    /// Bids of which both servers have a half.
    Accept {
        /// The auction.
        auction: String,
        /// In order of acceptance.
        bids: Vec<Name>,
    },
    /// Bids that will never be accepted.
    Refuse {
        /// The auction.
        auction: String,
        /// Which.
        bids: Vec<Name>,
        /// Why.
        reason: Reason,
    },
    /// The deadline has passed at both servers.
    Close {
        /// The auction.
        auction: String,
    },
    /// Whether halves of accepted bids decode to bits.
    Check {
        /// The auction.
        auction: String,
        /// The next bids that were not checked yet, in order of acceptance.
        bids: Vec<Name>,
        /// A verdict for each.
        valid: Vec<bool>,
    },
    /// A price was asked: in a ladder auction of all bids that are in, with a live price of those that do not lead.
    Price {
        /// The auction.
        auction: String,
        /// Which price of the ladder, from 0.
        index: usize,
        /// For each bid that was asked, in order of acceptance, whether it is still in.
        still_in: Vec<bool>,
    },
    /// A manual bidder raised a live price. Both servers have its raise.
    Raise {
        /// The auction.
        auction: String,
        /// The raise, with its bidder's signature.
        raise: Raise,
    },
}

/// Why a bid was refused after a server had stored its half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The other half did not come.
    OneHalf,
    /// The deadline had passed at one server.
    Late,
    /// The auction takes no more bids.
    Full,
    /// The price is already as high, or higher.
    Outbid,
}

/// An entry with its place and time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// From 1.
    pub sequence: u64,
    /// Server A's time, in milliseconds since 1970.
    pub time: u64,
    /// What was decided.
    pub entry: Entry,
}

impl Record {
    /// The bytes that are stored, sent and hashed.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Into memory, of types that postcard knows: it cannot fail.
        postcard::to_stdvec(self).unwrap_or_default()
    }

    /// The record of these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Record> {
        postcard::from_bytes(bytes).ok()
    }

    /// The hash of the chain up to this record.
    pub fn continue_chain(&self, chain: &[u8; 32]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 chain of an auction's log, version 1");
        hasher.update(chain).update(&self.to_bytes());
        *hasher.finalize().as_bytes()
    }
}

/// The final status of a bid or raise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Accepted: its place in order of acceptance.
    Accepted(usize),
    /// Refused for good.
    Refused(Reason),
    /// A raise that set the price: which one, in order of acceptance.
    Raised(usize),
}

/// A bid that was accepted.
#[derive(Clone, Debug)]
pub struct Bid {
    /// Its name.
    pub name: Name,
    /// The verdict on its halves, once there is one.
    pub valid: Option<bool>,
}

/// Who has won.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winner {
    /// A sealed bid, by its name.
    Sealed(Name),
    /// A manual bidder, by its key.
    Manual(Digits<32>),
}

impl std::fmt::Display for Winner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Winner::Sealed(name) => name.fmt(f),
            Winner::Manual(bidder) => f.write_str(&crate::name::to_hex(&bidder.0)),
        }
    }
}

/// The state of an auction.
#[derive(Clone, Debug)]
pub struct Auction {
    /// Its definition.
    pub definition: Definition,
    /// Bids in order of acceptance.
    pub bids: Vec<Bid>,
    /// Whether no more bids are taken.
    pub closed: bool,
    /// How many bids are checked; they are checked in order.
    pub checked: usize,
    /// For each price that was asked, which bids were in.
    pub in_at: Vec<Vec<usize>>,
    /// Who leads while the price is live.
    pub floor: Floor,
    /// Bidders whose raises set a live price.
    pub raises: Vec<Digits<32>>,
    /// How a live price has moved: indices of the ladder, and who set them.
    pub moves: Vec<(usize, Leader)>,
    /// When the last price was asked or raised, or the auction was closed.
    pub moved: u64,
    refused: usize,
    /// The number of the last entry about the auction.
    pub last_entry: u64,
}

impl Auction {
    /// Which bids are in.
    pub fn inside(&self) -> Vec<usize> {
        let known = match self.definition.kind {
            Kind::Ladder => self.in_at.last().cloned(),
            Kind::Live => Some((0..self.bids.len()).filter(|bid| self.floor.has(*bid)).collect()),
        };
        known.unwrap_or_else(|| (0..self.bids.len()).filter(|i| self.bids[*i].valid == Some(true)).collect())
    }

    /// Which bids the next price is asked of.
    pub fn asked_of(&self) -> Vec<usize> {
        match self.definition.kind {
            Kind::Ladder => self.inside(),
            Kind::Live => self.floor.challengers.clone(),
        }
    }

    /// The price to ask next, if there is one: in a ladder auction only after it is closed and all bids are checked.
    pub fn next_price(&self) -> Option<usize> {
        match self.definition.kind {
            Kind::Ladder => {
                (self.all_checked() && self.ladder() == Outcome::Open).then_some(self.in_at.len())
            }
            Kind::Live => self.floor.next(self.definition.prices.len()),
        }
    }

    /// The present price, as an index of the ladder.
    pub fn price(&self) -> Option<usize> {
        match self.definition.kind {
            Kind::Ladder => self.in_at.len().checked_sub(1),
            Kind::Live => self.floor.price,
        }
    }

    /// Whether nothing more happens.
    pub fn ended(&self) -> bool {
        match self.definition.kind {
            Kind::Ladder => self.closed && self.ladder() != Outcome::Open,
            Kind::Live => self.all_checked() && self.next_price().is_none(),
        }
    }

    /// Who has won, and at which index of the ladder, once the auction has ended.
    pub fn winner(&self) -> Option<(Winner, usize)> {
        if !self.ended() {
            return None;
        }
        match self.definition.kind {
            Kind::Ladder => match self.ladder() {
                Outcome::Sold { bid, price } => Some((Winner::Sealed(self.bids[bid].name), price)),
                Outcome::Open | Outcome::Unsold => None,
            },
            Kind::Live => Some((self.leader()?, self.floor.price?)),
        }
    }

    /// Who leads at a live price.
    pub fn leader(&self) -> Option<Winner> {
        self.floor.leader.map(|leader| self.who(leader))
    }

    /// A leader by its name or key.
    pub fn who(&self, leader: Leader) -> Winner {
        match leader {
            Leader::Sealed(bid) => Winner::Sealed(self.bids[bid].name),
            Leader::Manual(raise) => Winner::Manual(self.raises[raise]),
        }
    }

    /// The index in the ladder of a price that a manual bidder may set now.
    pub fn may_raise_to(&self, price: u64) -> Option<usize> {
        let index = self.definition.prices.binary_search(&price).ok()?;
        let live = self.definition.kind == Kind::Live && !self.closed;
        (live && self.floor.price.is_none_or(|present| index > present)).then_some(index)
    }

    fn ladder(&self) -> Outcome {
        outcome(&self.in_at, self.definition.prices.len())
    }

    fn all_checked(&self) -> bool {
        self.closed && self.checked == self.bids.len()
    }

    /// Whether it takes another bid.
    pub fn has_room(&self) -> bool {
        self.bids.len() < self.definition.most_bids as usize && self.may_refuse()
    }

    /// Whether it takes another raise or half that may be refused later.
    pub fn may_refuse(&self) -> bool {
        self.refused < MAX_REFUSED
    }
}

/// The state after a log.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// Entries so far.
    pub sequence: u64,
    /// The hash of the chain.
    pub chain: [u8; 32],
    /// The time of the last entry.
    pub time: u64,
    /// All auctions.
    pub auctions: BTreeMap<String, Auction>,
    /// Key and parameters in the first entry.
    pub met: Option<(String, String)>,
    /// For each bid its auction, its final status, and the entry that decided it.
    standings: HashMap<Name, (String, Standing, u64)>,
}

impl Ledger {
    /// A bid's auction, its final status, and the entry that decided it.
    pub fn standing(&self, name: &Name) -> Option<(&str, Standing, u64)> {
        self.standings.get(name).map(|(auction, standing, sequence)| (&auction[..], *standing, *sequence))
    }

    /// The next record with this entry.
    pub fn next(&self, time: u64, entry: Entry) -> Record {
        Record { sequence: self.sequence + 1, time: time.max(self.time), entry }
    }

    /// Applies a record if it continues the log and follows the rules; otherwise returns the broken rule and changes nothing.
    pub fn apply(&mut self, record: &Record) -> Result<(), String> {
        if record.sequence != self.sequence + 1 || record.time < self.time {
            return Err(format!("entry {} does not follow entry {}", record.sequence, self.sequence));
        }
        if self.met.is_none() != matches!(record.entry, Entry::Meet { .. }) {
            return Err("the keys must be in the first entry of a log and in no other".into());
        }
        self.take(&record.entry, record.time)?;
        if let Some(auction) = record.entry.auction().and_then(|id| self.auctions.get_mut(id)) {
            auction.last_entry = record.sequence;
        }
        (self.sequence, self.time) = (record.sequence, record.time);
        self.chain = record.continue_chain(&self.chain);
        Ok(())
    }

    fn take(&mut self, entry: &Entry, time: u64) -> Result<(), String> {
        match entry {
            Entry::Meet { key, parameters } => {
                self.met = Some((key.clone(), parameters.clone()));
                Ok(())
            }
            Entry::Open { definition } => self.open(definition, time),
            Entry::Accept { auction, bids } => self.accept(auction, bids),
            Entry::Refuse { auction, bids, reason } => self.refuse(auction, bids, *reason),
            Entry::Close { auction } => self.close(auction, time),
            Entry::Check { auction, bids, valid } => self.check(auction, bids, valid),
            Entry::Price { auction, index, still_in } => self.price(auction, *index, still_in, time),
            Entry::Raise { auction, raise } => self.raise(auction, raise, time),
        }
    }

    fn open(&mut self, definition: &Definition, time: u64) -> Result<(), String> {
        definition.check(64)?;
        if self.auctions.contains_key(&definition.id) {
            return Err(format!("the auction {} exists already", definition.id));
        }
        let auction = Auction {
            definition: definition.clone(),
            bids: Vec::new(),
            closed: false,
            checked: 0,
            in_at: Vec::new(),
            floor: Floor::default(),
            raises: Vec::new(),
            moves: Vec::new(),
            moved: time,
            refused: 0,
            last_entry: 0,
        };
        self.auctions.insert(definition.id.clone(), auction);
        Ok(())
    }

    fn auction(&mut self, id: &str) -> Result<&mut Auction, String> {
        self.auctions.get_mut(id).ok_or_else(|| format!("there is no auction {id}"))
    }

    /// Checks that the bids of a batch are new and distinct.
    fn fresh(&self, bids: &[Name]) -> Result<(), String> {
        let mut names = bids.to_vec();
        names.sort_unstable();
        names.dedup();
        if bids.is_empty() || bids.len() > MAX_BATCH || names.len() != bids.len() {
            return Err(format!("a batch must have 1 to {MAX_BATCH} distinct bids"));
        }
        match bids.iter().find(|name| self.standings.contains_key(name)) {
            Some(name) => Err(format!("bid {name} is decided already")),
            None => Ok(()),
        }
    }

    fn accept(&mut self, id: &str, bids: &[Name]) -> Result<(), String> {
        self.fresh(bids)?;
        let auction = self.auction(id)?;
        if auction.closed || auction.bids.len() + bids.len() > auction.definition.most_bids as usize {
            return Err(format!("the auction {id} takes no more bids"));
        }
        let first = auction.bids.len();
        let sequence = self.sequence + 1;
        let auction = self.auction(id)?;
        auction.bids.extend(bids.iter().map(|name| Bid { name: *name, valid: None }));
        for (place, name) in (first..).zip(bids) {
            self.standings.insert(*name, (id.to_owned(), Standing::Accepted(place), sequence));
        }
        Ok(())
    }

    fn refuse(&mut self, id: &str, bids: &[Name], reason: Reason) -> Result<(), String> {
        self.fresh(bids)?;
        self.auction(id)?.refused += bids.len();
        let sequence = self.sequence + 1;
        for name in bids {
            self.standings.insert(*name, (id.to_owned(), Standing::Refused(reason), sequence));
        }
        Ok(())
    }

    fn close(&mut self, id: &str, time: u64) -> Result<(), String> {
        let auction = self.auction(id)?;
        if auction.closed || time < auction.definition.deadline_ms() {
            return Err(format!("the auction {id} cannot be closed now"));
        }
        (auction.closed, auction.moved) = (true, time);
        Ok(())
    }

    fn check(&mut self, id: &str, bids: &[Name], valid: &[bool]) -> Result<(), String> {
        let auction = self.auction(id)?;
        let next = auction.bids[auction.checked..].iter().map(|bid| bid.name).take(bids.len());
        if bids.is_empty() || bids.len() != valid.len() || !next.eq(bids.iter().copied()) {
            return Err(format!("these are not the next bids of {id} to be checked"));
        }
        for (place, valid) in (auction.checked..).zip(valid) {
            auction.bids[place].valid = Some(*valid);
            if *valid && auction.definition.kind == Kind::Live {
                auction.floor.enter(place);
            }
        }
        auction.checked += bids.len();
        Ok(())
    }

    fn price(&mut self, id: &str, index: usize, still_in: &[bool], time: u64) -> Result<(), String> {
        let auction = self.auction(id)?;
        let asked = auction.asked_of();
        if auction.next_price() != Some(index) || asked.len() != still_in.len() {
            return Err(format!("price {index} of {id} cannot be asked now"));
        }
        match auction.definition.kind {
            Kind::Ladder => {
                let left = asked.into_iter().zip(still_in).filter(|(_, still)| **still).map(|(bid, _)| bid);
                auction.in_at.push(left.collect());
            }
            Kind::Live => {
                let before = auction.floor.leader;
                auction.floor.answer(still_in);
                let moved = auction.floor.leader.filter(|leader| before != Some(*leader));
                auction.moves.extend(moved.map(|leader| (index, leader)));
            }
        }
        auction.moved = time;
        Ok(())
    }

    fn raise(&mut self, id: &str, raise: &Raise, time: u64) -> Result<(), String> {
        let name = raise.name();
        self.fresh(&[name])?;
        let keys = self.met.as_ref().and_then(|(_, parameters)| terms::keys(parameters));
        let keys = keys.ok_or("the log names no keys of the servers")?;
        let sequence = self.sequence + 1;
        let auction = self.auction(id)?;
        let index = auction.may_raise_to(raise.price);
        let index =
            index.ok_or_else(|| format!("the price of {id} cannot be raised to {} now", raise.price))?;
        if !raise.is_about(About::new(keys, &auction.definition)) {
            return Err(format!("raise {name} is not signed by its bidder"));
        }
        let number = auction.raises.len();
        auction.floor.raise(index, number);
        auction.raises.push(raise.bidder);
        auction.moves.push((index, Leader::Manual(number)));
        auction.moved = time;
        self.standings.insert(name, (id.to_owned(), Standing::Raised(number), sequence));
        Ok(())
    }
}

impl Entry {
    /// The auction that the entry is about.
    pub fn auction(&self) -> Option<&str> {
        match self {
            Entry::Meet { .. } => None,
            Entry::Open { definition } => Some(&definition.id),
            Entry::Accept { auction, .. }
            | Entry::Refuse { auction, .. }
            | Entry::Close { auction }
            | Entry::Check { auction, .. }
            | Entry::Price { auction, .. }
            | Entry::Raise { auction, .. } => Some(auction),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEADLINE: u64 = 1_900_000_000;

    fn definition() -> Definition {
        Definition {
            id: "vase".into(),
            title: "A vase".into(),
            unit: "EUR".into(),
            kind: Kind::Ladder,
            deadline: DEADLINE,
            prices: vec![10, 20],
            interval_ms: 0,
            most_bids: 3,
        }
    }

    fn names(numbers: impl IntoIterator<Item = u8>) -> Vec<Name> {
        numbers.into_iter().map(|number| Name([number; 16])).collect()
    }

    fn accept(numbers: impl IntoIterator<Item = u8>) -> Entry {
        Entry::Accept { auction: "vase".into(), bids: names(numbers) }
    }

    fn check(numbers: impl IntoIterator<Item = u8>, valid: &[bool]) -> Entry {
        Entry::Check { auction: "vase".into(), bids: names(numbers), valid: valid.to_vec() }
    }

    fn price(index: usize, still_in: &[bool]) -> Entry {
        Entry::Price { auction: "vase".into(), index, still_in: still_in.to_vec() }
    }

    fn close() -> Entry {
        Entry::Close { auction: "vase".into() }
    }

    fn take(ledger: &mut Ledger, time: u64, entry: Entry) -> Result<(), String> {
        let record = ledger.next(time, entry);
        ledger.apply(&record)
    }

    /// A log with an open auction.
    fn open() -> Ledger {
        let mut ledger = Ledger::default();
        take(&mut ledger, 1, Entry::Meet { key: "k".into(), parameters: "p".into() }).unwrap();
        take(&mut ledger, 2, Entry::Open { definition: definition() }).unwrap();
        ledger
    }

    #[test]
    fn entries_that_break_the_rules_change_nothing() {
        let late = DEADLINE * 1000;
        let mut ledger = open();
        let refused = |ledger: &mut Ledger, time, entry: Entry| {
            let (sequence, chain) = (ledger.sequence, ledger.chain);
            let text = format!("{entry:?}");
            take(ledger, time, entry).expect_err(&text);
            assert_eq!((ledger.sequence, ledger.chain), (sequence, chain));
        };
        refused(&mut Ledger::default(), 1, Entry::Open { definition: definition() });
        for entry in [
            Entry::Meet { key: "k".into(), parameters: "p".into() },
            Entry::Open { definition: definition() },
            Entry::Accept { auction: "none".into(), bids: names([1]) },
            accept([]),
            accept([1, 1]),
            accept(1..5),
            check([1], &[true]),
            price(0, &[]),
            close(),
        ] {
            refused(&mut ledger, 3, entry);
        }
        take(&mut ledger, 3, accept([1, 2])).unwrap();
        let refuse = Entry::Refuse { auction: "vase".into(), bids: names([9]), reason: Reason::OneHalf };
        take(&mut ledger, 4, refuse).unwrap();
        for entry in [accept([2]), accept([9]), accept([3, 4]), check([2], &[true]), check([1], &[true; 2])] {
            refused(&mut ledger, 5, entry);
        }
        take(&mut ledger, late, close()).unwrap();
        for entry in [accept([3]), close(), price(0, &[true; 2])] {
            refused(&mut ledger, late, entry);
        }
        take(&mut ledger, late, check([1, 2], &[true, false])).unwrap();
        for entry in [price(1, &[true]), price(0, &[true; 2])] {
            refused(&mut ledger, late, entry);
        }
        take(&mut ledger, late, price(0, &[true])).unwrap();
        refused(&mut ledger, late, price(1, &[true]));
        assert!(ledger.auctions["vase"].ended());
    }

    #[test]
    fn records_return_from_bytes_and_chains_tell_logs_apart() {
        let (mut one, mut other) = (open(), open());
        assert_eq!(one.chain, other.chain);
        let record = one.next(7, accept([1]));
        assert_eq!(Record::from_bytes(&record.to_bytes()).as_ref(), Some(&record));
        one.apply(&record).unwrap();
        assert!(one.apply(&record).is_err(), "an entry counts once");
        take(&mut other, 7, accept([2])).unwrap();
        assert_ne!(one.chain, other.chain);
        assert!(Record::from_bytes(&[255; 20]).is_none());
    }
}
