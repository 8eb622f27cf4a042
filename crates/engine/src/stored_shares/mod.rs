//! Stored shares: values that are kept by name, as shares, between runs of the same two parties, like a row of a secret
//! database.
//!
//! A [`ShareStore`] belongs to one party. A program's inputs of the role [`tacit_ir::STORED_ROLE`] are read from it, and its
//! outputs to that role are kept in it: no party learns them. [`crate::run`] runs such programs, as do sessions whose
//! [`crate::SessionTerms`] have a store.
//!
//! A row holds the share that both parties are known to have, `current`, and the share that this party wrote last,
//! `pending`. To keep a value:
//!
//! 1. it is written as `pending`;
//! 2. both parties confirm that they have done so;
//! 3. it becomes `current`.
//!
//! Each step is durable before the next begins. So wherever a process ends, the next run finds a value that both have:
//! both parties derive the same stamp for a value, tell each other the stamps of what they have, and take the latest that
//! both have. If there is none, one party's store is older than the other's, and the error says whose.
//!
//! Source: the seal and its binding are those of prepared runs ([`crate::store`]).
//! Security: shares are renewed whenever a value is kept, so that shares of two runs reveal nothing together. Entries are sealed with AES-256-GCM-SIV under a key derived from the party's secret key, bound to format,
//! both parties' keys, name, type, domain and stamp. One party's store alone reveals nothing about any value. Any program that both parties agree to run may read a name.

pub(crate) mod agreement;
mod entry;
mod error;

pub use error::{OtherShares, ShareCorruption, ShareStoreError};

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use serde::{Deserialize, Serialize};
use tacit_crypto::Prg;
use tacit_ir::Words;
use tacit_net::keys::{PublicKey, SecretKey};
use tacit_net::session::Party;
use tacit_store::{files, lock_file};

pub(crate) use agreement::{NewShare, StoredPorts, agree, keep, keeps, stamp};
pub(crate) use entry::{PartyPair, ShareKind, Stamp, Stamps};
use entry::{SealingKey, ShareEntry};

const META: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("meta");
const ROWS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("shares");
const FORMAT: &[u8] = b"tacit kept shares 2";
const FILE: &str = "shares.redb";
const LOCK: &str = "lock";
const KEY_PURPOSE: &str = "tacit 2026 kept shares, version 1";

/// The shares under one name.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ShareRow {
    name: String,
    peer: String,
    peer_key: [u8; 32],
    current: Option<ShareEntry>,
    pending: Option<ShareEntry>,
}

impl ShareRow {
    fn new(pair: &PartyPair, name: &str) -> ShareRow {
        let (name, peer) = (name.to_owned(), pair.peer.clone());
        ShareRow { name, peer, peer_key: pair.peer_key, current: None, pending: None }
    }

    fn stamps(&self) -> Stamps {
        let stamp = |entry: &Option<ShareEntry>| entry.as_ref().map(|entry| entry.stamp);
        Stamps { current: stamp(&self.current), pending: stamp(&self.pending) }
    }

    /// What the list shows of it; `None` if no value is kept.
    fn status(&self) -> Option<ShareStatus> {
        let (entry, settled) = match (&self.current, &self.pending) {
            (_, Some(pending)) => (pending, false),
            (current, None) => (current.as_ref()?, true),
        };
        Some(ShareStatus {
            name: self.name.clone(),
            peer: self.peer.clone(),
            peer_key: PublicKey::from_bytes(self.peer_key).to_string(),
            kind: entry.kind.to_string(),
            version: entry.stamp.version,
            settled,
        })
    }
}

/// The description of what is kept under a name, without its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareStatus {
    /// The name.
    pub name: String,
    /// Name of the other party.
    pub peer: String,
    /// Its public key.
    pub peer_key: String,
    /// Type and domain.
    pub kind: String,
    /// Incremented with each run that keeps something under the name.
    pub version: u64,
    /// Whether the other party is known to have its share.
    pub settled: bool,
}

/// Observes each step of a store; see [`ShareStore::observe`].
type Observer = Box<dyn Fn(&'static str) -> io::Result<()> + Send + Sync>;

/// A party's store of shares, locked for this process.
pub struct ShareStore {
    path: PathBuf,
    /// Present until the store is dropped.
    database: Option<Database>,
    key: SealingKey,
    owner: PublicKey,
    rows: BTreeMap<Vec<u8>, ShareRow>,
    observer: Option<Observer>,
    /// Released last.
    _lock: File,
}

impl fmt::Debug for ShareStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShareStore").field("path", &self.path).finish_non_exhaustive()
    }
}

