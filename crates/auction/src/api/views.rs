//! What clients are shown, as JSON. All of it is public.

use serde_json::{Value, json};

use crate::config::Role;
use crate::ledger::{Auction, Record};
use crate::name::{Name, to_hex};
use crate::node::{BidStatus, Node};
use crate::rule::Outcome;

/// Most names of bids in one answer.
const NAMES: usize = 1000;

pub(super) fn service(node: &Node) -> Value {
    json!({
        "role": node.role.name(),
        "bits": node.parameters.bits(),
        "modulus": node.parameters.plaintexts(),
        "time": node.clock.now(),
        "parameters": node.parameters_text(),
    })
}

/// An auction, with the names of bids that are in if `full`.
pub(super) fn auction(node: &Node, auction: &Auction, full: bool) -> Value {
    let definition = &auction.definition;
    let live = shown_in(auction);
    let mut view = json!({
        "id": definition.id,
        "title": definition.title,
        "unit": definition.unit,
        "deadline": definition.deadline_ms(),
        "time": node.clock.now(),
        "phase": phase(node, auction),
        "bids": auction.bids.len(),
        "in": live.len(),
        "asked": auction.in_at.len(),
        "price": auction.in_at.len().checked_sub(1).map(|last| definition.prices[last]),
        "lowest": definition.prices[0],
        "highest": definition.prices[definition.prices.len() - 1],
        "winner": winner(auction),
        "sold_for": sold_for(auction),
    });
    if full {
        let names: Vec<String> =
            live.iter().take(NAMES).map(|bid| auction.bids[*bid].name.to_string()).collect();
        view["in_names"] = json!(names);
        view["prices"] = json!(definition.prices);
        view["in_counts"] = json!(auction.in_at.iter().map(Vec::len).collect::<Vec<_>>());
    }
    view
}

/// The bids that are in, before the first price those that are not found invalid.
fn shown_in(auction: &Auction) -> Vec<usize> {
    match auction.in_at.last() {
        Some(last) => last.clone(),
        None => (0..auction.bids.len()).filter(|bid| auction.bids[*bid].valid != Some(false)).collect(),
    }
}

/// `bidding` until the deadline, then `closing`, `climbing` while prices are asked, and `ended`.
fn phase(node: &Node, auction: &Auction) -> &'static str {
    match () {
        () if auction.ended() => "ended",
        () if auction.closed => "climbing",
        () if node.clock.now() >= auction.definition.deadline_ms() => "closing",
        () => "bidding",
    }
}

fn winner(auction: &Auction) -> Option<String> {
    match auction.outcome() {
        Outcome::Sold { bid, .. } => Some(auction.bids[bid].name.to_string()),
        Outcome::Open | Outcome::Unsold => None,
    }
}

fn sold_for(auction: &Auction) -> Option<u64> {
    match auction.outcome() {
        Outcome::Sold { price, .. } => Some(auction.definition.prices[price]),
        Outcome::Open | Outcome::Unsold => None,
    }
}

/// A bid: whether it is accepted, and then whether it is still in.
pub(super) fn bid(node: &Node, id: &str, name: &Name, status: BidStatus) -> Value {
    let mut view = json!({ "name": name.to_string(), "status": status_word(status) });
    match status {
        BidStatus::Pending => {}
        BidStatus::Refused(reason) => view["reason"] = json!(reason),
        BidStatus::Accepted(place) => {
            let ledger = node.ledger();
            if let Some(auction) = ledger.auctions.get(id) {
                view["place"] = json!(place);
                view["valid"] = json!(auction.bids[place].valid);
                view["in"] = json!(auction.in_at.last().map(|last| last.contains(&place)));
                view["won"] = json!(winner(auction).is_some_and(|winner| winner == name.to_string()));
            }
        }
    }
    view
}

fn status_word(status: BidStatus) -> &'static str {
    match status {
        BidStatus::Accepted(_) => "accepted",
        BidStatus::Pending => "pending",
        BidStatus::Refused(_) => "refused",
    }
}

pub(super) fn record(record: &Record, chain: &[u8; 32]) -> Value {
    json!({ "sequence": record.sequence, "time": record.time, "entry": record.entry, "chain": to_hex(chain) })
}

pub(super) fn metrics(node: &Node) -> String {
    let (auctions, bidding, sequence) = {
        let ledger = node.ledger();
        let bidding = ledger.auctions.values().filter(|auction| !auction.closed).count();
        (ledger.auctions.len() as u64, bidding as u64, ledger.sequence)
    };
    node.metrics.text(&[
        ("is_a", "Whether this is server A", u64::from(node.role == Role::A)),
        ("auctions", "Auctions", auctions),
        ("auctions_bidding", "Auctions that are not closed", bidding),
        ("halves_waiting", "Halves that wait for a decision", node.pending_count() as u64),
        ("log_entries", "Entries of the log", sequence),
        ("log_confirmed", "Entries of the log that both servers have", node.confirmed()),
        ("clock_jumps", "Jumps of the machine's clock that were ignored", node.clock.jumps()),
    ])
}
