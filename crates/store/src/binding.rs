use serde::{Deserialize, Serialize};

/// Identity of the purpose of entries; all parties that make entries together derive it from the same facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PoolId(pub [u8; 32]);

/// The purpose of entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// Its identity: a hash of everything that must be equal.
    pub pool: PoolId,
    /// The kind of material.
    pub kind: String,
    /// A description for people, as a JSON object. Nothing in it is secret.
    pub description: String,
}
