//! Ends lowering early: drafts that cost more than another plan need not be finished.

use tacit_circuit::{Executable, Layer};
use tacit_schedule::{Action, Body, BundleId};

/// Upper limits for a schedule. Lowering ends as soon as the schedule exceeds them, since further steps only
/// add to the cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling {
    /// ANDs of all circuits, loops multiplied out.
    pub ands: u64,
    /// Messages that follow one another.
    pub rounds: u64,
}

impl Default for Ceiling {
    /// No limits.
    fn default() -> Ceiling {
        Ceiling { ands: u64::MAX, rounds: u64::MAX }
    }
}

/// A lower bound on messages that follow one another in a body: for each bundle, the number of messages
/// before it is available. Messages within applied bodies are not counted.
#[derive(Default)]
pub(crate) struct Rounds {
    after: Vec<u64>,
}

impl Rounds {
    /// Counts a step; returns the number of messages before its results are available. `layers` gives the
    /// number of layers with ANDs of each circuit.
    pub(crate) fn push(&mut self, body: &Body, action: &Action, layers: &[u64]) -> u64 {
        self.after.resize(body.bundles.len(), 0);
        let mut after = 0;
        if action.applied().is_none() {
            action.for_each_source(|source| after = after.max(self.of(source)));
            after += rounds(body, action, layers);
        }
        action.targets().iter().for_each(|target| self.after[target.index()] = after);
        after
    }

    fn of(&self, bundle: BundleId) -> u64 {
        self.after.get(bundle.index()).copied().unwrap_or(0)
    }
}

/// A lower bound on messages that follow one another in a step.
fn rounds(body: &Body, action: &Action, layers: &[u64]) -> u64 {
    match action {
        Action::Circuit { circuit, outputs, .. }
            if outputs.first().is_some_and(|output| body.bundles[output.index()].rules().is_layered()) =>
        {
            layers.get(*circuit as usize).copied().unwrap_or(0)
        }
        Action::Kernel { kernel, .. } => kernel.rules().waits().into(),
        _ => 0,
    }
}

/// The number of layers of a circuit that have ANDs.
pub(crate) fn and_layers(circuit: &Executable) -> u64 {
    circuit.layers().filter(Layer::has_ands).count() as u64
}
