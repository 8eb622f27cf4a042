use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tacit_circuit::Executable;
use tacit_ir::Domain;
use tacit_schedule::{Action, Body, Computing, Consumed, Schedule, Site, Tally, rules};

use crate::MessageOrder;

/// The work of a run, counted exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// AND gates, loops multiplied out.
    pub and_count: u64,
    /// Longest chain of dependent ANDs: [`Schedule::and_depth`].
    pub and_depth: u64,
    /// XOR gates, loops multiplied out. They only cost computation.
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
    /// Oblivious transfers: one for each bit of the evaluator's inputs and each random bit.
    pub fn ot_count(&self) -> u64 {
        self.evaluator_input_bits.saturating_add(self.random_bits)
    }
}

/// The work of a run in one domain, counted exactly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DomainWork {
    /// The domain's name.
    pub domain: String,
    /// ANDs of circuits; none in domains of words.
    pub and_count: u64,
    /// Products, squares and matrix products (counted in products of two words); only in domains of words.
    pub product_count: u64,
    /// Words that came from another domain.
    pub converted_words: u64,
}

/// Whether products are made in a domain. Encrypted words are only multiplied by constants.
fn makes_products(domain: Domain) -> bool {
    let rules = rules(domain);
    rules.is_of_words() && !rules.is_encrypted()
}

/// The material for one instance of a circuit in which each layer is a round.
type Ands = Vec<(Consumed, u64)>;

/// The material that setup must make for values that are not shared by labels, counted exactly. Counts
/// saturate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Material(BTreeMap<Consumed, u64>);

impl Material {
    /// The amount of one kind and shape.
    pub fn count(&self, kind: Consumed) -> u64 {
        self.0.get(&kind).copied().unwrap_or(0)
    }

    /// All kinds and shapes with their amounts.
    pub fn iter(&self) -> impl Iterator<Item = (Consumed, u64)> {
        self.0.iter().map(|(kind, count)| (*kind, *count))
    }

    /// All except these kinds.
    pub fn without(&self, kinds: &BTreeSet<Consumed>) -> Material {
        Material(self.iter().filter(|(kind, _)| !kinds.contains(kind)).collect())
    }

    /// Labels of the evaluator's shares of bits and sums that enter garbled circuits.
    pub fn label_count(&self) -> u64 {
        self.count(Consumed::Label).saturating_add(self.count(Consumed::SumLabel))
    }

    fn more(&mut self, kind: Consumed, count: u64) {
        let sum = self.0.entry(kind).or_default();
        *sum = sum.saturating_add(count);
    }
}

impl Tally for Material {
    fn add(&mut self, other: &Material, times: u64) {
        other.iter().for_each(|(kind, count)| self.more(kind, count.saturating_mul(times)));
    }
}

/// The material for one instance of a circuit.
fn ands_of(circuit: &Executable) -> Ands {
    let groups = circuit.and_groups().into_iter().map(|(size, count)| (Consumed::Ands { size }, count));
    let wider = circuit.conjunctions().into_iter();
    groups.chain(wider.map(|(operands, count)| (Consumed::NaryAnd { operands }, count))).collect()
}

/// Counts of one walk over the schedule of a run; they saturate.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkCounts {
    /// XOR gates.
    pub(crate) xors: u64,
    /// Random bits that are shared by labels.
    pub(crate) random_bits: u64,
    /// ANDs and converted words, in the order of [`Domain::ALL`].
    domains: [[u64; 2]; Domain::ALL.len()],
    /// Products of two words.
    products: u64,
    pub(crate) material: Material,
    /// What either party computes on labels besides garbling and evaluating ANDs, of the whole run: it depends on what runs side by
    /// side, and is not tallied step by step.
    pub(crate) label_work: Computing,
}

