//! How far a plan can be from the best: a lower bound on the cost of every choice of domains.
//!
//! Every operation is priced alone, in each domain and in every way in which it can be lowered there, given
//! what is known of its operands. A choice of domains costs at least the sum of the cheapest prices, apart
//! from the handshake. Conversions, messages that follow one another, inputs and outputs are left out, which
//! only lowers the bound. If all values are garbled, there is only one plan for each garbler and mode, and all
//! prices are known.
//!
//! Operations that are computed in one circuit may share gates. The saving from sharing is bounded by the
//! saving where all operations share circuits: the sum of the ANDs of all operations alone, less the ANDs of
//! the program in one garbled circuit.
//!
//! Source: the relaxation of the integer programs of Kerschbaum, Schneider and Schröpfer (*Automatic Protocol Selection in Secure Two-Party
//! Computations*, ACNS'14), without the variables of conversions.
//! Differs: prices are counted by lowering the operation, not measured for it.

mod alone;
mod linear;
mod uses;
mod values;

use std::collections::{BTreeMap, HashMap};

use tacit_ir::{Body, Domain, Program};

use crate::planner::{Planner, plan};
use crate::{DomainChoice, Goal, Limits, ModeChoice, Objective, Plan, PlanError, PlanOptions, Prices, mixed};
use alone::Alone;
use linear::Linear;
use uses::Use;

/// The most operations that are priced; further ones count as zero.
const MOST_PRICED: usize = 64;

/// A lower bound on the cost of all plans, and the cost of one plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The lower bound on the objective over all plans, by the model: nanoseconds, bytes, or millionths of
    /// millionths of a currency.
    pub least: u64,
    /// The cost of this plan.
    pub found: u64,
}

impl Bound {
    /// The relative excess of this plan over the lower bound: `found / least - 1`.
    pub fn gap(self) -> f64 {
        self.found as f64 / self.least.max(1) as f64 - 1.0
    }
}

/// Why the distance of a plan from the best is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unbounded {
    /// Memory is a peak, so that of operations cannot be added up.
    #[error("the memory of a plan is not a sum over its operations")]
    Memory,
    /// The time of computing under encryption is not counted.
    #[error("computing under encryption is not counted")]
    Encrypted,
    /// Operations share more gates in one circuit than the bound assumes.
    #[error("operations of the program take less together than alone")]
    Together,
    /// The program cannot be typed, or nothing of it can be priced.
    #[error("the operations of the program cannot be priced alone")]
    Unpriced,
}

/// A lower bound on the objective of all plans of `program`, compared with `plan`.
///
/// Cost: a plan in `yao`, and one of each kind of operation in each domain.
///
/// # Errors
/// [`Unbounded`] if the bound is unknown.
pub fn bound(
    program: &Program,
    options: &PlanOptions,
    prices: &dyn Prices,
    plan: &Plan,
) -> Result<Bound, Unbounded> {
    let goal = options.goal();
    if goal.objective == Objective::Memory {
        return Err(Unbounded::Memory);
    }
    if program.templates.iter().any(is_encrypted) {
        return Err(Unbounded::Encrypted);
    }
    let found = plan.prediction().of(goal).0;
    let options = &PlanOptions { limits: Limits::default(), ..options.without_classes() };
    let garbled = garbled(program, options, prices, plan);
    let shared = shared(program, options, prices, garbled.as_ref().ok().map(|(_, ands)| *ands))?;
    let least = match garbled {
        Ok((garbled, _)) => shared.min(garbled),
        Err(_) => shared,
    };
    match least <= found {
        true => Ok(Bound { least, found }),
        false => Err(Unbounded::Together),
    }
}

fn is_encrypted(template: &tacit_ir::Template) -> bool {
    let Body::Operations { operations, .. } = &template.body else { return false };
    operations.iter().any(|operation| mixed::is_encrypted(&operation.op))
}

/// The cost of the plan in which all values are garbled, by whichever party may garble and in whichever mode
/// may be chosen, and its ANDs.
fn garbled(
    program: &Program,
    options: &PlanOptions,
    prices: &dyn Prices,
    chosen: &Plan,
) -> Result<(u64, u64), PlanError> {
    let of = |plan: &Plan| {
        let planner = Planner::new(program, options, prices)?;
        let all = planner.garbled(plan);
        let all = all.iter().chain([plan.prediction()]).map(|one| one.of(options.goal()).0);
        Ok((all.min().unwrap_or(u64::MAX), plan.work().and_count))
    };
    if !chosen.schedule().has_shares() {
        return of(chosen);
    }
    let is_garbled = |domain: &&Domain| tacit_schedule::rules(**domain).is_garbled();
    let garbled = Domain::UNPINNED.iter().find(is_garbled).ok_or(PlanError::NoDomain)?;
    let options = PlanOptions { domain: DomainChoice::In(*garbled), ..options.clone() };
    of(&plan(program, &options, prices)?)
}

