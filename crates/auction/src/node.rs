//! The state that all parts of a server share: its database, the state of its log, and the halves that wait for a decision.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use subtle::ConstantTimeEq;
use tacit_compare::{Half, Parameters};
use tacit_net::keys::{PublicKey, SecretKey};
use tokio::sync::{Notify, watch};

use crate::clock::{Clock, ClockSource, machine};
use crate::config::{Config, Role};
use crate::constants::{MAX_PENDING, VERSION};
use crate::definition::Kind;
use crate::ledger::{Auction, Entry, Ledger, Reason, Record, Standing};
use crate::metrics::Metrics;
use crate::name::Name;
use crate::raise::{About, Raise};
use crate::receipt::Digits;
use crate::steps::{Step, Steps};
use crate::store::{self, Store, StoredHalf};
use crate::vault::Vault;
use crate::{AuctionError, definitions, terms};

/// How many records are read at once.
const PAGE: usize = 1000;

/// A server's state.
pub(crate) struct Node {
    pub role: Role,
    pub config: Config,
    pub parameters: Parameters,
    pub key: SecretKey,
    pub peer: PublicKey,
    pub store: Store,
    pub vault: Vault,
    pub clock: Clock,
    pub metrics: Metrics,
    pub steps: Steps,
    /// Definitions in the folder, read again every second.
    pub definitions: definitions::Definitions,
    /// Notified when there is something to decide.
    pub wake: Notify,
    ledger: RwLock<Ledger>,
    pending: Mutex<HashMap<Name, Pending>>,
    /// The last entry that both servers have on disk, as far as this one knows.
    confirmed: watch::Sender<u64>,
    /// One entry is written at a time.
    writing: tokio::sync::Mutex<()>,
    /// For digests of halves.
    digest_key: zeroize::Zeroizing<[u8; 32]>,
}

/// A half, or a raise, that waits for a decision.
#[derive(Clone)]
pub(crate) struct Pending {
    pub auction: String,
    /// When it arrived, by this server's clock, in milliseconds.
    pub received: u64,
    /// Whether B has told A that it has this half.
    pub promised: bool,
    /// Whether it is on disk.
    stored: bool,
    digest: [u8; 32],
    /// The raise, if it is one.
    pub raise: Option<Raise>,
}

/// A half or raise that a bidder submits for a decision.
struct Given {
    name: Name,
    auction: String,
    digest: [u8; 32],
    received: u64,
    raise: Option<Raise>,
}

/// The status of a bid at a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BidStatus {
    /// Both servers have it, at this place in the order of acceptance.
    Accepted(usize),
    /// Not yet decided.
    Pending,
    /// Refused for good.
    Refused(Reason),
    /// A raise that set the price.
    Raised(usize),
}

/// Why a half is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    UnknownAuction,
    /// The deadline has passed.
    Expired,
    /// Another half, or another auction, has this name.
    NameTaken,
    /// Too many bids.
    Full,
    /// Too many halves wait for their other half.
    Busy,
    /// The price is not live.
    NotLive,
    /// The ladder has no such price.
    NoPrice,
    /// The price is already as high.
    Outbid,
    /// The raise is not signed by its bidder for this auction.
    Unsigned,
}

