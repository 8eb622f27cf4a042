use std::collections::HashMap;
use std::ops::RangeInclusive;

use tacit_circuit::{Circuit, Executable, Objective, Optimiser, OptimiserBudget, Progress, Target};

/// The most nodes of circuits that a library keeps: some hundred megabytes.
const MAX_NODES: usize = 1 << 23;

/// Circuits made for all ways of lowering that are tried for a plan: equal circuits are made smaller, put
/// into executable form and widened only once.
///
/// Schedules do not depend on the contents of the library.
#[derive(Default)]
pub struct Library {
    optimiser: Optimiser,
    /// By quick properties of a circuit as it is written.
    narrow: HashMap<(usize, usize, usize), Vec<Narrow>>,
    /// By quick properties of a circuit in executable form.
    wide: HashMap<(u64, u64, u32), Vec<Wide>>,
    /// Total nodes of the circuits that are kept.
    nodes: usize,
}

/// The objective and the target of a circuit's executable form.
type Goal = (Objective, Target);

/// A circuit as it is written, and its executable form.
struct Narrow {
    written: Circuit,
    goal: Goal,
    /// The efforts for which this holds.
    efforts: RangeInclusive<u64>,
    /// Steps that were taken to make it smaller.
    steps: u64,
    executable: Executable,
}

/// A circuit and its form in fewer layers, if that pays off.
struct Wide {
    narrow: Executable,
    /// The bits that a layer and an OT are worth.
    worth: (u64, u64),
    wide: Option<Executable>,
}

impl Library {
    /// A circuit in executable form, made smaller as far as the effort allows, and the number of steps taken.
    pub(crate) fn executable(
        &mut self,
        circuit: Circuit,
        goal: Goal,
        effort: u64,
        progress: impl FnMut(Progress),
    ) -> (Executable, u64) {
        let nodes = circuit.node_count();
        let known = self.narrow.entry((nodes, circuit.input_bits(), circuit.output_bits())).or_default();
        let is_same =
            |one: &&Narrow| one.goal == goal && one.efforts.contains(&effort) && one.written == circuit;
        if let Some(one) = known.iter().find(is_same) {
            return (one.executable.clone(), one.steps);
        }
        let written = (self.nodes + nodes <= MAX_NODES).then(|| circuit.clone());
        let made = self.optimiser.optimise(circuit, goal.0, OptimiserBudget { steps: effort }, progress);
        let (executable, steps) = (Executable::new(&made.circuit, goal.1), made.steps);
        if let Some(written) = written {
            self.nodes += nodes;
            let executable = executable.clone();
            known.push(Narrow { written, goal, efforts: made.efforts, steps, executable });
        }
        (executable, steps)
    }

    /// As [`Executable::widened`].
    pub(crate) fn widened(&mut self, narrow: &Executable, worth: (u64, u64)) -> Option<Executable> {
        let known = self.wide.entry((narrow.and_count, narrow.xor_count(), narrow.slots)).or_default();
        if let Some(one) = known.iter().find(|one| one.worth == worth && one.narrow == *narrow) {
            return one.wide.clone();
        }
        let (wide, nodes) = (narrow.widened(worth.0, worth.1), narrow.and_count + narrow.xor_count());
        if self.nodes as u64 + nodes <= MAX_NODES as u64 {
            self.nodes += nodes as usize;
            known.push(Wide { narrow: narrow.clone(), worth, wide: wide.clone() });
        }
        wide
    }
}
