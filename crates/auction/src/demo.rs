//! Both servers, an auction and ten bidders on this machine.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tacit_crypto::Prg;

use crate::AuctionError;
use crate::cli::{Arguments, interrupted};
use crate::client::Service;
use crate::config::Role;
use crate::definition::{Definition, Kind};
use crate::local::{LocalPair, Sizes};
use crate::name::Name;
use crate::page::{self, Page};
use crate::rule::{Outcome, outcome_in_the_clear};
use crate::server::{Environment, Running};

const BIDDERS: usize = 10;
const AUCTION: &str = "vase";

/// Seconds until the deadline, when nobody watches.
const SECONDS: u64 = 15;
const SECONDS_OPEN: u64 = 120;

pub(crate) async fn command(arguments: Arguments) -> Result<(), AuctionError> {
    let (open, port) = (arguments.flag("keep-open"), arguments.port()?.unwrap_or(0));
    let [] = arguments.rest("demo: no arguments are expected")?;
    let folder = std::env::temp_dir().join(format!("tacit-auction-demo-{}", std::process::id()));
    let made = std::fs::DirBuilder::new().recursive(true).create(&folder);
    made.map_err(|source| AuctionError::File { file: folder.clone(), source })?;
    let outcome = tokio::select! {
        outcome = run(&folder, open, port) => outcome,
        () = interrupted() => Ok(()),
    };
    // If this fails, the system cleans up.
    let _ = std::fs::remove_dir_all(&folder);
    outcome
}

async fn run(folder: &std::path::Path, open: bool, port: u16) -> Result<(), AuctionError> {
    let listener = page::listen(port).await?;
    let origin = page::origin(&listener)?;
    let sizes = Sizes { bits: 16, modulus_bits: 2048, insecure: false, patience_s: 20 };
    let pair = LocalPair::create(folder, sizes, &origin)?;
    println!("making a DGK key of 2048 bits …");
    let a = Running::start(Role::A, pair.config(Role::A)?, Environment::default()).await?;
    let b = Running::start(Role::B, pair.config(Role::B)?, Environment::default()).await?;
    let urls = [a.address, b.address].map(|address| format!("https://{address}"));
    let page = Page::new(&urls[0], &urls[1])?;
    println!("server A at {}, server B at {}, page at {origin}", urls[0], urls[1]);
    println!("the page's SHA-256 is {}", page.hash());
    println!(
        "the servers' certificates are self-signed: before the page, open both addresses once in the browser"
    );
    tokio::spawn(page::serve(listener, page));
    let outcome = auction(&pair, open).await;
    if outcome.is_ok() && open {
        println!("the servers run until Ctrl-C");
        interrupted().await;
    }
    tokio::join!(a.stop(), b.stop());
    outcome
}

async fn auction(pair: &LocalPair, open: bool) -> Result<(), AuctionError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let prices: Vec<u64> = (1..=20).map(|step| 500 * step).collect();
    let definition = Definition {
        id: AUCTION.into(),
        title: "A vase of the Ming dynasty".into(),
        unit: "EUR".into(),
        kind: Kind::Ladder,
        deadline: now + if open { SECONDS_OPEN } else { SECONDS },
        prices: prices.clone(),
        interval_ms: if open { 1500 } else { 0 },
        most_bids: 100,
    };
    pair.define(&definition)?;
    let service = pair.service()?;
    while service.auction(AUCTION).await.is_err() {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let bids = bid(&service).await?;
    let ended = climb(&service).await?;
    let winner = ended["winner"].as_str().unwrap_or("nobody").to_owned();
    println!("sold to {winner} for {} {}", ended["sold_for"], definition.unit);
    if ended["bids"] == BIDDERS {
        return compare(&bids, &prices, &winner, ended["sold_for"].as_u64());
    }
    println!("others have bid too, so the result is not compared with that of the ten bidders");
    Ok(())
}

/// Ten bidders with random maxima, one after the other.
async fn bid(service: &Service) -> Result<Vec<(Name, u64)>, AuctionError> {
    let mut prg = Prg::from_os().map_err(|error| AuctionError::Entropy(error.to_string()))?;
    let mut bids = Vec::new();
    for bidder in 1..=BIDDERS {
        let amount = 400 + prg.next_u64() % 9000;
        let receipt = service.seal(AUCTION, amount).await?;
        let said = service.submit(&receipt).await?;
        println!("bidder {bidder:2} has sealed {amount:5}: bid {} is {}", receipt.name, said["status"]);
        bids.push((receipt.name, amount));
    }
    Ok(bids)
}

/// Prints prices until the end.
async fn climb(service: &Service) -> Result<serde_json::Value, AuctionError> {
    let mut shown = (serde_json::Value::Null, 0);
    loop {
        let state = service.result(AUCTION).await?;
        let asked = state["asked"].as_u64().unwrap_or(0);
        if shown != (state["phase"].clone(), asked) {
            let price =
                state["price"].as_u64().map_or("no price yet".into(), |price| format!("price {price}"));
            println!("{}: {price}, {} of {} bids are in", state["phase"], state["in"], state["bids"]);
            shown = (state["phase"].clone(), asked);
        }
        if state["phase"] == "ended" {
            return Ok(state);
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Compares the result with the rule in the clear.
fn compare(
    bids: &[(Name, u64)],
    prices: &[u64],
    winner: &str,
    sold_for: Option<u64>,
) -> Result<(), AuctionError> {
    let amounts: Vec<u64> = bids.iter().map(|(_, amount)| *amount).collect();
    let expected = match outcome_in_the_clear(&amounts, prices) {
        Outcome::Sold { bid, price } => (bids[bid].0.to_string(), Some(prices[price])),
        Outcome::Open | Outcome::Unsold => ("nobody".to_owned(), None),
    };
    if expected == (winner.to_owned(), sold_for) {
        println!("the same as in the clear");
        return Ok(());
    }
    let reason = format!("in the clear {} wins for {:?}", expected.0, expected.1);
    Err(AuctionError::Answer { server: "the demo".into(), reason })
}