/// Locks a mutex even if a thread has panicked: the data it guards is consistent between any two statements.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Node {
    /// Opens the database and reads the log.
    pub async fn open(
        role: Role,
        config: Config,
        clock: Option<ClockSource>,
        steps: Steps,
    ) -> Result<Node, AuctionError> {
        let (key, peer) = config.keys()?;
        let parameters = config.numbers.parameters("the configuration")?;
        let store = Store::open(&config.state.join("auction.sqlite"))?;
        let identity = identity(role, &key, &config);
        let loaded = store.run(move |connection| load(connection, &identity)).await?;
        let Loaded { ledger, pending, latest, acknowledged } = loaded;
        let confirmed = if role == Role::A { acknowledged } else { ledger.sequence };
        Ok(Node {
            role,
            parameters,
            peer,
            vault: Vault::new(&key),
            clock: Clock::of(clock.unwrap_or_else(machine), latest),
            metrics: Metrics::default(),
            steps,
            definitions: definitions::Definitions::new(config.auctions.clone(), parameters.bits()),
            wake: Notify::new(),
            ledger: RwLock::new(ledger),
            pending: Mutex::new(pending),
            confirmed: watch::Sender::new(confirmed),
            writing: tokio::sync::Mutex::new(()),
            digest_key: key.derive("tacit 2026 digests of halves of sealed bids, version 1"),
            key,
            store,
            config,
        })
    }

    pub fn ledger(&self) -> RwLockReadGuard<'_, Ledger> {
        self.ledger.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The terms on which both servers must agree, as text, for the log's first entry and for greetings.
    pub fn parameters_text(&self) -> String {
        terms::words(self.config.numbers, self.servers())
    }

    /// The keys of A and B.
    fn servers(&self) -> [PublicKey; 2] {
        match self.role {
            Role::A => [self.key.public(), self.peer],
            Role::B => [self.peer, self.key.public()],
        }
    }

    pub fn confirmed(&self) -> u64 {
        *self.confirmed.borrow()
    }

    pub fn watch_confirmed(&self) -> watch::Receiver<u64> {
        self.confirmed.subscribe()
    }

    /// Both servers have all entries up to this one.
    pub async fn confirm(&self, sequence: u64) -> Result<(), AuctionError> {
        if self.role == Role::A {
            self.store.run(move |connection| store::raise_meta(connection, "acknowledged", sequence)).await?;
            self.steps.at(Step::EntryConfirmed);
        }
        self.confirmed.send_if_modified(|confirmed| {
            let more = sequence > *confirmed;
            *confirmed = sequence.max(*confirmed);
            more
        });
        Ok(())
    }

    /// A bid's status: the decision if both servers know it, else pending.
    pub fn status(&self, auction: &str, name: &Name) -> Option<BidStatus> {
        if let Some((of, standing, sequence)) = self.ledger().standing(name) {
            return (of == auction).then(|| match standing {
                _ if sequence > self.confirmed() => BidStatus::Pending,
                Standing::Accepted(place) => BidStatus::Accepted(place),
                Standing::Refused(reason) => BidStatus::Refused(reason),
                Standing::Raised(raise) => BidStatus::Raised(raise),
            });
        }
        let pending = lock(&self.pending);
        pending.get(name).filter(|pending| pending.auction == auction).map(|_| BidStatus::Pending)
    }

    /// Stores a half and its commitment, if there is one, unless the half is stored already or cannot be taken. When this
    /// returns `Ok`, the half is on disk or was decided before.
    pub async fn submit(
        self: &Arc<Self>,
        auction: &str,
        half: Half,
        commitment: Option<Digits<32>>,
    ) -> Result<Result<(), Refusal>, AuctionError> {
        let name = Name(half.name());
        let digest = self.digest(&[&half.to_bytes(), commitment.as_ref().map_or(&[], |given| &given.0)]);
        let (auction, received) = (auction.to_owned(), self.clock.now());
        let given = Given { name, auction, digest, received, raise: None };
        match self.reserve(&given) {
            Ok(true) => {}
            Ok(false) => return Ok(Ok(())),
            Err(refusal) => return Ok(Err(refusal)),
        }
        let node = self.clone();
        self.kept(async move {
            let sealed = node.vault.seal_half(&given.auction, &half)?;
            node.keep(given, sealed, commitment).await
        })
        .await
    }

    /// Stores a raise, as [`Node::submit`] does a half.
    pub async fn submit_raise(
        self: &Arc<Self>,
        auction: &str,
        raise: Raise,
    ) -> Result<Result<(), Refusal>, AuctionError> {
        let (name, bytes) = (raise.name(), raise.to_bytes());
        let (auction, received) = (auction.to_owned(), self.clock.now());
        let given = Given { name, auction, digest: self.digest(&[&bytes]), received, raise: Some(raise) };
        match self.reserve(&given) {
            Ok(true) => {}
            Ok(false) => return Ok(Ok(())),
            Err(refusal) => return Ok(Err(refusal)),
        }
        let node = self.clone();
        self.kept(async move { node.keep(given, bytes, None).await }).await
    }

    /// Stores in a separate task, so that a client that disconnects does not leave a half in memory only.
    async fn kept(
        &self,
        keeping: impl Future<Output = Result<(), AuctionError>> + Send + 'static,
    ) -> Result<Result<(), Refusal>, AuctionError> {
        tokio::spawn(keeping).await.map_err(|_| AuctionError::Stopping)?.map(Ok)
    }

    fn digest(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut digest = blake3::Hasher::new_keyed(&self.digest_key);
        for part in parts {
            digest.update(part);
        }
        *digest.finalize().as_bytes()
    }

    /// Whether a half or raise is new and may be stored. If so, its name is reserved.
    fn reserve(&self, given: &Given) -> Result<bool, Refusal> {
        let Given { name, auction, digest, received, raise } = given;
        let ledger = self.ledger();
        let Some(state) = ledger.auctions.get(auction) else { return Err(Refusal::UnknownAuction) };
        if let Some((of, ..)) = ledger.standing(name) {
            return if of == auction { Ok(false) } else { Err(Refusal::NameTaken) };
        }
        let mut pending = lock(&self.pending);
        if let Some(found) = pending.get(name) {
            let same = found.auction == *auction && bool::from(found.digest.ct_eq(digest));
            return if same { Ok(false) } else { Err(Refusal::NameTaken) };
        }
        if state.closed || *received >= state.definition.deadline_ms() {
            return Err(Refusal::Expired);
        }
        match raise {
            Some(raise) => self.admit(state, raise)?,
            None if !state.has_room() => return Err(Refusal::Full),
            None => {}
        }
        if pending.len() >= MAX_PENDING {
            return Err(Refusal::Busy);
        }
        let waits = Pending {
            auction: auction.clone(),
            received: *received,
            promised: false,
            stored: false,
            digest: *digest,
            raise: *raise,
        };
        pending.insert(*name, waits);
        Ok(true)
    }

    /// Checks that a raise is for this auction and above its price.
    fn admit(&self, auction: &Auction, raise: &Raise) -> Result<(), Refusal> {
        if auction.definition.kind != Kind::Live {
            return Err(Refusal::NotLive);
        }
        if auction.definition.prices.binary_search(&raise.price).is_err() {
            return Err(Refusal::NoPrice);
        }
        if !raise.is_about(About::new(self.servers(), &auction.definition)) {
            return Err(Refusal::Unsigned);
        }
        if auction.may_raise_to(raise.price).is_none() {
            return Err(Refusal::Outbid);
        }
        if auction.may_refuse() { Ok(()) } else { Err(Refusal::Full) }
    }

    async fn keep(
        &self,
        given: Given,
        sealed: Vec<u8>,
        commitment: Option<Digits<32>>,
    ) -> Result<(), AuctionError> {
        let Given { name, auction, digest, received, raise } = given;
        let row =
            StoredHalf { name, auction, sealed, digest, received, promised: false, raise: raise.is_some() };
        let insert = move |connection: &rusqlite::Connection| {
            commitment.map_or(Ok(()), |given| store::insert_commitment(connection, &row.name, &given.0))?;
            store::insert_half(connection, &row)
        };
        let stored = self.store.run(insert).await;
        let mut pending = lock(&self.pending);
        if stored.is_err() {
            pending.remove(&name);
            return stored;
        }
        if let Some(waits) = pending.get_mut(&name) {
            waits.stored = true;
        }
        drop(pending);
        if raise.is_none() {
            self.metrics.halves.add(1);
            self.steps.at(Step::HalfStored);
        }
        self.wake.notify_one();
        Ok(())
    }

    /// The halves that are on disk and not decided, by name.
    pub fn pending(&self) -> Vec<(Name, Pending)> {
        let pending = lock(&self.pending);
        pending
            .iter()
            .filter(|(_, pending)| pending.stored)
            .map(|(name, pending)| (*name, pending.clone()))
            .collect()
    }

    pub fn pending_count(&self) -> usize {
        lock(&self.pending).len()
    }

    /// The waiting half of a bid, if it is on disk.
    pub fn pending_one(&self, name: &Name) -> Option<Pending> {
        lock(&self.pending).get(name).filter(|pending| pending.stored).cloned()
    }

    /// B: records on disk that A may accept these.
    pub async fn promise(&self, names: Vec<Name>) -> Result<(), AuctionError> {
        let stored = names.clone();
        self.store.run(move |connection| store::promise(connection, &stored)).await?;
        let mut pending = lock(&self.pending);
        for name in names {
            if let Some(pending) = pending.get_mut(&name) {
                pending.promised = true;
            }
        }
        Ok(())
    }

    /// A: writes an entry.
    pub async fn append(&self, entry: Entry) -> Result<(), AuctionError> {
        self.append_if(|_| true, entry).await.map(drop)
    }

    /// A: writes an entry if its condition still holds. Returns whether it holds.
    pub async fn append_if(
        &self,
        holds: impl FnOnce(&Ledger) -> bool + Send,
        entry: Entry,
    ) -> Result<bool, AuctionError> {
        let _one = self.writing.lock().await;
        if !holds(&self.ledger()) {
            return Ok(false);
        }
        let record = self.ledger().next(self.clock.now(), entry);
        self.write(record).await?;
        self.wake.notify_one();
        Ok(true)
    }

    /// B: applies and stores A's entries.
    pub async fn take(&self, records: Vec<Record>) -> Result<(), AuctionError> {
        let _one = self.writing.lock().await;
        for record in records {
            self.write(record).await?;
        }
        Ok(())
    }

    /// Applies a record and stores it. If it cannot be stored, this server must stop.
    async fn write(&self, record: Record) -> Result<(), AuctionError> {
        let (chain, ended) = {
            let mut ledger = self.ledger.write().unwrap_or_else(PoisonError::into_inner);
            ledger.apply(&record).map_err(AuctionError::Rules)?;
            let of = record.entry.auction().and_then(|id| ledger.auctions.get(id));
            (ledger.chain, of.filter(|auction| auction.ended()).map(|auction| auction.definition.id.clone()))
        };
        let stored = record.clone();
        let write = move |connection: &rusqlite::Connection| {
            store::append(connection, &stored, &chain)?;
            if let Entry::Refuse { bids, .. } = &stored.entry {
                store::delete_halves(connection, bids)?;
                store::delete_commitments(connection, bids)?;
            }
            if let Entry::Raise { raise, .. } = &stored.entry {
                store::delete_halves(connection, &[raise.name()])?;
            }
            ended.map_or(Ok(()), |auction| store::delete_auction(connection, &auction))
        };
        self.store.run(write).await?;
        self.steps.at(Step::EntryStored);
        if matches!(record.entry, Entry::Raise { .. }) {
            self.steps.at(Step::Raised);
        }
        self.decided(&record.entry);
        Ok(())
    }

    /// Removes decided bids from those that wait.
    fn decided(&self, entry: &Entry) {
        let (bids, count) = match entry {
            Entry::Accept { bids, .. } => (&bids[..], &self.metrics.accepted),
            Entry::Refuse { bids, .. } => (&bids[..], &self.metrics.refused),
            Entry::Raise { raise, .. } => (&[raise.name()][..], &self.metrics.raises),
            Entry::Check { valid, .. } => {
                self.metrics.checked.add(valid.len());
                return self.metrics.invalid.add(valid.iter().filter(|valid| !**valid).count());
            }
            Entry::Price { still_in, .. } => return self.metrics.comparisons.add(still_in.len()),
            _ => return,
        };
        count.add(bids.len());
        let mut pending = lock(&self.pending);
        bids.iter().for_each(|name| drop(pending.remove(name)));
    }

    /// The halves of accepted bids, in the given order.
    pub async fn halves(&self, auction: &str, names: Vec<Name>) -> Result<Vec<Half>, AuctionError> {
        let wanted = names.clone();
        let sealed = self.store.run(move |connection| store::sealed(connection, &wanted)).await?;
        let each = names.iter().zip(sealed);
        each.map(|(name, sealed)| self.vault.open_half(&self.parameters, auction, *name, &sealed)).collect()
    }

    /// Stores the time, so that the clock does not go back at a restart.
    pub async fn store_time(&self) -> Result<(), AuctionError> {
        let now = self.clock.now();
        self.store.run(move |connection| store::raise_meta(connection, "latest time", now)).await
    }

    /// How long a half waits for its other half.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(self.config.patience_s)
    }
}

