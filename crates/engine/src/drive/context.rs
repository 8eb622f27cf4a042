use tacit_ir::Program;
use tacit_plan::{Plan, PricedRun, Side};
use tacit_twoparty::Party;

use crate::progress::Tracker;
use crate::{CancelFlag, Operation};

/// The context of a walk, besides the side that does the cryptography.
#[derive(Clone, Copy)]
pub(crate) struct RunContext<'a> {
    pub program: &'a Program,
    pub plan: &'a Plan,
    /// Which party this is.
    pub me: Side,
    pub tracker: &'a Tracker,
    pub cancel: &'a CancelFlag,
}

impl<'a> RunContext<'a> {
    /// The run, to predict its costs.
    pub fn priced(&self) -> PricedRun<'a> {
        self.plan.priced(self.program)
    }

    /// The side that gives an input column; `None` if both give shares of it.
    pub(super) fn giver(&self, port: u32) -> Option<Side> {
        self.plan.parties().side(self.program.inputs[port as usize].role)
    }

    pub(super) fn input(&self, port: u32) -> Operation {
        let port = &self.program.inputs[port as usize];
        Operation::Input { role: self.program.roles[port.role.index()].clone(), name: port.name.clone() }
    }
}

/// The party number of a side in protocols on shares.
pub(crate) fn share_party(side: Side) -> Party {
    match side {
        Side::Garbler => Party::First,
        Side::Evaluator => Party::Second,
    }
}
