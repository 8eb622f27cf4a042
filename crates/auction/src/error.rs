//! Errors of servers and clients.

use std::io;
use std::path::PathBuf;

use tacit_compare::CompareError;
use tacit_net::NetError;
use tacit_net::keys::KeyError;
use thiserror::Error;

/// Why a command or a server stopped.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AuctionError {
    /// Wrong usage of the command line.
    #[error("{0}")]
    Usage(String),
    /// A file could not be read or written.
    #[error("{file}: {source}")]
    File {
        /// The file.
        file: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// A configuration that cannot be used.
    #[error("{file}: {reason}")]
    Config {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The definition of an auction that cannot be used.
    #[error("{file}: {reason}")]
    Definition {
        /// The file, or who sent it.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A key file.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The database.
    #[error("the database: {0}")]
    Database(#[from] rusqlite::Error),
    /// Another process uses the folder.
    #[error("{0} is in use by another process; stop that process first")]
    InUse(PathBuf),
    /// The database belongs to another key, role or other parameters.
    #[error(
        "this database was made with another {what} ({stored} in the database, {now} now); start with that one, or with a new folder"
    )]
    Foreign {
        /// What differs.
        what: &'static str,
        /// The value in the database.
        stored: String,
        /// The value in the configuration.
        now: String,
    },
    /// The contents of the database cannot be right.
    #[error(
        "the database is damaged: {0}; restore it from a backup of both servers, or start with new folders at both"
    )]
    Damaged(String),
    /// Neither log continues the other: one of them was restored from a backup or belongs to another pair.
    #[error("{0}")]
    Diverged(String),
    /// The other server violated the rules.
    #[error("the other server violated the protocol: {0}")]
    Rules(String),
    /// The link between both servers.
    #[error(transparent)]
    Net(#[from] NetError),
    /// A comparison or check.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// A socket.
    #[error("{what}: {source}")]
    Socket {
        /// The attempted operation.
        what: String,
        /// The operating system's reason.
        source: io::Error,
    },
    /// Certificates and their keys.
    #[error("{0}")]
    Tls(String),
    /// A server's answer to a client was not as expected.
    #[error("{server}: {reason}")]
    Answer {
        /// Which server.
        server: String,
        /// What it said.
        reason: String,
    },
    /// A receipt, its halves or a log prove nothing.
    #[error("these files prove nothing: {0}")]
    Unproven(String),
    /// A decision about a bid was wrong, or a server contradicted itself.
    #[error("{wrong} of {all} decisions about bid {name} are wrong")]
    Wrong {
        /// The bid.
        name: crate::Name,
        /// How many decisions are wrong.
        wrong: usize,
        /// How many there are.
        all: usize,
    },
    /// This process is shutting down.
    #[error("the server is shutting down")]
    Stopping,
    /// The operating system gave no randomness.
    #[error("the operating system's random generator failed: {0}")]
    Entropy(String),
}

impl AuctionError {
    /// Whether trying again is of no use, so that this server must stop.
    pub(crate) fn is_final(&self) -> bool {
        !matches!(self, AuctionError::Net(_) | AuctionError::Compare(_) | AuctionError::Socket { .. })
    }

    /// The exit code of the command line.
    pub fn exit_code(&self) -> u8 {
        match self {
            AuctionError::Usage(_) => 2,
            AuctionError::File { .. }
            | AuctionError::Config { .. }
            | AuctionError::Definition { .. }
            | AuctionError::Unproven(_)
            | AuctionError::Key(_) => 4,
            AuctionError::Net(_) | AuctionError::Socket { .. } => 5,
            _ => 6,
        }
    }
}
