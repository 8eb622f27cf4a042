//! Material prepared in advance, on disk: prepared runs, masks and bits, each entry spent once.
//!
//! [`Store::open`] opens a folder that belongs to one party. Parties that compute together fill their stores
//! together and spend from them together; each has its own store. `docs/store.md` describes the files, and
//! what is and is not guaranteed.
//!
//! Entries with the same [`Binding`] form a pool and are numbered identically at all parties. An entry is
//! reserved while it is made, ready once all parties have it, and spent as soon as this party may tell others
//! about it. Every change is durable before anything depends on it:
//!
//! 1. [`Store::reserve`]: numbers are assigned, in the index;
//! 2. the segment's key and entries are written and synced, then the folder: [`Store::append`], [`Store::seal`];
//! 3. the parties tell each other that they have reached this point;
//! 4. [`Store::commit`]: ready, in the index;
//! 5. [`Store::claim`]: the pool's mark moves past the entry, and past some that follow, in the index; then the entry is read;
//! 6. it is used, if the others use the same;
//! 7. a segment whose entries are all spent is erased, its key first.
//!
//! If a process ends between two steps, reserved entries are erased when the store is next opened, and
//! entries below the mark are never read again.
//!
//! Security: entries are sealed with AES-256-GCM-SIV under a key for each segment, and those keys under a key
//! derived from the party's secret key. Anyone with both the store and the secret key has the entries.

mod audit;
mod binding;
mod error;
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod fuzzing;
mod index;
mod lease;
mod lock;
mod segment;
#[cfg(test)]
mod tests;

pub use audit::{Damage, PoolStatus};
pub use binding::{Binding, PoolId};
pub use error::{Corruption, OtherContent, StoreError};

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tacit_net::keys::{PublicKey, SecretKey};

use index::{Index, StoredPool};
pub use lease::Claim;
use lease::Lease;
pub use lock::lock_file;
use segment::{Key, SegmentName, SegmentReader, SegmentWriter};

const INDEX: &str = "index.redb";
const LOCK: &str = "lock";
/// The purpose for which the store's key is derived.
const KEY_PURPOSE: &str = "tacit 2026 keys of segments of prepared runs, version 1";
/// The largest number of an entry.
const MAX_NUMBER: u64 = 1 << 62;

/// A step that a store is about to take or has taken, between two changes of its files: see
/// [`Store::observe`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The name of the step.
    pub name: &'static str,
    /// The entry that is about to be used, if any.
    pub entry: Option<u64>,
}

/// Entries with consecutive numbers that were made together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// Number of the first.
    pub first: u64,
    /// How many there are.
    pub count: u64,
    /// Identifies the preparation.
    pub batch: [u8; 16],
}

type Observer = Box<dyn Fn(Step) -> io::Result<()> + Send + Sync>;

/// A party's store, locked for this process.
pub struct Store {
    folder: PathBuf,
    index: Index,
    /// The key that seals the keys of segments; none if the store was opened only for inspection.
    key: Option<Key>,
    leases: HashMap<PoolId, Lease>,
    /// The segment read from last.
    reader: Option<SegmentReader>,
    observer: Option<Observer>,
    /// Released last.
    _lock: File,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the store in `folder` for the party with this secret key, or makes one there if the folder is
    /// empty or missing.
    ///
    /// Entries that a crash left unfinished are erased.
    ///
    /// # Errors
    /// [`StoreError::Locked`] while another process has it open, [`StoreError::Foreign`] if it is another party's,
    /// [`StoreError::NotAStore`] if something else is there, [`StoreError::Corrupt`], [`StoreError::Io`].
    pub fn open(folder: &Path, key: &SecretKey) -> Result<Store, StoreError> {
        make_folder(folder)?;
        let owner = key.public();
        let mut store = Store::open_as(folder, Some(owner))?;
        store.check_owner(owner)?;
        store.key = Some(key.derive(KEY_PURPOSE));
        store.sweep()?;
        Ok(store)
    }

