//! The database: SQLite, written by one thread, which combines calls that arrive together into one transaction.
//!
//! | table | row |
//! |---|---|
//! | `meta` | values of the whole database: role, keys, the latest time |
//! | `log` | the entries, each with the hash of the chain up to it |
//! | `halves` | encrypted halves: those that wait, and those of accepted bids until their auction ends; raises that wait, in the clear |
//! | `commitments` | commitments by which receipts name halves, which reveal nothing about them: kept for good |
//!
//! A call returns when its transaction is on disk (`synchronous = FULL` in WAL mode). Deleted rows are overwritten.

use std::path::Path;
use std::sync::mpsc;

use rusqlite::{Connection, OptionalExtension, params};
use tokio::sync::{oneshot, watch};

use crate::AuctionError;
use crate::ledger::Record;
use crate::name::Name;

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS log (
        sequence INTEGER PRIMARY KEY, record BLOB NOT NULL, chain BLOB NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS halves (
        name BLOB PRIMARY KEY, auction TEXT NOT NULL, sealed BLOB NOT NULL, digest BLOB NOT NULL,
        received INTEGER NOT NULL, promised INTEGER NOT NULL, is_raise INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS commitments (name BLOB PRIMARY KEY, commitment BLOB NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS halves_by_auction ON halves (auction);
";

/// Maximum calls in one transaction.
const TOGETHER: usize = 256;

type After = Box<dyn FnOnce(Option<&rusqlite::Error>) + Send>;
type Job = Box<dyn FnOnce(&Connection) -> After + Send>;

/// A handle to the thread that writes.
#[derive(Clone)]
pub(crate) struct Store {
    jobs: mpsc::Sender<Job>,
    open: watch::Receiver<()>,
}

/// A stored half or raise.
pub(crate) struct StoredHalf {
    pub name: Name,
    pub auction: String,
    pub sealed: Vec<u8>,
    pub digest: [u8; 32],
    pub received: u64,
    pub promised: bool,
    /// Whether `sealed` is a raise, which is not encrypted.
    pub raise: bool,
}

impl Store {
    pub fn open(file: &Path) -> Result<Store, AuctionError> {
        let connection = Connection::open(file)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "secure_delete", "ON")?;
        connection.execute_batch(TABLES)?;
        let (jobs, waiting) = mpsc::channel();
        let (is_open, open) = watch::channel(());
        std::thread::Builder::new()
            .name("database".into())
            .spawn(move || {
                write(&connection, &waiting);
                drop(connection);
                drop(is_open);
            })
            .map_err(|source| AuctionError::Socket { what: "starting a thread".into(), source })?;
        Ok(Store { jobs, open })
    }

    /// A receiver whose sender is dropped when the database is closed, which happens when the last `Store` is dropped.
    pub fn open_until(&self) -> watch::Receiver<()> {
        self.open.clone()
    }

    /// Runs `work` within a transaction, and returns when it is durable. If `work` fails, its changes are undone.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, AuctionError> + Send + 'static,
    ) -> Result<T, AuctionError> {
        let (sender, receiver) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let result = nested(connection, work);
            Box::new(move |failure| {
                // If nobody waits, the process is ending.
                let _ = sender.send(match failure {
                    Some(error) => Err(AuctionError::Damaged(error.to_string())),
                    None => result,
                });
            })
        });
        self.jobs.send(job).map_err(|_| AuctionError::Stopping)?;
        receiver.await.map_err(|_| AuctionError::Stopping)?
    }
}

/// The thread's loop, which ends when all senders are dropped.
fn write(connection: &Connection, waiting: &mpsc::Receiver<Job>) {
    while let Ok(first) = waiting.recv() {
        let begun = connection.execute_batch("BEGIN IMMEDIATE");
        let mut after = Vec::new();
        let mut next = Some(first);
        while let Some(job) = next {
            after.push(job(connection));
            next = if after.len() < TOGETHER { waiting.try_recv().ok() } else { None };
        }
        let ended = begun.and_then(|()| connection.execute_batch("COMMIT"));
        if ended.is_err() {
            // The failure is reported below; a transaction that never began need not be undone.
            let _ = connection.execute_batch("ROLLBACK");
        }
        after.into_iter().for_each(|after| after(ended.as_ref().err()));
    }
}

fn nested<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> Result<T, AuctionError>,
) -> Result<T, AuctionError> {
    connection.execute_batch("SAVEPOINT call")?;
    let result = work(connection);
    let end = if result.is_ok() { "RELEASE call" } else { "ROLLBACK TO call; RELEASE call" };
    connection.execute_batch(end)?;
    result
}

pub(crate) fn read_meta(connection: &Connection, key: &str) -> Result<Option<Vec<u8>>, AuctionError> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
    Ok(statement.query_row([key], |row| row.get(0)).optional()?)
}

pub(crate) fn write_meta(connection: &Connection, key: &str, value: &[u8]) -> Result<(), AuctionError> {
    let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")?;
    statement.execute(params![key, value])?;
    Ok(())
}

/// A number that only grows, such as the latest time.
pub(crate) fn raise_meta(connection: &Connection, key: &str, value: u64) -> Result<(), AuctionError> {
    match read_number(connection, key)? >= value {
        true => Ok(()),
        false => write_meta(connection, key, &value.to_le_bytes()),
    }
}

