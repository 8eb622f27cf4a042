//! The JSON answers to clients. All of it is public.

use serde_json::{Value, json};

use crate::config::Role;
use crate::ledger::{Auction, Record, Winner};
use crate::live::Leader;
use crate::name::{Name, to_hex};
use crate::node::{BidStatus, Node};

/// Maximum names of bids in one answer.
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
    let shown = shown_in(auction);
    let winner = auction.winner().filter(|_| is_known(node, auction));
    let mut view = json!({
        "id": definition.id,
        "title": definition.title,
        "unit": definition.unit,
        "deadline": definition.deadline_ms(),
        "time": node.clock.now(),
        "phase": phase(node, auction),
        "bids": auction.bids.len(),
        "kind": definition.kind,
        "in": shown.len(),
        "asked": auction.in_at.len() + auction.moves.len(),
        "price": auction.price().map(|price| definition.prices[price]),
        "leader": auction.leader().map(|leader| leader.to_string()),
        "lowest": definition.prices[0],
        "highest": definition.prices[definition.prices.len() - 1],
        "winner": winner.map(|(winner, _)| winner.to_string()),
        "sold_for": winner.map(|(_, price)| definition.prices[price]),
    });
    if full {
        let names: Vec<String> =
            shown.iter().take(NAMES).map(|bid| auction.bids[*bid].name.to_string()).collect();
        view["in_names"] = json!(names);
        view["prices"] = json!(definition.prices);
        view["in_counts"] = json!(auction.in_at.iter().map(Vec::len).collect::<Vec<_>>());
        view["moves"] = moves(auction);
    }
    view
}

/// The last moves of a live price, and who made them.
fn moves(auction: &Auction) -> Value {
    let skipped = auction.moves.len().saturating_sub(NAMES);
    let shown = auction.moves.iter().skip(skipped);
    let shown = shown.map(|(index, leader)| {
        let manual = matches!(leader, Leader::Manual(_));
        let by = auction.who(*leader).to_string();
        json!({ "price": auction.definition.prices[*index], "manual": manual, "by": by })
    });
    shown.collect()
}

/// The bids that are in; before the first price, those not found invalid.
fn shown_in(auction: &Auction) -> Vec<usize> {
    match auction.price() {
        Some(_) => auction.inside(),
        None => (0..auction.bids.len()).filter(|bid| auction.bids[*bid].valid != Some(false)).collect(),
    }
}

/// Whether both servers have all entries about an auction, so that the signed log includes its end.
fn is_known(node: &Node, auction: &Auction) -> bool {
    auction.last_entry <= node.confirmed()
}

/// `bidding` until the deadline, then `closing`, `climbing` while prices are asked, and `ended`.
fn phase(node: &Node, auction: &Auction) -> &'static str {
    match () {
        () if auction.ended() && is_known(node, auction) => "ended",
        () if auction.closed => "climbing",
        () if node.clock.now() >= auction.definition.deadline_ms() => "closing",
        () => "bidding",
    }
}

/// A bid: whether it is accepted, and then whether it is still in.
pub(super) fn bid(node: &Node, id: &str, name: &Name, status: BidStatus) -> Value {
    let mut view = json!({ "name": name.to_string(), "status": status_word(status) });
    match status {
        BidStatus::Pending => {}
        BidStatus::Refused(reason) => view["reason"] = json!(reason),
        BidStatus::Raised(raise) => {
            let ledger = node.ledger();
            if let Some(auction) = ledger.auctions.get(id) {
                let leads = auction.floor.leader == Some(Leader::Manual(raise));
                view["leads"] = json!(leads);
                view["won"] = json!(leads && auction.ended() && is_known(node, auction));
            }
        }
        BidStatus::Accepted(place) => {
            let ledger = node.ledger();
            if let Some(auction) = ledger.auctions.get(id) {
                view["place"] = json!(place);
                view["valid"] = json!(auction.bids[place].valid);
                view["in"] = json!(auction.price().map(|_| auction.inside().contains(&place)));
                view["leads"] = json!(auction.floor.leader == Some(Leader::Sealed(place)));
                let won = auction.winner().is_some_and(|(winner, _)| winner == Winner::Sealed(*name));
                view["won"] = json!(won && is_known(node, auction));
            }
        }
    }
    view
}

fn status_word(status: BidStatus) -> &'static str {
    match status {
        BidStatus::Accepted(_) | BidStatus::Raised(_) => "accepted",
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
