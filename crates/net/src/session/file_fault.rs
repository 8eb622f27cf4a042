//! Problems of the content of a session file.

use std::error::Error;

use crate::keys::KeyError;

/// A problem of the content of a session file. Messages begin with the name of the entry.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileFault {
    /// Not TOML, or an entry that no session file has.
    #[error("{}{message}", .entry.as_ref().map_or(String::new(), |entry| format!("{entry}: ")))]
    Toml {
        /// The entry, if the message does not name it.
        entry: Option<String>,
        /// The reader's message.
        message: String,
    },
    /// Too few parties, or too many.
    #[error("{count} parties; a session has 2 to {limit}")]
    PartyCount {
        /// The number found.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// Too few parties compute.
    #[error("{count} parties compute; a session needs 2 without computes = false")]
    ComputingCount {
        /// The number found.
        count: usize,
    },
    /// Too many parties compute.
    #[error("{count} parties compute; at most {limit} may, and others give inputs with computes = false")]
    ComputingLimit {
        /// The number found.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// A name that parties cannot have.
    #[error("party.{name:?}: a name has 1 to {limit} printable bytes")]
    Name {
        /// The name.
        name: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// A party that computes and has no address.
    #[error("party.{party}.address is missing; only a party with computes = false can do without")]
    NoAddress {
        /// The party.
        party: String,
    },
    /// A party without a key if TLS needs one.
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
        /// The problem.
        source: KeyError,
    },
    /// A role that names a party which is not in the file.
    #[error("role.{role}.party: there is no [party.{party}]")]
    RoleOfNobody {
        /// The role.
        role: String,
        /// The party that it names.
        party: String,
    },
    /// A role for which no party computes.
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
        /// The expected type.
        expected: &'static str,
        /// The type found.
        found: &'static str,
    },
    /// A number outside its bounds.
    #[error("{entry}: expected {least} to {most}; found {found}")]
    Bounds {
        /// The entry.
        entry: &'static str,
        /// The smallest permitted value.
        least: f64,
        /// The largest permitted value.
        most: f64,
        /// The value found.
        found: f64,
    },
    /// A value that its entry cannot have.
    #[error("{entry}: {source}")]
    Value {
        /// The entry.
        entry: String,
        /// The reason.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A problem found by the code that reads the entry; the message names it.
    #[error(transparent)]
    Entry(Box<dyn Error + Send + Sync>),
}
