//! The transactional index: the segments, and the mark up to which entries are spent.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::files;
use crate::{Binding, Corruption, OtherContent, PoolId, StoreError};

const META: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("meta");
const POOLS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("pools");
const SEGMENTS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("segments");

/// The content of the row `format` of the table `meta`.
const FORMAT: &[u8] = b"tacit store of prepared material 3";

/// Entries for one purpose.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredPool {
    pub binding: Binding,
    /// The lowest number never used for an entry.
    pub next: u64,
    /// All entries below are spent.
    pub mark: u64,
}

/// Entries in one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Segment {
    pub pool: PoolId,
    /// Number of its first entry.
    pub first: u64,
    pub count: u64,
    /// Identifies the preparation; the same at both parties.
    pub batch: [u8; 16],
    /// Bytes of one sealed entry.
    pub record_bytes: u64,
    /// Both parties have it; until then it is only reserved.
    pub ready: bool,
}

impl Segment {
    /// The number after its last entry's.
    pub fn end(&self) -> u64 {
        self.first.saturating_add(self.count)
    }

    /// Bytes of its entries.
    pub fn bytes(&self) -> u64 {
        self.count.saturating_mul(self.record_bytes)
    }
}

/// The index, on disk and in memory. Every change is durable when its call returns.
pub(crate) struct Index {
    path: PathBuf,
    /// Present until the index is dropped.
    database: Option<Database>,
    owner: Option<[u8; 32]>,
    pools: BTreeMap<PoolId, StoredPool>,
    segments: BTreeMap<u64, Segment>,
}

impl Index {
    /// Opens or creates the index in a file.
    pub fn open(path: &Path, owner: Option<[u8; 32]>) -> Result<Index, StoreError> {
        if !path.exists() {
            files::create_database(path, |database| format(database, owner))
                .map_err(|error| StoreError::index(path, error))?;
        }
        guarded(path, || Index::open_present(path))
    }

    fn open_present(path: &Path) -> Result<Index, StoreError> {
        let failed = |error: redb::DatabaseError| StoreError::index(path, error.into());
        let database = files::open_database(path).map_err(failed)?;
        let mut index = Index {
            path: path.to_owned(),
            database: Some(database),
            owner: None,
            pools: BTreeMap::new(),
            segments: BTreeMap::new(),
        };
        index.load()?;
        Ok(index)
    }

    /// A read-only index of these rows, in memory.
    pub(crate) fn of_rows(
        pools: Vec<(Vec<u8>, Vec<u8>)>,
        segments: Vec<(u64, Vec<u8>)>,
    ) -> Result<Index, StoreError> {
        let mut index = Index {
            path: PathBuf::new(),
            database: None,
            owner: None,
            pools: BTreeMap::new(),
            segments: BTreeMap::new(),
        };
        index.fill(Rows { format: FORMAT.to_vec(), owner: None, pools, segments })?;
        Ok(index)
    }

    /// The public key of the party that owns the store.
    pub fn owner(&self) -> Option<[u8; 32]> {
        self.owner
    }

    pub fn pools(&self) -> impl Iterator<Item = (&PoolId, &StoredPool)> {
        self.pools.iter()
    }

    pub fn pool(&self, id: PoolId) -> Option<&StoredPool> {
        self.pools.get(&id)
    }

    pub fn segments(&self) -> impl Iterator<Item = (u64, &Segment)> {
        self.segments.iter().map(|(id, segment)| (*id, segment))
    }

    /// The ready segments of a pool, by number.
    pub fn ready(&self, pool: PoolId) -> impl Iterator<Item = (u64, &Segment)> {
        self.segments().filter(move |(_, segment)| segment.ready && segment.pool == pool)
    }

