//! Bounds on the growth of numbers from step to step.

use crate::bound::Bound;
use crate::bundle::Bundle;
use crate::kernel::Site;
use crate::schedule::{Action, Body, BundleId, Schedule};

impl Schedule {
    /// Tells every kernel how large its operands are. Parameters of bodies are no larger than their words.
    pub fn bound(&mut self) {
        self.bodies.iter_mut().for_each(bound);
    }
}

fn bound(body: &mut Body) {
    let Body { bundles, steps, .. } = body;
    let mut bounds: Vec<Bound> = bundles.iter().map(|bundle| Bound::of(*bundle)).collect();
    let all = |ids: &[BundleId]| -> Vec<Bundle> { ids.iter().map(|id| bundles[id.index()]).collect() };
    for step in steps {
        match &mut step.action {
            Action::Kernel { kernel, inputs, targets } => {
                let operands: Vec<Bound> = inputs.iter().map(|id| bounds[id.index()]).collect();
                let site = Site { inputs: &all(inputs), targets: &all(targets) };
                if let Some(found) = kernel.rules_mut().bound(&operands, site) {
                    targets.iter().for_each(|id| bounds[id.index()] = found);
                }
            }
            // Numbers with a sign are represented modulo two to the power of the words' width.
            Action::Input { bits, signed: false, target, .. } => {
                bounds[target.index()] = Bound::secret(*bits);
            }
            Action::Constant { words, target } => bounds[target.index()] = Bound::of_constant(words),
            Action::Gather { source, target, .. } => bounds[target.index()] = bounds[source.index()],
            Action::Join { sources, target } => {
                let largest = sources.iter().map(|id| bounds[id.index()]).reduce(Bound::max);
                bounds[target.index()] = largest.unwrap_or(bounds[target.index()]);
            }
            _ => {}
        }
    }
}
