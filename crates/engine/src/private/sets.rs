//! Sets of prepared runs: an introduction of a function, and the setups that follow it, in the stores of both parties.
//!
//! A set has a name that its holder draws, and that the data's owner learns when the set is made and when one of its runs is spent. It only tells the
//! owner what it knows anyway about runs of one introduction: that their function is the same. The holder's store identifies the function by a fingerprint
//! under a key that only the holder has, so that no run is spent on another function.

use serde_json::{Value, json};
use tacit_crypto::Prg;
use tacit_net::NetError;
use tacit_net::keys::{PublicKey, SecretKey};
use tacit_net::session::{Build, SessionFault};
use tacit_pfe::PrivateFunction;
use tacit_plan::SecurityParams;

use super::constants::{MAX_SETS, SET_NAME_BYTES};
use super::error::PrivateError;
use super::interface::Interface;
use super::report::PrivateSide;
use crate::Failure;
use crate::open::SessionTerms;
use crate::store::{Binding, PoolId, Store, hex, told};

/// The kind of entries of private functions in a store.
const KIND: &str = "private functions";

/// The name of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SetName(pub [u8; SET_NAME_BYTES]);

impl SetName {
    /// Draws a fresh name.
    pub fn draw(prg: &mut Prg) -> SetName {
        let mut name = [0; SET_NAME_BYTES];
        prg.fill_bytes(&mut name);
        SetName(name)
    }

    fn parse(text: &str) -> Option<SetName> {
        let digits = text.as_bytes().as_chunks::<2>().0;
        let byte = |pair: &[u8; 2]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = digits.iter().map(byte).collect();
        let name = SetName(bytes?.try_into().ok()?);
        (hex(&name.0) == text).then_some(name)
    }
}

/// The layouts that must be the same at both parties of a private function.
pub(super) fn build() -> Build {
    Build::new(&[
        ("net", tacit_net::LAYOUT),
        ("crypto", tacit_crypto::LAYOUT),
        ("ot", tacit_ot::LAYOUT),
        ("pfe", tacit_pfe::LAYOUT),
        ("engine", crate::LAYOUT),
    ])
}

/// The parties that prepare or spend runs, and their function.
pub(super) struct Sets {
    /// This party first.
    parties: [(String, PublicKey); 2],
    side: PrivateSide,
    interface: Interface,
    security: SecurityParams,
    /// Only at the holder.
    fingerprint: Option<String>,
}

impl Sets {
    /// The sets of the holder of a function.
    pub fn of_holder(
        terms: &SessionTerms,
        interface: &Interface,
        function: &PrivateFunction,
    ) -> Result<Sets, Failure> {
        let key = terms.key.as_ref().ok_or_else(|| no_key(&terms.party))?;
        let fingerprint = Some(fingerprint(key, function));
        Ok(Sets { fingerprint, ..Sets::new(terms, PrivateSide::Holder, interface)? })
    }

    /// The sets of the data's owner.
    pub fn of_owner(terms: &SessionTerms, interface: &Interface) -> Result<Sets, Failure> {
        Sets::new(terms, PrivateSide::Owner, interface)
    }

    fn new(terms: &SessionTerms, side: PrivateSide, interface: &Interface) -> Result<Sets, Failure> {
        let party = |name: &str| {
            let party = terms.session.parties.iter().find(|party| party.name == name);
            let key = party.and_then(|party| party.key).ok_or_else(|| no_key(name))?;
            Ok::<_, Failure>((name.to_owned(), key))
        };
        let parties = [party(&terms.party)?, party(&terms.peer)?];
        let (interface, security) = (interface.clone(), terms.security);
        Ok(Sets { parties, side, interface, security, fingerprint: None })
    }

    /// The binding of a set's entries: to the interface, both parties and their keys, security parameters, build, and the set's name.
    /// Its identity is the same at both parties.
    pub fn binding(&self, name: SetName) -> Binding {
        let mut description = self.description();
        description["set"] = json!(hex(&name.0));
        Binding { pool: self.pool(name), kind: KIND.to_owned(), description: description.to_string() }
    }

