//! Peak memory of the bundles of a run.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::bundle::Bundle;
use crate::layout::Layout;
use crate::schedule::{Action, Body, BundleId, Schedule};

/// Peak memory in bytes, and where it occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Peak {
    /// The bytes.
    pub bytes: u64,
    /// Line of the source of the step at the peak, 0 if unknown.
    pub line: u32,
}

impl Peak {
    /// The larger of both.
    #[must_use]
    pub fn max(self, other: Peak) -> Peak {
        if other.bytes > self.bytes { other } else { self }
    }

    /// The same with this many more bytes.
    #[must_use]
    pub fn and(self, bytes: u64) -> Peak {
        Peak { bytes: self.bytes.saturating_add(bytes), ..self }
    }
}

impl Schedule {
    /// Peak bytes of the live bundles in a run, as the walk drops them, loops and maps included. `size` gives
    /// the bytes of some lanes of a bundle, `beside` the other bytes held at each step of `main`. Linear time
    /// in the schedule, except for bodies that run with different numbers of instances.
    pub fn peak(&self, layout: &Layout, size: &dyn Fn(Bundle, u64) -> u64, beside: &[u64]) -> Peak {
        let mut counter = Counter { schedule: self, layout, size, known: HashMap::new() };
        counter.body(self.main, 1, beside)
    }
}

struct Counter<'a> {
    schedule: &'a Schedule,
    layout: &'a Layout,
    size: &'a dyn Fn(Bundle, u64) -> u64,
    /// The peaks of bodies by number of instances.
    known: HashMap<(usize, u64), Peak>,
}

/// Memory of a step while it runs the body that it applies.
struct Inside {
    peak: Peak,
    /// Results that exist from the start.
    begun: u64,
}

impl Counter<'_> {
    fn bytes(&self, body: &Body, bundles: &[BundleId], lanes: u64) -> u64 {
        let one = |bundle: &BundleId| {
            let bundle = body.bundles[bundle.index()];
            (self.size)(bundle, bundle.lanes.saturating_mul(lanes))
        };
        bundles.iter().map(one).fold(0, u64::saturating_add)
    }

    /// Memory of a body in `copies` instances, without its parameters, which the caller counts.
    fn body(&mut self, number: usize, copies: u64, beside: &[u64]) -> Peak {
        if let Some(peak) = self.known.get(&(number, copies)) {
            return *peak;
        }
        let (schedule, layout) = (self.schedule, self.layout);
        let (body, releases) = (&schedule.bodies[number], &layout.bodies[number].releases);
        let (mut live, mut peak) = (0u64, Peak::default());
        for (index, step) in body.steps.iter().enumerate() {
            let targets = self.bytes(body, step.action.targets(), copies);
            let here = live.saturating_add(beside.get(index).copied().unwrap_or(0));
            let written = Peak { bytes: here.saturating_add(targets), line: step.line };
            peak = peak.max(written);
            if let Some(Inside { peak: inner, begun }) = self.inside(body, &step.action, copies) {
                let line = if inner.line == 0 { step.line } else { inner.line };
                peak = peak.max(Peak { line, ..inner }.and(here.saturating_add(begun)));
            }
            live = live.saturating_add(targets);
            let released = releases[index].iter().copied();
            let own: Vec<BundleId> = released.filter(|bundle| !body.parameters.contains(bundle)).collect();
            live = live.saturating_sub(self.bytes(body, &own, copies));
        }
        self.known.insert((number, copies), peak);
        peak
    }

    fn inside(&mut self, body: &Body, action: &Action, copies: u64) -> Option<Inside> {
        let applied = action.applied()?;
        let (schedule, layout) = (self.schedule, self.layout);
        let inner = &schedule.bodies[applied.body];
        Some(match action {
            Action::Map { results, .. } => {
                let total = applied.lanes.saturating_mul(copies);
                let chunk = layout.bodies[applied.body].chunk.clamp(1, total.max(1));
                let peak = self.body(applied.body, chunk, &[]);
                match chunk < total {
                    true => Inside {
                        peak: peak.and(self.bytes(inner, &inner.parameters, chunk)),
                        begun: self.bytes(body, results, copies),
                    },
                    false => Inside { peak, begun: 0 },
                }
            }
            Action::Iterate { carried, invariant, results, .. } => {
                let (first, rest) = inner.parameters.split_at(carried.len());
                let slices = self.bytes(inner, &rest[invariant.len()..], copies);
                // The caller holds what is carried at first; each later iteration holds what the one before
                // it made.
                let made = if applied.times > 1 { self.bytes(inner, first, copies) } else { 0 };
                Inside {
                    peak: self.body(applied.body, copies, &[]).and(slices.saturating_add(made)),
                    begun: self.bytes(body, &results[carried.len()..], copies),
                }
            }
            _ => Inside { peak: self.body(applied.body, copies, &[]), begun: 0 },
        })
    }
}
