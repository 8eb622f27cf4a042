use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use tacit_circuit::Executable;
use tacit_ir::Program;
use tacit_schedule::{Consumed, Layout, Schedule};

use crate::{
    Garbling, Link, Material, MessageOrder, Mode, Parties, PlanError, PlanOptions, SecurityParams, Side,
    TransferExtension,
};

/// What a phase sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Traffic {
    /// Bytes from garbler to evaluator, without what the transport adds.
    pub garbler_bytes: u64,
    /// Bytes from evaluator to garbler, without what the transport adds.
    pub evaluator_bytes: u64,
    /// How often the garbler goes from sending to receiving.
    pub garbler_rounds: u64,
    /// How often the evaluator goes from sending to receiving.
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

    /// How often the party on this side goes from sending to receiving.
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

impl Prediction {
    /// A rough time over a link, for comparing plans: that of rounds, and of bytes, which take as long to make as on a fast link to
    /// send, as only what is sent is known here.
    pub(crate) fn nanoseconds(&self, link: Link) -> u128 {
        let byte_ps = link.byte_picoseconds();
        let time = |traffic: &Traffic| {
            let bytes = u128::from(traffic.garbler_bytes) + u128::from(traffic.evaluator_bytes);
            let rounds = u128::from(traffic.garbler_rounds.max(traffic.evaluator_rounds));
            bytes * byte_ps / 1000 + rounds * u128::from(link.round_us) * 1000
        };
        time(&self.setup) + time(&self.online)
    }
}

/// What the price of a run depends on.
#[derive(Clone, Copy, Debug)]
pub struct PricedRun<'a> {
    /// The program.
    pub program: &'a Program,
    /// Who gives inputs and learns outputs.
    pub parties: &'a Parties,
    /// The program as steps.
    pub schedule: &'a Schedule,
    /// How the steps are walked.
    pub layout: &'a Layout,
    /// Which inputs and outputs travel together.
    pub messages: &'a MessageOrder,
    /// What setup makes.
    pub material: &'a Material,
    /// Random bits that are shared by labels.
    pub random_bits: u64,
    /// When tables travel.
    pub mode: Mode,
    /// How AND gates are garbled.
    pub garbling: Garbling,
    /// How oblivious transfers are extended.
    pub transfers: TransferExtension,
    /// The parameters of the protocols.
    pub security: &'a SecurityParams,
    /// The products whose triples lattices make: of matrices, of words, and squares.
    pub lattices: &'a BTreeSet<Consumed>,
}

/// What the protocols cost, exactly. The engine, which knows the protocols, hands it over.
pub trait Prices: Sync {
    /// Hash of the release that runs plans and of all constants by which it lays messages and material out: part of every plan's hash.
    fn build(&self) -> [u8; 32];

    /// Bytes of the tables of a circuit that runs over so many instances.
    fn table_bytes(&self, garbling: Garbling, circuit: &Executable, instances: u64) -> u64;

    /// The products among `material` whose triples lattices make, of matrices, of words, and squares; transfers make those of all
    /// others.
    fn lattices(&self, material: &Material, options: &PlanOptions) -> BTreeSet<Consumed>;

    /// How oblivious transfers are extended of a run whose setup makes `material` and that takes `labels` more of them.
    fn transfers(&self, material: &Material, labels: u64, options: &PlanOptions) -> TransferExtension;

    /// What a run sends in each phase.
    ///
    /// # Errors
    /// [`PlanError::Budget`] where setup would have to keep more than memory holds; [`PlanError::Uncountable`].
    fn predict(&self, run: PricedRun<'_>) -> Result<Prediction, PlanError>;
}
