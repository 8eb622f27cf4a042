use serde::{Deserialize, Serialize};
use tacit_lower::{Action, Body, Schedule};

use crate::agenda::{Agenda, labels};

/// What a run consists of, counted exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// AND gates, loops multiplied out.
    pub and_count: u64,
    /// ANDs that must follow one another, at most: [`Schedule::and_depth`].
    pub and_depth: u64,
    /// XOR gates, loops multiplied out. They cost computation alone.
    pub xor_count: u64,
    /// Bits of the garbler's inputs.
    pub garbler_input_bits: u64,
    /// Bits of the evaluator's inputs.
    pub evaluator_input_bits: u64,
    /// Random bits, loops multiplied out.
    pub random_bits: u64,
    /// Bits revealed, those for both parties counted once.
    pub output_bits: u64,
}

impl Work {
    /// Counts; `None` where a count exceeds 64 bits.
    pub(crate) fn new(schedule: &Schedule, agenda: &Agenda) -> Option<Work> {
        let gates = |step: &Action| match step {
            Action::Circuit { circuit, lanes, .. } => {
                schedule.circuits[*circuit as usize].xor_count().checked_mul(*lanes)
            }
            _ => Some(0),
        };
        Some(Work {
            and_count: schedule.bodies[schedule.main].and_count,
            and_depth: schedule.and_depth(),
            xor_count: total(schedule, |_, action| gates(action))?,
            garbler_input_bits: sum(agenda.garbler_inputs().map(|column| column.label_count()))?,
            evaluator_input_bits: sum(agenda.evaluator_inputs().map(labels))?,
            random_bits: total(schedule, random_bits)?,
            output_bits: sum(agenda.reveals().map(|reveal| labels(&reveal.columns)))?,
        })
    }

    /// Oblivious transfers: one for each bit of the evaluator's inputs and each random bit.
    pub fn ot_count(&self) -> u64 {
        self.evaluator_input_bits.saturating_add(self.random_bits)
    }
}

fn sum(mut counts: impl Iterator<Item = u64>) -> Option<u64> {
    counts.try_fold(0, u64::checked_add)
}

fn random_bits(body: &Body, action: &Action) -> Option<u64> {
    match action {
        Action::Random { target } => {
            let bundle = &body.bundles[target.index()];
            u64::from(bundle.bits).checked_mul(bundle.lanes)
        }
        _ => Some(0),
    }
}

/// The sum of `count` over all steps of a run of `main`, loops multiplied out.
fn total(schedule: &Schedule, count: impl Fn(&Body, &Action) -> Option<u64>) -> Option<u64> {
    let mut totals: Vec<u64> = Vec::with_capacity(schedule.bodies.len());
    for body in &schedule.bodies {
        let mut sum: u64 = 0;
        for step in &body.steps {
            let own = count(body, &step.action)?;
            sum = sum.checked_add(own)?.checked_add(applied(&step.action, &totals)?)?;
        }
        totals.push(sum);
    }
    totals.get(schedule.main).copied()
}

fn applied(action: &Action, totals: &[u64]) -> Option<u64> {
    match action {
        Action::Call { body, .. } => Some(totals[*body as usize]),
        Action::Map { body, lanes, .. } => totals[*body as usize].checked_mul(*lanes),
        Action::Iterate { body, count, .. } => totals[*body as usize].checked_mul(*count),
        _ => Some(0),
    }
}
