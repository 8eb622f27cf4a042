//! Checks of submissions and comparisons with prices: server A chooses the next task, both compute, and A writes the results into the log.
//!
//! B only takes part in tasks that the log allows: it compares bids with the next price of the ladder, once the auction is
//! closed or while the price is live, so A cannot ask for other prices.

use std::time::Duration;

use tacit_compare::{Assistant, Cost, Form, Half, Inputs, Relation, Results, Server};
use tacit_he::Threads;
use tacit_net::Channel;
use tokio::sync::watch;

use super::messages::{Ready, Task, fault, receive, send};
use crate::AuctionError;
use crate::config::Role;
use crate::ledger::{Auction, Entry, Ledger};
use crate::name::{Name, to_hex};
use crate::node::Node;
use crate::steps::Step;
use crate::store;

/// Submissions checked together, and comparisons in one message: few enough that both compute them well within the link's time limit.
const CHECKS: usize = 64;
const COMPARISONS: usize = 128;

/// Pieces of randomness prepared at a time, and how many are kept.
const PIECES: usize = 256;
const MOST_PIECES: usize = 1 << 16;

/// How long A waits for something to do.
const IDLE: Duration = Duration::from_millis(30);

/// How long B waits for its log to reach an entry.
const BEHIND: Duration = Duration::from_secs(10);

const RELATION: Relation = Relation::GreaterOrEqual;

/// The state of computations. It lives as long as the process, because it keeps prepared randomness.
pub(crate) enum Engine {
    /// Server A's, with its key.
    A(Box<Server>),
    /// Server B's, once it knows A's key.
    B(Option<Box<Assistant>>),
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::B(None)
    }
}

impl Engine {
    /// A's engine has the key of its database, or a new one in a new database.
    pub async fn open(node: &Node) -> Result<Engine, AuctionError> {
        if node.role == Role::B {
            return Ok(Engine::B(None));
        }
        const LABEL: &str = "the DGK key";
        let stored = node.store.run(|connection| store::read_meta(connection, "dgk")).await?;
        let met = node.ledger().met.clone();
        let server = match (stored, &met) {
            (Some(sealed), _) => {
                let key = node.vault.open(LABEL, &sealed)?;
                Server::with_key(node.parameters, &key, Threads::all())?
            }
            (None, Some(_)) => return Err(AuctionError::Damaged("the DGK key is missing".into())),
            (None, None) => {
                let parameters = node.parameters;
                let made = tokio::task::spawn_blocking(move || Server::generate(parameters, Threads::all()));
                let server = made.await.map_err(|_| AuctionError::Stopping)??;
                let sealed = node.vault.seal(LABEL, &server.key_bytes())?;
                node.store.run(move |connection| store::write_meta(connection, "dgk", &sealed)).await?;
                server
            }
        };
        let key = to_hex(&server.identity());
        match met {
            None => node.append(Entry::Meet { key, parameters: node.parameters_text() }).await?,
            Some(met) => same_key("DGK key", Some(&met), key)?,
        }
        Ok(Engine::A(Box::new(server)))
    }
}

/// One session's work. Blocks the thread while it computes.
pub(super) async fn run(
    node: &Node,
    engine: &mut Engine,
    mut channel: Channel,
    mut greeted: watch::Receiver<bool>,
    stop: watch::Receiver<bool>,
) -> Result<(), AuctionError> {
    if greeted.wait_for(|greeted| *greeted).await.is_err() {
        return Ok(());
    }
    match engine {
        Engine::A(server) => {
            server.introduce(&mut channel).await?;
            let mut leader = Leader { node, server, channel };
            // The sender is dropped with the session.
            while greeted.has_changed().is_ok() && !*stop.borrow() {
                if !leader.work().await? {
                    tokio::time::sleep(IDLE).await;
                }
            }
            Ok(())
        }
        Engine::B(assistant) => {
            let met = meet(node, assistant.take(), &mut channel).await?;
            let assistant = assistant.insert(met);
            let mut follower = Follower { node, assistant, channel };
            loop {
                follower.channel.arrival().await?;
                follower.work().await?;
            }
        }
    }
}

/// B receives A's key, which must be the one in the log's first entry. A known assistant keeps its prepared randomness.
async fn meet(
    node: &Node,
    known: Option<Box<Assistant>>,
    channel: &mut Channel,
) -> Result<Box<Assistant>, AuctionError> {
    let met = Box::new(Assistant::meet(node.parameters, Threads::all(), channel).await?);
    let now = to_hex(&met.identity());
    until(|| node.ledger().met.is_some()).await;
    same_key("DGK key at server A", node.ledger().met.as_ref(), now)?;
    Ok(known.filter(|known| known.identity() == met.identity()).unwrap_or(met))
}

/// Checks that a key is the one in the log's first entry.
fn same_key(what: &'static str, met: Option<&(String, String)>, now: String) -> Result<(), AuctionError> {
    match met {
        Some((stored, _)) if *stored == now => Ok(()),
        other => {
            let stored = other.map_or("none".to_owned(), |(key, _)| key.clone());
            Err(AuctionError::Foreign { what, stored, now })
        }
    }
}