/// A number, zero if it is missing.
pub(crate) fn read_number(connection: &Connection, key: &str) -> Result<u64, AuctionError> {
    match read_meta(connection, key)?.map(|bytes| bytes.try_into()) {
        None => Ok(0),
        Some(Ok(bytes)) => Ok(u64::from_le_bytes(bytes)),
        Some(Err(_)) => Err(AuctionError::Damaged(format!("{key} is not a number"))),
    }
}

pub(crate) fn append(connection: &Connection, record: &Record, chain: &[u8; 32]) -> Result<(), AuctionError> {
    let mut statement = connection.prepare_cached("INSERT INTO log VALUES (?1, ?2, ?3)")?;
    statement.execute(params![record.sequence as i64, record.to_bytes(), chain])?;
    raise_meta(connection, "latest time", record.time)
}

/// Up to `most` records after one, with the chain after each.
pub(crate) fn records(
    connection: &Connection,
    after: u64,
    most: usize,
) -> Result<Vec<(Record, [u8; 32])>, AuctionError> {
    let mut statement = connection
        .prepare_cached("SELECT record, chain FROM log WHERE sequence > ?1 ORDER BY sequence LIMIT ?2")?;
    let mut rows = statement.query(params![after as i64, most as i64])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let (bytes, chain): (Vec<u8>, Vec<u8>) = (row.get(0)?, row.get(1)?);
        let damaged =
            || AuctionError::Damaged(format!("entry {} of the log", after + 1 + found.len() as u64));
        let record = Record::from_bytes(&bytes).ok_or_else(damaged)?;
        let chain = chain.try_into().map_err(|_| damaged())?;
        found.push((record, chain));
    }
    Ok(found)
}

/// The chain after an entry.
pub(crate) fn chain_at(connection: &Connection, sequence: u64) -> Result<Option<Vec<u8>>, AuctionError> {
    let mut statement = connection.prepare_cached("SELECT chain FROM log WHERE sequence = ?1")?;
    Ok(statement.query_row([sequence as i64], |row| row.get(0)).optional()?)
}

pub(crate) fn insert_half(connection: &Connection, half: &StoredHalf) -> Result<(), AuctionError> {
    let mut statement =
        connection.prepare_cached("INSERT INTO halves VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    let StoredHalf { name, auction, sealed, digest, received, promised, raise } = half;
    statement.execute(params![name.0, auction, sealed, digest, *received as i64, promised, raise])?;
    raise_meta(connection, "latest time", *received)
}

pub(crate) fn insert_commitment(
    connection: &Connection,
    name: &Name,
    commitment: &[u8; 32],
) -> Result<(), AuctionError> {
    // Replaces the commitment of a half that was refused while it arrived.
    let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO commitments VALUES (?1, ?2)")?;
    statement.execute(params![name.0, commitment])?;
    Ok(())
}

/// The commitment to the half of a bid, if its bidder asked for one.
pub(crate) fn commitment(connection: &Connection, name: &Name) -> Result<Option<[u8; 32]>, AuctionError> {
    let mut statement = connection.prepare_cached("SELECT commitment FROM commitments WHERE name = ?1")?;
    Ok(statement.query_row([name.0], |row| row.get(0)).optional()?)
}

/// All halves and raises.
pub(crate) fn halves(connection: &Connection) -> Result<Vec<StoredHalf>, AuctionError> {
    let mut statement = connection
        .prepare_cached("SELECT name, auction, sealed, digest, received, promised, is_raise FROM halves")?;
    let read = |row: &rusqlite::Row<'_>| {
        Ok(StoredHalf {
            name: Name(row.get(0)?),
            auction: row.get(1)?,
            sealed: row.get(2)?,
            digest: row.get(3)?,
            received: row.get::<_, i64>(4)? as u64,
            promised: row.get(5)?,
            raise: row.get(6)?,
        })
    };
    let rows = statement.query_map([], read)?;
    Ok(rows.collect::<Result<Vec<_>, _>>()?)
}

/// The encrypted halves of these bids, in their order.
pub(crate) fn sealed(connection: &Connection, names: &[Name]) -> Result<Vec<Vec<u8>>, AuctionError> {
    let mut statement = connection.prepare_cached("SELECT sealed FROM halves WHERE name = ?1")?;
    let mut one = |name: &Name| {
        let found = statement.query_row([name.0], |row| row.get(0)).optional()?;
        found.ok_or_else(|| AuctionError::Damaged(format!("the half of bid {name} is missing")))
    };
    names.iter().map(&mut one).collect()
}

pub(crate) fn promise(connection: &Connection, names: &[Name]) -> Result<(), AuctionError> {
    let mut statement = connection.prepare_cached("UPDATE halves SET promised = 1 WHERE name = ?1")?;
    names.iter().try_for_each(|name| statement.execute([name.0]).map(drop))?;
    Ok(())
}

pub(crate) fn delete_halves(connection: &Connection, names: &[Name]) -> Result<(), AuctionError> {
    let mut statement = connection.prepare_cached("DELETE FROM halves WHERE name = ?1")?;
    names.iter().try_for_each(|name| statement.execute([name.0]).map(drop))?;
    Ok(())
}

pub(crate) fn delete_commitments(connection: &Connection, names: &[Name]) -> Result<(), AuctionError> {
    let mut statement = connection.prepare_cached("DELETE FROM commitments WHERE name = ?1")?;
    names.iter().try_for_each(|name| statement.execute([name.0]).map(drop))?;
    Ok(())
}

pub(crate) fn delete_auction(connection: &Connection, auction: &str) -> Result<(), AuctionError> {
    connection.execute("DELETE FROM halves WHERE auction = ?1", [auction])?;
    Ok(())
}
