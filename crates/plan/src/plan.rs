use std::collections::BTreeSet;
use std::sync::Arc;

use tacit_ir::{Domain, OperationCount, Program};
use tacit_schedule::{Layout, Schedule};

use crate::{
    DomainWork, Forecast, Garbling, Goal, Lattices, Link, Material, MatrixChoice, MessageOrder, Mode,
    Objective, Parties, Prediction, PricedRun, Profile, SecurityParams, TransferExtension, Work,
};

/// What is run, how, by whom, and what it costs. The same at both parties, which compare its hash.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) schedule: Schedule,
    pub(crate) layout: Layout,
    pub(crate) messages: MessageOrder,
    pub(crate) material: Material,
    pub(crate) mode: Mode,
    pub(crate) garbling: Garbling,
    pub(crate) transfers: TransferExtension,
    pub(crate) matrices: MatrixChoice,
    pub(crate) lattices: Lattices,
    pub(crate) link: Link,
    pub(crate) profile: Arc<Profile>,
    pub(crate) goal: Goal,
    pub(crate) security: SecurityParams,
    pub(crate) lowering: tacit_lower::Options,
    pub(crate) effort: u64,
    pub(crate) parties: Parties,
    pub(crate) work: Work,
    pub(crate) domains: Vec<DomainWork>,
    pub(crate) operations: Vec<OperationCount>,
    /// Of each of the operations, where values are in several domains.
    pub(crate) operation_domains: Vec<BTreeSet<Domain>>,
    pub(crate) forecast: Forecast,
    pub(crate) program_hash: [u8; 32],
    pub(crate) hash: [u8; 32],
}

impl Plan {
    /// The program as circuits.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// What the run does in each domain in which it shares values.
    pub fn domains(&self) -> &[DomainWork] {
        &self.domains
    }

    /// What the program computes, as [`Plan::operations`], with the domains in which it does.
    pub fn operations_in_domains(&self) -> impl Iterator<Item = (&OperationCount, String)> {
        self.operations.iter().enumerate().map(|(index, operation)| {
            let names = match self.operation_domains.get(index) {
                Some(domains) if !domains.is_empty() => domains.iter().map(|domain| domain.name()).collect(),
                // Gates of circuits, and what is applied on a line of its own, where all domains may be.
                _ => self.domains.iter().map(|work| &work.domain[..]).collect::<Vec<_>>(),
            };
            (operation, names.join(", "))
        })
    }

    /// When bundles are dropped, and how many instances of a mapped body run at a time.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Which inputs and outputs travel together.
    pub fn messages(&self) -> &MessageOrder {
        &self.messages
    }

    /// What setup makes for values that are not shared by labels.
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// Steps that making circuits smaller could take.
    pub fn effort(&self) -> u64 {
        self.effort
    }

    /// How the program was lowered.
    pub fn lowering(&self) -> &tacit_lower::Options {
        &self.lowering
    }

    /// When tables travel.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// How AND gates are garbled.
    pub fn garbling(&self) -> Garbling {
        self.garbling
    }

    /// How oblivious transfers are extended.
    pub fn transfers(&self) -> TransferExtension {
        self.transfers
    }

    /// How matrices were to be multiplied.
    pub fn matrices(&self) -> MatrixChoice {
        self.matrices
    }

    /// The products that lattices serve. Transfers make the triples of all others.
    pub fn lattices(&self) -> &Lattices {
        &self.lattices
    }

    /// The link that it was made for.
    pub fn link(&self) -> Link {
        self.link
    }

    /// How long computing takes, as it was planned.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// What it was to have little of.
    pub fn objective(&self) -> Objective {
        self.goal.objective
    }

    /// What it was to have little of, and what runs cost.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// Security parameters.
    pub fn security(&self) -> &SecurityParams {
        &self.security
    }

    /// The two parties, and which speaks for which role.
    pub fn parties(&self) -> &Parties {
        &self.parties
    }

    /// What the run consists of.
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// What the program computes, by line and kind.
    pub fn operations(&self) -> &[OperationCount] {
        &self.operations
    }

    /// A run of the plan's program, to be priced.
    pub fn priced<'a>(&'a self, program: &'a Program) -> PricedRun<'a> {
        PricedRun {
            program,
            parties: &self.parties,
            schedule: &self.schedule,
            layout: &self.layout,
            messages: &self.messages,
            material: &self.material,
            random_bits: self.work.random_bits,
            xor_count: self.work.xor_count,
            profile: &self.profile,
            link: self.link,
            mode: self.mode,
            garbling: self.garbling,
            transfers: self.transfers,
            security: &self.security,
            lattices: &self.lattices,
        }
    }

    /// What the run sends, and how long it takes.
    pub fn prediction(&self) -> &Prediction {
        &self.forecast.prediction
    }

    /// What the run sends and computes.
    pub fn forecast(&self) -> &Forecast {
        &self.forecast
    }

    /// BLAKE3 hash of the program's canonical form.
    pub fn program_hash(&self) -> &[u8; 32] {
        &self.program_hash
    }

    /// BLAKE3 hash over everything that the parties must agree on: program, schedule, mode, garbling, extension of oblivious
    /// transfers, what lattices make, parameters, parties.
    pub fn hash(&self) -> &[u8; 32] {
        &self.hash
    }
}
