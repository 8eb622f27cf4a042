//! What a private function cost one party, beside what was predicted.

use serde::{Deserialize, Serialize};
use tacit_net::Counts;
use tacit_pfe::{Bytes, Protocol, Rounds, Size, Traffic};

use crate::report::{Clock, PhaseReport};

/// Version of the form of these reports.
const REPORT_VERSION: u32 = 2;

/// What a party is in the evaluation of a private function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PrivateSide {
    /// P1, who has the function.
    Holder,
    /// P2, who has the data and learns the result.
    Owner,
}

/// What a private function cost one party. `docs/private-functions.md` explains the JSON form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrivateReport {
    /// Version of this form.
    pub version: u32,
    /// Version of Tacit.
    pub tacit: String,
    /// The protocol.
    pub protocol: String,
    /// This party.
    pub party: String,
    /// What it is.
    pub side: PrivateSide,
    /// The other party.
    pub peer: String,
    /// Announced gates.
    pub gates: usize,
    /// Input bits of the function's holder.
    pub holder_bits: usize,
    /// Input bits of the data's owner.
    pub owner_bits: usize,
    /// Output bits.
    pub output_bits: usize,
    /// What this party's protocol is bound to send, receive and wait for, by phase. Exact.
    pub predicted: Vec<PredictedPhase>,
    /// The phases, in order.
    pub phases: Vec<PhaseReport>,
    /// Most memory that this process had resident, in bytes, where the system tells.
    pub peak_memory_bytes: Option<u64>,
}

/// What a phase is bound to cost one party.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PredictedPhase {
    /// Its name: `setup` or `online`.
    pub phase: String,
    /// Bytes of the protocol's own messages sent.
    pub payload_sent: u64,
    /// Bytes of the protocol's own messages received.
    pub payload_received: u64,
    /// How often the party goes from sending to receiving.
    pub rounds: u64,
}

/// What the protocol is bound to cost a party.
fn predict((bytes, rounds): (Bytes, Rounds), side: PrivateSide) -> Vec<PredictedPhase> {
    let pair = |traffic: Traffic| match side {
        PrivateSide::Holder => [traffic.holder, traffic.owner],
        PrivateSide::Owner => [traffic.owner, traffic.holder],
    };
    let phase = |phase: &str, parts: &[Traffic], rounds: Traffic| {
        let parts = parts.iter().map(|part| pair(*part));
        let [payload_sent, payload_received] =
            parts.fold([0; 2], |sum, part| [0, 1].map(|i| sum[i] + part[i]));
        PredictedPhase { phase: phase.to_owned(), payload_sent, payload_received, rounds: pair(rounds)[0] }
    };
    vec![
        phase("setup", &[bytes.introduction, bytes.setup], rounds.setup),
        phase("online", &[bytes.online], rounds.online),
    ]
}

pub(super) fn report(
    [party, peer]: [&str; 2],
    side: PrivateSide,
    (protocol, size, cost): (Protocol, Size, (Bytes, Rounds)),
    clock: &Clock,
    counts: [Counts; 3],
) -> PrivateReport {
    PrivateReport {
        version: REPORT_VERSION,
        tacit: env!("CARGO_PKG_VERSION").to_owned(),
        protocol: protocol.name().to_owned(),
        party: party.to_owned(),
        side,
        peer: peer.to_owned(),
        gates: size.gates(),
        holder_bits: size.holder_inputs(),
        owner_bits: size.owner_inputs(),
        output_bits: size.outputs(),
        predicted: predict(cost, side),
        phases: clock.phases(counts),
        peak_memory_bytes: crate::memory::peak_bytes(),
    }
}
