use serde::{Deserialize, Serialize};

/// Identity of what entries may be used for; at whoever made some together it follows from the same facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PoolId(pub [u8; 32]);

/// What entries may be used for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// Its identity, a hash of all that must be the same.
    pub pool: PoolId,
    /// What kind of material it is.
    pub kind: String,
    /// The same for people, as a JSON object. Nothing in it is secret.
    pub description: String,
}
