//! What is wrong with the content of a session file.

use std::error::Error;

use crate::keys::KeyError;

/// What is wrong with the content of a session file. Messages begin with the name of the entry.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileFault {
    /// Not TOML, or an entry that no session file has.
    #[error("{}{message}", .entry.as_ref().map_or(String::new(), |entry| format!("{entry}: ")))]
    Toml {
        /// The entry, where the message does not name it.
        entry: Option<String>,
        /// The reader's message.
        message: String,
    },
    /// Too few parties, or too many.
    #[error("{count} parties; a session has 2 to {limit}")]
    PartyCount {
        /// How many there are.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
    /// Too few of them compute.
    #[error("{count} parties compute; a session needs 2 without computes = false")]
    ComputingCount {
        /// How many do.
        count: usize,
    },
    /// Too many of them compute.
    #[error("{count} parties compute; at most {limit} may, and others give inputs with computes = false")]
    ComputingLimit {
        /// How many do.
        count: usize,
        /// How many may.
        limit: usize,
    },
    /// A name that parties cannot have.
    #[error("party.{name:?}: a name has 1 to {limit} printable bytes")]
    Name {
        /// The name.
        name: String,
        /// Most bytes that it may have.
        limit: usize,
    },
    /// A party that computes and has no address.
    #[error("party.{party}.address is missing; only a party with computes = false can do without")]
    NoAddress {
        /// The party.
        party: String,
    },
    /// A party without a key, where TLS needs one.
    #[error("party.{party}.key is missing")]
    NoKey {
        /// The party.
        party: String,
    },
    /// A key that cannot be read.
    #[error("party.{party}.key: {source}")]
    Key {
        /// The party.
        party: String,
        /// What is wrong with it.
        source: KeyError,
    },
    /// A role of a party that the file does not have.
    #[error("role.{role}.party: there is no [party.{party}]")]
    RoleOfNobody {
        /// The role.
        role: String,
        /// The party that it names.
        party: String,
    },
    /// A role that no party computes for.
    #[error("no [party.{role}], and no [role.{role}] that says which party computes for it")]
    NoParty {
        /// The role.
        role: String,
    },
    /// A value of another type than its entry has.
    #[error("{entry}: expected {expected}, found {found}")]
    Type {
        /// The entry.
        entry: String,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// A number outside its bounds.
    #[error("{entry}: expected {least} to {most}; found {found}")]
    Bounds {
        /// The entry.
        entry: &'static str,
        /// The smallest it may be.
        least: f64,
        /// The largest it may be.
        most: f64,
        /// What it is.
        found: f64,
    },
    /// A value that its entry cannot have.
    #[error("{entry}: {source}")]
    Value {
        /// The entry.
        entry: String,
        /// Why not.
        source: Box<dyn Error + Send + Sync>,
    },
    /// What whoever reads the entry finds wrong; the message names it.
    #[error(transparent)]
    Entry(Box<dyn Error + Send + Sync>),
}