    /// Opens an existing store, to list and prune it.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn inspect(folder: &Path) -> Result<Store, StoreError> {
        if !folder.join(INDEX).exists() {
            return Err(StoreError::not_a_store(folder, OtherContent::NoIndex));
        }
        Store::open_as(folder, None)
    }

    fn open_as(folder: &Path, owner: Option<PublicKey>) -> Result<Store, StoreError> {
        let lock = lock(folder)?;
        let index = Index::open(&folder.join(INDEX), owner.map(PublicKey::to_bytes))?;
        Ok(Store {
            folder: folder.to_owned(),
            index,
            key: None,
            leases: HashMap::new(),
            reader: None,
            observer: None,
            _lock: lock,
        })
    }

    fn check_owner(&self, key: PublicKey) -> Result<(), StoreError> {
        match self.index.owner() {
            Some(owner) if owner == key.to_bytes() => Ok(()),
            Some(owner) => Err(StoreError::Foreign {
                path: self.folder.clone(),
                owner: PublicKey::from_bytes(owner).to_string(),
                key: key.to_string(),
            }),
            None => Err(StoreError::corrupt(&self.folder.join(INDEX), Corruption::NoOwner)),
        }
    }

    /// Calls `observe` at every step of the store, before the next one. An error that it returns is treated
    /// as if the operating system had refused the step. For tests, which end the process there.
    pub fn observe(&mut self, observe: impl Fn(Step) -> io::Result<()> + Send + Sync + 'static) {
        self.observer = Some(Box::new(observe));
    }

    /// Reports a step to the observer.
    ///
    /// # Errors
    /// The error that the observer returns.
    pub fn step(&self, name: &'static str) -> Result<(), StoreError> {
        self.tell(Step { name, entry: None })
    }

    /// As [`Store::step`], for a step with an entry.
    ///
    /// # Errors
    /// As [`Store::step`].
    pub fn tell(&self, step: Step) -> Result<(), StoreError> {
        let Some(observer) = &self.observer else { return Ok(()) };
        observer(step).map_err(|error| StoreError::io(&self.folder, error))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The number of entries that this party can spend.
    pub fn ready(&self, binding: &Binding) -> u64 {
        let pool = binding.pool;
        let spent = self.spent_below(pool);
        self.index
            .ready(pool)
            .map(|(_, segment)| segment.end().saturating_sub(segment.first.max(spent)))
            .sum()
    }

    /// The ready entries that this party has not claimed, segment by segment.
    pub fn stretches(&self, binding: &Binding) -> Vec<Stretch> {
        let spent = self.spent_below(binding.pool);
        let stretch = |(_, segment): (u64, &index::Segment)| {
            let first = segment.first.max(spent);
            let count = segment.end().saturating_sub(first);
            (count > 0).then_some(Stretch { first, count, batch: segment.batch })
        };
        self.index.ready(binding.pool).filter_map(stretch).collect()
    }

    /// The lowest number of this kind that this store may still claim.
    pub fn mark(&self, binding: &Binding) -> u64 {
        self.spent_below(binding.pool)
    }

    /// The lowest number of this kind that this store has never used for an entry.
    pub fn next_number(&self, binding: &Binding) -> u64 {
        self.index.pool(binding.pool).map_or(0, |pool| pool.next)
    }

    /// The lowest number that this process may still claim.
    fn spent_below(&self, pool: PoolId) -> u64 {
        let mark = self.index.pool(pool).map_or(0, |pool| pool.mark);
        self.leases.get(&pool).map_or(mark, |lease| lease.next)
    }

    fn key(&self) -> Result<&Key, StoreError> {
        self.key.as_ref().ok_or_else(|| StoreError::NoKey { path: self.folder.clone() })
    }

    /// Reserves `count` numbers from `first` on, which must be unused, and starts a segment for them. `batch`
    /// identifies the preparation; it is the same at all parties and never used again.
    ///
    /// # Errors
    /// [`StoreError::NoKey`], [`StoreError::Exhausted`], [`StoreError::Full`], [`StoreError::Io`].
    pub fn reserve(
        &mut self,
        binding: &Binding,
        (first, count): (u64, u64),
        batch: [u8; 16],
    ) -> Result<Filling, StoreError> {
        self.step("reserving")?;
        let end = first.checked_add(count).filter(|end| *end <= MAX_NUMBER).ok_or(StoreError::Exhausted)?;
        let id = binding.pool;
        let (next, mark) = self.index.pool(id).map_or((0, 0), |pool| (pool.next, pool.mark));
        let pool = StoredPool { binding: binding.clone(), next: end.max(next), mark };
        let segment = index::Segment { pool: id, first, count, batch, record_bytes: 0, ready: false };
        let number = self.index.reserve(pool, segment)?;
        self.step("reserved")?;
        let name = SegmentName { id: number, pool: id, batch };
        let key = segment::create_key(&self.folder, name, self.key()?)?;
        self.step("key written")?;
        let writer = SegmentWriter::create(&self.folder, name, first, &key)?;
        Ok(Filling { id: number, writer })
    }

    /// Appends an entry to a segment that is being filled, and returns its number; its bytes are sealed in
    /// place.
    ///
    /// # Errors
    /// Entries of one segment that differ in length; [`StoreError::Full`], [`StoreError::Io`].
    pub fn append(&self, filling: &mut Filling, material: &mut [u8]) -> Result<u64, StoreError> {
        self.step("appending")?;
        let number = filling.writer.next();
        filling.writer.append(material)?;
        Ok(number)
    }

    /// Makes all entries of a segment durable. They are not ready yet.
    ///
    /// # Errors
    /// [`StoreError::Full`], [`StoreError::Io`].
    pub fn seal(&self, filling: Filling) -> Result<Sealed, StoreError> {
        self.step("syncing")?;
        let Filling { id, writer } = filling;
        let record_bytes = writer.record_bytes;
        writer.finish()?;
        files::sync_folder(&self.folder)?;
        self.step("synced")?;
        Ok(Sealed { id, record_bytes })
    }

    /// Makes entries ready, once all parties have them.
    ///
    /// # Errors
    /// [`StoreError::Full`], [`StoreError::Io`].
    pub fn commit(&mut self, sealed: Sealed) -> Result<(), StoreError> {
        let found =
            self.index.segments().find(|(id, _)| *id == sealed.id).map(|(_, segment)| segment.clone());
        let Some(segment) = found else { return Ok(()) };
        let ready = index::Segment { record_bytes: sealed.record_bytes, ready: true, ..segment };
        self.index.put_segment(sealed.id, ready)?;
        self.step("ready")
    }

    /// Erases reserved entries that did not become ready, and spent segments. No segment may be being filled.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn sweep(&mut self) -> Result<(), StoreError> {
        self.erase_where(|store, segment| !segment.ready || segment.end() <= store.spent_below(segment.pool))
    }

    fn erase_where(&mut self, useless: impl Fn(&Store, &index::Segment) -> bool) -> Result<(), StoreError> {
        let chosen = |(id, segment): (u64, &index::Segment)| {
            useless(self, segment).then(|| (id, SegmentName::of(id, segment)))
        };
        let found: Vec<_> = self.index.segments().filter_map(chosen).collect();
        found.into_iter().try_for_each(|(id, name)| self.erase(id, name))
    }

    /// Erases a segment: key, file, row, in this order, so that a crash leaves no unlisted files.
    fn erase(&mut self, id: u64, name: SegmentName) -> Result<(), StoreError> {
        self.reader.take_if(|reader| reader.id == id);
        segment::erase(&self.folder, name, |step| self.step(step))?;
        self.index.remove_segment(id)?;
        self.step("row removed")
    }
}