impl ShareStore {
    /// Opens the store in `folder` for the party with this secret key, or creates it if there is none.
    ///
    /// # Errors
    /// [`ShareStoreError::Locked`] while another process has it open, [`ShareStoreError::Foreign`] if it belongs to another
    /// party,
    /// [`ShareStoreError::NotAStore`], [`ShareStoreError::Damaged`], [`ShareStoreError::Io`].
    pub fn open(folder: &Path, key: &SecretKey) -> Result<ShareStore, ShareStoreError> {
        let (path, owner) = (folder.join(FILE), key.public());
        if !path.exists() {
            files::make_folder(folder).map_err(|error| ShareStoreError::io(folder, error))?;
        }
        let lock = lock(folder)?;
        let database = guarded(&path, || open_database(&path, owner))?;
        let key = key.derive(KEY_PURPOSE);
        let mut store = ShareStore {
            path,
            database: Some(database),
            key,
            owner,
            rows: BTreeMap::new(),
            observer: None,
            _lock: lock,
        };
        store.load()?;
        Ok(store)
    }

    /// The pair of this party, to which the store must belong, and its peer, as the session names them.
    ///
    /// # Errors
    /// [`ShareStoreError::NoKeys`], and [`ShareStoreError::Foreign`] for another party's store.
    pub(crate) fn pair(
        &self,
        parties: &[Party],
        [party, peer]: [&str; 2],
    ) -> Result<PartyPair, ShareStoreError> {
        let key = |name: &str| parties.iter().find(|party| party.name == name)?.key;
        let (own, theirs) = key(party).zip(key(peer)).ok_or(ShareStoreError::NoKeys)?;
        if own != self.owner {
            let (owner, key) = (self.owner.to_string(), own.to_string());
            return Err(ShareStoreError::Foreign { path: self.path.clone(), owner, key });
        }
        Ok(PartyPair { key: own.to_bytes(), peer_key: theirs.to_bytes(), peer: peer.to_owned() })
    }

    /// All that is kept.
    pub fn list(&self) -> Vec<ShareStatus> {
        self.rows.values().filter_map(ShareRow::status).collect()
    }

    /// Forgets what is kept under a name with any peer; returns whether there was anything.
    ///
    /// # Errors
    /// [`ShareStoreError::Io`], [`ShareStoreError::Damaged`].
    pub fn forget(&mut self, name: &str) -> Result<bool, ShareStoreError> {
        let found: Vec<Vec<u8>> =
            self.rows.iter().filter(|(_, row)| row.name == name).map(|(id, _)| id.clone()).collect();
        self.write(|table| {
            found.iter().try_for_each(|id| table.remove(&id[..]).map(drop).map_err(redb::Error::from))
        })?;
        found.iter().for_each(|id| drop(self.rows.remove(id)));
        Ok(!found.is_empty())
    }