    pub fn put_pool(&mut self, id: PoolId, pool: StoredPool) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.open_table(POOLS)?.insert(&id.0[..], &encode(&pool)[..])?;
            Ok(())
        })?;
        self.pools.insert(id, pool);
        Ok(())
    }

    pub fn put_segment(&mut self, id: u64, segment: Segment) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.open_table(SEGMENTS)?.insert(id, &encode(&segment)[..])?;
            Ok(())
        })?;
        self.segments.insert(id, segment);
        Ok(())
    }

    /// Assigns numbers to the entries of a new segment, atomically.
    pub fn reserve(&mut self, pool: StoredPool, segment: Segment) -> Result<u64, StoreError> {
        let after = |(last, _): (&u64, &Segment)| last.checked_add(1).ok_or(StoreError::Exhausted);
        let id = self.segments.last_key_value().map_or(Ok(0), after)?;
        self.write(|transaction| {
            transaction.open_table(POOLS)?.insert(&segment.pool.0[..], &encode(&pool)[..])?;
            transaction.open_table(SEGMENTS)?.insert(id, &encode(&segment)[..])?;
            Ok(())
        })?;
        self.pools.insert(segment.pool, pool);
        self.segments.insert(id, segment);
        Ok(id)
    }

    pub fn remove_segment(&mut self, id: u64) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.open_table(SEGMENTS)?.remove(id)?;
            Ok(())
        })?;
        self.segments.remove(&id);
        Ok(())
    }

    /// Whether the file is fully sound, and holds what it held when it was opened.
    pub fn check(&mut self) -> Result<bool, StoreError> {
        let path = self.path.clone();
        guarded(&path, || {
            let failed = |error| StoreError::index(&path, error);
            let before = self.rows().map_err(failed)?;
            if self.check_database()? {
                return Ok(true);
            }
            // The database has repaired itself. If only its record of free pages was damaged, all rows are
            // unchanged.
            Ok(self.rows().map_err(failed)? == before && self.check_database()?)
        })
    }

    fn check_database(&mut self) -> Result<bool, StoreError> {
        let Index { path, database: Some(database), .. } = self else { return Ok(false) };
        database.check_integrity().map_err(|error| StoreError::index(path, error.into()))
    }

    fn database(&self) -> Result<&Database, redb::Error> {
        self.database.as_ref().ok_or(redb::Error::DatabaseClosed)
    }

    fn write(
        &self,
        change: impl FnOnce(&redb::WriteTransaction) -> Result<(), redb::Error>,
    ) -> Result<(), StoreError> {
        let run = || {
            let transaction = self.database()?.begin_write()?;
            change(&transaction)?;
            // Durable when it returns, which is the default of transactions.
            Ok(transaction.commit()?)
        };
        guarded(&self.path, || run().map_err(|error| StoreError::index(&self.path, error)))
    }

    fn load(&mut self) -> Result<(), StoreError> {
        let rows = self.rows().map_err(|error| match error {
            redb::Error::TableDoesNotExist(_) | redb::Error::TableTypeMismatch { .. } => {
                StoreError::not_a_store(&self.path, OtherContent::Database)
            }
            error => StoreError::index(&self.path, error),
        })?;
        self.fill(rows)
    }

    /// Loads everything in the file.
    fn fill(&mut self, rows: Rows) -> Result<(), StoreError> {
        if rows.format != FORMAT {
            return Err(StoreError::not_a_store(&self.path, OtherContent::Format));
        }
        let malformed = || StoreError::corrupt(&self.path, Corruption::Row);
        for (key, value) in &rows.pools {
            let id = PoolId(key[..].try_into().map_err(|_| malformed())?);
            let pool: StoredPool = decode(value).ok_or_else(malformed)?;
            if pool.binding.pool != id {
                return Err(malformed());
            }
            self.pools.insert(id, pool);
        }
        for (id, value) in &rows.segments {
            self.segments.insert(*id, decode(value).ok_or_else(malformed)?);
        }
        if self.segments.values().any(|segment| !self.pools.contains_key(&segment.pool)) {
            return Err(malformed());
        }
        self.owner = rows.owner.map(|owner| owner[..].try_into().map_err(|_| malformed())).transpose()?;
        Ok(())
    }

    fn rows(&self) -> Result<Rows, redb::Error> {
        let transaction = self.database()?.begin_read()?;
        let meta = transaction.open_table(META)?;
        let text = |key: &str| Ok::<_, redb::Error>(meta.get(key)?.map(|value| value.value().to_vec()));
        let mut rows =
            // An empty text is not a format, and is refused as one.
            Rows { format: text("format")?.unwrap_or_default(), owner: text("owner")?, ..Rows::default() };
        for row in transaction.open_table(POOLS)?.iter()? {
            let (key, value) = row?;
            rows.pools.push((key.value().to_vec(), value.value().to_vec()));
        }
        for row in transaction.open_table(SEGMENTS)?.iter()? {
            let (key, value) = row?;
            rows.segments.push((key.value(), value.value().to_vec()));
        }
        Ok(rows)
    }
}

/// The result of `work`. The database panics if its file contradicts itself; here that becomes an error like
/// others.
fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    // After a panic, nothing that `work` touched is used again: the index is not opened, or refuses all
    // further writes.
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(StoreError::corrupt(path, Corruption::Contradiction)))
}

/// Fills a new file.
fn format(database: &Database, owner: Option<[u8; 32]>) -> Result<(), redb::Error> {
    let transaction = database.begin_write()?;
    {
        let mut meta = transaction.open_table(META)?;
        meta.insert("format", FORMAT)?;
        if let Some(owner) = owner {
            meta.insert("owner", &owner[..])?;
        }
        transaction.open_table(POOLS)?;
        transaction.open_table(SEGMENTS)?;
    }
    Ok(transaction.commit()?)
}

impl Drop for Index {
    fn drop(&mut self) {
        // A database that cannot be closed is repaired when it is opened next, or refused.
        let _ = guarded(&self.path, || {
            drop(self.database.take());
            Ok(())
        });
    }
}

/// Everything in the file.
#[derive(Default, PartialEq)]
struct Rows {
    format: Vec<u8>,
    owner: Option<Vec<u8>>,
    pools: Vec<(Vec<u8>, Vec<u8>)>,
    segments: Vec<(u64, Vec<u8>)>,
}

fn encode<T: Serialize>(row: &T) -> Vec<u8> {
    postcard::to_allocvec(row).expect("rows hold only what has a form, and all lengths are known")
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (row, rest) = postcard::take_from_bytes(bytes).ok()?;
    rest.is_empty().then_some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_segment_takes_the_place_of_another() {
        let id = PoolId([1; 32]);
        let binding = Binding { pool: id, kind: "runs".into(), description: "{}".into() };
        let pool = StoredPool { binding, next: 0, mark: 0 };
        let segment = Segment { pool: id, first: 0, count: 1, batch: [0; 16], record_bytes: 1, ready: true };
        let pools = vec![(id.0.to_vec(), encode(&pool))];
        let segments = [0, u64::MAX].map(|number| (number, encode(&segment)));
        let mut index = Index::of_rows(pools, segments.to_vec()).expect("an index");
        assert!(matches!(index.reserve(pool, segment), Err(StoreError::Exhausted)));
    }
}
