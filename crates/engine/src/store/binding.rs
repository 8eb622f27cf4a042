use std::fmt::Write;

use serde_json::{Value, json};
use tacit_net::keys::PublicKey;
use tacit_plan::{Plan, Side};
use tacit_store::{Binding, PoolId, Store, StoreError};

/// The kind of prepared runs in a store.
const KIND: &str = "runs";
/// The side of the garbler in a binding.
const GARBLER: &str = "Garbler";

/// The binding of entries of a plan between this party, on side `me`, and a peer: to the program and the plan, which covers release, layouts,
/// mode, security parameters and parties, and to both keys. Its identity is the same at both parties.
pub fn binding(program: &str, plan: &Plan, me: Side, key: PublicKey, peer_key: PublicKey) -> Binding {
    let (garbler, evaluator) = match me {
        Side::Garbler => (key, peer_key),
        Side::Evaluator => (peer_key, key),
    };
    let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 pool of prepared runs, version 1");
    hasher.update(plan.program_hash()).update(plan.hash());
    hasher.update(&garbler.to_bytes()).update(&evaluator.to_bytes());
    let build = crate::build();
    let description = json!({
        "program": program,
        "program_hash": hex(plan.program_hash()),
        "plan_hash": hex(plan.hash()),
        "party": plan.parties().name(me),
        "side": if me == Side::Garbler { GARBLER } else { "Evaluator" },
        "peer": plan.parties().name(me.peer()),
        "peer_key": peer_key.to_string(),
        "security": plan.security(),
        "release": build.release(),
        "layout": hex(&build.hash()),
    });
    Binding {
        pool: PoolId(*hasher.finalize().as_bytes()),
        kind: KIND.to_owned(),
        description: description.to_string(),
    }
}

/// The error if no entry of `binding` is left that both parties have. It mentions runs of the program that another build prepared, whose
/// entries this build must not read, and those with the other party as garbler.
pub(crate) fn nothing_left(store: &Store, binding: &Binding, ready: u64) -> StoreError {
    let wanted = told(binding);
    let pools = store.list().into_iter().filter(|pool| pool.binding.kind == KIND && pool.ready > 0);
    let mut others = pools
        .map(|pool| (told(&pool.binding), pool.ready))
        .filter(|(found, _)| ["program_hash", "peer_key"].iter().all(|name| found[name] == wanted[name]));
    let is_of_build = |found: &Value| ["release", "layout"].iter().all(|name| found[name] == wanted[name]);
    let is_stale = |(found, _): &(Value, u64)| found["side"] == wanted["side"] && !is_of_build(found);
    let is_swapped = |(found, _): &(Value, u64)| found["side"] != wanted["side"] && is_of_build(found);
    let path = store.folder().to_owned();
    match others.find(|other| ready == 0 && (is_stale(other) || is_swapped(other))) {
        Some((found, ready)) if is_of_build(&found) => {
            StoreError::Garbler { path, ready, found: garbler_of(&found), wanted: garbler_of(&wanted) }
        }
        Some((found, ready)) => {
            StoreError::Build { path, ready, found: build_of(&found), wanted: build_of(&wanted) }
        }
        None => StoreError::Empty { ready },
    }
}

/// The party that garbles in the runs of a binding.
fn garbler_of(told: &Value) -> String {
    let name = if told["side"] == GARBLER { "party" } else { "peer" };
    told[name].as_str().unwrap_or_default().to_owned()
}

/// The description in a binding; `null` if it is not JSON.
pub(crate) fn told(binding: &Binding) -> Value {
    serde_json::from_str(&binding.description).unwrap_or_default()
}

/// The build that made entries, in words.
fn build_of(told: &Value) -> String {
    match (told["release"].as_str(), told["layout"].as_str()) {
        (Some(release), Some(layout)) => {
            let digits: String = layout.chars().take(16).collect();
            format!("release {release}, layout {digits}")
        }
        _ => "a release that does not say which".to_owned(),
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string never fails.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
