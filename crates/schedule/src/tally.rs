//! One walk over a schedule for all counts of a run.

use crate::schedule::{Action, Body, Schedule};

/// Counts of steps, and of bodies as often as they run.
pub trait Tally: Default {
    /// Adds `times` runs of a body. Counts saturate.
    fn add(&mut self, other: &Self, times: u64);
}

impl Tally for u64 {
    fn add(&mut self, other: &u64, times: u64) {
        *self = self.saturating_add(other.saturating_mul(times));
    }
}

/// A body that a step applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Applied {
    /// Index into [`Schedule::bodies`].
    pub body: usize,
    /// Runs, one after the other.
    pub times: u64,
    /// Instances of each run, side by side.
    pub lanes: u64,
}

impl Applied {
    /// Runs of the body in all; saturates.
    pub fn runs(self) -> u64 {
        self.times.saturating_mul(self.lanes)
    }
}

impl Action {
    /// The body that is applied, if this applies one.
    pub fn applied(&self) -> Option<Applied> {
        let (body, times, lanes) = match self {
            Action::Call { body, .. } => (body, 1, 1),
            Action::Map { body, lanes, .. } => (body, 1, *lanes),
            Action::Iterate { body, count, .. } => (body, *count, 1),
            _ => return None,
        };
        Some(Applied { body: *body as usize, times, lanes })
    }

    /// The circuit that is run, and its number of instances.
    pub fn circuit(&self) -> Option<(usize, u64)> {
        match self {
            Action::Circuit { circuit, lanes, .. } => Some((*circuit as usize, *lanes)),
            Action::Kernel { kernel, .. } => {
                kernel.rules().circuit().map(|(circuit, lanes)| (circuit as usize, lanes))
            }
            _ => None,
        }
    }
}

impl Schedule {
    /// Counts a run, loops multiplied out: `step` adds the counts of a step itself. Linear time in a valid
    /// schedule.
    pub fn tally<T: Tally>(&self, mut step: impl FnMut(&mut T, &Body, &Action)) -> T {
        let mut totals: Vec<T> = Vec::with_capacity(self.bodies.len());
        for body in &self.bodies {
            let mut total = T::default();
            for one in &body.steps {
                step(&mut total, body, &one.action);
                // Bodies apply only bodies before them.
                let applied = one.action.applied();
                if let Some((applied, of)) = applied.and_then(|one| Some((one, totals.get(one.body)?))) {
                    total.add(of, applied.runs());
                }
            }
            totals.push(total);
        }
        match self.main < totals.len() {
            true => totals.swap_remove(self.main),
            false => T::default(),
        }
    }
}
