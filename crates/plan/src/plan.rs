use std::collections::BTreeSet;
use std::sync::Arc;

use tacit_ir::{Domain, OperationCount, Program};
use tacit_schedule::{Computing, Layout, Schedule};

use crate::{
    DomainWork, Forecast, Garbling, Goal, Lattices, Link, Material, MatrixChoice, MessageOrder, Mode,
    Objective, Parties, Prediction, PricedRun, Profile, SecurityParams, TransferExtension, Work,
};

/// What is run, how, by whom, and at what cost. It is the same at both parties, which compare its hash.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) schedule: Schedule,
    pub(crate) layout: Layout,
    pub(crate) messages: MessageOrder,
    pub(crate) material: Material,
    pub(crate) label_work: Computing,
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
    /// The domains of each operation, where values are in several domains.
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

    /// The work of the run in each domain in which it shares values.
    pub fn domains(&self) -> &[DomainWork] {
        &self.domains
    }

    /// The program's operations, as [`Plan::operations`], with the domains of each.
    pub fn operations_in_domains(&self) -> impl Iterator<Item = (&OperationCount, String)> {
        self.operations.iter().enumerate().map(|(index, operation)| {
            let names = match self.operation_domains.get(index) {
                Some(domains) if !domains.is_empty() => domains.iter().map(|domain| domain.name()).collect(),
                // Gates of circuits, and templates applied on a line, may be in all domains.
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

    /// The material that setup makes for values that are not shared by labels.
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// The effort limit, in steps of making circuits smaller.
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

    /// The chosen way to multiply matrices.
    pub fn matrices(&self) -> MatrixChoice {
        self.matrices
    }

    /// The products that lattices compute. Transfers make the triples of all others.
    pub fn lattices(&self) -> &Lattices {
        &self.lattices
    }

    /// The link that the plan was made for.
    pub fn link(&self) -> Link {
        self.link
    }

    /// The profile that the plan was made with.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The quantity that the plan minimises.
    pub fn objective(&self) -> Objective {
        self.goal.objective
    }

    /// The quantity that the plan minimises, and the prices.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// Security parameters.
    pub fn security(&self) -> &SecurityParams {
        &self.security
    }

    /// The two parties, and which one speaks for which role.
    pub fn parties(&self) -> &Parties {
        &self.parties
    }

    /// The work of the run.
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// The program's operations, by line and kind.
    pub fn operations(&self) -> &[OperationCount] {
        &self.operations
    }

    /// A run of the plan's program, for pricing.
    pub fn priced<'a>(&'a self, program: &'a Program) -> PricedRun<'a> {
        PricedRun {
            program,
            parties: &self.parties,
            schedule: &self.schedule,
            layout: &self.layout,
            messages: &self.messages,
            material: &self.material,
            random_bits: self.work.random_bits,
            label_work: &self.label_work,
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

    /// BLAKE3 hash over everything that the parties must agree on: program, schedule, mode, garbling,
    /// extension of oblivious transfers, products by lattices, parameters, parties.
    pub fn hash(&self) -> &[u8; 32] {
        &self.hash
    }
}
