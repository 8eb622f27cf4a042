//! Both servers in this process, with keys far too small to protect anything.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tacit_auction::client::{Receipt, Service};
use tacit_auction::local::{LocalPair, Sizes};
use tacit_auction::{AuctionError, ClockSource, Definition, Environment, Kind, Role, Running};

pub const ORIGIN: &str = "https://bid.example.org";
pub const BITS: u32 = 16;

/// A time limit longer than any step takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// The file that makes the tests' time an hour later.
const LATER: &str = "later";

/// Clocks that advance by an hour when the file [`LATER`] appears in the folder.
pub fn clock(folder: &Path) -> ClockSource {
    let (start, base, file) = (Instant::now(), seconds() * 1000, folder.join(LATER));
    Box::new(move || {
        let passed = start.elapsed() + Duration::from_secs(if file.exists() { 3600 } else { 0 });
        (base + passed.as_millis() as u64, passed)
    })
}

pub struct Pair {
    pub local: LocalPair,
    pub service: Service,
    pub running: [Option<Running>; 2],
}

/// A folder of its own for each test.
pub fn folder(name: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("tacit-auction-{}-{name}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

pub fn local(name: &str, patience_s: u64) -> LocalPair {
    let sizes = Sizes { bits: BITS, modulus_bits: 256, insecure: true, patience_s };
    LocalPair::create(&folder(name), sizes, ORIGIN).unwrap()
}

pub fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

pub fn definition(id: &str, prices: &[u64]) -> Definition {
    Definition {
        id: id.into(),
        title: "A vase".into(),
        unit: "EUR".into(),
        kind: Kind::Ladder,
        deadline: seconds() + 1800,
        prices: prices.to_vec(),
        interval_ms: 0,
        most_bids: 1000,
    }
}

/// A service, with each auction open at both servers.
pub async fn start(name: &str, patience_s: u64, definitions: &[Definition]) -> Pair {
    let local = local(name, patience_s);
    definitions.iter().for_each(|definition| local.define(definition).unwrap());
    let service = local.service().unwrap();
    let mut pair = Pair { local, service, running: [None, None] };
    pair.start(Role::A).await;
    pair.start(Role::B).await;
    for definition in definitions {
        pair.opened(&definition.id).await;
    }
    pair
}

impl Pair {
    pub async fn start(&mut self, role: Role) {
        let environment = Environment { clock: Some(clock(&self.local.folder)), ..Environment::default() };
        self.start_with(role, environment).await.unwrap();
    }

    pub async fn start_with(&mut self, role: Role, environment: Environment) -> Result<(), AuctionError> {
        let started = Running::start(role, self.local.config(role).unwrap(), environment).await?;
        self.running[usize::from(role == Role::B)] = Some(started);
        Ok(())
    }

    /// Waits until a server stops by itself, and returns the error.
    pub async fn fails(&mut self, role: Role) -> AuctionError {
        let running = self.running[usize::from(role == Role::B)].as_mut().unwrap();
        tokio::time::timeout(LIMIT, running.failed()).await.expect("it stops").unwrap_err()
    }

    pub fn state(&self, role: Role) -> PathBuf {
        self.local.folder.join(if role == Role::A { "state-a" } else { "state-b" })
    }

    /// Seals a bid and has it accepted.
    pub async fn bid(&self, auction: &str, number: u64) -> Receipt {
        let receipt = self.service.seal(auction, number).await.unwrap();
        let said = self.service.submit(&receipt).await.unwrap();
        assert_eq!(said["status"], "accepted");
        receipt
    }

    pub async fn stop(&mut self, role: Role) {
        if let Some(running) = self.running[usize::from(role == Role::B)].take() {
            running.stop().await;
        }
    }

    pub async fn end(mut self) {
        self.stop(Role::A).await;
        self.stop(Role::B).await;
    }

    /// Waits until both servers take bids for an auction.
    pub async fn opened(&self, id: &str) {
        for role in [Role::A, Role::B] {
            self.until(role, &format!("/auctions/{id}"), |answer| answer["phase"] == "bidding").await;
        }
    }

    /// Asks a server until its answer is `wanted`.
    pub async fn until(&self, role: Role, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let remote = self.local.remote(role).unwrap();
        let start = tokio::time::Instant::now();
        let mut last = None;
        while start.elapsed() < LIMIT {
            match remote.request(path, None).await {
                Ok((_, answer)) if wanted(&answer) => return answer,
                other => last = Some(other),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{path} never came to be as wanted: {last:?}");
    }

    /// Lets all deadlines pass.
    pub fn pass_deadlines(&self) {
        std::fs::write(self.local.folder.join(LATER), "").unwrap();
    }

    /// Waits for the end of an auction at both servers, and returns A's answer.
    pub async fn ended(&self, id: &str) -> Value {
        let path = format!("/auctions/{id}");
        let b = self.until(Role::B, &path, |answer| answer["phase"] == "ended").await;
        let a = self.until(Role::A, &path, |answer| answer["phase"] == "ended").await;
        for field in ["winner", "sold_for", "bids", "in_counts", "in_names"] {
            assert_eq!(a[field], b[field], "{field}");
        }
        a
    }

    /// Gives one server its half of a bid.
    pub async fn post(&self, role: Role, auction: &str, half: &str) -> (u16, Value) {
        let body = serde_json::json!({ "half": half });
        self.local
            .remote(role)
            .unwrap()
            .request(&format!("/auctions/{auction}/bids"), Some(&body))
            .await
            .unwrap()
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        // If this fails, the system cleans up.
        let _ = std::fs::remove_dir_all(&self.local.folder);
    }
}
