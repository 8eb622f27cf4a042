//! Saves rounds by wider ANDs.

use tacit_schedule::{Action, Body, Schedule};

use crate::library::Library;

/// Bits that a party sends for an OT in setup, for SoftSpokenOT with k = 4. Silent OTs are nearly free.
pub(crate) const OT_BITS: u64 = 32;
/// Setup takes about one more round for this many OTs; fewer rounds if they are silent.
pub(crate) const ROUND_OTS: u64 = 1 << 19;

/// The same schedule with ANDs of up to four operands in circuits of bits shared by exclusive or, where that
/// saves rounds; each round is worth `round_bits` bits that a party sends. `None` if no circuit benefits.
///
/// Cost: as [`tacit_circuit::Executable::widened`] for each circuit that this library has not widened before.
pub fn with_wide_ands(schedule: &Schedule, round_bits: u64, library: &mut Library) -> Option<Schedule> {
    let ot_bits = OT_BITS + round_bits / ROUND_OTS;
    let mut changed = Vec::new();
    for (number, uses) in uses_of_bits(schedule).into_iter().enumerate().filter(|(_, uses)| uses.times > 0) {
        // Instances that run together, on average, share the worth of a round.
        let worth = u128::from(round_bits) * u128::from(uses.times) / u128::from(uses.instances.max(1));
        let worth = u64::try_from(worth).unwrap_or(u64::MAX);
        let wide = library.widened(&schedule.circuits[number], (worth, ot_bits));
        changed.extend(wide.map(|circuit| (number, circuit)));
    }
    if changed.is_empty() {
        return None;
    }
    let mut wide = schedule.clone();
    changed.into_iter().for_each(|(number, circuit)| wide.circuits[number] = circuit);
    wide.number_ands();
    Some(wide)
}

/// How often each circuit runs on bits shared by exclusive or.
fn uses_of_bits(schedule: &Schedule) -> Vec<Uses> {
    let mut of_circuit = vec![Uses::default(); schedule.circuits.len()];
    let mut of_body = vec![Uses::default(); schedule.bodies.len()];
    of_body[schedule.main] = Uses { times: 1, instances: 1 };
    // Bodies apply only bodies before them.
    for (number, body) in schedule.bodies.iter().enumerate().rev() {
        let uses = of_body[number];
        for step in &body.steps {
            if let Some((circuit, lanes)) = step.action.circuit().filter(|_| is_of_bits(body, &step.action)) {
                of_circuit[circuit].add(uses, 1, lanes);
            }
            if let Some(applied) = step.action.applied() {
                of_body[applied.body].add(uses, applied.times, applied.lanes);
            }
        }
    }
    of_circuit
}

fn is_of_bits(body: &Body, action: &Action) -> bool {
    action.targets().first().is_some_and(|target| body.bundles[target.index()].rules().is_layered())
}

/// How often something runs; counts saturate.
#[derive(Clone, Copy, Default)]
struct Uses {
    times: u64,
    /// The total number of instances over all runs.
    instances: u64,
}

impl Uses {
    /// Adds something that runs `times` times over `lanes` lanes in each run of a body.
    fn add(&mut self, by: Uses, times: u64, lanes: u64) {
        self.times = self.times.saturating_add(by.times.saturating_mul(times));
        let instances = by.instances.saturating_mul(times).saturating_mul(lanes);
        self.instances = self.instances.saturating_add(instances);
    }
}
