use std::collections::BTreeMap;

use super::value::LiveValue;
use crate::stored_shares::{PartyPair, ShareKind, ShareStore, Stamps};

/// A party's store while a live session uses it.
pub(super) struct SessionStore {
    pub store: ShareStore,
    pub pair: PartyPair,
    /// What the peer has, by name.
    pub theirs: BTreeMap<String, Stamps>,
    /// The values to keep at the end, by name.
    pub to_keep: BTreeMap<String, (ShareKind, LiveValue)>,
}
