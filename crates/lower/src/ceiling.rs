//! Where lowering ends early: drafts that cost more than another plan need not be written to their end.

use tacit_circuit::{Executable, Layer};
use tacit_schedule::{Action, Body, BundleId};

/// What a schedule may take. Lowering ends as soon as what is written takes more, which more steps never undo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling {
    /// ANDs of all circuits, loops multiplied out.
    pub ands: u64,
    /// Messages that follow one another.
    pub rounds: u64,
}

impl Default for Ceiling {
    /// None.
    fn default() -> Ceiling {
        Ceiling { ands: u64::MAX, rounds: u64::MAX }
    }
}

/// Messages that follow one another in a body, at least: after how many each bundle can be there. Those of bodies that it applies are not
/// counted.
#[derive(Default)]
pub(crate) struct Rounds {
    after: Vec<u64>,
}

impl Rounds {
    /// Counts a step; returns after how many messages its results are there. `layers` are those of each circuit that have ANDs.
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

/// Messages that follow one another in a step, at least.
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

/// The layers of a circuit that have ANDs.
pub(crate) fn and_layers(circuit: &Executable) -> u64 {
    circuit.layers().filter(Layer::has_ands).count() as u64
}
