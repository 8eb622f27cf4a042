use serde::Serialize;
use tacit_circuit::Executable;
use tacit_ir::Domain;

use crate::schedule::{Action, Body, BundleId, Operand, Schedule};
use crate::tally::Tally;

/// The contents of a schedule, and counts of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
pub struct ScheduleStats {
    /// ANDs of a run.
    pub and_count: u64,
    /// XORs of a run; saturates.
    pub xor_count: u64,
    /// Input bits that a run takes.
    pub inputs: u64,
    /// Output bits that a run gives.
    pub outputs: u64,
    /// Circuits held.
    pub circuits: u64,
    /// ANDs of all circuits held, each counted once.
    pub circuit_ands: u64,
    /// Slots of the circuit that needs the most.
    pub slots: u64,
}

impl Action {
    /// Calls `visit` with every bundle that is read.
    pub fn for_each_source(&self, mut visit: impl FnMut(BundleId)) {
        match self {
            Action::Input { .. } | Action::Random { .. } | Action::Constant { .. } => {}
            Action::Output { source, .. } | Action::Gather { source, .. } => visit(*source),
            Action::Kernel { inputs, .. } => inputs.iter().copied().for_each(visit),
            Action::Circuit { inputs, .. } => inputs.iter().for_each(|Operand { bundle, .. }| visit(*bundle)),
            Action::Join { sources, .. } => sources.iter().copied().for_each(visit),
            Action::Call { arguments, .. } | Action::Map { arguments, .. } => {
                arguments.iter().copied().for_each(visit);
            }
            Action::Iterate { carried, invariant, sliced, .. } => {
                carried.iter().chain(invariant).chain(sliced).copied().for_each(visit);
            }
        }
    }

    /// The bundles that are written, in order.
    pub fn targets(&self) -> &[BundleId] {
        match self {
            Action::Output { .. } => &[],
            Action::Input { target, .. }
            | Action::Random { target }
            | Action::Constant { target, .. }
            | Action::Gather { target, .. }
            | Action::Join { target, .. } => std::slice::from_ref(target),
            Action::Kernel { targets, .. } => targets,
            Action::Circuit { outputs, .. } => outputs,
            Action::Call { results, .. } | Action::Map { results, .. } | Action::Iterate { results, .. } => {
                results
            }
        }
    }
}

impl Schedule {
    /// Whether some values are shared in other ways than by labels.
    pub fn has_shares(&self) -> bool {
        self.bodies.iter().flat_map(|body| &body.bundles).any(|bundle| !bundle.rules().is_garbled())
    }

    /// Whether some value is shared in this way.
    pub fn holds(&self, domain: Domain) -> bool {
        self.bodies.iter().flat_map(|body| &body.bundles).any(|bundle| bundle.domain == domain)
    }

    /// ANDs of a whole run.
    pub fn and_count(&self) -> u64 {
        self.bodies.get(self.main).map_or(0, |main| main.and_count)
    }

    /// ANDs of one step in one instance of its body; none if the number overflows or the step names something
    /// that does not exist.
    pub fn and_count_of(circuits: &[Executable], bodies: &[Body], action: &Action) -> Option<u64> {
        if let Some((circuit, lanes)) = action.circuit() {
            return circuits.get(circuit)?.and_count.checked_mul(lanes);
        }
        let Some(applied) = action.applied() else { return Some(0) };
        bodies.get(applied.body)?.and_count.checked_mul(applied.runs())
    }

    /// XORs of a whole run; saturates.
    pub fn xor_count(&self) -> u64 {
        self.tally(|xors: &mut u64, _, action| {
            if let Some((circuit, lanes)) = action.circuit() {
                xors.add(&self.circuits[circuit].xor_count(), lanes);
            }
        })
    }

    /// Counts what a valid schedule holds and runs. Linear time in the schedule.
    pub fn stats(&self) -> ScheduleStats {
        let mut stats = ScheduleStats {
            and_count: self.and_count(),
            circuits: self.circuits.len() as u64,
            circuit_ands: self.circuits.iter().map(|circuit| circuit.and_count).sum(),
            // Zero where there are no circuits.
            slots: self.circuits.iter().map(|circuit| circuit.slots.into()).max().unwrap_or(0),
            ..ScheduleStats::default()
        };
        stats.xor_count = self.xor_count();
        let Some(main) = self.bodies.get(self.main) else { return stats };
        let size = |bundle: &BundleId| {
            main.bundles.get(bundle.index()).map_or(0, |bundle| bundle.lanes * u64::from(bundle.bits))
        };
        for step in &main.steps {
            match &step.action {
                Action::Input { bits, target, .. } => {
                    let lanes = main.bundles.get(target.index()).map_or(0, |bundle| bundle.lanes);
                    stats.inputs += u64::from(*bits) * lanes;
                }
                Action::Output { source, .. } => stats.outputs += size(source),
                // Only ports are counted here.
                _ => {}
            }
        }
        stats
    }
}
