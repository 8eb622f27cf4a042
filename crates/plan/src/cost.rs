use serde::{Deserialize, Serialize};

use tacit_circuit::Executable;

use crate::{Agenda, Garbling, Mode, SecurityParams, Side};

/// What a phase sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Traffic {
    /// Bytes from garbler to evaluator, without what the transport adds.
    pub garbler_bytes: u64,
    /// Bytes from evaluator to garbler, without what the transport adds.
    pub evaluator_bytes: u64,
    /// Turns of the garbler from sending to receiving.
    pub garbler_rounds: u64,
    /// Turns of the evaluator from sending to receiving.
    pub evaluator_rounds: u64,
}

impl Traffic {
    /// What the party on this side sends.
    pub fn bytes_sent(self, side: Side) -> u64 {
        match side {
            Side::Garbler => self.garbler_bytes,
            Side::Evaluator => self.evaluator_bytes,
        }
    }

    /// How often the party on this side turns from sending to receiving.
    pub fn rounds(self, side: Side) -> u64 {
        match side {
            Side::Garbler => self.garbler_rounds,
            Side::Evaluator => self.evaluator_rounds,
        }
    }
}

/// What a run sends after the parties have agreed on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Prediction {
    /// Before inputs are used.
    pub setup: Traffic,
    /// From inputs to outputs.
    pub online: Traffic,
}

/// What the protocols cost, exactly. The engine, which knows the protocols, hands it over.
pub trait Prices {
    /// Bytes of the tables of a circuit that runs over so many instances.
    fn table_bytes(&self, garbling: Garbling, circuit: &Executable, instances: u64) -> u64;

    /// What a run that follows this agenda and draws this many random bits sends in each phase.
    fn predict(&self, agenda: &Agenda, random_bits: u64, mode: Mode, security: &SecurityParams)
    -> Prediction;
}
