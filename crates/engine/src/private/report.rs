//! The costs of a private function at one party, besides their prediction.

use std::fmt;

use serde::{Deserialize, Serialize};
use tacit_net::Counts;
use tacit_pfe::{Bytes, Protocol, Rounds, Size, Traffic};

use super::batches::batches;
use crate::report::{Clock, PhaseReport};
use crate::store::constants::STORED;

/// Version of the form of these reports.
const REPORT_VERSION: u32 = 3;

/// The side of a party in the evaluation of a private function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PrivateSide {
    /// P1, which has the function.
    Holder,
    /// P2, which has the data and learns the result.
    Owner,
}

/// The task of two parties with a private function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrivateTask {
    /// A run, with its setup.
    Run,
    /// A run whose setup is in both stores.
    Spend,
    /// Setups of this many runs.
    Prepare {
        /// How many.
        count: u64,
    },
}

impl fmt::Display for PrivateTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrivateTask::Run => f.write_str("a run"),
            PrivateTask::Spend => f.write_str("a run that was prepared"),
            PrivateTask::Prepare { count } => write!(f, "preparing {count} runs"),
        }
    }
}

/// The costs of a private function at one party. `docs/private-functions.md` explains the JSON form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrivateReport {
    /// Version of this form.
    pub version: u32,
    /// Version of Tacit.
    pub tacit: String,
    /// The task: `a run`, `a run that was prepared`, `preparing 10 runs`.
    pub task: String,
    /// The number of the spent entry of the store, if any.
    pub store_entry: Option<u64>,
    /// The protocol.
    pub protocol: String,
    /// This party.
    pub party: String,
    /// Its side.
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
    /// The prediction of what this party's protocol sends, receives and waits for, by phase. Exact.
    pub predicted: Vec<PredictedPhase>,
    /// The phases, in order.
    pub phases: Vec<PhaseReport>,
    /// Peak resident memory of this process, in bytes, if the system reports it.
    pub peak_memory_bytes: Option<u64>,
}

/// The predicted cost of a phase to one party.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PredictedPhase {
    /// Its name: `setup` or `online`.
    pub phase: String,
    /// Bytes of the protocol's own messages sent.
    pub payload_sent: u64,
    /// Bytes of the protocol's own messages received.
    pub payload_received: u64,
    /// How many times the party goes from sending to receiving.
    pub rounds: u64,
}

/// What was done, for a report.
pub(super) struct Ran {
    pub task: PrivateTask,
    pub entry: Option<u64>,
    pub protocol: Protocol,
    pub size: Size,
    /// The cost of a run with its setup.
    pub cost: (Bytes, Rounds),
}

impl Ran {
    /// Bytes and rounds of setup.
    fn setup(&self) -> (Vec<Traffic>, Traffic) {
        let (bytes, rounds) = self.cost;
        match self.task {
            PrivateTask::Run => (vec![bytes.introduction, bytes.setup], rounds.setup),
            PrivateTask::Spend => (Vec::new(), Traffic::default()),
            PrivateTask::Prepare { count } => {
                let batches = batches(self.protocol, &self.size, count).count() as u64;
                let commit = Traffic { holder: STORED.len() as u64, owner: STORED.len() as u64 };
                let parts = [bytes.introduction, times(bytes.setup, count), times(commit, batches)];
                let Traffic { holder, owner } = self.protocol.prepared_rounds(&self.size, count);
                (parts.to_vec(), Traffic { holder: holder + batches, owner: owner + batches })
            }
        }
    }

    /// Bytes and rounds after inputs are known.
    fn online(&self) -> (Vec<Traffic>, Traffic) {
        match self.task {
            PrivateTask::Prepare { .. } => (Vec::new(), Traffic::default()),
            PrivateTask::Run | PrivateTask::Spend => (vec![self.cost.0.online], self.cost.1.online),
        }
    }

    /// The prediction of what is sent, received and waited for.
    fn predict(&self, side: PrivateSide) -> Vec<PredictedPhase> {
        let pair = |traffic: Traffic| match side {
            PrivateSide::Holder => [traffic.holder, traffic.owner],
            PrivateSide::Owner => [traffic.owner, traffic.holder],
        };
        let phase = |phase: &str, (parts, rounds): (Vec<Traffic>, Traffic)| {
            let parts = parts.into_iter().map(pair);
            let [payload_sent, payload_received] =
                parts.fold([0; 2], |sum, part| [0, 1].map(|i| sum[i] + part[i]));
            PredictedPhase {
                phase: phase.to_owned(),
                payload_sent,
                payload_received,
                rounds: pair(rounds)[0],
            }
        };
        vec![phase("setup", self.setup()), phase("online", self.online())]
    }
}

fn times(traffic: Traffic, count: u64) -> Traffic {
    Traffic { holder: count * traffic.holder, owner: count * traffic.owner }
}

pub(super) fn report(
    [party, peer]: [&str; 2],
    side: PrivateSide,
    ran: Ran,
    clock: &Clock,
    counts: [Counts; 3],
) -> PrivateReport {
    let size = &ran.size;
    PrivateReport {
        version: REPORT_VERSION,
        tacit: env!("CARGO_PKG_VERSION").to_owned(),
        task: ran.task.to_string(),
        store_entry: ran.entry,
        protocol: ran.protocol.name().to_owned(),
        party: party.to_owned(),
        side,
        peer: peer.to_owned(),
        gates: size.gates(),
        holder_bits: size.holder_inputs(),
        owner_bits: size.owner_inputs(),
        output_bits: size.outputs(),
        predicted: ran.predict(side),
        phases: clock.phases(counts),
        peak_memory_bytes: crate::memory::peak_bytes(),
    }
}
