//! The work of a run, counted over its schedule.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use tacit_ir::Domain;
use tacit_schedule::{
    Action, Body, Bundle, BundleId, Computing, Consumed, Schedule, Site, Tally, Unit, label_work,
};

use super::domains::{Size, compared_products, domain_of, is_garbled};

/// What a party computes for the gates of circuits and the products of matrices, whose steps show only their
/// results.
#[derive(Default)]
struct Inside(Computing);

impl Tally for Inside {
    fn add(&mut self, other: &Inside, times: u64) {
        self.0.add(&other.0, times);
    }
}

/// What one of these parties computes inside the steps of a schedule. Of garbled circuits it is what garbler and evaluator compute, one after the
/// other.
pub(super) fn inside_steps(schedule: &Schedule, size: Size) -> Computing {
    // More parties compute with words in a prime field.
    let word_product = if size.is_of_three() { Unit::SharedWordProduct } else { Unit::FieldWordProduct };
    let counted = schedule.tally(|inside: &mut Inside, body, action| {
        let target = action.targets().first().map(|target| body.bundles[target.index()].domain);
        if let (Some((circuit, lanes)), Some(domain)) = (action.circuit(), target) {
            let circuit = &schedule.circuits[circuit];
            if is_garbled((size, domain), circuit) {
                let ands = circuit.and_count.saturating_mul(lanes);
                inside.0.add_of(Unit::HalfGatesGarbled, ands);
                inside.0.add_of(Unit::HalfGatesEvaluated, ands);
                inside.0.add(&label_work(circuit, lanes), 2);
                return;
            }
            let gates = circuit.and_count.saturating_add(circuit.xor_count());
            inside.0.add_of(Unit::SharedGate, gates);
            inside.0.add_of(Unit::SharedGateByte, gates.saturating_mul(lanes.div_ceil(8)));
        }
        if let Action::Kernel { kernel, inputs, .. } = action {
            let all = |ids: &[BundleId]| ids.iter().map(|id| body.bundles[id.index()]).collect::<Vec<_>>();
            let (inputs, targets) = (all(inputs), all(action.targets()));
            let site = Site { inputs: &inputs, targets: &targets };
            let runs = targets.first().map_or(0, |target| target.lanes);
            inside.0.add_of(word_product, compared_products(kernel, runs));
            if let Some((kind @ Consumed::Matrix { .. }, count)) = kernel.rules().consumes(site) {
                inside.0.add_of(word_product, count.saturating_mul(kind.products()));
            }
        }
    });
    counted.0
}

/// The work of a run in one domain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DomainWork {
    /// The domain's name.
    pub domain: String,
    /// ANDs of circuits.
    pub and_count: u64,
    /// Products of two words.
    pub product_count: u64,
    /// Words that were converted from another domain.
    pub converted_words: u64,
}

/// Counts of one walk over a run's schedule; they saturate instead of wrapping.
#[derive(Default)]
pub(super) struct WorkCounts {
    by_domain: BTreeMap<Domain, DomainCounts>,
    /// Bits of random words.
    pub(super) random_bits: u64,
}

#[derive(Clone, Copy, Default)]
struct DomainCounts {
    ands: u64,
    products: u64,
    converted: u64,
}

impl Tally for WorkCounts {
    fn add(&mut self, other: &WorkCounts, times: u64) {
        for (domain, other) in &other.by_domain {
            let counts = self.by_domain.entry(*domain).or_default();
            counts.ands.add(&other.ands, times);
            counts.products.add(&other.products, times);
            counts.converted.add(&other.converted, times);
        }
        self.random_bits.add(&other.random_bits, times);
    }
}

impl WorkCounts {
    /// The work of a run among these parties.
    pub(super) fn new(schedule: &Schedule, size: Size) -> WorkCounts {
        schedule.tally(|counts: &mut WorkCounts, body, action| counts.step((schedule, size), body, action))
    }

    fn step(&mut self, (schedule, size): (&Schedule, Size), body: &Body, action: &Action) {
        let all = |ids: &[BundleId]| ids.iter().map(|id| body.bundles[id.index()]).collect::<Vec<Bundle>>();
        let targets = all(action.targets());
        // Output steps write nothing.
        let Some(target) = targets.first() else { return };
        let counts = self.by_domain.entry(domain_of(size, target.domain)).or_default();
        match action {
            Action::Random { .. } => self.random_bits.add(&target.bits.into(), target.lanes),
            Action::Circuit { circuit, lanes, .. } => {
                counts.ands.add(&schedule.circuits[*circuit as usize].and_count, *lanes);
            }
            Action::Kernel { kernel, inputs, .. } => {
                let site = Site { inputs: &all(inputs), targets: &targets };
                match kernel.rules() {
                    rules if rules.keeps_bits() => {}
                    rules if rules.converts() => counts.converted.add(&target.lanes, 1),
                    rules => {
                        if let Some((kind, count)) = rules.consumes(site) {
                            counts.products.add(&count, kind.products());
                        }
                    }
                }
            }
            // Others are not counted here.
            _ => {}
        }
    }

    /// The work of the run in each of its domains.
    pub(super) fn domains(&self, schedule: &Schedule, size: Size) -> Vec<DomainWork> {
        let bundles = schedule.bodies.iter().flat_map(|body| &body.bundles);
        let held: BTreeSet<_> = bundles.map(|bundle| domain_of(size, bundle.domain)).collect();
        let work = |domain: &Domain| {
            let counts = self.by_domain.get(domain).copied().unwrap_or_default();
            DomainWork {
                domain: domain.name().to_owned(),
                and_count: counts.ands,
                product_count: counts.products,
                converted_words: counts.converted,
            }
        };
        held.iter().map(work).collect()
    }
}