/// Waits until a condition holds, for a limited time. Returns whether it holds.
async fn until(holds: impl Fn() -> bool) -> bool {
    let start = tokio::time::Instant::now();
    while !holds() {
        if start.elapsed() > BEHIND {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    true
}

fn check_cost(node: &Node, count: usize) -> Cost {
    Cost::check(&node.parameters, count)
}

fn price_cost(node: &Node, count: usize) -> Cost {
    Cost::compare(&node.parameters, Form::Prices, RELATION, Results::Revealed, count)
}

/// The next bids to check.
fn unchecked(auction: &Auction, most: usize) -> Vec<Name> {
    auction.bids[auction.checked..].iter().take(most).map(|bid| bid.name).collect()
}

/// Some of the bids to compare with the next price.
fn asked(auction: &Auction, first: usize, count: usize) -> Vec<Name> {
    auction.asked_of().into_iter().skip(first).take(count).map(|bid| auction.bids[bid].name).collect()
}

struct Leader<'a> {
    node: &'a Node,
    server: &'a mut Server,
    channel: Channel,
}

/// A's next task.
enum Next {
    Check(String, usize),
    Price(String, usize),
}

impl Leader<'_> {
    /// Executes one task. Returns whether there was one.
    async fn work(&mut self) -> Result<bool, AuctionError> {
        match self.next() {
            Some(Next::Check(auction, count)) => self.check(auction, count).await.map(|()| true),
            Some(Next::Price(auction, index)) => self.price(auction, index).await.map(|()| true),
            None => self.prepare_ahead().await,
        }
    }

    fn next(&self) -> Option<Next> {
        let (ledger, now) = (self.node.ledger(), self.node.clock.now());
        let due = |auction: &Auction| {
            // The first price is asked at once.
            let wait = if auction.price().is_none() { 0 } else { auction.definition.interval_ms };
            auction.next_price().filter(|_| now >= auction.moved.saturating_add(wait))
        };
        let price = ledger.auctions.iter().find_map(|(id, auction)| Some((id, due(auction)?)));
        if let Some((id, index)) = price {
            return Some(Next::Price(id.clone(), index));
        }
        let checks = ledger.auctions.iter().find(|(_, auction)| auction.checked < auction.bids.len());
        checks.map(|(id, auction)| Next::Check(id.clone(), unchecked(auction, CHECKS).len()))
    }

    /// Sends B the task, prepares randomness meanwhile, and returns when B is ready.
    async fn begin(&mut self, task: &Task, pieces: usize) -> Result<bool, AuctionError> {
        send(&mut self.channel, task).await?;
        self.server.prepare(pieces.saturating_sub(self.server.prepared()))?;
        match receive(&mut self.channel).await? {
            Ready::Yes => Ok(true),
            // The log has changed, for example because the price was raised: there is another task.
            Ready::No(_) if self.node.ledger().sequence > task.sequence() => Ok(false),
            Ready::No(reason) => {
                eprintln!("tacit-auction a: server B does not take part yet: {reason}");
                tokio::time::sleep(Duration::from_millis(500)).await;
                Ok(false)
            }
        }
    }

    async fn check(&mut self, auction: String, count: usize) -> Result<(), AuctionError> {
        let sequence = self.node.ledger().sequence;
        let names = self.node.ledger().auctions.get(&auction).map(|auction| unchecked(auction, count));
        let bids = names.unwrap_or_default();
        let halves = self.node.halves(&auction, bids.clone()).await?;
        let task = Task::Check { auction: auction.clone(), count, sequence };
        if !self.begin(&task, check_cost(self.node, count).server_randomness).await? {
            return Ok(());
        }
        let valid = self.server.check(&mut self.channel, &halves).await?;
        self.node.steps.at(Step::Checked);
        self.node.append(Entry::Check { auction, bids, valid }).await
    }

    /// Compares a price with all bids that must be asked, in as many messages as needed; the log gets one entry. If a live price is
    /// raised meanwhile, the results are discarded.
    async fn price(&mut self, auction: String, index: usize) -> Result<(), AuctionError> {
        let sequence = self.node.ledger().sequence;
        let chosen = self
            .node
            .ledger()
            .auctions
            .get(&auction)
            .map(|auction| (asked(auction, 0, auction.bids.len()), auction.definition.prices[index]));
        let (names, price) = chosen.unwrap_or_default();
        let mut still_in = Vec::with_capacity(names.len());
        while still_in.len() < names.len() {
            let first = still_in.len();
            let count = (names.len() - first).min(COMPARISONS);
            let halves = self.node.halves(&auction, names[first..first + count].to_vec()).await?;
            let prices = vec![price; count];
            let task = Task::Price { auction: auction.clone(), index, first, count, sequence };
            if !self.begin(&task, price_cost(self.node, count).server_randomness).await? {
                return Ok(());
            }
            let inputs = Inputs::Prices { bids: &halves, prices: &prices };
            still_in.extend(self.server.reveal(&mut self.channel, RELATION, inputs).await?);
        }
        self.node.steps.at(Step::Compared);
        let of = auction.clone();
        let next = |ledger: &Ledger| ledger.auctions.get(&of).and_then(Auction::next_price) == Some(index);
        self.node.append_if(next, Entry::Price { auction, index, still_in }).await.map(drop)
    }

    /// Prepares randomness for later tasks while there is nothing else to do.
    async fn prepare_ahead(&mut self) -> Result<bool, AuctionError> {
        let live = |auction: &Auction| if auction.ended() { 0 } else { auction.inside().len() };
        let bids: usize = self.node.ledger().auctions.values().map(live).sum();
        let wanted = price_cost(self.node, bids).server_randomness.min(MOST_PIECES);
        let pieces = wanted.saturating_sub(self.server.prepared()).min(PIECES);
        if pieces == 0 {
            return Ok(false);
        }
        let total = self.server.prepared() + pieces;
        self.begin(&Task::Prepare { pieces }, total).await
    }
}

