use std::io;
use std::path::{Path, PathBuf};

/// Why a store operation failed. None of these errors loses anything that was stored before.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The folder holds something else.
    #[error("{}: not a store of prepared runs: {found}", .path.display())]
    NotAStore {
        /// The folder or file.
        path: PathBuf,
        /// The content found.
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
    /// A file is damaged or was replaced. The rest of the store can still be used.
    #[error("{}: {damage}; `tacit store verify` finds what else is damaged, `tacit store prune` removes it", .path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The damage.
        damage: Corruption,
    },
    /// There is no space left.
    #[error("{}: no space left; what was prepared before can still be used", .path.display())]
    Full {
        /// The file that could not grow.
        path: PathBuf,
    },
    /// The operating system reported an error.
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
    /// Runs of the program are ready, but were prepared by another build, which lays entries out differently.
    #[error(
        "{}: the {ready} prepared runs of this program were made by {found}, and this is {wanted}; run `tacit prepare` again, and `tacit store prune --all` to remove the old ones", .path.display()
    )]
    Build {
        /// The folder.
        path: PathBuf,
        /// Entries of the other build.
        ready: u64,
        /// The build that made them.
        found: String,
        /// This build.
        wanted: String,
    },
    /// Runs of the program are ready, but were prepared with the other party as garbler.
    #[error(
        "{}: the {ready} prepared runs of this program are for {found} as garbler, and {wanted} garbles in this plan; give the option garbler={found}, or run `tacit prepare` again", .path.display()
    )]
    Garbler {
        /// The folder.
        path: PathBuf,
        /// Entries with that garbler.
        ready: u64,
        /// The garbler of these entries.
        found: String,
        /// The garbler of this plan.
        wanted: String,
    },
    /// The two parties' entries of one number come from different preparations.
    #[error(
        "entry {entry} of the two stores was not prepared together; prepare again, or use the stores that belong together"
    )]
    Unrelated {
        /// The number.
        entry: u64,
    },
    /// Everything ready in the store was made for another computation.
    #[error("{}: this store holds material for {found}, not for {wanted}; use another folder", .path.display())]
    Elsewhere {
        /// The folder.
        path: PathBuf,
        /// The computation that it was made for.
        found: String,
        /// The requested computation.
        wanted: String,
    },
    /// The content of an entry does not fit its kind.
    #[error("an entry does not hold what entries of its kind do")]
    Malformed,
    /// The store was opened without a key for its entries.
    #[error("{}: opened without a key, so entries can be listed but not used", .path.display())]
    NoKey {
        /// The folder.
        path: PathBuf,
    },
    /// Runs that stream their tables have nothing to prepare.
    #[error("a run in streamed mode has nothing to prepare; choose the mode precomputed")]
    Streamed,
    /// An entry would exceed the limit of a store.
    #[error("a prepared run of this program takes {needed} bytes; a store takes entries of up to {limit}")]
    Large {
        /// The bytes that it would need.
        needed: u64,
        /// The limit.
        limit: u64,
    },
    /// All numbers are used up, here or at the peer.
    #[error("there is no number left for another entry")]
    Exhausted,
    /// The operating system gave no randomness.
    #[error("the operating system's random generator failed: {0}")]
    Entropy(#[from] tacit_crypto::EntropyError),
}

/// What was found in place of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OtherContent {
    /// A folder with other content, or no folder.
    #[error("there is no index")]
    NoIndex,
    /// A folder that is not empty.
    #[error("the folder is not empty and has no index")]
    NotEmpty,
    /// A file.
    #[error("it is not a folder")]
    NoFolder,
    /// Another database.
    #[error("a database, but not an index of prepared runs")]
    Database,
    /// A store in an older or newer form.
    #[error("its format is of another version of Tacit")]
    Format,
}

/// The damage to a file of a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Corruption {
    /// A segment that is missing, or too short.
    #[error("it is missing")]
    Missing,
    /// A segment whose head cannot be read.
    #[error("malformed")]
    Head,
    /// A key that cannot be opened.
    #[error("the key of a segment is damaged or another store's")]
    Key,
    /// Entries that cannot belong to one plan.
    #[error("entries of one plan differ in length")]
    EntryLengths,
    /// An entry that its key does not open.
    #[error("entry {number} is damaged or from another store")]
    Entry {
        /// Its number.
        number: u64,
    },
    /// Another segment in place of this one.
    #[error("not the segment that the index lists")]
    OtherSegment,
    /// A segment that was cut or has grown.
    #[error("it is not as long as the index says")]
    Length,
    /// A row that cannot be read.
    #[error("a row of the index is malformed")]
    Row,
    /// Rows that contradict each other.
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
    /// Classifies an error of the operating system.
    pub(crate) fn io(path: &Path, source: io::Error) -> StoreError {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                StoreError::Full { path }
            }
            _ => StoreError::Io { path, source },
        }
    }

    /// Classifies an error of the index.
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