impl Tally for WorkCounts {
    fn add(&mut self, other: &WorkCounts, times: u64) {
        self.xors.add(&other.xors, times);
        self.random_bits.add(&other.random_bits, times);
        let domains = self.domains.iter_mut().flatten().zip(other.domains.iter().flatten());
        domains.for_each(|(count, other)| count.add(other, times));
        self.products.add(&other.products, times);
        self.material.add(&other.material, times);
    }
}

impl WorkCounts {
    pub(crate) fn new(schedule: &Schedule) -> WorkCounts {
        let ands: Vec<OnceCell<Ands>> = vec![OnceCell::new(); schedule.circuits.len()];
        let ands = |circuit: usize| &ands[circuit].get_or_init(|| ands_of(&schedule.circuits[circuit]))[..];
        let label_work = schedule.label_work();
        let step = |counts: &mut WorkCounts, body: &Body, action: &Action| {
            counts.step(schedule, body, action, ands);
        };
        WorkCounts { label_work, ..schedule.tally(step) }
    }

    fn step<'c>(
        &mut self,
        schedule: &Schedule,
        body: &Body,
        action: &Action,
        ands_of: impl Fn(usize) -> &'c [(Consumed, u64)],
    ) {
        // Output steps write nothing.
        let Some(target) = action.targets().first().map(|target| body.bundles[target.index()]) else {
            return;
        };
        let domain = Domain::ALL.iter().position(|domain| *domain == target.domain);
        let Some([ands, converted]) = domain.map(|domain| &mut self.domains[domain]) else { return };
        if let Some((circuit, lanes)) = action.circuit() {
            ands.add(&schedule.circuits[circuit].and_count, lanes);
            self.xors.add(&schedule.circuits[circuit].xor_count(), lanes);
        }
        match action {
            Action::Random { .. } if target.rules().is_garbled() => {
                self.random_bits.add(&target.bits.into(), target.lanes);
            }
            Action::Circuit { circuit, lanes, .. } if target.rules().is_layered() => {
                for (kind, count) in ands_of(*circuit as usize) {
                    self.material.more(*kind, count.saturating_mul(*lanes));
                }
            }
            Action::Kernel { kernel, inputs, targets } => {
                let [inputs, targets] = [inputs, targets]
                    .map(|all| all.iter().map(|id| body.bundles[id.index()]).collect::<Vec<_>>());
                if let Some((kind, count)) =
                    kernel.rules().consumes(Site { inputs: &inputs, targets: &targets })
                {
                    self.material.more(kind, count);
                    self.products.add(&count, kind.products());
                }
                if kernel.rules().converts() {
                    converted.add(&target.lanes, 1);
                }
            }
            // Other work is not counted here.
            _ => {}
        }
    }

    /// Whether some count has saturated at 64 bits.
    pub(crate) fn is_beyond_counting(&self, messages: &MessageOrder) -> bool {
        let bits = [messages.garbler_input_bits(), messages.evaluator_input_bits(), messages.output_bits()];
        [self.xors, self.random_bits].iter().chain(&bits).any(|count| *count == u64::MAX)
    }

    /// The work of the run.
    pub(crate) fn work(&self, schedule: &Schedule, messages: &MessageOrder) -> Work {
        Work {
            and_count: schedule.and_count(),
            and_depth: schedule.and_depth(),
            xor_count: self.xors,
            garbler_input_bits: messages.garbler_input_bits(),
            evaluator_input_bits: messages.evaluator_input_bits(),
            random_bits: self.random_bits,
            output_bits: messages.output_bits(),
        }
    }

    /// The work of the run in each of its domains.
    pub(crate) fn domains(&self, schedule: &Schedule) -> Vec<DomainWork> {
        let counted = Domain::ALL.iter().zip(self.domains).filter(|(domain, _)| schedule.holds(**domain));
        let work = |(domain, [and_count, converted_words]): (&Domain, [u64; 2])| DomainWork {
            domain: domain.name().to_owned(),
            and_count,
            product_count: if makes_products(*domain) { self.products } else { 0 },
            converted_words,
        };
        counted.map(work).collect()
    }
}