/// The values that identify a database's server and parameters.
fn identity(role: Role, key: &SecretKey, config: &Config) -> Vec<(&'static str, String)> {
    let numbers = format!("{} bits, modulus of {} bits", config.numbers.bits, config.numbers.modulus_bits);
    vec![
        ("version", VERSION.to_string()),
        ("role", role.name().to_owned()),
        ("key", key.public().to_string()),
        ("sizes", numbers),
    ]
}

struct Loaded {
    ledger: Ledger,
    pending: HashMap<Name, Pending>,
    latest: u64,
    acknowledged: u64,
}

fn load(
    connection: &rusqlite::Connection,
    identity: &[(&'static str, String)],
) -> Result<Loaded, AuctionError> {
    for (what, now) in identity {
        match store::read_meta(connection, what)? {
            None => store::write_meta(connection, what, now.as_bytes())?,
            Some(stored) if stored == now.as_bytes() => {}
            Some(stored) => {
                let stored = String::from_utf8_lossy(&stored).into_owned();
                return Err(AuctionError::Foreign { what, stored, now: now.clone() });
            }
        }
    }
    let ledger = replay(connection)?;
    let (mut pending, mut over) = (HashMap::new(), Vec::new());
    for StoredHalf { name, auction, sealed, digest, received, promised, raise } in store::halves(connection)?
    {
        let damaged = || AuctionError::Damaged(format!("raise {name} cannot be read"));
        let raise = raise.then(|| Raise::from_bytes(&sealed).ok_or_else(damaged)).transpose()?;
        let ended = ledger.auctions.get(&auction).is_none_or(|auction| auction.ended());
        match ledger.standing(&name) {
            None if !ended => {
                pending.insert(name, Pending { auction, received, promised, stored: true, digest, raise });
            }
            Some((_, Standing::Accepted(_), _)) if !ended => {}
            // It arrived while its bid was being refused.
            _ => over.push(name),
        }
    }
    store::delete_halves(connection, &over)?;
    let [latest, acknowledged] =
        ["latest time", "acknowledged"].map(|key| store::read_number(connection, key));
    Ok(Loaded { ledger, pending, latest: latest?, acknowledged: acknowledged? })
}

fn replay(connection: &rusqlite::Connection) -> Result<Ledger, AuctionError> {
    let mut ledger = Ledger::default();
    loop {
        let page = store::records(connection, ledger.sequence, PAGE)?;
        for (record, chain) in &page {
            ledger.apply(record).map_err(AuctionError::Damaged)?;
            if ledger.chain != *chain {
                return Err(AuctionError::Damaged(format!(
                    "entry {} of the log was changed",
                    record.sequence
                )));
            }
        }
        if page.len() < PAGE {
            return Ok(ledger);
        }
    }
}
