use std::sync::Arc;

use crate::{
    DomainChoice, GarblerChoice, Garbling, Goal, Limits, Link, MatrixChoice, ModeChoice, Objective, Parties,
    Profile, SecurityParams, Tariff, TransferChoice,
};

/// The options of a plan.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// When tables travel.
    pub mode: ModeChoice,
    /// How AND gates are garbled.
    pub garbling: Garbling,
    /// How values are shared that are not pinned.
    pub domain: DomainChoice,
    /// Who garbles.
    pub garbler: GarblerChoice,
    /// How oblivious transfers are extended.
    pub transfers: TransferChoice,
    /// Who makes the triples of matrix products and, where there are many, of products and squares of words.
    pub matrices: MatrixChoice,
    /// The link for which domains, protocols and the extension are chosen.
    pub link: Link,
    /// How long the parties take to compute.
    pub profile: Arc<Profile>,
    /// The quantity that the plan minimises.
    pub objective: Objective,
    /// The prices of a run, for objective money.
    pub tariff: Tariff,
    /// Limits of the predicted cost of a run.
    pub limits: Limits,
    /// Security parameters.
    pub security: SecurityParams,
    /// Which party speaks for which role; if `None`, every role is a party of the same name.
    pub parties: Option<Parties>,
    /// Most ANDs of a run, loops multiplied out.
    pub max_ands: u64,
    /// Budgets of lowering.
    pub lowering: tacit_lower::Options,
    /// Whether to finish drafts that cannot lead to the best plan. This never changes the choice, which tests
    /// check.
    #[doc(hidden)]
    pub every_draft: bool,
}

impl Default for PlanOptions {
    fn default() -> Self {
        PlanOptions {
            mode: ModeChoice::default(),
            garbling: Garbling::default(),
            domain: DomainChoice::default(),
            garbler: GarblerChoice::default(),
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
    /// The criterion that decides between plans.
    pub fn goal(&self) -> Goal {
        Goal { objective: self.objective, tariff: self.tariff }
    }

    /// The same, with every class of operations in the domain of all others.
    #[must_use]
    pub fn without_classes(&self) -> PlanOptions {
        let mut options = self.clone();
        options.lowering.assigned = tacit_lower::Assigned::default();
        options
    }
}
