//! Computing on labels besides garbling and evaluating ANDs.

use std::collections::BTreeMap;

use tacit_circuit::Executable;

use crate::{Action, Body, Computing, Schedule, Tally, Unit};

/// ANDs that do not depend on each other and together take as long as one of them from its inputs to its result.
const BUSY_ANDS: u64 = 8;

/// Numbers of instances side by side that are told apart for a body. More of them, which only programs made for it have, count like
/// others.
const MOST_WIDTHS: usize = 64;

/// What either party computes on labels for this many instances of a circuit side by side, without garbling or evaluating its ANDs.
pub fn label_work(circuit: &Executable, instances: u64) -> Computing {
    let width = u64::from(circuit.lane_chunk).clamp(1, instances.max(1));
    let chunks = instances.div_ceil(width);
    let xors = circuit.xor_count();
    Computing::of(Unit::LabelXor, xors.saturating_mul(instances))
        .and(Unit::LabelGate, xors.saturating_add(circuit.and_count).saturating_mul(chunks))
        .and(Unit::LabelIdle, idle(circuit, width).saturating_mul(chunks))
}

/// ANDs that narrow layers lack, over this many instances side by side.
fn idle(circuit: &Executable, width: u64) -> u64 {
    let lacks = |ands: usize| BUSY_ANDS.saturating_sub((ands as u64).saturating_mul(width));
    circuit.layers().map(|layer| lacks(layer.and_a.len())).sum()
}

impl Schedule {
    /// What either party computes on labels in a run, loops multiplied out, without garbling or evaluating ANDs, inputs and
    /// outputs; saturates.
    pub fn label_work(&self) -> Computing {
        let mut all = Computing::default();
        // For each body, how often it runs over each number of instances side by side.
        let mut runs: Vec<BTreeMap<u64, u64>> = vec![BTreeMap::new(); self.bodies.len()];
        if let Some(main) = runs.get_mut(self.main) {
            main.insert(1, 1);
        }
        // Bodies apply only bodies before them.
        for (index, body) in self.bodies.iter().enumerate().rev() {
            let (before, own) = runs.split_at_mut(index);
            for (instances, times) in std::mem::take(&mut own[0]) {
                for step in &body.steps {
                    all.add(&self.of_step(body, &step.action, instances), times);
                    let Some(applied) = step.action.applied() else { continue };
                    let Some(widths) = before.get_mut(applied.body) else { continue };
                    let width = instances.saturating_mul(applied.lanes);
                    count(widths, width, times.saturating_mul(applied.times));
                }
            }
        }
        all
    }

    /// The work of a step in `instances` of its body.
    fn of_step(&self, body: &Body, action: &Action, instances: u64) -> Computing {
        let target = action.targets().first().and_then(|target| body.bundles.get(target.index()));
        let Some(target) = target.filter(|target| target.rules().is_garbled()) else {
            return Computing::default();
        };
        match action {
            Action::Circuit { circuit, lanes, .. } => self
                .circuits
                .get(*circuit as usize)
                .map(|circuit| label_work(circuit, lanes.saturating_mul(instances)))
                .unwrap_or_default(),
            Action::Gather { .. } | Action::Join { .. } => {
                let labels = target.lanes.saturating_mul(u64::from(target.bits));
                Computing::of(Unit::LabelGathered, labels.saturating_mul(instances))
            }
            _ => Computing::default(),
        }
    }
}

/// Counts `times` more runs over this many instances.
fn count(widths: &mut BTreeMap<u64, u64>, instances: u64, times: u64) {
    let is_full = widths.len() >= MOST_WIDTHS && !widths.contains_key(&instances);
    let nearest = widths.range(..instances).next_back().or(widths.first_key_value());
    let key = nearest.filter(|_| is_full).map_or(instances, |(key, _)| *key);
    widths.entry(key).or_default().add(&times, 1);
}