/// A segment that is being filled.
pub struct Filling {
    id: u64,
    writer: SegmentWriter,
}

/// A segment that is durable, but not ready.
pub struct Sealed {
    id: u64,
    record_bytes: u64,
}

/// Makes the folder durably unless it exists with an index; an empty folder is accepted.
fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let failed = |error| StoreError::io(folder, error);
    match fs::read_dir(folder) {
        Ok(_) if folder.join(INDEX).exists() => return Ok(()),
        Ok(mut entries) => {
            // Left over if a process ends while it makes a store.
            let begun = Path::new(INDEX).with_extension(files::NEW);
            let foreign = |entry: io::Result<fs::DirEntry>| {
                entry.is_ok_and(|entry| entry.file_name() != LOCK && *entry.file_name() != *begun)
            };
            if entries.any(foreign) {
                return Err(StoreError::not_a_store(folder, OtherContent::NotEmpty));
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(StoreError::not_a_store(folder, OtherContent::NoFolder));
        }
        Err(error) => return Err(failed(error)),
    }
    files::make_folder(folder).map_err(failed)
}

fn lock(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join(LOCK);
    let file = lock_file(&path).map_err(|error| StoreError::io(&path, error))?;
    file.ok_or_else(|| StoreError::Locked { path: folder.to_owned() })
}
