use std::cell::OnceCell;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tacit_ir::Domain;
use tacit_schedule::{Action, ArithOp, Body, Bundle, BundleId, Schedule, Tally};

use crate::MessageOrder;

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
    /// Oblivious transfers: one for each bit of the evaluator's inputs and each random bit.
    pub fn ot_count(&self) -> u64 {
        self.evaluator_input_bits.saturating_add(self.random_bits)
    }
}

/// What a run does in one domain, counted exactly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DomainWork {
    /// The domain's name.
    pub domain: String,
    /// ANDs of circuits; none in `arith`.
    pub and_count: u64,
    /// Products, squares and products of matrices, these in products of two words; only in `arith`.
    pub product_count: u64,
    /// Words that came from another domain.
    pub converted_words: u64,
}

/// ANDs of a circuit: groups of those of two operands by size, and those of more by the number of operands.
type Ands = [BTreeMap<u32, u64>; 2];

/// What setup must make for values that are not shared by labels, counted exactly. Counts stay at the largest number
/// rather than wrap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Material {
    /// Groups of ANDs of shared bits with a common operand, by the ANDs of a group.
    pub ands: BTreeMap<u32, u64>,
    /// ANDs of shared bits of more than two operands, by the number of operands.
    pub nary_ands: BTreeMap<u32, u64>,
    /// Products, by width.
    pub products: BTreeMap<u32, u64>,
    /// Squares, by width.
    pub squares: BTreeMap<u32, u64>,
    /// Matrix products, by width, rows, inner and columns.
    pub matrices: BTreeMap<(u32, u64, u64, u64), u64>,
    /// Words that go from shares of bits to shares of a sum, by the width of the sum.
    pub conversions: BTreeMap<u32, u64>,
    /// Comparisons of words shared by sum, by the width that they take.
    pub comparisons: BTreeMap<u32, u64>,
    /// Words shared by sum that are shifted to the right as they are, by their width.
    pub shifts: BTreeMap<u32, u64>,
    /// Labels of the evaluator's shares of bits that go to `yao`.
    pub labels: u64,
    /// Labels of what goes from sums to `yao`.
    pub sums: u64,
}

impl Material {
    fn step<'c>(&mut self, body: &Body, action: &Action, ands: impl Fn(u32) -> &'c Ands) {
        let bundle = |id: &BundleId| body.bundles[id.index()];
        let labels = |bundle: Bundle| u64::from(bundle.bits).saturating_mul(bundle.lanes);
        match action {
            Action::Circuit { circuit, lanes, outputs, .. }
                if outputs.first().is_some_and(|output| bundle(output).domain == Domain::Bool) =>
            {
                let [groups, wider] = ands(*circuit);
                add(&mut self.ands, groups, *lanes);
                add(&mut self.nary_ands, wider, *lanes);
            }
            Action::Convert { target, .. } if bundle(target).domain == Domain::Arith => {
                count(&mut self.conversions, bundle(target).bits, bundle(target).lanes);
            }
            Action::Convert { target, .. } if bundle(target).domain == Domain::Yao => {
                self.labels = self.labels.saturating_add(labels(bundle(target)));
            }
            Action::Sum { target, .. } => self.sums = self.sums.saturating_add(labels(bundle(target))),
            Action::Arith { op, inputs, target } => {
                let (target, source) = (bundle(target), inputs.first().map_or(0, |input| bundle(input).bits));
                match op {
                    ArithOp::Compare(_) => count(&mut self.comparisons, source, target.lanes),
                    ArithOp::ShiftRight { .. } => count(&mut self.shifts, source, target.lanes),
                    ArithOp::Mul => count(&mut self.products, target.bits, target.lanes),
                    ArithOp::Square => count(&mut self.squares, target.bits, target.lanes),
                    ArithOp::MatrixProduct { batch, rows, inner, columns } => {
                        count(&mut self.matrices, (target.bits, *rows, *inner, *columns), *batch);
                    }
                    // Each party does these alone.
                    ArithOp::Add
                    | ArithOp::Sub
                    | ArithOp::Neg
                    | ArithOp::Truncate
                    | ArithOp::Scale(_)
                    | ArithOp::SegmentSum(_)
                    | ArithOp::Scan(_) => {}
                }
            }
            // All others take nothing that setup makes.
            _ => {}
        }
    }
}