    /// Calls `observe` with every step of the store, before what follows it. An error that it returns has the effect of
    /// an error of the operating system in that step. For tests, which end the process there.
    pub fn observe(&mut self, observe: impl Fn(&'static str) -> io::Result<()> + Send + Sync + 'static) {
        self.observer = Some(Box::new(observe));
    }

    /// This party's share of the value that both parties have under a name, with any peer. Secret. For tests, which combine shares of several
    /// runs.
    #[doc(hidden)]
    pub fn share(&self, name: &str) -> Option<Vec<Words>> {
        let row = self.rows.values().find(|row| row.name == name)?;
        let pair = PartyPair { key: self.owner.to_bytes(), peer_key: row.peer_key, peer: row.peer.clone() };
        row.current.as_ref()?.open(&self.key, &pair, name)
    }

    fn step(&self, name: &'static str) -> Result<(), ShareStoreError> {
        let Some(observer) = &self.observer else { return Ok(()) };
        observer(name).map_err(|error| ShareStoreError::io(&self.path, error))
    }

    /// What is kept with a peer, name by name.
    pub(crate) fn with(&self, pair: &PartyPair) -> Vec<(String, Stamps)> {
        let theirs = self.rows.values().filter(|row| row.peer_key == pair.peer_key);
        theirs.map(|row| (row.name.clone(), row.stamps())).collect()
    }

    /// The stamps under a name.
    fn stamps(&self, pair: &PartyPair, name: &str) -> Stamps {
        // No stamps if nothing is kept.
        self.rows.get(&row_id(pair, name)).map(ShareRow::stamps).unwrap_or_default()
    }

    /// Takes the share with this stamp as the one that both parties have; any other `pending` share is
    /// dropped.
    pub(crate) fn settle(
        &mut self,
        pair: &PartyPair,
        agreed: &[(&str, Stamp)],
    ) -> Result<(), ShareStoreError> {
        let mut changed = Vec::new();
        for (name, stamp) in agreed {
            let id = row_id(pair, name);
            let Some(row) = self.rows.get(&id).filter(|row| row.pending.is_some()) else { continue };
            let mut row = row.clone();
            let pending = row.pending.take();
            if let Some(entry) = pending.filter(|entry| entry.stamp == *stamp) {
                row.current = Some(entry);
            }
            changed.push((id, row));
        }
        self.put(changed)
    }

    /// Seals shares of one run and writes them as `pending`, all or none.
    fn keep(
        &mut self,
        pair: &PartyPair,
        shares: &[(&str, ShareKind, Stamp, &[Words])],
    ) -> Result<(), ShareStoreError> {
        let mut prg = Prg::from_os()?;
        let mut changed = Vec::new();
        for (name, kind, stamp, columns) in shares {
            let id = row_id(pair, name);
            let mut row = self.rows.get(&id).cloned().unwrap_or_else(|| ShareRow::new(pair, name));
            let sealed = ShareEntry::seal(&self.key, (pair, name), (kind.clone(), *stamp), columns, &mut prg);
            let too_long = || ShareStoreError::TooLong { name: (*name).to_owned() };
            row.pending = Some(sealed.ok_or_else(too_long)?);
            changed.push((id, row));
        }
        self.put(changed)
    }

    /// The columns of a share that both parties have.
    pub(crate) fn read(
        &self,
        pair: &PartyPair,
        name: &str,
        wanted: &ShareKind,
    ) -> Result<Vec<Words>, ShareStoreError> {
        let found = self.rows.get(&row_id(pair, name)).and_then(|row| row.current.as_ref());
        let entry = found.ok_or_else(|| ShareStoreError::Missing {
            name: name.to_owned(),
            peer: pair.peer.clone(),
            here: false,
        })?;
        if entry.kind != *wanted {
            let (kept, wanted) = (entry.kind.to_string(), wanted.to_string());
            return Err(ShareStoreError::Type { name: name.to_owned(), kept, wanted });
        }
        let damaged =
            || ShareStoreError::damaged(&self.path, ShareCorruption::Value { name: name.to_owned() });
        entry.open(&self.key, pair, name).ok_or_else(damaged)
    }

    /// Writes rows, all or none.
    fn put(&mut self, rows: Vec<(Vec<u8>, ShareRow)>) -> Result<(), ShareStoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        self.write(|table| {
            rows.iter().try_for_each(|(id, row)| {
                table.insert(&id[..], &encode(row)[..]).map(drop).map_err(redb::Error::from)
            })
        })?;
        self.rows.extend(rows);
        Ok(())
    }

