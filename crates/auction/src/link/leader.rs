//! Server A's end of decisions: it decides on bids with B, closes auctions, and replicates its log to B.

use std::collections::BTreeMap;
use std::time::Duration;

use tacit_net::Channel;
use tokio::sync::watch;

use super::follower::position;
use super::messages::{Answer, Position, Promise, Question, ask, fault, receive, send};
use crate::AuctionError;
use crate::constants::MAX_BATCH;
use crate::ledger::{Entry, Ledger, Reason};
use crate::name::Name;
use crate::node::{Node, Pending};
use crate::steps::Step;
use crate::store;

/// How long A waits for something to decide before it checks the clock.
const TICK: Duration = Duration::from_millis(50);

/// How often A asks B for halves without their other half and about new auctions. This also shows B that A is alive.
const ROUND: Duration = Duration::from_secs(1);

/// Entries in one message.
const ENTRIES: usize = 64;

pub(super) async fn run(
    node: &Node,
    channel: Channel,
    greeted: &watch::Sender<bool>,
) -> Result<(), AuctionError> {
    let mut leader =
        Leader { node, channel, round_at: tokio::time::Instant::now(), missing: BTreeMap::new() };
    leader.greet().await?;
    greeted.send_replace(true);
    loop {
        leader.replicate().await?;
        let decided = leader.decide().await?;
        leader.round().await?;
        leader.close().await?;
        leader.replicate().await?;
        if !decided {
            // Whichever comes first: something new, or the next tick.
            let _ = tokio::time::timeout(TICK, node.wake.notified()).await;
        }
    }
}

struct Leader<'a> {
    node: &'a Node,
    channel: Channel,
    round_at: tokio::time::Instant,
    /// Bids that B lacked, and when to ask for them again, in milliseconds.
    missing: BTreeMap<Name, u64>,
}

