use serde::{Deserialize, Serialize};
use tacit_net::keys::PublicKey;
use tacit_plan::{Plan, SecurityParams, Side};

/// What entries may be used for: one program, under one plan, between two parties of which this is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// Name of the program, for people.
    pub program: String,
    /// BLAKE3 hash of the program.
    pub program_hash: [u8; 32],
    /// BLAKE3 hash of the plan, which covers mode, security parameters and parties.
    pub plan_hash: [u8; 32],
    /// Security parameters.
    pub security: SecurityParams,
    /// What this party does.
    pub side: Side,
    /// Name of this party.
    pub party: String,
    /// Name of the peer.
    pub peer: String,
    /// Public key of this party.
    pub key: [u8; 32],
    /// Public key of the peer.
    pub peer_key: [u8; 32],
}

/// Identity of what a [`Binding`] says, the same at both parties: the BLAKE3 hash of plan and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PoolId(pub [u8; 32]);

impl Binding {
    /// Of a plan between this party, which is on side `me`, and a peer.
    pub fn new(program: &str, plan: &Plan, me: Side, key: PublicKey, peer_key: PublicKey) -> Binding {
        Binding {
            program: program.to_owned(),
            program_hash: *plan.program_hash(),
            plan_hash: *plan.hash(),
            security: *plan.security(),
            side: me,
            party: plan.parties().name(me).to_owned(),
            peer: plan.parties().name(me.peer()).to_owned(),
            key: key.to_bytes(),
            peer_key: peer_key.to_bytes(),
        }
    }

    /// Its identity.
    pub fn pool(&self) -> PoolId {
        let (garbler, evaluator) = match self.side {
            Side::Garbler => (&self.key, &self.peer_key),
            Side::Evaluator => (&self.peer_key, &self.key),
        };
        let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 pool of prepared runs, version 1");
        hasher.update(&self.program_hash).update(&self.plan_hash).update(garbler).update(evaluator);
        PoolId(*hasher.finalize().as_bytes())
    }
}