/// A lower bound on plans that share some value in another way, where one garbled circuit of the program has
/// `ands` ANDs.
fn shared(
    program: &Program,
    options: &PlanOptions,
    prices: &dyn Prices,
    ands: Option<u64>,
) -> Result<u64, Unbounded> {
    let mut known: HashMap<Program, Option<Priced>> = HashMap::new();
    // Plans that share values stream their tables.
    let options = &PlanOptions { mode: ModeChoice::Streamed, ..options.clone() };
    let (mut all, mut alone_ands, mut dearest) = (Linear::default(), 0.0, Linear::default());
    for Use { alone, times: repetitions, .. } in uses::of(program).ok_or(Unbounded::Unpriced)? {
        let Some(key) = alone.program(1) else { continue };
        if !known.contains_key(&key) && known.len() >= MOST_PRICED {
            continue;
        }
        let price = || Priced::of(&alone, options, prices);
        let Some(priced) = known.entry(key).or_insert_with(price) else { continue };
        let times = repetitions as f64 * alone.units() as f64;
        all = all.and(priced.least, times);
        alone_ands += priced.garbled_ands * times;
        dearest = dearest.larger(priced.of_an_and);
    }
    let saved = ands.map_or(0.0, |ands| (alone_ands - ands as f64).max(0.0));
    let within = all.and(dearest, -saved).value();
    let meeting = prices.least(true, options).of(options.goal()).0;
    // Opened values travel once.
    let opens = !program.outputs.is_empty() && is_of_time(options.goal());
    let travelling = if opens { options.link.round_us.saturating_mul(500) } else { 0 };
    Ok(meeting.saturating_add(travelling).saturating_add(within))
}

fn is_of_time(goal: Goal) -> bool {
    matches!(goal.objective, Objective::Total | Objective::Online)
}

/// The cost of the operations of one kind on one line alone in a domain, without inputs, outputs, conversions
/// and messages that follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationCost {
    /// Line of the source, 0 if unknown.
    pub line: u32,
    /// The name of these operations.
    pub kind: &'static str,
    /// The domain.
    pub domain: Domain,
    /// Nanoseconds of setup and online together.
    pub nanoseconds: u64,
    /// Bytes of both parties.
    pub bytes: u64,
}

/// The cost of each operation of a program alone, in every domain in which it can be lowered.
///
/// Cost: a plan of each kind of operation in each domain, for the first 64 of them.
pub fn operation_costs(program: &Program, options: &PlanOptions, prices: &dyn Prices) -> Vec<OperationCost> {
    let objectives = [Objective::Total, Objective::Bytes];
    // One mode for all, since costs are differences.
    let mode = match options.mode {
        ModeChoice::Auto => ModeChoice::Precomputed,
        mode => mode,
    };
    let options = objectives.map(|objective| PlanOptions { objective, mode, ..options.without_classes() });
    let mut known: HashMap<(Program, Domain), Option<[Linear; 2]>> = HashMap::new();
    let mut all: BTreeMap<(u32, &'static str, Domain), [Linear; 2]> = BTreeMap::new();
    for Use { alone, times, line, kind } in uses::of(program).unwrap_or_default() {
        let Some(key) = alone.program(1) else { continue };
        for domain in Domain::UNPINNED {
            let key = (key.clone(), *domain);
            if !known.contains_key(&key) && known.len() >= MOST_PRICED * Domain::UNPINNED.len() {
                continue;
            }
            let [time, bytes] = &options;
            let price = |options| alone.price(*domain, options, prices).map(|(each, _)| each);
            let each = *known.entry(key).or_insert_with(|| Some([price(time)?, price(bytes)?]));
            let Some(each) = each else { continue };
            let (sum, times) =
                (all.entry((line, kind, *domain)).or_default(), times as f64 * alone.units() as f64);
            *sum = [0, 1].map(|what| sum[what].and(each[what], times));
        }
    }
    let cost = |((line, kind, domain), [time, bytes]): ((u32, &'static str, Domain), [Linear; 2])| {
        OperationCost { line, kind, domain, nanoseconds: time.value(), bytes: bytes.value() }
    };
    all.into_iter().map(cost).collect()
}

/// The cost of an operation for each lane, or each segment of lanes.
#[derive(Clone, Copy)]
struct Priced {
    /// In the cheapest domain.
    least: Linear,
    /// ANDs if it is garbled.
    garbled_ands: f64,
    /// The cost of one of its ANDs, in the most expensive domain of bits.
    of_an_and: Linear,
}

impl Priced {
    /// None if no domain can lower it.
    fn of(alone: &Alone, options: &PlanOptions, prices: &dyn Prices) -> Option<Priced> {
        let mut found: Option<Priced> = None;
        for domain in Domain::UNPINNED {
            let Some((least, ands)) = alone.price(*domain, options, prices) else { continue };
            let priced =
                found.get_or_insert(Priced { least, garbled_ands: 0.0, of_an_and: Linear::default() });
            priced.least = priced.least.smaller(least);
            let rules = tacit_schedule::rules(*domain);
            if rules.is_garbled() {
                priced.garbled_ands = ands;
            }
            if !rules.is_of_words() && ands > 0.0 {
                priced.of_an_and = priced.of_an_and.larger(least.part(ands));
            }
        }
        found
    }
}