impl Leader<'_> {
    /// Checks that B's log is a prefix of this one and has all entries that B had confirmed.
    async fn greet(&mut self) -> Result<(), AuctionError> {
        let theirs: Position = receive(&mut self.channel).await?;
        let own = position(self.node);
        send(&mut self.channel, &own).await?;
        if theirs.sequence > own.sequence {
            return Err(AuctionError::Diverged(format!(
                "server B's log ends at entry {}, this server's at entry {}: this database is an older copy. Restore this server's latest state",
                theirs.sequence, own.sequence
            )));
        }
        let verdict = self.compare(&theirs).await?;
        send(&mut self.channel, &verdict).await?;
        verdict.map_err(AuctionError::Diverged)?;
        self.node.confirm(theirs.sequence).await
    }

    async fn compare(&self, theirs: &Position) -> Result<Result<(), String>, AuctionError> {
        let sequence = theirs.sequence;
        let confirmed = self.node.confirmed();
        if sequence < confirmed {
            return Ok(Err(format!(
                "server B's log ends at entry {sequence}, but it had confirmed entry {confirmed}: B's database is an older copy. Restore B's latest state"
            )));
        }
        let chain = self.node.store.run(move |connection| store::chain_at(connection, sequence)).await?;
        let same = sequence == 0 || chain.is_some_and(|chain| chain == theirs.chain);
        let fault =
            || format!("the logs of both servers differ at entry {sequence}: they do not belong together");
        Ok(if same { Ok(()) } else { Err(fault()) })
    }

    /// Sends B the entries that it does not have.
    async fn replicate(&mut self) -> Result<(), AuctionError> {
        loop {
            let after = self.node.confirmed();
            if after >= self.node.ledger().sequence {
                return Ok(());
            }
            let page =
                self.node.store.run(move |connection| store::records(connection, after, ENTRIES)).await?;
            let Some((last, chain)) = page.last().map(|(record, chain)| (record.sequence, *chain)) else {
                // The entry is applied but not yet stored; its writer will notify again.
                return Ok(());
            };
            let records = page.iter().map(|(record, _)| record.to_bytes()).collect();
            match ask(&mut self.channel, &Question::Entries(records)).await? {
                Answer::Position(theirs) if theirs.sequence == last && theirs.chain == chain => {
                    self.node.confirm(last).await?;
                }
                _ => return Err(fault(&self.channel, "another log than it was sent")),
            }
        }
    }

    /// Opens auctions whose definition both servers have.
    async fn open(&mut self) -> Result<(), AuctionError> {
        if self.node.ledger().met.is_none() {
            return Ok(());
        }
        for definition in self.node.definitions.all() {
            if self.node.ledger().auctions.contains_key(&definition.id) {
                continue;
            }
            if let Answer::Yes(true) =
                ask(&mut self.channel, &Question::Knows(Box::new(definition.clone()))).await?
            {
                self.node.append(Entry::Open { definition }).await?;
            }
        }
        Ok(())
    }

    /// Decides on halves and raises that wait here. Returns whether there was something to decide.
    async fn decide(&mut self) -> Result<bool, AuctionError> {
        let now = self.node.clock.now();
        let mut waiting: Vec<(Name, Pending)> = self.node.pending();
        waiting.retain(|(name, _)| self.missing.get(name).is_none_or(|again| now >= *again));
        waiting.sort_by_key(|(name, pending)| (pending.received, *name));
        let mut groups: BTreeMap<String, Vec<(Name, Pending)>> = BTreeMap::new();
        for (name, pending) in waiting {
            groups.entry(pending.auction.clone()).or_default().push((name, pending));
        }
        let any = !groups.is_empty();
        for (auction, group) in groups {
            let (raises, halves): (Vec<_>, Vec<_>) =
                group.into_iter().partition(|(_, pending)| pending.raise.is_some());
            for batch in halves.chunks(MAX_BATCH) {
                self.decide_halves(&auction, batch, now).await?;
            }
            for batch in raises.chunks(MAX_BATCH) {
                let kept = self.promised(&auction, batch, now).await?;
                self.raise(&auction, batch, &kept).await?;
            }
        }
        Ok(any)
    }

    async fn decide_halves(
        &mut self,
        auction: &str,
        batch: &[(Name, Pending)],
        now: u64,
    ) -> Result<(), AuctionError> {
        let (batch, full) = batch.split_at(self.room(auction).min(batch.len()));
        self.refuse(auction, full.iter().map(|(name, _)| *name).collect(), Reason::Full).await?;
        let accepted = self.promised(auction, batch, now).await?;
        if accepted.is_empty() {
            return Ok(());
        }
        self.node.append(Entry::Accept { auction: auction.into(), bids: accepted }).await
    }

    /// Applies the raises that B has too, in the order in which they arrived, and refuses those that are not above the price any more.
    async fn raise(
        &mut self,
        auction: &str,
        batch: &[(Name, Pending)],
        kept: &[Name],
    ) -> Result<(), AuctionError> {
        let raises = batch.iter().filter_map(|(name, pending)| Some((*name, pending.raise?)));
        for (name, raise) in raises.filter(|(name, _)| kept.contains(name)) {
            let higher = |ledger: &Ledger| {
                ledger
                    .auctions
                    .get(auction)
                    .is_some_and(|auction| auction.may_raise_to(raise.price).is_some())
            };
            let entry = Entry::Raise { auction: auction.into(), raise };
            if !self.node.append_if(higher, entry).await? {
                self.refuse(auction, vec![name], Reason::Outbid).await?;
            }
        }
        Ok(())
    }

    /// The bids whose other half B has and has promised to keep. Refuses others, or lets them wait.
    async fn promised(
        &mut self,
        auction: &str,
        batch: &[(Name, Pending)],
        now: u64,
    ) -> Result<Vec<Name>, AuctionError> {
        let deadline =
            self.node.ledger().auctions.get(auction).map(|auction| auction.definition.deadline_ms());
        let Some(deadline) = deadline.filter(|_| !batch.is_empty()) else { return Ok(Vec::new()) };
        let bids: Vec<Name> = batch.iter().map(|(name, _)| *name).collect();
        let question = Question::Promise { auction: auction.into(), bids };
        let promises = match ask(&mut self.channel, &question).await? {
            Answer::Promised(promises) if promises.len() == batch.len() => promises,
            _ => return Err(fault(&self.channel, "promises for other bids")),
        };
        self.node.steps.at(Step::PromiseHeard);
        let patience = self.node.patience().as_millis() as u64;
        let (mut accepted, mut late, mut alone) = (Vec::new(), Vec::new(), Vec::new());
        for ((name, pending), promise) in batch.iter().zip(promises) {
            self.missing.remove(name);
            match promise {
                Promise::Kept => accepted.push(*name),
                Promise::Late => late.push(*name),
                Promise::Missing if now >= deadline => late.push(*name),
                Promise::Missing if now.saturating_sub(pending.received) > patience => alone.push(*name),
                Promise::Missing => {
                    // Soon at first, because the other half is probably in transit.
                    let waited = now.saturating_sub(pending.received);
                    self.missing.insert(*name, now + (waited / 2).clamp(10, 1000));
                }
            }
        }
        self.refuse(auction, late, Reason::Late).await?;
        self.refuse(auction, alone, Reason::OneHalf).await?;
        Ok(accepted)
    }

    /// How many more bids an auction takes.
    fn room(&self, auction: &str) -> usize {
        let ledger = self.node.ledger();
        let open = ledger.auctions.get(auction).filter(|auction| !auction.closed);
        open.map_or(0, |auction| auction.definition.most_bids as usize - auction.bids.len())
    }

    async fn refuse(&mut self, auction: &str, bids: Vec<Name>, reason: Reason) -> Result<(), AuctionError> {
        if bids.is_empty() {
            return Ok(());
        }
        self.node.append(Entry::Refuse { auction: auction.into(), bids, reason }).await
    }

    /// The tasks of every second.
    async fn round(&mut self) -> Result<(), AuctionError> {
        if tokio::time::Instant::now() < self.round_at {
            return Ok(());
        }
        self.round_at = tokio::time::Instant::now() + ROUND;
        self.open().await?;
        self.refuse_lonely().await
    }

    /// Refuses bids of which only B has a half.
    async fn refuse_lonely(&mut self) -> Result<(), AuctionError> {
        let Answer::Lonely(lonely) = ask(&mut self.channel, &Question::Lonely).await? else {
            return Err(fault(&self.channel, "no list of halves"));
        };
        let mut groups: BTreeMap<String, Vec<Name>> = BTreeMap::new();
        for (auction, name) in lonely.into_iter().take(MAX_BATCH) {
            let ledger = self.node.ledger();
            let decided = ledger.standing(&name).is_some() || !ledger.auctions.contains_key(&auction);
            if !decided && self.node.pending_one(&name).is_none() {
                groups.entry(auction).or_default().push(name);
            }
        }
        for (auction, bids) in groups {
            self.refuse(&auction, bids, Reason::OneHalf).await?;
        }
        Ok(())
    }

    /// Closes auctions whose deadline has passed at both, once nothing waits here.
    async fn close(&mut self) -> Result<(), AuctionError> {
        let now = self.node.clock.now();
        let due =
            |auction: &crate::ledger::Auction| !auction.closed && now >= auction.definition.deadline_ms();
        let due: Vec<String> = {
            let ledger = self.node.ledger();
            ledger.auctions.iter().filter(|(_, auction)| due(auction)).map(|(id, _)| id.clone()).collect()
        };
        for auction in due {
            let waits = self.node.pending().iter().any(|(_, pending)| pending.auction == auction);
            if waits {
                continue;
            }
            if let Answer::Yes(true) =
                ask(&mut self.channel, &Question::Passed { auction: auction.clone() }).await?
            {
                self.node.append(Entry::Close { auction }).await?;
            }
        }
        Ok(())
    }
}
