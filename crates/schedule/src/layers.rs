//! Orders steps so that few messages are waited for: steps that open something and do not depend on each
//! other become adjacent, so that they can share a message.

use crate::schedule::{Action, Body, Schedule, Step};

impl Schedule {
    /// Whether a step of `body` waits for shares or labels of the peer each time that it runs.
    pub fn opens(&self, body: &Body, action: &Action) -> bool {
        match action {
            Action::Circuit { circuit, outputs, .. } => {
                outputs.first().is_some_and(|output| body.bundles[output.index()].rules().is_layered())
                    && self.circuits[*circuit as usize].and_count > 0
            }
            Action::Kernel { kernel, .. } => kernel.rules().waits(),
            _ => false,
        }
    }

    /// Sorts the steps of all bodies by layer, and renumbers their ANDs.
    pub fn sort_by_layer(&mut self) {
        for number in 0..self.bodies.len() {
            let order = order(self, &self.bodies[number]);
            let mut steps: Vec<Option<Step>> =
                std::mem::take(&mut self.bodies[number].steps).into_iter().map(Some).collect();
            self.bodies[number].steps = order.into_iter().filter_map(|index| steps[index].take()).collect();
        }
        self.number_ands();
    }

    /// Renumbers the ANDs of all bodies.
    pub fn number_ands(&mut self) {
        for number in 0..self.bodies.len() {
            // Bodies apply only bodies before them.
            let (before, rest) = self.bodies.split_at_mut(number);
            let mut ands = 0u64;
            for step in &mut rest[0].steps {
                step.and_base = ands;
                let count = Schedule::and_count_of(&self.circuits, before, &step.action);
                // A count that overflows exceeds the number of ANDs that a plan allows anyway.
                ands = ands.saturating_add(count.unwrap_or(u64::MAX));
            }
            rest[0].and_count = ands;
        }
    }
}

/// The parts of a layer, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// Local computation, and garbled circuits.
    Alone,
    /// Steps that open something.
    Opens,
    /// Steps that apply other bodies.
    Applies,
}

/// The steps of a body, sorted by layer: the number of waiting steps that must run before.
fn order(schedule: &Schedule, body: &Body) -> Vec<usize> {
    let mut layers: Vec<u32> = vec![0; body.bundles.len()];
    let mut places: Vec<(u32, Part)> = Vec::with_capacity(body.steps.len());
    for Step { action, .. } in &body.steps {
        let mut layer = 0;
        action.for_each_source(|source| layer = layer.max(layers[source.index()]));
        let part = match action {
            action if action.applied().is_some() => Part::Applies,
            action if schedule.opens(body, action) => Part::Opens,
            _ => Part::Alone,
        };
        let after = layer + u32::from(part != Part::Alone);
        action.targets().iter().for_each(|target| layers[target.index()] = after);
        places.push((layer, part));
    }
    let mut order: Vec<usize> = (0..places.len()).collect();
    // The sort is stable, so a step stays behind those of its layer that it depends on.
    order.sort_by_key(|index| places[*index]);
    order
}