struct Follower<'a> {
    node: &'a Node,
    assistant: &'a mut Assistant,
    channel: Channel,
}

impl Follower<'_> {
    async fn work(&mut self) -> Result<(), AuctionError> {
        match receive(&mut self.channel).await? {
            Task::Prepare { pieces } => self.prepare_ahead(pieces).await,
            Task::Check { auction, count, sequence } => self.check(&auction, count, sequence).await,
            Task::Price { auction, index, first, count, sequence } => {
                self.price(&auction, index, (first, count), sequence).await
            }
        }
    }

    async fn prepare_ahead(&mut self, pieces: usize) -> Result<(), AuctionError> {
        if pieces > PIECES {
            return Err(fault(
                &self.channel,
                format!("{pieces} pieces of randomness; at most {PIECES} are made at once"),
            ));
        }
        if self.assistant.prepared() < MOST_PIECES {
            self.assistant.prepare(pieces);
        }
        send(&mut self.channel, &Ready::Yes).await
    }

    /// Checks that A may request this task now; if not, A is told to wait.
    async fn agree(
        &mut self,
        auction: &str,
        sequence: u64,
        choose: impl Fn(&Auction) -> Result<(Vec<Name>, u64), String>,
    ) -> Result<Option<(Vec<Half>, u64)>, AuctionError> {
        until(|| self.node.ledger().sequence >= sequence).await;
        let chosen = match self.node.ledger().auctions.get(auction) {
            Some(auction) => choose(auction),
            None => Err(format!("there is no auction {auction}")),
        };
        match chosen {
            Ok((names, price)) => Ok(Some((self.node.halves(auction, names).await?, price))),
            Err(reason) => {
                send(&mut self.channel, &Ready::No(reason)).await?;
                Ok(None)
            }
        }
    }

    async fn ready(&mut self, cost: Cost) -> Result<(), AuctionError> {
        self.assistant.prepare(cost.assistant_randomness.saturating_sub(self.assistant.prepared()));
        send(&mut self.channel, &Ready::Yes).await
    }

    async fn check(&mut self, auction: &str, count: usize, sequence: u64) -> Result<(), AuctionError> {
        let choose = |auction: &Auction| {
            let names = unchecked(auction, count.min(CHECKS));
            if names.len() == count && count > 0 {
                Ok((names, 0))
            } else {
                Err("other bids are to be checked".into())
            }
        };
        let Some((halves, _)) = self.agree(auction, sequence, choose).await? else { return Ok(()) };
        self.ready(check_cost(self.node, count)).await?;
        self.assistant.check(&mut self.channel, &halves).await?;
        Ok(())
    }

    async fn price(
        &mut self,
        auction: &str,
        index: usize,
        (first, count): (usize, usize),
        sequence: u64,
    ) -> Result<(), AuctionError> {
        let choose = |auction: &Auction| {
            let names = asked(auction, first, count.min(COMPARISONS));
            let next = auction.next_price() == Some(index);
            match names.len() == count && count > 0 && next {
                true => Ok((names, auction.definition.prices[index])),
                false => Err("this is not the next price".into()),
            }
        };
        let Some((halves, price)) = self.agree(auction, sequence, choose).await? else { return Ok(()) };
        self.ready(price_cost(self.node, count)).await?;
        let prices = vec![price; count];
        let inputs = Inputs::Prices { bids: &halves, prices: &prices };
        self.assistant.reveal(&mut self.channel, RELATION, inputs).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_key_than_the_log_begins_with_is_refused() {
        let met = ("one".to_owned(), "sizes".to_owned());
        assert!(same_key("DGK key", Some(&met), "one".into()).is_ok());
        for (met, expected) in [(Some(&met), "one"), (None, "none")] {
            let refused = same_key("DGK key at server A", met, "another".into()).unwrap_err();
            let AuctionError::Foreign { what, stored, now } = refused else { panic!("{refused}") };
            assert_eq!((what, stored.as_str(), now.as_str()), ("DGK key at server A", expected, "another"));
        }
    }
}
