use std::cell::OnceCell;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tacit_ir::Domain;
use tacit_lower::{Action, ArithOp, Body, Bundle, BundleId, Schedule};

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
            Action::Circuit { circuit, lanes, .. } | Action::Sum { circuit, lanes, .. } => {
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
            match bundle.domain {
                Domain::Yao => u64::from(bundle.bits).checked_mul(bundle.lanes),
                Domain::Bool | Domain::Arith => Some(0),
            }
        }
        _ => Some(0),
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

impl DomainWork {
    /// Counts what a run does in each domain that it has.
    pub(crate) fn all(schedule: &Schedule) -> Vec<DomainWork> {
        let domains = Domain::ALL.iter().copied().filter(|domain| schedule.holds(*domain));
        // What is beyond counting saturates, and is beyond every limit.
        let count = |of: &dyn Fn(&Body, &Action) -> Option<u64>| total(schedule, of).unwrap_or(u64::MAX);
        let work = |domain: Domain| DomainWork {
            domain: domain.name().to_owned(),
            and_count: count(&|body, action| match action {
                Action::Circuit { circuit, lanes, outputs, .. } => match outputs.first() {
                    Some(output) if body.bundles[output.index()].domain == domain => {
                        schedule.circuits[*circuit as usize].and_count.checked_mul(*lanes)
                    }
                    _ => Some(0),
                },
                Action::Sum { circuit, lanes, .. } if domain == Domain::Yao => {
                    schedule.circuits[*circuit as usize].and_count.checked_mul(*lanes)
                }
                _ => Some(0),
            }),
            product_count: count(&|body, action| match action {
                Action::Arith { op, target, .. } if domain == Domain::Arith => products(body, op, *target),
                _ => Some(0),
            }),
            converted_words: count(&|body, action| match action {
                Action::Convert { target, .. }
                | Action::Addends { targets: [target, _], .. }
                | Action::Sum { target, .. }
                    if body.bundles[target.index()].domain == domain =>
                {
                    Some(body.bundles[target.index()].lanes)
                }
                _ => Some(0),
            }),
        };
        domains.map(work).collect()
    }
}

fn products(body: &Body, op: &ArithOp, target: BundleId) -> Option<u64> {
    let lanes = body.bundles[target.index()].lanes;
    match op {
        ArithOp::Mul | ArithOp::Square => Some(lanes),
        ArithOp::MatrixProduct { inner, .. } => lanes.checked_mul(*inner),
        _ => Some(0),
    }
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
    pub conjunctions: BTreeMap<u32, u64>,
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
    /// Counts what a run takes.
    pub(crate) fn new(schedule: &Schedule) -> Material {
        let mut totals: Vec<Material> = Vec::with_capacity(schedule.bodies.len());
        let ands: Vec<OnceCell<Ands>> = vec![OnceCell::new(); schedule.circuits.len()];
        let ands = |circuit: u32| {
            let executable = &schedule.circuits[circuit as usize];
            ands[circuit as usize].get_or_init(|| [executable.and_groups(), executable.conjunctions()])
        };
        for body in &schedule.bodies {
            let mut sum = Material::default();
            for step in &body.steps {
                sum.step(body, &step.action, ands);
                match &step.action {
                    Action::Call { body, .. } => sum.add(&totals[*body as usize], 1),
                    Action::Map { body, lanes, .. } => sum.add(&totals[*body as usize], *lanes),
                    Action::Iterate { body, count, .. } => sum.add(&totals[*body as usize], *count),
                    // What other steps take is counted by `step`.
                    _ => {}
                }
            }
            totals.push(sum);
        }
        // There is a total for each body, and the main one is among them.
        totals.get(schedule.main).cloned().unwrap_or_default()
    }

    fn step<'c>(&mut self, body: &Body, action: &Action, ands: impl Fn(u32) -> &'c Ands) {
        let bundle = |id: &BundleId| body.bundles[id.index()];
        let labels = |bundle: Bundle| u64::from(bundle.bits).saturating_mul(bundle.lanes);
        match action {
            Action::Circuit { circuit, lanes, outputs, .. }
                if outputs.first().is_some_and(|output| bundle(output).domain == Domain::Bool) =>
            {
                let [groups, wider] = ands(*circuit);
                add(&mut self.ands, groups, *lanes);
                add(&mut self.conjunctions, wider, *lanes);
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

    fn add(&mut self, other: &Material, times: u64) {
        add(&mut self.ands, &other.ands, times);
        add(&mut self.conjunctions, &other.conjunctions, times);
        self.labels = self.labels.saturating_add(other.labels.saturating_mul(times));
        self.sums = self.sums.saturating_add(other.sums.saturating_mul(times));
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