impl Tally for Material {
    fn add(&mut self, other: &Material, times: u64) {
        add(&mut self.ands, &other.ands, times);
        add(&mut self.nary_ands, &other.nary_ands, times);
        self.labels.add(&other.labels, times);
        self.sums.add(&other.sums, times);
        add(&mut self.products, &other.products, times);
        add(&mut self.squares, &other.squares, times);
        add(&mut self.matrices, &other.matrices, times);
        add(&mut self.conversions, &other.conversions, times);
        add(&mut self.comparisons, &other.comparisons, times);
        add(&mut self.shifts, &other.shifts, times);
    }
}

fn count<K: Ord>(counts: &mut BTreeMap<K, u64>, key: K, more: u64) {
    let sum = counts.entry(key).or_default();
    *sum = sum.saturating_add(more);
}

fn add<K: Ord + Copy>(counts: &mut BTreeMap<K, u64>, other: &BTreeMap<K, u64>, times: u64) {
    other.iter().for_each(|(key, more)| count(counts, *key, more.saturating_mul(times)));
}

/// What is counted of a run in one walk over its schedule; counts stay at the largest number rather than wrap.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkCounts {
    xors: u64,
    /// Random bits that are shared by labels.
    pub(crate) random_bits: u64,
    /// ANDs and converted words, in the order of [`Domain::ALL`].
    domains: [[u64; 2]; Domain::ALL.len()],
    /// Products of two words.
    products: u64,
    pub(crate) material: Material,
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
        let ands = |circuit: u32| {
            let executable = &schedule.circuits[circuit as usize];
            ands[circuit as usize].get_or_init(|| [executable.and_groups(), executable.conjunctions()])
        };
        schedule.tally(|counts: &mut WorkCounts, body, action| {
            counts.step(schedule, body, action);
            counts.material.step(body, action, ands);
        })
    }

    fn step(&mut self, schedule: &Schedule, body: &Body, action: &Action) {
        // Output steps write nothing, and some circuits neither.
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
            Action::Convert { .. } | Action::Addends { .. } | Action::Sum { .. } => {
                converted.add(&target.lanes, 1);
            }
            Action::Random { .. } if target.domain == Domain::Yao => {
                self.random_bits.add(&target.bits.into(), target.lanes);
            }
            Action::Arith { op: ArithOp::Mul | ArithOp::Square, .. } => self.products.add(&target.lanes, 1),
            Action::Arith { op: ArithOp::MatrixProduct { inner, .. }, .. } => {
                self.products.add(&target.lanes, *inner);
            }
            // Others are not counted here.
            _ => {}
        }
    }

    /// Whether some count is more than 64 bits hold.
    pub(crate) fn is_beyond_counting(&self, messages: &MessageOrder) -> bool {
        let bits = [messages.garbler_input_bits(), messages.evaluator_input_bits(), messages.output_bits()];
        [self.xors, self.random_bits].iter().chain(&bits).any(|count| *count == u64::MAX)
    }

    /// What the run consists of.
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

    /// What the run does in each domain that it has.
    pub(crate) fn domains(&self, schedule: &Schedule) -> Vec<DomainWork> {
        let counted = Domain::ALL.iter().zip(self.domains).filter(|(domain, _)| schedule.holds(**domain));
        let work = |(domain, [and_count, converted_words]): (&Domain, [u64; 2])| DomainWork {
            domain: domain.name().to_owned(),
            and_count,
            product_count: if *domain == Domain::Arith { self.products } else { 0 },
            converted_words,
        };
        counted.map(work).collect()
    }
}
