//! Server B's end of decisions: it answers A's questions and copies A's log as long as that follows the rules.

use std::time::Duration;

use tacit_net::Channel;
use tokio::sync::watch;

use super::messages::{Answer, Position, Promise, Question, fault, receive, send};
use crate::AuctionError;
use crate::constants::MAX_BATCH;
use crate::definition::Definition;
use crate::ledger::{Entry, Record};
use crate::name::Name;
use crate::node::Node;
use crate::steps::Step;

/// A asks something at least every second. After this long a silence, the link counts as broken.
const SILENCE: Duration = Duration::from_secs(30);

pub(super) async fn run(
    node: &Node,
    mut channel: Channel,
    greeted: &watch::Sender<bool>,
) -> Result<(), AuctionError> {
    greet(node, &mut channel).await?;
    greeted.send_replace(true);
    loop {
        match tokio::time::timeout(SILENCE, channel.arrival()).await {
            Ok(arrived) => arrived?,
            Err(_) => return Err(fault(&channel, "silence for 30 s")),
        }
        let answer = match receive(&mut channel).await? {
            Question::Knows(definition) => Answer::Yes(knows(node, &definition)),
            Question::Promise { auction, bids } => Answer::Promised(promise(node, &auction, bids).await?),
            Question::Entries(records) => Answer::Position(entries(node, &channel, &records).await?),
            Question::Passed { auction } => Answer::Yes(passed(node, &auction)),
            Question::Lonely => Answer::Lonely(lonely(node)),
        };
        send(&mut channel, &answer).await?;
    }
}

/// Both exchange the ends of their logs. A compares them, and ends the session if neither log continues the other.
async fn greet(node: &Node, channel: &mut Channel) -> Result<(), AuctionError> {
    let own = position(node);
    send(channel, &own).await?;
    let theirs: Position = receive(channel).await?;
    if theirs.sequence < own.sequence {
        return Err(AuctionError::Diverged(format!(
            "server A's log ends at entry {}, this server's at entry {}: A's database is an older copy. Restore A's latest state",
            theirs.sequence, own.sequence
        )));
    }
    let verdict: Result<(), String> = receive(channel).await?;
    verdict.map_err(AuctionError::Diverged)
}

pub(super) fn position(node: &Node) -> Position {
    let ledger = node.ledger();
    Position { sequence: ledger.sequence, chain: ledger.chain }
}

fn knows(node: &Node, definition: &Definition) -> bool {
    node.definitions.all().contains(definition)
}

/// Which halves are here and arrived in time.
async fn promise(node: &Node, auction: &str, bids: Vec<Name>) -> Result<Vec<Promise>, AuctionError> {
    let deadline = node.ledger().auctions.get(auction).map(|auction| auction.definition.deadline_ms());
    let of = |name: &Name| match node.pending_one(name).filter(|pending| pending.auction == auction) {
        None => Promise::Missing,
        Some(pending) if deadline.is_none_or(|deadline| pending.received >= deadline) => Promise::Late,
        Some(_) => Promise::Kept,
    };
    let promises: Vec<Promise> = bids.iter().take(MAX_BATCH).map(of).collect();
    let kept = bids.iter().zip(&promises).filter(|(_, promise)| **promise == Promise::Kept);
    let kept: Vec<Name> = kept.map(|(name, _)| *name).collect();
    if !kept.is_empty() {
        node.promise(kept).await?;
        node.steps.at(Step::Promised);
    }
    Ok(promises)
}

async fn entries(node: &Node, channel: &Channel, records: &[Vec<u8>]) -> Result<Position, AuctionError> {
    let decoded = records.iter().map(|bytes| Record::from_bytes(bytes));
    let decoded: Option<Vec<Record>> = decoded.collect();
    let records = decoded.ok_or_else(|| fault(channel, "entries that cannot be read"))?;
    for record in records {
        allow(node, &record.entry).map_err(AuctionError::Rules)?;
        node.take(vec![record]).await?;
    }
    let position = position(node);
    node.confirm(position.sequence).await?;
    Ok(position)
}

/// Checks conditions beyond the log's own rules: this server's parameters, definitions, halves and clock.
fn allow(node: &Node, entry: &Entry) -> Result<(), String> {
    match entry {
        Entry::Meet { parameters, .. } if *parameters != node.parameters_text() => {
            Err("its parameters differ from this server's".into())
        }
        Entry::Open { definition } if !knows(node, definition) => {
            Err(format!("this server's definition of {} is missing or different", definition.id))
        }
        Entry::Accept { auction, bids } => {
            let here = |name: &Name| {
                node.pending_one(name).is_some_and(|pending| pending.promised && pending.auction == *auction)
            };
            match bids.iter().find(|name| !here(name)) {
                Some(name) => Err(format!("bid {name} was accepted, but its half is not here")),
                None => Ok(()),
            }
        }
        Entry::Raise { auction, raise } => {
            let name = raise.name();
            let here = node.pending_one(&name);
            match here.is_some_and(|pending| pending.promised && pending.auction == *auction) {
                true => Ok(()),
                false => Err(format!("raise {name} was accepted, but it is not here")),
            }
        }
        Entry::Close { auction } if !passed(node, auction) => {
            Err(format!("the deadline of {auction} has not passed here"))
        }
        _ => Ok(()),
    }
}

fn passed(node: &Node, auction: &str) -> bool {
    let deadline = node.ledger().auctions.get(auction).map(|auction| auction.definition.deadline_ms());
    deadline.is_some_and(|deadline| node.clock.now() >= deadline)
}

fn lonely(node: &Node) -> Vec<(String, Name)> {
    let (now, patience) = (node.clock.now(), node.patience().as_millis() as u64);
    let waiting = node.pending().into_iter();
    let lonely =
        waiting.filter(|(_, pending)| !pending.promised && now.saturating_sub(pending.received) > patience);
    lonely.take(MAX_BATCH).map(|(name, pending)| (pending.auction, name)).collect()
}