    fn pool(&self, name: SetName) -> PoolId {
        let mut ordered = self.parties.each_ref();
        if self.side == PrivateSide::Owner {
            ordered.reverse();
        }
        let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 pool of private functions, version 1");
        hasher.update(&name.0).update(&self.interface.hash()).update(&build().hash());
        for (party, key) in ordered {
            hasher
                .update(&(party.len() as u64).to_le_bytes())
                .update(party.as_bytes())
                .update(&key.to_bytes());
        }
        hasher.update(json!(self.security).to_string().as_bytes());
        PoolId(*hasher.finalize().as_bytes())
    }

    /// The common part of the bindings of all sets.
    fn description(&self) -> Value {
        let build = build();
        let mut description = json!({
            "interface": hex(&self.interface.hash()),
            "protocol": self.interface.protocol().name(),
            "gates": self.interface.size().gates(),
            "party": self.parties[0].0,
            "side": if self.side == PrivateSide::Holder { "Holder" } else { "Owner" },
            "peer": self.parties[1].0,
            "peer_key": self.parties[1].1.to_string(),
            "security": self.security,
            "release": build.release(),
            "layout": hex(&build.hash()),
        });
        if let Some(fingerprint) = &self.fingerprint {
            description["function"] = json!(fingerprint);
        }
        description
    }

    /// The sets with ready runs, those with the fewest first, as many as may be announced.
    ///
    /// # Errors
    /// [`PrivateError::NothingPrepared`], which mentions ready runs of another function with this interface, or of another build.
    pub fn ready(&self, store: &Store) -> Result<Vec<SetName>, PrivateError> {
        let wanted = self.description();
        let mut found: Vec<(u64, SetName)> = Vec::new();
        let mut others = Others::default();
        for pool in store.list().into_iter().filter(|pool| pool.binding.kind == KIND && pool.ready > 0) {
            let described = told(&pool.binding);
            let differing = differences(&wanted, &described);
            match (&differing[..], described["set"].as_str().and_then(SetName::parse)) {
                ([], Some(name)) => found.push((pool.ready, name)),
                (["function"], _) => others.functions += pool.ready,
                (_, _) if differing.iter().all(|name| ["layout", "release"].contains(name)) => {
                    others.builds += pool.ready;
                }
                _ => {}
            }
        }
        found.sort_unstable();
        found.truncate(MAX_SETS);
        match found.is_empty() {
            true => Err(PrivateError::NothingPrepared { functions: others.functions, builds: others.builds }),
            false => Ok(found.into_iter().map(|(_, name)| name).collect()),
        }
    }
}

/// Ready runs that cannot be used here.
#[derive(Default)]
struct Others {
    functions: u64,
    builds: u64,
}

/// The names of the fields that differ, except the name of the set.
fn differences<'a>(wanted: &'a Value, found: &Value) -> Vec<&'a str> {
    let fields = wanted.as_object().into_iter().flatten();
    fields.filter(|(name, value)| found[name.as_str()] != **value).map(|(name, _)| name.as_str()).collect()
}

/// A fingerprint of a function, which reveals nothing about it without the holder's key.
fn fingerprint(key: &SecretKey, function: &PrivateFunction) -> String {
    let key = key.derive("tacit 2026 fingerprints of private functions, version 1");
    let mut hasher = blake3::Hasher::new_keyed(&key);
    for operands in function.wiring().as_flattened() {
        hasher.update(&operands.to_le_bytes());
    }
    let size = function.size();
    for count in [size.holder_inputs(), size.owner_inputs(), size.gates(), size.outputs()] {
        hasher.update(&(count as u64).to_le_bytes());
    }
    hex(&hasher.finalize().as_bytes()[..SET_NAME_BYTES])
}

fn no_key(name: &str) -> Failure {
    NetError::Session(SessionFault::NoKey { name: name.to_owned(), needed_by: "a store" }).into()
}

/// Identifies the runs that are prepared together; the same at both parties, and never repeated.
pub(super) fn batch_id(binding: &Binding, first: u64) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 batch of private functions, version 1");
    hasher.update(&binding.pool.0).update(&first.to_le_bytes());
    let mut id = [0; 16];
    hasher.finalize_xof().fill(&mut id);
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_as_they_are_written() {
        let name = SetName([0x0f, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xff]);
        assert_eq!(SetName::parse(&hex(&name.0)), Some(name));
        for text in ["", "0f", &"0".repeat(31), &"0".repeat(33), &"g".repeat(32), &"é".repeat(16)] {
            assert_eq!(SetName::parse(text), None, "{text}");
        }
    }
}
