//! Measures the service: prints rows as JSON objects. Both servers and all bidders are in this process, over loopback and TLS, with a key of
//! 2048 bits; databases are in the folder for temporary files. Ends by itself.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;
use tacit_auction::client::Receipt;
use tacit_auction::local::{LocalPair, Sizes};
use tacit_auction::{Definition, Environment, Kind, Role, Running};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

/// Bidders who bid at once, each over its own connections.
const BIDDERS: usize = 1000;

/// Longer than a run takes; then it has failed.
const LIMIT: Duration = Duration::from_secs(300);

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Outcome<()> {
    let folder = std::env::temp_dir().join(format!("tacit-bench-auction-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let sizes = Sizes { bits: 16, modulus_bits: 2048, insecure: false, patience_s: 60 };
    let pair = Arc::new(LocalPair::create(&folder, sizes, "https://bid.example.org")?);
    let a = Running::start(Role::A, pair.config(Role::A)?, Environment::default()).await?;
    let b = Running::start(Role::B, pair.config(Role::B)?, Environment::default()).await?;
    let outcome = tokio::time::timeout(LIMIT, measure(pair)).await;
    tokio::join!(a.stop(), b.stop());
    std::fs::remove_dir_all(&folder)?;
    outcome?
}

fn row(name: &str, value: f64, unit: &str) {
    println!("{{\"name\":\"{name}\",\"value\":{value},\"unit\":\"{unit}\"}}");
}

async fn measure(pair: Arc<LocalPair>) -> Outcome<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let definition = Definition {
        id: "bench".into(),
        title: "A bench".into(),
        unit: String::new(),
        kind: Kind::Ladder,
        deadline: now + 3600,
        prices: vec![1],
        interval_ms: 0,
        most_bids: 100_000,
    };
    pair.define(&definition)?;
    let service = pair.service()?;
    while service.auction("bench").await.is_err()
        || pair.remote(Role::B)?.request("/auctions/bench", None).await?.0 != 200
    {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let mut receipts = Vec::new();
    for bid in 0..BIDDERS {
        receipts.push(service.seal("bench", bid as u64).await?);
    }
    let (ready, go) = (Arc::new(Barrier::new(BIDDERS + 1)), Arc::new(Barrier::new(BIDDERS + 1)));
    let mut bidders = JoinSet::new();
    for receipt in receipts {
        bidders.spawn(bidder(pair.clone(), receipt, ready.clone(), go.clone()));
    }
    ready.wait().await;
    let start = Instant::now();
    go.wait().await;
    let mut places = Vec::new();
    let mut slowest = Duration::ZERO;
    while let Some(done) = bidders.join_next().await {
        let (place, took) = done??;
        places.push(place);
        slowest = slowest.max(took);
    }
    let seconds = start.elapsed().as_secs_f64();
    places.sort_unstable();
    if !places.iter().copied().eq(0..BIDDERS as u64) {
        return Err("a bid was lost or doubled".into());
    }
    row("bids accepted durably at both, 1000 bidders at once", BIDDERS as f64 / seconds, "1/s");
    row("slowest answer to a bid, 1000 bidders at once", slowest.as_secs_f64(), "s");
    Ok(())
}

/// One bidder: connects, waits for all others, bids. Returns the bid's place, and how long it took.
async fn bidder(
    pair: Arc<LocalPair>,
    receipt: Receipt,
    ready: Arc<Barrier>,
    go: Arc<Barrier>,
) -> Outcome<(u64, Duration)> {
    let (a, b) = (pair.remote(Role::A)?.connect().await, pair.remote(Role::B)?.connect().await);
    ready.wait().await;
    go.wait().await;
    let (mut a, mut b) = (a?, b?);
    let start = Instant::now();
    let (halves, blindings) = (receipt.halves(), receipt.blindings());
    let [one, other] = [0, 1].map(|i| json!({ "half": halves[i], "blinding": blindings[i] }));
    loop {
        let (to_a, to_b) = tokio::join!(
            a.request("/auctions/bench/bids", Some(&one)),
            b.request("/auctions/bench/bids", Some(&other))
        );
        let ((a_status, said), (b_status, _)) = (to_a?, to_b?);
        match (a_status, b_status) {
            (200, 200) => {
                if !said["receipt"].is_object() {
                    return Err("a bid was accepted without a receipt".into());
                }
                let place = said["place"].as_u64().ok_or("a bid was refused")?;
                return Ok((place, start.elapsed()));
            }
            (200 | 202, 200 | 202) => {}
            other => return Err(format!("answers {other:?}").into()),
        }
    }
}
