use crate::schedule::{Action, Body, BundleId, Schedule};
use serde::{Deserialize, Serialize};

/// Instances of a mapped body run in chunks that keep about this many labels (2 MiB) live, so that they stay in cache …
pub(crate) const CHUNK_LABELS: u64 = 1 << 17;
/// … but at least this many instances, to fill the kernels' lanes …
pub(crate) const CHUNK_INSTANCES: u64 = 64;
/// … unless that takes more than this many labels (64 MiB).
pub(crate) const CHUNK_LABELS_MAX: u64 = 1 << 22;

/// Decisions that all engines that walk a schedule share: when bundles are dropped, and how many instances of
/// a mapped body run at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// One for each body of the schedule.
    pub bodies: Vec<BodyLayout>,
}

/// The layout of one body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyLayout {
    /// For each step, the bundles that nothing reads after it.
    pub releases: Vec<Vec<BundleId>>,
    /// Most labels live at once in one instance of the body, including those of applied bodies.
    pub peak_labels: u64,
    /// Most instances that a map of this body runs at a time.
    pub chunk: u64,
}

impl Layout {
    /// Lays a schedule out. Linear time.
    pub fn new(schedule: &Schedule) -> Layout {
        let mut bodies: Vec<BodyLayout> = Vec::with_capacity(schedule.bodies.len());
        for body in &schedule.bodies {
            let layout = BodyLayout::new(body, &bodies);
            bodies.push(layout);
        }
        Layout { bodies }
    }
}

impl BodyLayout {
    fn new(body: &Body, before: &[BodyLayout]) -> BodyLayout {
        let releases = releases(body);
        let peak_labels = peak(body, &releases, before);
        BodyLayout { releases, peak_labels, chunk: chunk(peak_labels) }
    }
}

fn chunk(peak_labels: u64) -> u64 {
    let peak = peak_labels.max(1);
    (CHUNK_LABELS / peak).max(CHUNK_INSTANCES).min((CHUNK_LABELS_MAX / peak).max(1))
}

/// For each step, the bundles that it is the last to read, or that it writes but nothing reads.
fn releases(body: &Body) -> Vec<Vec<BundleId>> {
    let mut needed = vec![false; body.bundles.len()];
    body.results.iter().for_each(|result| needed[result.index()] = true);
    let mut releases = vec![Vec::new(); body.steps.len()];
    for (step, list) in body.steps.iter().zip(&mut releases).rev() {
        let mut touch = |bundle: BundleId| {
            if !std::mem::replace(&mut needed[bundle.index()], true) {
                list.push(bundle);
            }
        };
        step.action.for_each_source(&mut touch);
        step.action.targets().iter().copied().for_each(touch);
    }
    releases
}

fn peak(body: &Body, releases: &[Vec<BundleId>], before: &[BodyLayout]) -> u64 {
    let size = |bundle: &BundleId| {
        let bundle = &body.bundles[bundle.index()];
        u64::from(bundle.wires()).saturating_mul(bundle.lanes)
    };
    let mut live: u64 = body.parameters.iter().map(size).fold(0, u64::saturating_add);
    let mut peak = live;
    for (step, released) in body.steps.iter().zip(releases) {
        live = step.action.targets().iter().map(size).fold(live, u64::saturating_add);
        peak = peak.max(live.saturating_add(inside(&step.action, before)));
        live = released.iter().map(size).fold(live, u64::saturating_sub);
    }
    peak
}

/// Labels live inside the body that a step applies.
fn inside(action: &Action, before: &[BodyLayout]) -> u64 {
    action.applied().map_or(0, |applied| {
        let body = &before[applied.body];
        body.peak_labels.saturating_mul(body.chunk.max(1).min(applied.lanes))
    })
}
