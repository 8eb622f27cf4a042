use std::io;
use std::path::{Path, PathBuf};

/// Why stored shares cannot be used or kept. None of these errors loses a value that was kept before.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShareStoreError {
    /// The program keeps or reads shares, but there is no store for them.
    #[error("the program keeps shares; name a folder for them, with --shares")]
    NoStore,
    /// The parties' keys are not known.
    #[error(
        "stored shares are bound to the keys of both parties, which the session must name, also without TLS"
    )]
    NoKeys,
    /// The file is not a store of shares that this release reads.
    #[error("{}: {found}", .path.display())]
    NotAStore {
        /// The file.
        path: PathBuf,
        /// What was found.
        found: OtherShares,
    },
    /// Another process uses the store.
    #[error("{}: another process uses this store", .path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// The store belongs to another party.
    #[error("{}: these shares belong to {owner}, but the key given is {key}", .path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// The public key of its owner.
        owner: String,
        /// The public key that was given.
        key: String,
    },
    /// The file is damaged or was replaced.
    #[error("{}: {corruption}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        corruption: ShareCorruption,
    },
    /// A value is too long for one entry.
    #[error("{name} is too long to be kept under one name; keep it in parts")]
    TooLong {
        /// Its name.
        name: String,
    },
    /// The operating system refused something.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Nothing is kept under this name with this peer, here or there.
    #[error("nothing is kept as {name} with {peer}{}", if *.here { " at its side, only here" } else { "" })]
    Missing {
        /// The name.
        name: String,
        /// The other party.
        peer: String,
        /// Whether this party has it.
        here: bool,
    },
    /// The kept value has another type, or is shared in another way, than the program reads.
    #[error("{name} was kept as {kept}, but the program reads {wanted}")]
    Type {
        /// The name.
        name: String,
        /// The type of the kept value.
        kept: String,
        /// What the program reads.
        wanted: String,
    },
    /// The parties' shares are not of one run: one side has an older version, as from a backup.
    #[error("{name}: version {ours} is kept here and version {theirs} by {peer}, so {} is ahead; shares of different runs do not fit together", if .ours > .theirs { "this party" } else { &.peer[..] })]
    Apart {
        /// The name.
        name: String,
        /// The other party.
        peer: String,
        /// The latest version here.
        ours: u64,
        /// The latest version there.
        theirs: u64,
    },
    /// The parties' shares have the same version, but come from two runs.
    #[error(
        "{name}: version {version} is of one run here and of another at {peer}; shares of different runs do not fit together"
    )]
    Unrelated {
        /// The name.
        name: String,
        /// The other party.
        peer: String,
        /// The version.
        version: u64,
    },
    /// More is kept with the peer than two parties may announce when a reactive session begins.
    #[error(
        "{names} names with {bytes} bytes are kept with this peer; a reactive session takes up to {} names and {} bytes of them, and 4096 bytes of each: use several folders", .most[0], .most[1]
    )]
    TooMany {
        /// How many names are kept.
        names: usize,
        /// Their bytes.
        bytes: usize,
        /// The maximum names, and the maximum bytes.
        most: [usize; 2],
    },
    /// The operating system provides no randomness.
    #[error("the operating system's random generator failed: {0}")]
    Entropy(#[from] tacit_crypto::EntropyError),
}

/// What a file is instead of a store of shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OtherShares {
    /// It has another format, or none.
    #[error("not a store of shares, or one of another version of Tacit; use another folder")]
    Format,
    /// It does not name its owner.
    #[error("this store of shares does not name its owner; use another folder")]
    NoOwner,
}

/// What is wrong with a store of shares.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShareCorruption {
    /// A row that is malformed, or has another row's name.
    #[error("a row of this store of shares is malformed")]
    Row,
    /// A value whose seal its key does not open.
    #[error("the value kept as {name} is damaged, or was kept by another store")]
    Value {
        /// The name.
        name: String,
    },
    /// The database found its own file inconsistent.
    #[error("the database contradicts itself")]
    Contradiction,
    /// The database cannot read its file.
    #[error("the database is damaged: {0}")]
    Database(redb::Error),
}

impl ShareStoreError {
    pub(super) fn io(path: &Path, source: io::Error) -> ShareStoreError {
        ShareStoreError::Io { path: path.to_owned(), source }
    }

    pub(super) fn damaged(path: &Path, corruption: ShareCorruption) -> ShareStoreError {
        ShareStoreError::Damaged { path: path.to_owned(), corruption }
    }

    pub(super) fn database(path: &Path, error: redb::Error) -> ShareStoreError {
        match error {
            redb::Error::Io(source) => ShareStoreError::io(path, source),
            redb::Error::DatabaseAlreadyOpen => ShareStoreError::Locked { path: path.to_owned() },
            other => ShareStoreError::damaged(path, ShareCorruption::Database(other)),
        }
    }
}