    fn write(
        &self,
        change: impl FnOnce(&mut redb::Table<'_, &'static [u8], &'static [u8]>) -> Result<(), redb::Error>,
    ) -> Result<(), ShareStoreError> {
        let run = || {
            let database = self.database.as_ref().ok_or(redb::Error::DatabaseClosed)?;
            let transaction = database.begin_write()?;
            change(&mut transaction.open_table(ROWS)?)?;
            // Durable when it returns, which is the default of transactions.
            Ok(transaction.commit()?)
        };
        guarded(&self.path, || run().map_err(|error| ShareStoreError::database(&self.path, error)))
    }

    /// Names and rows as they are stored.
    fn rows_on_disk(&self) -> Result<BTreeMap<Vec<u8>, Vec<u8>>, redb::Error> {
        let database = self.database.as_ref().ok_or(redb::Error::DatabaseClosed)?;
        let transaction = database.begin_read()?;
        let mut rows = BTreeMap::new();
        for row in transaction.open_table(ROWS)?.iter()? {
            let (id, row) = row?;
            rows.insert(id.value().to_vec(), row.value().to_vec());
        }
        Ok(rows)
    }

    fn load(&mut self) -> Result<(), ShareStoreError> {
        let read = || self.rows_on_disk().map_err(|error| ShareStoreError::database(&self.path, error));
        let rows = guarded(&self.path, read)?;
        let own = self.owner.to_bytes();
        for (id, bytes) in rows {
            let malformed = || ShareStoreError::damaged(&self.path, ShareCorruption::Row);
            let row = decode(&bytes).ok_or_else(malformed)?;
            let pair = PartyPair { key: own, peer_key: row.peer_key, peer: row.peer.clone() };
            if row_id(&pair, &row.name) != id {
                return Err(malformed());
            }
            self.rows.insert(id, row);
        }
        Ok(())
    }
}

impl Drop for ShareStore {
    fn drop(&mut self) {
        // A database that cannot be closed is repaired or refused when it is opened next.
        let _ = guarded(&self.path, || {
            drop(self.database.take());
            Ok(())
        });
    }
}

/// The key of the row of a name that this party shares with another.
fn row_id(pair: &PartyPair, name: &str) -> Vec<u8> {
    [&pair.peer_key[..], name.as_bytes()].concat()
}

fn encode(row: &ShareRow) -> Vec<u8> {
    postcard::to_allocvec(row).expect("rows hold only what has a form, and all lengths are known")
}

fn decode(bytes: &[u8]) -> Option<ShareRow> {
    let (row, rest) = postcard::take_from_bytes::<ShareRow>(bytes).ok()?;
    rest.is_empty().then_some(row)
}

/// See [`crate::fuzzing::stored_share`].
pub(crate) fn fuzz(bytes: &[u8]) {
    let Some(row) = decode(bytes) else { return };
    assert!(decode(&encode(&row)).is_some());
    let (key, pair) = fuzzed();
    row.status();
    row.stamps().latest();
    for entry in row.current.iter().chain(&row.pending) {
        let forms = entry.kind.forms();
        let columns = entry.open(&key, &pair, &row.name);
        assert!(columns.is_none_or(|columns| columns.len() == forms.len()));
    }
}

/// The parties of fuzzed rows, and the key under which they are sealed.
fn fuzzed() -> (SealingKey, PartyPair) {
    (SealingKey::new([7; 32]), PartyPair { key: [1; 32], peer_key: [2; 32], peer: "B".to_owned() })
}

fn lock(folder: &Path) -> Result<File, ShareStoreError> {
    let path = folder.join(LOCK);
    let file = lock_file(&path).map_err(|error| ShareStoreError::io(&path, error))?;
    file.ok_or_else(|| ShareStoreError::Locked { path: folder.to_owned() })
}

/// Opens or creates the database, and checks its owner.
fn open_database(path: &Path, owner: PublicKey) -> Result<Database, ShareStoreError> {
    let failed = |error: redb::Error| ShareStoreError::database(path, error);
    if !path.exists() {
        files::create_database(path, |database| format(database, owner)).map_err(failed)?;
    }
    let database = files::open_database(path).map_err(|error| failed(error.into()))?;
    let (format, found) = found(&database).map_err(failed)?;
    let not_ours = |found| ShareStoreError::NotAStore { path: path.to_owned(), found };
    if format != FORMAT {
        return Err(not_ours(OtherShares::Format));
    }
    let found: [u8; 32] = found[..].try_into().map_err(|_| not_ours(OtherShares::NoOwner))?;
    match found == owner.to_bytes() {
        true => Ok(database),
        false => Err(ShareStoreError::Foreign {
            path: path.to_owned(),
            owner: PublicKey::from_bytes(found).to_string(),
            key: owner.to_string(),
        }),
    }
}

/// Fills a new database.
fn format(database: &Database, owner: PublicKey) -> Result<(), redb::Error> {
    let transaction = database.begin_write()?;
    {
        let mut meta = transaction.open_table(META)?;
        meta.insert("format", FORMAT)?;
        meta.insert("owner", &owner.to_bytes()[..])?;
        transaction.open_table(ROWS)?;
    }
    Ok(transaction.commit()?)
}

/// The format and the owner that a database names.
fn found(database: &Database) -> Result<(Vec<u8>, Vec<u8>), redb::Error> {
    let transaction = database.begin_read()?;
    let meta = match transaction.open_table(META) {
        // The database belongs to another program, and has no format.
        Err(redb::TableError::TableDoesNotExist(_)) => return Ok(Default::default()),
        meta => meta?,
    };
    let text = |key: &str| Ok::<_, redb::Error>(meta.get(key)?.map(|value| value.value().to_vec()));
    // An empty text is neither a format nor an owner, and is refused.
    Ok((text("format")?.unwrap_or_default(), text("owner")?.unwrap_or_default()))
}

/// The result of `work`. The database panics if its file contradicts itself; this turns the panic into an
/// error.
fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T, ShareStoreError>) -> Result<T, ShareStoreError> {
    // After a panic nothing that `work` touched is used again.
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(ShareStoreError::damaged(path, ShareCorruption::Contradiction)))
}
