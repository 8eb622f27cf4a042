use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use tacit_circuit::Executable;
use tacit_ir::Program;
use tacit_schedule::{Computing, Consumed, Effort, Layout, Peak, Schedule};

use crate::{
    Garbling, Goal, Lattices, Link, Material, MessageOrder, Mode, Objective, Parties, PhaseTime, PlanError,
    PlanOptions, Profile, SecurityParams, Side, Tariff, TransferExtension,
};

/// The traffic of a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Traffic {
    /// Bytes from garbler to evaluator, without the transport's overhead.
    pub garbler_bytes: u64,
    /// Bytes from evaluator to garbler, without the transport's overhead.
    pub evaluator_bytes: u64,
    /// How often the garbler switches from sending to receiving.
    pub garbler_rounds: u64,
    /// How often the evaluator switches from sending to receiving.
    pub evaluator_rounds: u64,
}

impl Traffic {
    /// The bytes that the party on this side sends.
    pub fn bytes_sent(self, side: Side) -> u64 {
        match side {
            Side::Garbler => self.garbler_bytes,
            Side::Evaluator => self.evaluator_bytes,
        }
    }

    /// How often the party on this side switches from sending to receiving.
    pub fn rounds(self, side: Side) -> u64 {
        match side {
            Side::Garbler => self.garbler_rounds,
            Side::Evaluator => self.evaluator_rounds,
        }
    }
}

/// The predicted cost of a run after the parties have agreed on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Prediction {
    /// Before inputs are used.
    pub setup: Traffic,
    /// From inputs to outputs.
    pub online: Traffic,
    /// How long both phases take.
    #[serde(default)]
    pub time: PredictedTime,
    /// How much memory each party takes.
    #[serde(default)]
    pub memory: PredictedMemory,
    /// Nanoseconds of processor time, of both parties together.
    #[serde(default)]
    pub processor_ns: u64,
}

/// Peak memory that each party needs for a run, beyond what its process used before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PredictedMemory {
    /// The garbler.
    pub garbler: Peak,
    /// The evaluator.
    pub evaluator: Peak,
}

impl PredictedMemory {
    /// The peak of the party on this side.
    pub fn of(self, side: Side) -> Peak {
        match side {
            Side::Garbler => self.garbler,
            Side::Evaluator => self.evaluator,
        }
    }

    /// The peak of the party that takes more.
    pub fn larger(self) -> Peak {
        self.garbler.max(self.evaluator)
    }
}

/// How long the phases of a run take, by a profile and over a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PredictedTime {
    /// Before inputs are used.
    pub setup: PhaseTime,
    /// From inputs to outputs.
    pub online: PhaseTime,
}

/// The work of a run in each phase, and the prediction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forecast {
    /// Its traffic and its time.
    pub prediction: Prediction,
    /// The work and waiting of setup.
    pub setup: Effort,
    /// The work and waiting online.
    pub online: Effort,
}

impl Prediction {
    /// The value of the objective, and then the value that decides between equal ones.
    pub(crate) fn of(&self, goal: Goal) -> (u64, u64) {
        let total = self.nanoseconds();
        match goal.objective {
            Objective::Total => (total, 0),
            Objective::Online => (self.time.online.nanoseconds(), total),
            Objective::Bytes => (self.bytes(), total),
            Objective::Money => (self.money(goal.tariff), total),
            Objective::Memory => (self.memory.larger().bytes, total),
        }
    }

    /// The price of the run, in millionths of millionths of the tariff's currency; saturates.
    pub fn money(&self, tariff: Tariff) -> u64 {
        tariff.cost(self.bytes(), self.processor_ns)
    }

    /// Time of both phases; saturates.
    pub fn nanoseconds(&self) -> u64 {
        self.time.setup.nanoseconds().saturating_add(self.time.online.nanoseconds())
    }

    /// Bytes of both parties in both phases; saturates.
    pub fn bytes(&self) -> u64 {
        let sent = |traffic: Traffic| traffic.garbler_bytes.saturating_add(traffic.evaluator_bytes);
        sent(self.setup).saturating_add(sent(self.online))
    }
}

/// Everything that the price of a run depends on.
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
    /// What either party computes on labels besides garbling and evaluating ANDs.
    pub label_work: &'a Computing,
    /// How long the parties take to compute.
    pub profile: &'a Profile,
    /// The link that it is planned for.
    pub link: Link,
    /// When tables travel.
    pub mode: Mode,
    /// How AND gates are garbled.
    pub garbling: Garbling,
    /// How oblivious transfers are extended.
    pub transfers: TransferExtension,
    /// The parameters of the protocols.
    pub security: &'a SecurityParams,
    /// The products that lattices serve.
    pub lattices: &'a Lattices,
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

    /// What every run takes, whatever it computes: one of which all values are labels, or one that has shares.
    fn least(&self, has_shares: bool, options: &PlanOptions) -> Prediction;

    /// What a run sends and computes in each phase.
    ///
    /// # Errors
    /// [`PlanError::Budget`] where setup would have to keep more than memory holds; [`PlanError::Uncountable`].
    fn predict(&self, run: PricedRun<'_>) -> Result<Forecast, PlanError>;

    /// The same without meeting, inputs and outputs, of a run whose tables travel online.
    ///
    /// # Errors
    /// As [`Prices::predict`].
    fn within(&self, run: PricedRun<'_>) -> Result<Forecast, PlanError>;
}
