use std::fmt::Write;

use serde_json::json;
use tacit_net::keys::PublicKey;
use tacit_plan::{Plan, Side};
use tacit_store::{Binding, PoolId};

/// What entries of a plan between this party, which is on side `me`, and a peer are bound to: program and plan, which covers mode, security
/// parameters and parties, and both keys. Its identity is the same at both parties.
pub fn binding(program: &str, plan: &Plan, me: Side, key: PublicKey, peer_key: PublicKey) -> Binding {
    let (garbler, evaluator) = match me {
        Side::Garbler => (key, peer_key),
        Side::Evaluator => (peer_key, key),
    };
    let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 pool of prepared runs, version 1");
    hasher.update(plan.program_hash()).update(plan.hash());
    hasher.update(&garbler.to_bytes()).update(&evaluator.to_bytes());
    let description = json!({
        "program": program,
        "program_hash": hex(plan.program_hash()),
        "plan_hash": hex(plan.hash()),
        "party": plan.parties().name(me),
        "side": if me == Side::Garbler { "Garbler" } else { "Evaluator" },
        "peer": plan.parties().name(me.peer()),
        "peer_key": peer_key.to_string(),
        "security": plan.security(),
    });
    Binding {
        pool: PoolId(*hasher.finalize().as_bytes()),
        kind: "runs".to_owned(),
        description: description.to_string(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
