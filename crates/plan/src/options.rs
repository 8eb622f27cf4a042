use std::sync::Arc;

use crate::{
    DomainChoice, Garbling, Goal, Limits, Link, MatrixChoice, ModeChoice, Objective, Parties, Profile,
    SecurityParams, Tariff, TransferChoice,
};

/// What a plan is made for.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// When tables travel.
    pub mode: ModeChoice,
    /// How AND gates are garbled.
    pub garbling: Garbling,
    /// How values are shared that nothing pins.
    pub domain: DomainChoice,
    /// How oblivious transfers are extended.
    pub transfers: TransferChoice,
    /// Who makes the triples of matrix products, and where there are many, of products and squares of words.
    pub matrices: MatrixChoice,
    /// What link domains, protocols and the extension are chosen for.
    pub link: Link,
    /// How long the parties take to compute.
    pub profile: Arc<Profile>,
    /// What a plan is to have little of.
    pub objective: Objective,
    /// What is paid for a run, for plans that are to be cheap.
    pub tariff: Tariff,
    /// What a run may take at most.
    pub limits: Limits,
    /// Security parameters.
    pub security: SecurityParams,
    /// Which party speaks for which role; where it is `None` every role is a party of its own name.
    pub parties: Option<Parties>,
    /// Most ANDs of a run, loops multiplied out.
    pub max_ands: u64,
    /// Budgets of lowering.
    pub lowering: tacit_lower::Options,
    /// Whether drafts are written to their end that cannot lead to the best plan. It changes nothing of what is chosen; tests see to that.
    #[doc(hidden)]
    pub every_draft: bool,
}

impl Default for PlanOptions {
    fn default() -> Self {
        PlanOptions {
            mode: ModeChoice::default(),
            garbling: Garbling::default(),
            domain: DomainChoice::default(),
            transfers: TransferChoice::default(),
            matrices: MatrixChoice::default(),
            link: Link::default(),
            profile: Arc::default(),
            objective: Objective::default(),
            tariff: Tariff::default(),
            limits: Limits::default(),
            security: SecurityParams::default(),
            parties: None,
            max_ands: 1 << 42,
            lowering: tacit_lower::Options {
                tile_labels: tacit_lower::Options::TILE_LABELS,
                ..tacit_lower::Options::default()
            },
            every_draft: false,
        }
    }
}

impl PlanOptions {
    /// What decides between plans.
    pub fn goal(&self) -> Goal {
        Goal { objective: self.objective, tariff: self.tariff }
    }
}
