use std::io;
use std::path::{Path, PathBuf};

/// Why a store could not do what was asked of it. Nothing that was stored before is lost by any of these.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is something else in the folder.
    #[error("{}: not a store of prepared runs: {found}", .path.display())]
    NotAStore {
        /// The folder or file.
        path: PathBuf,
        /// What was found.
        found: OtherContent,
    },
    /// Another process uses the store.
    #[error("{}: another process uses this store", .path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// The store belongs to another party.
    #[error("{}: this store belongs to {owner}, but the key given is {key}", .path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// The public key of its owner.
        owner: String,
        /// The public key that was given.
        key: String,
    },
    /// A file is damaged or was replaced. What else is in the store can be used.
    #[error("{}: {damage}; `tacit store verify` finds what else is damaged, `tacit store prune` removes it", .path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        damage: Corruption,
    },
    /// There is no space left.
    #[error("{}: no space left; what was prepared before can still be used", .path.display())]
    Full {
        /// What could not grow.
        path: PathBuf,
    },
    /// The operating system refused something.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// No entry is left that both parties have.
    #[error(
        "no prepared run of this program is left that both parties have ({ready} here); run `tacit prepare`"
    )]
    Empty {
        /// Entries that this party still has.
        ready: u64,
    },
    /// Runs of the program are ready, but another build prepared them, which lays entries out in its own way.
    #[error(
        "{}: the {ready} prepared runs of this program were made by {found}, and this is {wanted}; run `tacit prepare` again, and `tacit store prune --all` to remove the old ones", .path.display()
    )]
    Build {
        /// The folder.
        path: PathBuf,
        /// Entries of the other build.
        ready: u64,
        /// Which build made them.
        found: String,
        /// Which build this is.
        wanted: String,
    },
    /// The two parties' entries of one number come from different preparations.
    #[error(
        "entry {entry} of the two stores was not prepared together; prepare anew, or give the stores that belong together"
    )]
    Unrelated {
        /// The number.
        entry: u64,
    },
    /// All that is ready in the store was made for another computation.
    #[error("{}: what is in this store was made for {found}, not for {wanted}; use another folder", .path.display())]
    Elsewhere {
        /// The folder.
        path: PathBuf,
        /// What it was made for.
        found: String,
        /// What it is asked for.
        wanted: String,
    },
    /// An entry does not hold what its kind does.
    #[error("an entry does not hold what entries of its kind do")]
    Malformed,
    /// There is no key to open entries with.
    #[error("{}: opened without a key, so entries can be listed but not used", .path.display())]
    NoKey {
        /// The folder.
        path: PathBuf,
    },
    /// Runs that stream their tables have nothing to prepare.
    #[error("a run in streamed mode has nothing to prepare; choose the mode precomputed")]
    Streamed,
    /// An entry would be larger than a store takes.
    #[error("a prepared run of this program takes {needed} bytes; a store takes entries of up to {limit}")]
    Large {
        /// What it would take.
        needed: u64,
        /// The most that is taken.
        limit: u64,
    },
    /// All numbers are used up, or the peer says so.
    #[error("there is no number left for another entry")]
    Exhausted,
    /// The operating system gave no randomness.
    #[error("the operating system's random generator failed: {0}")]
    Entropy(#[from] tacit_crypto::EntropyError),
}

/// What is where a store should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OtherContent {
    /// A folder of other things, or none at all.
    #[error("there is no index")]
    NoIndex,
    /// A folder with something in it.
    #[error("the folder is not empty and has no index")]
    NotEmpty,
    /// A file.
    #[error("it is no folder")]
    NoFolder,
    /// Another database.
    #[error("a database, but not an index of prepared runs")]
    Database,
    /// A store in an older or newer form.
    #[error("its format is of another version of Tacit")]
    Format,
}

/// What is wrong with a file of a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Corruption {
    /// A segment that is not there, or ends too early to be one.
    #[error("it is missing")]
    Missing,
    /// A segment whose head cannot be read.
    #[error("malformed")]
    Head,
    /// A key that opens nothing here.
    #[error("the key of a segment is damaged or another store's")]
    Key,
    /// Entries that cannot be of one plan.
    #[error("entries of one plan differ in length")]
    EntryLengths,
    /// An entry that its key does not open.
    #[error("entry {number} is damaged or from another store")]
    Entry {
        /// Its number.
        number: u64,
    },
    /// Another segment in the place of this one.
    #[error("not the segment that the index says")]
    OtherSegment,
    /// A segment that was cut or has grown.
    #[error("it is not as long as the index says")]
    Length,
    /// A row that cannot be read.
    #[error("a row of the index is malformed")]
    Row,
    /// Rows that cannot all be true.
    #[error("the index contradicts itself")]
    Contradiction,
    /// An index without its owner.
    #[error("it names no owner")]
    NoOwner,
    /// Pages of the index that were changed.
    #[error("its checksums do not hold")]
    Checksums,
    /// The database cannot read the index.
    #[error("the index is damaged: {0}")]
    Database(redb::Error),
    /// The file of the index cannot be read as one.
    #[error("the index is damaged: {0}")]
    Unreadable(io::Error),
}

impl StoreError {
    /// Sorts an error of the operating system.
    pub(crate) fn io(path: &Path, source: io::Error) -> StoreError {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                StoreError::Full { path }
            }
            _ => StoreError::Io { path, source },
        }
    }

    /// Sorts an error of the index.
    pub(crate) fn index(path: &Path, error: redb::Error) -> StoreError {
        match error {
            redb::Error::Io(source) => match source.kind() {
                io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
                    StoreError::corrupt(path, Corruption::Unreadable(source))
                }
                _ => StoreError::io(path, source),
            },
            redb::Error::DatabaseAlreadyOpen => StoreError::Locked { path: path.to_owned() },
            other => StoreError::corrupt(path, Corruption::Database(other)),
        }
    }

    pub(crate) fn corrupt(path: &Path, damage: Corruption) -> StoreError {
        StoreError::Corrupt { path: path.to_owned(), damage }
    }

    pub(crate) fn not_a_store(path: &Path, found: OtherContent) -> StoreError {
        StoreError::NotAStore { path: path.to_owned(), found }
    }
}
